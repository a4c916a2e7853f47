//! What one agent's token opened, no other agent's token may touch.

use std::time::Duration;

use futures_util::future::join_all;
use handraise_broker::{
    Asker, DelivererId, Hub, HubError, Level, MessageKind, NewAsk, Policy, Power, Progress,
    Receipt, Rejection, Reply, Saying, Seat, SessionState, Sessions, State, Streamed,
};
use handraise_testkit::{new_ask, questions};
use serde_json::json;

use crate::house::House;
use crate::sessions::new_session;

const NOT_YOURS: HubError = HubError::Rejected(Rejection::NotYours);

fn seats(house: &House) -> (Seat, Seat) {
    (house.broker.agent_seat("a"), house.broker.agent_seat("b"))
}

fn deliverer(name: &str) -> DelivererId {
    DelivererId::new(name).unwrap()
}

fn delivered_by(name: &str) -> NewAsk {
    NewAsk { deliverer: Some(deliverer(name)), ..new_ask(Some("k")) }
}

fn receipt() -> Receipt {
    Receipt { level: Level::Handed, doubt: None, text: Some("JWT".into()), took: None }
}

#[tokio::test]
async fn another_agent_can_neither_withdraw_nor_give_a_receipt() {
    let house = House::new().await;
    let (a, b) = seats(&house);
    let asked = a.ask(new_ask(None)).await.unwrap().record;
    assert_eq!(asked.opened.owner.as_deref(), Some("a"));
    let id = asked.id;
    assert_eq!(b.withdraw(id, None).await, Err(NOT_YOURS));
    assert_eq!(b.receipt(id, receipt()).await, Err(NOT_YOURS));
    assert_eq!(house.get(id).await, *asked, "nothing has changed");
    house.answer(id).await;
    assert_eq!(b.receipt(id, receipt()).await, Err(NOT_YOURS));
    assert_eq!(house.get(id).await.state(), State::Resolved);
    a.receipt(id, receipt()).await.unwrap();
    assert_eq!(b.get(id).await.unwrap().state(), State::Delivered, "every token may read");
}

#[tokio::test]
async fn another_agent_cannot_take_an_ask_over_between_connections() {
    let house = House::new().await;
    let (a, b) = seats(&house);
    let first = house.broker.arrive("a", deliverer("a-1"));
    let id = a.ask(delivered_by("a-1")).await.unwrap().record.id;
    drop(first);
    let _rival = house.broker.arrive("b", deliverer("b-1"));
    let claim = |seat: Seat, by: &str| {
        let by = deliverer(by);
        async move { seat.wait(id, Some(by), Duration::ZERO).await }
    };
    assert_eq!(claim(b.clone(), "b-1").await, Err(NOT_YOURS));
    let person = claim(house.person("ann"), "b-1").await;
    assert_eq!(person, Err(Rejection::NotAllowed(Power::Agent).into()));
    let _again = house.broker.arrive("a", deliverer("a-2"));
    assert_eq!(claim(a.clone(), "a-2").await, Ok(None));
    house.answer(id).await;
    assert!(claim(a, "a-2").await.unwrap().is_some(), "the answer reaches who asked");
    assert!(b.wait(id, None, Duration::ZERO).await.unwrap().is_some(), "every token may read");
}

/// Neither by asking something else under it, nor by asking the same with a deadline of its own.
#[tokio::test]
async fn another_agent_cannot_take_a_key() {
    let house = House::new().await;
    let (a, b) = seats(&house);
    let else_ = questions(r#"[{"question": "Else?", "options": [{"label": "No"}]}]"#);
    let squats = NewAsk { matter: else_, ..delivered_by("b-1") };
    let policy = Policy { deadline_seconds: Some(1), ..Policy::default() };
    let hurries = NewAsk { key: Some("l".into()), policy, ..new_ask(None) };
    let _rival = house.broker.arrive("b", deliverer("b-1"));
    let theirs = [b.ask(squats).await.unwrap(), b.ask(hurries).await.unwrap()];
    for (key, theirs) in ["k", "l"].into_iter().zip(theirs) {
        let ours = a.ask(NewAsk { key: Some(key.into()), ..delivered_by("a-1") }).await.unwrap();
        assert!(ours.new && ours.yours);
        assert_ne!(ours.record.id, theirs.record.id);
        assert_eq!(ours.record.deadline_at, None);
        let again = a.ask(NewAsk { key: Some(key.into()), ..delivered_by("a-1") }).await.unwrap();
        assert_eq!((again.new, again.record.id), (false, ours.record.id));
    }
}

/// In one batch as well as in two.
#[tokio::test]
async fn two_agents_that_ask_with_one_key_at_once_both_ask() {
    let house = House::new().await;
    let (a, b) = seats(&house);
    let [k, l] = [(); 2].map(|()| new_ask(Some("k")));
    let (ours, theirs) = tokio::join!(a.ask(k), b.ask(l));
    let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
    assert!(ours.new && theirs.new);
    assert_ne!(ours.record.id, theirs.record.id);
    drop((a, b));
    let house = house.restart_after(Duration::ZERO).await;
    let (a, b) = seats(&house);
    assert_eq!(a.ask(new_ask(Some("k"))).await.unwrap().record.id, ours.record.id);
    assert_eq!(b.withdraw(ours.record.id, None).await, Err(NOT_YOURS), "owners are stored");
}

#[tokio::test]
async fn another_agent_cannot_write_into_a_session() {
    let house = House::new().await;
    let (a, b) = seats(&house);
    let id = a.open_session(new_session(), Some("k".into())).await.unwrap().id;
    let (kind, state, tool, ask) = (MessageKind::Assistant, None, None, None);
    let says = Saying { key: "x".into(), kind, text: "Hello".into(), state, tool, ask };
    let says = || Progress { messages: vec![says.clone()], ..Progress::default() };
    let streamed = || Streamed { key: "x".into(), offset: 0, text: "Hel".into() };
    assert_eq!(b.progress(id, says()).await.unwrap_err(), NOT_YOURS);
    assert_eq!(b.stream(id, streamed()).await, Err(NOT_YOURS));
    assert_eq!(b.messages(id, 0, 10).await, Ok(vec![]), "every token may read");
    assert_ne!(b.open_session(new_session(), Some("k".into())).await.unwrap().id, id);
    assert_eq!(a.open_session(new_session(), Some("k".into())).await.unwrap().id, id);
    drop((a, b));
    let house = house.restart_after(Duration::ZERO).await;
    let (a, b) = seats(&house);
    assert_eq!(b.progress(id, says()).await.unwrap_err(), NOT_YOURS, "owners are stored");
    a.stream(id, streamed()).await.unwrap();
    a.progress(id, says()).await.unwrap();
}

#[tokio::test]
async fn one_agent_can_open_half_of_the_sessions() {
    let house = House::new().await;
    let (a, b) = seats(&house);
    let opened = join_all((0..600).map(|_| a.open_session(new_session(), None))).await;
    let refused = HubError::Rejected(Rejection::TooManySessionsOfOne(500));
    assert_eq!(opened.iter().filter(|opened| opened.is_ok()).count(), 500);
    let id = opened[0].as_ref().unwrap().id;
    assert_eq!(opened.into_iter().find_map(Result::err), Some(refused.clone()));
    assert_eq!(a.open_session(new_session(), None).await, Err(refused));
    let over = Progress { state: Some(SessionState::Ended), ..Progress::default() };
    a.progress(id, over).await.unwrap();
    a.open_session(new_session(), None).await.unwrap();
    let others = join_all((0..501).map(|_| b.open_session(new_session(), None))).await;
    let all = HubError::Rejected(Rejection::TooManySessions(1000));
    assert_eq!(others.into_iter().find_map(Result::err), Some(all));
}

#[tokio::test]
async fn another_agent_cannot_take_an_answer_into_its_session() {
    let house = House::new().await;
    let (a, b) = seats(&house);
    let ask = a.ask(asked_in("s-1")).await.unwrap().record.id;
    let answers = Reply::Answer(serde_json::from_value(json!([{"selected": ["JWT"]}])).unwrap());
    house.person("ann").reply(ask, answers, None).await.unwrap();
    let (kind, state, tool) = (MessageKind::Answer, None, None);
    let answer = Saying { key: "x".into(), kind, text: String::new(), state, tool, ask: Some(ask) };
    let told = Progress {
        agent_session: Some("s-1".into()),
        messages: vec![answer],
        ..Progress::default()
    };
    for (agent, may) in [(&a, true), (&b, false)] {
        let id = agent.open_session(new_session(), None).await.unwrap().id;
        assert_eq!(agent.progress(id, told.clone()).await.is_ok(), may);
    }
}

fn asked_in(session: &str) -> NewAsk {
    let asker =
        Asker { agent: "claude-code".into(), session: Some(session.into()), ..Asker::default() };
    NewAsk { asker, ..new_ask(None) }
}

#[tokio::test]
async fn of_two_agents_with_one_name_only_one_is_admitted() {
    let house = House::new().await;
    let ann = house.person("ann");
    let (first, second) = tokio::join!(ann.add_agent("codex"), ann.add_agent("Codex"));
    let (_, one) = first.unwrap();
    let taken = |name: &str| HubError::Rejected(Rejection::NameTaken(name.into()));
    assert_eq!(second.unwrap_err(), taken("Codex"), "they may be one file");
    assert_eq!(ann.add_agent("codex").await.unwrap_err(), taken("codex"));
    assert!(house.broker.authenticate(&one).is_some_and(|device| device.is_agent("codex")));
    let two = house.broker.new_token();
    house.broker.admit_agent(&two, "codex").await.unwrap();
    assert_eq!(house.broker.authenticate(&one), None, "the hub has put another in its place");
    let two = house.broker.authenticate(&two).unwrap();
    house.broker.revoke_device(two.id).await.unwrap();
    ann.add_agent("codex").await.unwrap();
    let agent = house.agent().add_agent("gemini").await.unwrap_err();
    assert_eq!(agent, Rejection::NotAllowed(Power::Person).into());
}

#[tokio::test]
async fn a_name_that_is_no_file_name_is_refused() {
    let house = House::new().await;
    for name in ["", "..", "a/b", "a\n", "agents on host", &"x".repeat(100_000)] {
        let refused = house.person("ann").add_agent(name).await;
        assert!(matches!(refused, Err(HubError::Rejected(Rejection::Invalid(_)))), "{name:?}");
    }
}

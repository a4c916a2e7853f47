//! Conversations with agents, on a real store.

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{
    Asker, Audit, Hub, HubError, Message, MessageKind, MessageState, NewAsk, NewSession, News,
    Power, Progress, Receipt, Rejection, Saying, Session, SessionId, SessionQuery, SessionState,
    Sessions, Sound, Streamed,
};
use handraise_testkit::{FakeWorld, answers, asker, new_ask};
use jiff::Timestamp;
use serde_json::json;

use crate::house::House;

pub(crate) fn new_session() -> NewSession {
    NewSession {
        agent: "claude-code".into(),
        directory: "/home/dev/shop".into(),
        host: None,
        title: None,
        runner: None,
    }
}

async fn open(house: &House) -> Arc<Session> {
    house.agent().open_session(new_session(), None).await.unwrap()
}

fn words(key: &str, text: &str) -> Saying {
    let (kind, state, tool, ask) = (MessageKind::Assistant, None, None, None);
    Saying { key: key.into(), kind, text: text.into(), state, tool, ask }
}

fn said(sayings: Vec<Saying>) -> Progress {
    Progress { messages: sayings, ..Progress::default() }
}

async fn texts(house: &House, id: SessionId) -> Vec<(u64, String)> {
    let messages = house.agent().messages(id, 0, 100).await.unwrap();
    messages.into_iter().map(|message| (message.number, message.text)).collect()
}

#[tokio::test]
async fn what_was_said_is_there_after_a_restart_as_it_stands() {
    let house = House::new().await;
    let id = open(&house).await.id;
    let agent = house.agent();
    let word = house.person("ann").say(id, "Hello,\n🦀".into(), None).await.unwrap();
    assert_eq!((word.number, word.state), (1, Some(MessageState::Queued)));
    agent.progress(id, said(vec![words("a", "One"), words("b", "Two")])).await.unwrap();
    let heard = Saying {
        kind: MessageKind::User,
        state: Some(MessageState::Delivered),
        ..words(&word.key, "something else")
    };
    agent.progress(id, said(vec![heard, words("a", "One and a half")])).await.unwrap();
    drop(agent);
    let house = house.restart_after(Duration::ZERO).await;
    let expected = [(1, "Hello,\n🦀".into()), (2, "One and a half".into()), (3, "Two".to_owned())];
    assert_eq!(texts(&house, id).await, expected, "nobody changes a person's words");
    let messages = house.agent().messages(id, 0, 100).await.unwrap();
    assert_eq!(messages[0].state, Some(MessageState::Delivered));
    assert_eq!(house.agent().messages(id, 2, 100).await.unwrap(), messages[2..]);
    let session = house.agent().session(id).await.unwrap();
    assert_eq!((session.messages, session.state), (3, SessionState::Starting));
}

#[tokio::test]
async fn words_that_an_agent_has_heard_stay_heard() {
    use MessageState::{Delivered, Done, Failed, Queued, Running};

    let house = House::new().await;
    let id = open(&house).await.id;
    let word = house.person("ann").say(id, "Stop!".into(), None).await.unwrap();
    let told = async |state| {
        let saying = Saying { kind: MessageKind::User, state, ..words(&word.key, "") };
        let told = house.agent().progress(id, said(vec![saying])).await;
        let stands = house.agent().messages(id, 0, 1).await.unwrap()[0].state.unwrap();
        (told.is_ok(), stands)
    };
    for state in [Failed, Done, Running] {
        assert_eq!(told(Some(state)).await, (false, Queued), "{state:?}");
    }
    assert_eq!(told(Some(Queued)).await, (true, Queued), "as it stands");
    assert_eq!(told(Some(Delivered)).await, (true, Delivered));
    for state in [Queued, Failed, Done, Running] {
        assert_eq!(told(Some(state)).await, (false, Delivered), "{state:?}");
    }
    assert_eq!(told(Some(Delivered)).await, (true, Delivered), "a retry");
}

#[tokio::test]
async fn telling_it_twice_changes_nothing() {
    let house = House::new().await;
    let id = open(&house).await.id;
    let told = said(vec![words("a", "One")]);
    house.agent().progress(id, told.clone()).await.unwrap();
    let head = house.broker.head();
    house.agent().progress(id, told).await.unwrap();
    assert_eq!(house.broker.head(), head);
    let ann = house.person("ann");
    let first = ann.say(id, "hi".into(), Some("k".into())).await.unwrap();
    assert_eq!(ann.say(id, "hi".into(), Some("k".into())).await, Ok(first));
    let other = ann.say(id, "ho".into(), Some("k".into())).await;
    assert_eq!(other, Err(HubError::Rejected(Rejection::KeyReused)));
    let again = house.agent().open_session(new_session(), Some("s".into())).await.unwrap();
    let same = house.agent().open_session(new_session(), Some("s".into())).await.unwrap();
    assert_eq!(again, same);
}

#[tokio::test]
async fn only_a_person_speaks_and_only_an_agent_tells() {
    let house = House::new().await;
    let id = open(&house).await.id;
    let (agent, ann) = (house.agent(), house.person("ann"));
    let needs = |power| HubError::Rejected(Rejection::NotAllowed(power));
    assert_eq!(agent.say(id, "yes".into(), None).await, Err(needs(Power::Person)));
    assert_eq!(agent.interrupt(id, None).await, Err(needs(Power::Person)));
    assert_eq!(agent.end_session(id).await, Err(needs(Power::Person)));
    let told = ann.progress(id, said(vec![words("a", "I, the agent")])).await;
    assert_eq!(told, Err(needs(Power::Agent)));
    let streamed = Streamed { key: "a".into(), offset: 0, text: "I".into() };
    assert_eq!(ann.stream(id, streamed).await, Err(needs(Power::Agent)));
    assert_eq!(texts(&house, id).await, []);
}

#[tokio::test]
async fn empty_words_and_words_to_nobody_are_refused() {
    let house = House::new().await;
    let id = open(&house).await.id;
    let ann = house.person("ann");
    let invalid = |said: Result<Message, HubError>| {
        matches!(said, Err(HubError::Rejected(Rejection::Invalid(_))))
    };
    assert!(invalid(ann.say(id, " \n".into(), None).await));
    assert!(invalid(ann.say(id, "x".repeat(2_000_000), None).await));
    let nobody = SessionId::new(FakeWorld::START, [9; 10]);
    let refused = HubError::Rejected(Rejection::NoSuchSession);
    assert_eq!(ann.say(nobody, "hi".into(), None).await, Err(refused));
    end(&house, id).await;
    let over = HubError::Rejected(Rejection::SessionEnded);
    assert_eq!(ann.say(id, "hi".into(), None).await, Err(over.clone()));
    assert_eq!(ann.interrupt(id, None).await, Err(over));
}

async fn end(house: &House, id: SessionId) {
    let over = Progress { state: Some(SessionState::Ended), ..Progress::default() };
    house.agent().progress(id, over).await.unwrap();
}

#[tokio::test]
async fn it_is_told_as_it_happens_and_to_those_who_come_later() {
    let house = House::new().await;
    let mut live = house.agent().follow(Some(0)).await.unwrap();
    let id = open(&house).await.id;
    house.person("ann").say(id, "hi".into(), None).await.unwrap();
    house.person("ann").interrupt(id, None).await.unwrap();
    let mut late = house.person("ann").follow(Some(0)).await.unwrap();
    for feed in [&mut live, &mut late] {
        let mut seen = vec![];
        while seen.len() < 3 {
            if let News::Event(told) = feed.next().await.unwrap() {
                assert_eq!(told.name, "session.changed");
                let changed = told.session.as_ref().unwrap();
                seen.push((changed.session.interrupts, changed.messages.len()));
            }
        }
        assert_eq!(seen, [(0, 0), (0, 1), (1, 0)]);
    }
}

#[tokio::test]
async fn what_is_being_said_is_told_and_not_kept() {
    let house = House::new().await;
    let id = open(&house).await.id;
    let agent = house.agent();
    let mut feed = house.person("ann").follow(None).await.unwrap();
    let piece = |offset, text: &str| Streamed { key: "a".into(), offset, text: text.into() };
    let working = Progress { state: Some(SessionState::Working), ..Progress::default() };
    agent.progress(id, working).await.unwrap();
    let head = house.broker.head();
    agent.stream(id, piece(0, "gr")).await.unwrap();
    agent.stream(id, piece(2, "ün")).await.unwrap();
    // It does not follow what is known: the whole comes in the end.
    agent.stream(id, piece(99, "?")).await.unwrap();
    assert_eq!(house.broker.head(), head);
    assert_eq!(agent.speaking(id).await, Ok(Some(piece(0, "grün"))));
    let mut spoken = String::new();
    while spoken != "grün" {
        if let News::Speaking { streamed, .. } = feed.next().await.unwrap() {
            spoken.push_str(&streamed.text);
        }
    }
    agent.progress(id, said(vec![words("a", "grün")])).await.unwrap();
    assert_eq!(agent.speaking(id).await, Ok(None));
}

#[tokio::test]
async fn sessions_are_listed_from_the_last_to_the_first() {
    let house = House::new().await;
    let mut ids = vec![];
    for _ in 0..5 {
        ids.push(open(&house).await.id);
        house.world.pass(Duration::from_secs(1));
    }
    end(&house, ids[1]).await;
    let listed = async |live, after, limit| {
        let query = SessionQuery { live, after, limit };
        let found = house.agent().sessions(query).await.unwrap();
        found.iter().map(|session| session.id).collect::<Vec<_>>()
    };
    ids.reverse();
    assert_eq!(listed(false, None, 100).await, ids);
    assert_eq!(listed(false, None, 2).await, ids[..2]);
    assert_eq!(listed(false, Some(ids[1]), 2).await, ids[2..4]);
    ids.remove(3);
    assert_eq!(listed(true, None, 100).await, ids);
}

#[tokio::test]
async fn a_session_that_was_over_long_ago_is_dropped_and_the_log_adds_up() {
    let house = House::new().await;
    let (old, live) = (open(&house).await.id, open(&house).await.id);
    for id in [old, live] {
        house.agent().progress(id, said(vec![words("a", "secret")])).await.unwrap();
    }
    end(&house, old).await;
    assert_eq!(house.broker.prune(Timestamp::MAX).await, Ok(1));
    let gone = house.agent().session(old).await;
    assert_eq!(gone, Err(HubError::Rejected(Rejection::NoSuchSession)));
    assert_eq!(texts(&house, live).await, [(1, "secret".into())]);
    let log = house.log().await;
    let held = log.iter().filter(|entry| entry.body.as_ref().is_some_and(|b| b.contains("secret")));
    assert_eq!(held.count(), 1, "only that of the other one");
    let mut audit = Audit::new(None);
    for entry in &log {
        audit.next(entry).unwrap();
    }
    assert_eq!(audit.finish(), Ok(Sound { head: house.broker.head(), pruned: 1 }));
    assert_eq!(house.broker.prune(Timestamp::MAX).await, Ok(0));
}

#[tokio::test]
async fn an_event_that_lost_its_contents_without_retention_is_found() {
    let house = House::new().await;
    let id = open(&house).await.id;
    end(&house, id).await;
    let mut audit = Audit::new(None);
    for entry in &mut house.log().await {
        if entry.seq == 1 {
            entry.body = None;
        }
        audit.next(entry).unwrap();
    }
    assert_eq!(audit.finish(), Err(handraise_broker::Broken::Lost(1)));
}

#[tokio::test]
async fn an_agent_cannot_speak_as_a_person_nor_take_the_names_of_their_words() {
    let house = House::new().await;
    let id = open(&house).await.id;
    let agent = house.agent();
    let words_of = |key: &str, kind| Saying { kind, ..words(key, "yes, do it") };
    let refused =
        |told: Result<_, HubError>| matches!(told, Err(HubError::Rejected(Rejection::Invalid(_))));
    let forged = words_of("forged", MessageKind::User);
    assert!(refused(agent.progress(id, said(vec![forged])).await.map(drop)));
    let squatted = words_of("person/k", MessageKind::Assistant);
    assert!(refused(agent.progress(id, said(vec![squatted])).await.map(drop)));
    let word = house.person("ann").say(id, "no".into(), Some("k".into())).await.unwrap();
    let turned = words_of(&word.key, MessageKind::Assistant);
    assert!(refused(agent.progress(id, said(vec![turned])).await.map(drop)));
    assert_eq!(texts(&house, id).await, [(1, "no".into())]);
}

#[tokio::test]
async fn what_is_over_stays_over() {
    let house = House::new().await;
    let id = open(&house).await.id;
    end(&house, id).await;
    let over = Err(HubError::Rejected(Rejection::SessionEnded));
    let alive = Progress { state: Some(SessionState::Idle), ..Progress::default() };
    assert_eq!(house.agent().progress(id, alive).await.map(drop), over);
    assert_eq!(house.agent().progress(id, said(vec![words("a", "x")])).await.map(drop), over);
    end(&house, id).await;
}

#[tokio::test]
async fn the_hub_writes_the_answers_of_a_conversation_and_agents_only_name_the_ask() {
    let house = House::new().await;
    let id = open(&house).await.id;
    let agent = house.agent();
    let known = Progress { agent_session: Some("s-1".into()), ..Progress::default() };
    agent.progress(id, known).await.unwrap();
    let put = |session: &str, key: &str, rival_dialog: bool| {
        let asker = Asker { session: Some(session.into()), ..asker("claude-code") };
        let (agent, key) = (house.agent(), key.to_owned());
        async move {
            let new = NewAsk { asker, rival_dialog, ..new_ask(Some(&key)) };
            agent.ask(new).await.unwrap().record.id
        }
    };
    let answer = |key: &str, ask| {
        let kind = MessageKind::Answer;
        said(vec![Saying { kind, ask, ..words(key, "Yes, delete everything") }])
    };
    let refused = |told: Result<_, HubError>| match told {
        Err(HubError::Rejected(Rejection::Invalid(wrong))) => wrong.as_slice()[0].found.clone(),
        other => panic!("{other:?}"),
    };
    let (ours, theirs, claimed) =
        (put("s-1", "a", false).await, put("s-2", "b", false).await, put("s-1", "c", true).await);
    let ann = house.person("ann");
    ann.reply(theirs, answers(json!([{"selected": ["JWT"]}])), None).await.unwrap();
    let took = json!({"kind": "answered", "answers": [{"selected": ["JWT"]}]});
    agent.receipt(claimed, Receipt::seen(None).taking(took)).await.unwrap();
    let unknown = handraise_broker::AskId::new(FakeWorld::START, [9; 10]);
    for (ask, why) in [
        (None, "nothing"),
        (Some(unknown), "an unknown ask"),
        (Some(ours), "an open ask"),
        (Some(theirs), "an ask of another session"),
        (Some(claimed), "an ask that ended in the agent's own dialog"),
    ] {
        assert_eq!(refused(agent.progress(id, answer("forged", ask)).await.map(drop)), why);
    }
    assert_eq!(texts(&house, id).await, []);
    ann.reply(ours, answers(json!([{"selected": ["Sessions"]}])), None).await.unwrap();
    agent.progress(id, answer("answer/a", Some(ours))).await.unwrap();
    let message = agent.messages(id, 0, 10).await.unwrap().remove(0);
    assert_eq!(message.text, "✔ Which auth?: Sessions");
    assert_eq!(message.responder.unwrap().person.as_deref(), Some("ann"));
    assert_eq!(message.key, format!("answer/{ours}"));
    let head = house.broker.head();
    for key in ["answer/a", "answer/b", "c"] {
        agent.progress(id, answer(key, Some(ours))).await.unwrap();
        assert_eq!(house.broker.head(), head, "told again, it is the same");
    }
    // No other answer takes its place, and nothing of the agent's its name.
    let later = put("s-1", "d", false).await;
    ann.reply(later, answers(json!([{"selected": ["JWT"]}])), None).await.unwrap();
    agent.progress(id, answer(&message.key, Some(later))).await.unwrap();
    let told = agent.messages(id, 0, 10).await.unwrap();
    let told: Vec<_> = told.iter().map(|message| (message.ask, message.text.as_str())).collect();
    let (first, second) = ("✔ Which auth?: Sessions", "✔ Which auth?: JWT");
    assert_eq!(told, [(Some(ours), first), (Some(later), second)]);
    for key in [message.key, format!("answer/{theirs}")] {
        let instead = said(vec![words(&key, "Yes, delete everything")]);
        assert_eq!(refused(agent.progress(id, instead).await.map(drop)), "a person's words");
    }
}

#[tokio::test]
async fn a_retried_interrupt_is_one_interrupt() {
    let house = House::new().await;
    let id = house.agent().open_session(new_session(), None).await.unwrap().id;
    let ann = house.person("ann");
    let key = |key: &str| Some(key.to_owned());
    let first = ann.interrupt(id, key("k")).await.unwrap();
    assert_eq!(first.interrupts, 1);
    assert_eq!(ann.interrupt(id, key("k")).await, Ok(first.clone()));
    assert_eq!(ann.interrupt(id, key("other")).await.unwrap().interrupts, 2);
    assert_eq!(ann.interrupt(id, None).await.unwrap().interrupts, 3);
    drop(ann);
    let house = house.restart_after(Duration::from_secs(1)).await;
    let ann = house.person("ann");
    assert_eq!(ann.interrupt(id, key("k")).await.unwrap().interrupts, 3, "after a restart");
    let over = Progress { state: Some(SessionState::Ended), ..Progress::default() };
    house.agent().progress(id, over).await.unwrap();
    assert_eq!(ann.interrupt(id, key("k")).await.unwrap().interrupts, 3, "of what is over");
    assert!(ann.interrupt(id, key("late")).await.is_err());
    assert!(ann.interrupt(id, key("")).await.is_err());
}

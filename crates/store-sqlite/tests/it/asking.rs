//! Asking, and asking again.

use handraise_broker::{
    Asked, Hub, HubError, MOST_SEARCHED, NewAsk, Page, Power, Query, Rejection, Settings, Sought,
};
use handraise_testkit::{FakeWorld, asker, new_ask, questions};
use jiff::SignedDuration;
use std::time::Duration;

use crate::house::{House, jwt};

/// An ask about something else.
fn other_ask(key: Option<&str>) -> NewAsk {
    NewAsk { matter: questions(r#"[{"question": "Which cache?"}]"#), ..new_ask(key) }
}

fn rejected<T>(rejection: Rejection) -> Result<T, HubError> {
    Err(HubError::Rejected(rejection))
}

#[tokio::test]
async fn an_ask_is_stored_before_it_is_acknowledged() {
    let house = House::new().await;
    let asked = house.ask(new_ask(Some("k"))).await.unwrap();
    assert!(asked.new && asked.yours);
    let stored = handraise_broker::AskStore::load(&*house.store, &[asked.record.id]).await;
    assert_eq!(stored, Ok(vec![(*asked.record).clone()]));
    assert_eq!(house.names().await, ["ask.opened"]);
}

#[tokio::test]
async fn the_same_key_finds_the_same_ask() {
    let house = House::new().await;
    let first = house.ask(new_ask(Some("k"))).await.unwrap();
    let again = Asked { new: false, ..first.clone() };
    assert_eq!(house.ask(new_ask(Some("k"))).await, Ok(again.clone()));
    let laid_out = questions(
        r#"[ { "options": [{"label":"JWT"},{"label":"Sessions"}], "question":"Which auth?" } ]"#,
    );
    let laid_out = NewAsk { matter: laid_out, ..new_ask(Some("k")) };
    assert_eq!(house.ask(laid_out).await, Ok(again), "however it is laid out");
    let mut with_more = new_ask(Some("k"));
    with_more.asker.preamble = Some("I have been thinking.".into());
    assert_eq!(house.ask(with_more).await.unwrap().record.id, first.record.id);
    assert_eq!(house.names().await, ["ask.opened"]);
}

#[tokio::test]
async fn a_key_finds_its_ask_when_it_has_ended_and_when_the_hub_was_away() {
    let house = House::new().await;
    let id = house.ask(new_ask(Some("k"))).await.unwrap().record.id;
    let answered = house.answer(id).await;
    let house = house.restart_after(Duration::from_mins(1)).await;
    let found = house.ask(new_ask(Some("k"))).await.unwrap();
    assert_eq!((&*found.record, found.new), (&answered, false));
    house.agent().withdraw(id, None).await.unwrap();
    let finished = house.get(id).await;
    assert_eq!(*house.ask(new_ask(Some("k"))).await.unwrap().record, finished);
}

#[tokio::test]
async fn a_key_used_for_other_questions_is_refused() {
    let house = House::new().await;
    house.ask(new_ask(Some("k"))).await.unwrap();
    assert_eq!(house.ask(other_ask(Some("k"))).await, rejected(Rejection::KeyReused));
    let theirs = NewAsk { asker: asker("another"), ..other_ask(Some("k")) };
    assert!(house.ask(theirs).await.unwrap().new, "keys are each agent's own");
    assert_eq!(house.names().await, ["ask.opened", "ask.opened"]);
}

#[tokio::test]
async fn open_asks_are_found_by_what_they_are_the_oldest_first() {
    let house = House::new().await;
    let mut ids = vec![];
    for agent in ["a", "b", "a", "a"] {
        let ask = NewAsk { asker: asker(agent), ..new_ask(None) };
        ids.push(house.ask(ask).await.unwrap().record.id);
    }
    house.answer(ids[2]).await;
    let found = |house: &House| {
        let found = house.broker.open_asks(|record| record.asker().agent == "a");
        found.iter().map(|record| record.id).collect::<Vec<_>>()
    };
    assert_eq!(found(&house), [ids[0], ids[3]]);
    let house = house.restart_after(Duration::from_mins(1)).await;
    assert_eq!(found(&house), [ids[0], ids[3]], "after a restart, too");
    assert_eq!(house.broker.open_asks(|_| false).len(), 0);
}

#[tokio::test]
async fn asks_without_a_key_are_never_the_same() {
    let house = House::new().await;
    assert_ne!(house.ask_any().await, house.ask_any().await);
}

#[tokio::test]
async fn a_new_key_that_comes_twice_in_one_batch_is_one_ask() {
    let house = House::new().await;
    let held = house.store.hold_commits().await;
    let (_, first, again, other, ()) = tokio::join!(
        house.ask_any(),
        async {
            house.store.commits_begun(1).await;
            house.ask(new_ask(Some("k"))).await
        },
        async {
            house.store.commits_begun(1).await;
            house.ask(new_ask(Some("k"))).await
        },
        async {
            house.store.commits_begun(1).await;
            house.ask(other_ask(Some("k"))).await
        },
        async {
            house.store.commits_begun(1).await;
            drop(held);
        },
    );
    let first = first.unwrap();
    assert!(first.new);
    assert_eq!(again, Ok(Asked { new: false, ..first }));
    assert_eq!(other, rejected(Rejection::KeyReused));
    assert_eq!(house.store.commits(), 2, "the three came together");
    assert_eq!(house.names().await, ["ask.opened", "ask.opened"]);
}

async fn listed(house: &House) -> Vec<handraise_broker::AskId> {
    let all = Query { limit: 100, ..Query::default() };
    let found = house.agent().list(all).await.unwrap();
    found.iter().map(|record| record.id).collect()
}

#[tokio::test]
async fn asks_are_listed_in_the_order_they_came() {
    let house = House::new().await;
    let mut asked = vec![];
    for _ in 0..10 {
        asked.push(house.ask_any().await);
    }
    assert_eq!(listed(&house).await, asked, "all within the same millisecond");
    let together = futures_util::future::join_all((0..10).map(|_| house.ask(new_ask(None))));
    asked.extend(together.await.into_iter().map(|asked| asked.unwrap().record.id));
    assert_eq!(listed(&house).await, asked, "and in one batch");
}

#[tokio::test]
async fn what_is_sought_among_many_comes_page_by_page_without_gap_or_repetition() {
    let house = House::new().await;
    let one = |n: usize| {
        let cache = n.is_multiple_of(100) || n > 1090;
        house.ask(if cache { other_ask(None) } else { new_ask(None) })
    };
    let asked = futures_util::future::join_all((0..1100).map(one)).await;
    let asked = asked.into_iter().map(|asked| asked.unwrap().record);
    let sought = Sought { text: Some("which CACHE".into()), ..Sought::default() };
    let mut expected: Vec<_> =
        asked.filter(|record| sought.is_in(record)).map(|record| record.id).collect();
    expected.sort();
    assert_eq!(expected.len(), 20);
    for limit in [1, 3, 4, 19, 20, 21, 500] {
        let mut query = Query { sought: sought.clone(), limit, ..Query::default() };
        let mut found = vec![];
        loop {
            let page = house.agent().list(query.clone()).await.unwrap();
            assert!(page.len() <= limit as usize);
            found.extend(page.iter().map(|record| record.id));
            if page.len() < limit as usize {
                break;
            }
            query.after = page.last().map(|last| last.id);
        }
        assert_eq!(found, expected, "{limit} at a time");
    }
}

#[tokio::test]
async fn a_search_through_many_asks_comes_in_parts_that_end() {
    let house = House::new().await;
    let many = (0..MOST_SEARCHED + 500).map(|_| house.ask(new_ask(None)));
    futures_util::future::join_all(many).await;
    let expected = house.ask(other_ask(None)).await.unwrap().record;
    let sought = Sought { text: Some("which cache".into()), ..Sought::default() };
    let query = Query { sought, limit: 10, ..Query::default() };

    let first = house.agent().search(query.clone()).await.unwrap();
    assert_eq!(first.asks, []);
    let rest = Query { after: first.next, ..query.clone() };
    assert!(rest.after.is_some());
    let second = house.agent().search(rest).await.unwrap();
    assert_eq!(second, Page { asks: vec![expected.clone()], next: None });
    assert_eq!(house.agent().list(query).await, Ok(vec![expected]));
}

#[tokio::test]
async fn asks_stay_in_order_when_the_clock_is_set_back() {
    let mut house = House::new().await;
    let mut asked = vec![house.ask_any().await];
    house.world.set_clock(SignedDuration::from_hours(-3));
    asked.push(house.ask_any().await);
    house = house.restart_after(Duration::from_secs(1)).await;
    asked.push(house.ask_any().await);
    assert_eq!(listed(&house).await, asked);
}

#[tokio::test]
async fn no_more_asks_are_open_than_the_hub_holds() {
    let settings = Settings { most_open: 2, ..Settings::default() };
    let house = House::with(FakeWorld::still(), settings).await;
    let first = house.ask(new_ask(Some("k"))).await.unwrap().record.id;
    house.ask_any().await;
    let full = rejected(Rejection::TooManyOpen(2));
    assert_eq!(house.ask(new_ask(None)).await, full);
    assert!(!house.ask(new_ask(Some("k"))).await.unwrap().new, "one that is there is found");
    house.answer(first).await;
    house.ask_any().await;
    assert_eq!(house.ask(new_ask(None)).await, full);
    let house = house.restart_after(Duration::ZERO).await;
    assert_eq!(house.ask(new_ask(None)).await, full, "nor after a restart");
}

#[tokio::test]
async fn agents_do_not_answer_and_persons_do_not_ask() {
    let house = House::new().await;
    let (agent, ann) = (house.agent(), house.person("ann"));
    let id = house.ask_any().await;
    let only_persons = Rejection::NotAllowed(Power::Person);
    let only_agents = Rejection::NotAllowed(Power::Agent);
    assert_eq!(agent.reply(id, jwt(), None).await, rejected(only_persons.clone()));
    assert_eq!(agent.extend(id, 60, None).await, rejected(only_persons.clone()));
    assert_eq!(agent.draft(id).await, rejected(only_persons.clone()));
    assert_eq!(agent.drop_draft(id).await, rejected(only_persons));
    assert_eq!(ann.ask(new_ask(None)).await, rejected(only_agents.clone()));
    assert_eq!(ann.withdraw(id, None).await, rejected(only_agents));
    assert_eq!(house.names().await, ["ask.opened"]);
}

//! Whether the agent got what was resolved.

use std::time::Duration;

use handraise_broker::{
    AskId, DelivererId, Delivery, Doubt, DoubtKind, Hub, HubError, Level, NewAsk, Order, Phase,
    Policy, Query, Receipt, Record, Rejection, Settings, State,
};
use handraise_testkit::{FakeWorld, new_ask};

use crate::house::{House, end};

fn handed() -> Receipt {
    Receipt::handed(Some("JWT".into()))
}

fn seen(text: &str) -> Receipt {
    Receipt::seen(Some(text.into()))
}

/// An ask that is done with only when the model was seen to read the answer.
fn watched() -> NewAsk {
    let policy = Policy { receipt: Level::Seen, ..Policy::default() };
    NewAsk { policy, ..new_ask(None) }
}

fn delivery(record: &Record) -> Delivery {
    match &record.phase {
        Phase::Open => panic!("it is still open"),
        Phase::Resolved { delivery, .. } => delivery.clone(),
    }
}

async fn seconds(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

async fn answered(house: &House, new: NewAsk) -> AskId {
    let id = house.ask(new).await.unwrap().record.id;
    house.answer(id).await;
    id
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_takes_to_the_agent_is_undelivered_after_a_minute() {
    let house = House::timed().await;
    let id = answered(&house, new_ask(None)).await;
    seconds(59).await;
    assert_eq!(house.get(id).await.state(), State::Resolved);
    seconds(2).await;
    let lost = Delivery::Undelivered {
        reason: "no process took the answer to the agent".into(),
        at: FakeWorld::second(60),
        handed: None,
    };
    assert_eq!(delivery(&house.get(id).await), lost);
    assert_eq!(house.names().await, ["ask.opened", "ask.resolved", "ask.undelivered"]);
    let found = house.agent().receipt(id, handed()).await.unwrap();
    let late = Delivery::Delivered { receipt: handed(), at: FakeWorld::second(61) };
    assert_eq!(delivery(&found), late, "and late is better than never");
}

#[tokio::test(start_paused = true)]
async fn how_long_a_receipt_may_take_is_a_setting() {
    let settings = Settings { receipt_patience: Duration::from_secs(5), ..Settings::default() };
    let house = House::with(FakeWorld::following_tokio(), settings).await;
    let id = answered(&house, new_ask(None)).await;
    seconds(6).await;
    assert_eq!(house.get(id).await.state(), State::Undelivered);
}

#[tokio::test(start_paused = true)]
async fn a_delivered_answer_stays_delivered() {
    let house = House::timed().await;
    let id = answered(&house, new_ask(None)).await;
    seconds(30).await;
    let delivered = house.agent().receipt(id, handed()).await.unwrap();
    seconds(3600).await;
    assert_eq!(house.get(id).await, *delivered);
    assert_eq!(house.agent().receipt(id, handed()).await, Ok(delivered), "a receipt is repeatable");
    assert_eq!(house.names().await, ["ask.opened", "ask.resolved", "ask.delivered"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_handed_over_and_not_read_is_undelivered_a_minute_later() {
    let house = House::timed().await;
    let id = answered(&house, watched()).await;
    seconds(30).await;
    house.agent().receipt(id, handed()).await.unwrap();
    seconds(59).await;
    assert_eq!(house.get(id).await.state(), State::Delivered);
    seconds(2).await;
    let unread = Delivery::Undelivered {
        reason: "handed to the agent, but it was not seen to read it".into(),
        at: FakeWorld::second(90),
        handed: Some(handed()),
    };
    assert_eq!(delivery(&house.get(id).await), unread);
    let overruled = house.agent().receipt(id, seen("Sessions")).await.unwrap();
    let other = Delivery::Overruled { receipt: seen("Sessions"), at: FakeWorld::second(91) };
    assert_eq!(delivery(&overruled), other);
}

#[tokio::test(start_paused = true)]
async fn a_restart_gives_the_agent_a_new_minute() {
    let house = House::timed().await;
    let id = answered(&house, new_ask(None)).await;
    let house = house.restart_after(Duration::from_hours(1)).await;
    seconds(59).await;
    assert_eq!(house.get(id).await.state(), State::Resolved);
    seconds(2).await;
    assert_eq!(house.get(id).await.state(), State::Undelivered);
}

#[tokio::test(start_paused = true)]
async fn silence_has_to_be_delivered_and_a_withdrawal_has_not() {
    let house = House::timed().await;
    let policy = Policy { deadline_seconds: Some(10), ..Policy::default() };
    let silent = house.ask(NewAsk { policy, ..new_ask(None) }).await.unwrap().record.id;
    let withdrawn = house.ask_any().await;
    house.agent().withdraw(withdrawn, Some("Esc".into())).await.unwrap();
    seconds(100).await;
    assert_eq!(house.get(silent).await.state(), State::Undelivered);
    let withdrawn = house.get(withdrawn).await;
    assert_eq!((end(&withdrawn), withdrawn.state()), (Some("withdrawn"), State::Resolved));
}

#[tokio::test]
async fn an_open_ask_takes_no_receipt() {
    let house = House::new().await;
    let id = house.ask_any().await;
    let refused = house.agent().receipt(id, handed()).await;
    assert_eq!(refused, Err(HubError::Rejected(Rejection::StillOpen)));
}

fn deliverer(name: &str) -> DelivererId {
    DelivererId::new(name).unwrap()
}

fn delivered_by(name: &str, key: &str) -> NewAsk {
    NewAsk { deliverer: Some(deliverer(name)), ..new_ask(Some(key)) }
}

#[tokio::test]
async fn who_asks_first_delivers_as_long_as_they_are_there() {
    let house = House::new().await;
    let agent = house.agent();
    let here = house.broker.arrive("laptop", deliverer("one"));
    let _there = house.broker.arrive("laptop", deliverer("two"));
    let first = house.ask(delivered_by("one", "k")).await.unwrap();
    let second = house.ask(delivered_by("two", "k")).await.unwrap();
    assert_eq!((first.yours, second.yours), (true, false));
    let id = first.record.id;
    let wait = async |name| agent.wait(id, Some(deliverer(name)), Duration::ZERO).await;
    let another = Err(HubError::Rejected(Rejection::AnotherDelivers));
    assert_eq!(wait("one").await, Ok(None));
    assert_eq!(wait("two").await, another);
    assert_eq!(agent.wait(id, None, Duration::ZERO).await, Ok(None), "to look is everybody's");
    drop(here);
    assert_eq!(wait("two").await, Ok(None), "the first is gone");
    let _back = house.broker.arrive("laptop", deliverer("one"));
    assert_eq!(wait("one").await, another);
    assert!(house.ask(delivered_by("two", "k")).await.unwrap().yours);
}

#[tokio::test]
async fn after_a_restart_the_first_to_come_back_delivers() {
    let house = House::new().await;
    let here = house.broker.arrive("laptop", deliverer("one"));
    let id = house.ask(delivered_by("one", "k")).await.unwrap().record.id;
    drop(here);
    let house = house.restart_after(Duration::from_secs(1)).await;
    let _two = house.broker.arrive("laptop", deliverer("two"));
    assert!(house.ask(delivered_by("two", "k")).await.unwrap().yours);
    let _one = house.broker.arrive("laptop", deliverer("one"));
    let one = house.agent().wait(id, Some(deliverer("one")), Duration::ZERO).await;
    assert_eq!(one, Err(HubError::Rejected(Rejection::AnotherDelivers)));
}

#[tokio::test]
async fn an_answer_nobody_gave_is_told_and_found_again() {
    let house = House::new().await;
    let sound = answered(&house, new_ask(None)).await;
    house.agent().receipt(sound, handed()).await.unwrap();
    let id = answered(&house, new_ask(None)).await;
    house.agent().receipt(id, handed()).await.unwrap();
    let doubt = Doubt { kind: DoubtKind::FromNowhere, why: "No dialog was seen.".into() };
    let doubted = handed().doubted(doubt.clone());
    house.agent().receipt(id, doubted).await.unwrap();
    assert_eq!(house.names().await.iter().filter(|name| *name == "ask.delivered").count(), 3);
    let query =
        Query { doubted: true, order: Order::LastEndedFirst, limit: 10, ..Query::default() };
    let found = house.agent().list(query).await.unwrap();
    let found: Vec<_> = found.iter().map(|record| (record.id, record.doubt())).collect();
    assert_eq!(found, [(id, Some(&doubt))]);
}

//! Silence ends an ask when it was said to, whatever happens to the hub and to the clock.

use std::time::Duration;

use handraise_broker::{AskId, Draft, Hub, HubError, NewAsk, Policy, Record, Rejection};
use handraise_testkit::{FakeWorld, new_ask};
use jiff::SignedDuration;
use serde_json::json;

use crate::house::{House, end};

const LONG: Duration = Duration::from_hours(24 * 365);

/// An ask that waits three hundred seconds.
fn patient() -> NewAsk {
    let policy = Policy { deadline_seconds: Some(300), ..Policy::default() };
    NewAsk { policy, ..new_ask(None) }
}

async fn ask(house: &House) -> AskId {
    house.ask(patient()).await.unwrap().record.id
}

/// Waits for the end of an ask.
async fn ended(house: &House, id: AskId) -> Record {
    let ended = house.agent().wait(id, None, LONG).await.unwrap();
    Record::clone(&*ended.expect("it did not end"))
}

/// Lets time pass until so many seconds after the world began, by the clock nobody can set.
async fn until(house: &House, second: u64) {
    tokio::time::sleep(Duration::from_secs(second).checked_sub(passed(house)).unwrap()).await;
}

fn passed(house: &House) -> Duration {
    house.world.passed()
}

/// Has somebody type.
async fn type_at(house: &House, id: AskId, version: u64) {
    let draft = Draft { version, ..Draft::default() };
    house.person("ann").keep_draft(id, draft).await.unwrap();
}

/// Asserts that silence ended the ask after so many seconds, and that it was noticed at once.
fn assert_silent(house: &House, record: &Record, seconds: u64) {
    let silence = json!({"kind": "no_answer", "afterSeconds": seconds});
    assert_eq!(record.resolved().unwrap().resolution, silence);
    assert_eq!(record.resolved().unwrap().responder, None);
    assert_eq!(passed(house), Duration::from_secs(seconds));
}

#[tokio::test(start_paused = true)]
async fn silence_is_reported_at_the_deadline() {
    let house = House::timed().await;
    let id = ask(&house).await;
    let record = ended(&house, id).await;
    assert_silent(&house, &record, 300);
    assert_eq!(record.resolved().unwrap().at, FakeWorld::second(300));
    assert_eq!(house.names().await, ["ask.opened", "ask.resolved"]);
}

#[tokio::test(start_paused = true)]
async fn without_a_deadline_an_ask_waits_for_ever() {
    let house = House::timed().await;
    let id = house.ask_any().await;
    assert_eq!(house.agent().wait(id, None, LONG).await, Ok(None));
    assert!(house.get(id).await.is_open());
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_time_is_an_answer() {
    let house = House::timed().await;
    let id = ask(&house).await;
    until(&house, 299).await;
    house.answer(id).await;
    until(&house, 301).await;
    assert_eq!(end(&house.get(id).await), Some("answered"));
}

#[tokio::test(start_paused = true)]
async fn each_ask_has_its_own_deadline() {
    let house = House::timed().await;
    let first = ask(&house).await;
    until(&house, 10).await;
    let second = ask(&house).await;
    assert_silent(&house, &ended(&house, first).await, 300);
    assert!(house.get(second).await.is_open());
    ended(&house, second).await;
    assert_eq!(passed(&house), Duration::from_secs(310));
}

#[tokio::test(start_paused = true)]
async fn a_thousand_deadlines_at_once_are_all_kept() {
    let house = House::timed().await;
    let asks = (0..1100).map(|_| ask(&house));
    let asks = futures_util::future::join_all(asks).await;
    for id in asks {
        assert_silent(&house, &ended(&house, id).await, 300);
    }
}

#[tokio::test(start_paused = true)]
async fn typing_moves_the_deadline() {
    let house = House::timed().await;
    let id = ask(&house).await;
    until(&house, 295).await;
    type_at(&house, id, 1).await;
    until(&house, 305).await;
    type_at(&house, id, 2).await;
    assert_silent(&house, &ended(&house, id).await, 320);
}

#[tokio::test(start_paused = true)]
async fn typing_moves_it_by_one_further_deadline_at_most() {
    let house = House::timed().await;
    let id = ask(&house).await;
    for version in 1..60 {
        until(&house, version * 10).await;
        type_at(&house, id, version).await;
    }
    until(&house, 599).await;
    type_at(&house, id, 60).await;
    assert_silent(&house, &ended(&house, id).await, 600);
}

#[tokio::test(start_paused = true)]
async fn typing_long_before_moves_nothing() {
    let house = House::timed().await;
    let id = ask(&house).await;
    until(&house, 100).await;
    type_at(&house, id, 1).await;
    assert_silent(&house, &ended(&house, id).await, 300);
}

#[tokio::test(start_paused = true)]
async fn typing_moves_nothing_where_the_policy_says_so() {
    let house = House::timed().await;
    let mut strict = patient();
    strict.policy.pause_while_typing = false;
    let id = house.ask(strict).await.unwrap().record.id;
    until(&house, 295).await;
    type_at(&house, id, 1).await;
    assert_silent(&house, &ended(&house, id).await, 300);
}

#[tokio::test(start_paused = true)]
async fn a_person_can_take_more_time() {
    let house = House::timed().await;
    let id = ask(&house).await;
    until(&house, 100).await;
    let extended = house.person("ann").extend(id, 60, None).await.unwrap();
    assert_eq!(extended.deadline_at, Some(FakeWorld::second(360)));
    assert_silent(&house, &ended(&house, id).await, 360);
    assert_eq!(house.names().await, ["ask.opened", "ask.extended", "ask.resolved"]);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_passed_while_the_hub_was_down_is_kept_at_once() {
    let house = House::timed().await;
    let id = ask(&house).await;
    let house = house.restart_after(Duration::from_hours(2)).await;
    let record = ended(&house, id).await;
    let silence = json!({"kind": "no_answer", "afterSeconds": 300});
    assert_eq!(record.resolved().unwrap().resolution, silence);
    assert_eq!(record.resolved().unwrap().at, FakeWorld::second(7200));
    assert_eq!(passed(&house), Duration::from_hours(2));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_is_remembered_over_a_restart_and_so_is_more_time() {
    let house = House::timed().await;
    let (one, two) = (ask(&house).await, ask(&house).await);
    house.person("ann").extend(two, 60, None).await.unwrap();
    until(&house, 50).await;
    let house = house.restart_after(Duration::from_secs(100)).await;
    assert_silent(&house, &ended(&house, one).await, 300);
    assert_silent(&house, &ended(&house, two).await, 360);
}

#[tokio::test(start_paused = true)]
async fn who_was_typing_is_remembered_over_a_restart() {
    let house = House::timed().await;
    let id = ask(&house).await;
    until(&house, 295).await;
    type_at(&house, id, 1).await;
    let house = house.restart_after(Duration::from_secs(7)).await;
    assert_silent(&house, &ended(&house, id).await, 310);
}

const HOURS: [SignedDuration; 2] = [SignedDuration::from_hours(5), SignedDuration::from_hours(-5)];

#[tokio::test(start_paused = true)]
async fn setting_the_clock_moves_no_deadline() {
    for hours in HOURS {
        let house = House::timed().await;
        let id = ask(&house).await;
        until(&house, 10).await;
        house.world.set_clock(hours);
        assert_silent(&house, &ended(&house, id).await, 300);
    }
}

#[tokio::test(start_paused = true)]
async fn setting_the_clock_moves_no_deadline_that_typing_moves() {
    for hours in HOURS {
        let house = House::timed().await;
        let id = ask(&house).await;
        until(&house, 10).await;
        house.world.set_clock(hours);
        until(&house, 20).await;
        type_at(&house, id, 1).await;
        until(&house, 295).await;
        type_at(&house, id, 2).await;
        assert_silent(&house, &ended(&house, id).await, 310);
    }
}

#[tokio::test(start_paused = true)]
async fn setting_the_clock_takes_nothing_from_more_time() {
    for hours in HOURS {
        let house = House::timed().await;
        let id = ask(&house).await;
        until(&house, 10).await;
        house.world.set_clock(hours);
        house.person("ann").extend(id, 60, None).await.unwrap();
        assert_silent(&house, &ended(&house, id).await, 360);
    }
}

#[tokio::test(start_paused = true)]
async fn the_sleep_of_the_machine_counts() {
    let house = House::timed().await;
    let id = ask(&house).await;
    until(&house, 10).await;
    let woken = tokio::time::Instant::now();
    house.world.pass(Duration::from_hours(8));
    assert_eq!(end(&ended(&house, id).await), Some("no_answer"));
    assert!(woken.elapsed() <= Duration::from_secs(20), "{:?}", woken.elapsed());
}

#[tokio::test(start_paused = true)]
async fn setting_the_clock_before_a_restart_moves_no_deadline() {
    for hours in HOURS {
        let house = House::timed().await;
        let (one, two) = (ask(&house).await, ask(&house).await);
        house.person("ann").extend(two, 60, None).await.unwrap();
        until(&house, 10).await;
        house.world.set_clock(hours);
        let house = house.restart_after(Duration::from_secs(5)).await;
        // And again: what is counted by does not change with the hub.
        let house = house.restart_after(Duration::from_secs(5)).await;
        assert_silent(&house, &ended(&house, one).await, 300);
        assert_silent(&house, &ended(&house, two).await, 360);
    }
}

#[tokio::test(start_paused = true)]
async fn setting_the_clock_before_a_restart_moves_no_deadline_that_typing_moves() {
    for hours in HOURS {
        let house = House::timed().await;
        let id = ask(&house).await;
        until(&house, 10).await;
        house.world.set_clock(hours);
        until(&house, 295).await;
        type_at(&house, id, 1).await;
        let house = house.restart_after(Duration::from_secs(7)).await;
        assert_silent(&house, &ended(&house, id).await, 310);
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_reboot_a_deadline_goes_by_the_clock_on_the_wall() {
    let house = House::timed().await;
    let id = ask(&house).await;
    until(&house, 10).await;
    house.world.reboot();
    let house = house.restart_after(Duration::from_secs(100)).await;
    // From then on it is counted by the other one again.
    house.world.set_clock(HOURS[0]);
    let house = house.restart_after(Duration::from_secs(100)).await;
    assert_silent(&house, &ended(&house, id).await, 300);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_lost_the_time_in_a_reboot_adds_one_deadline_at_most() {
    let house = House::timed().await;
    let id = ask(&house).await;
    until(&house, 10).await;
    house.world.reboot();
    house.world.set_clock(SignedDuration::from_hours(-24 * 365));
    let house = house.restart_after(Duration::ZERO).await;
    ended(&house, id).await;
    assert_eq!(passed(&house), Duration::from_secs(310));
}

#[tokio::test(start_paused = true)]
async fn more_time_that_is_asked_for_twice_is_given_once() {
    let house = House::timed().await;
    let id = ask(&house).await;
    let ann = house.person("ann");
    let key = || Some("k".to_owned());
    let first = ann.extend(id, 60, key()).await.unwrap();
    assert_eq!(ann.extend(id, 60, key()).await, Ok(first.clone()));
    assert_eq!(ann.extend(id, 61, key()).await, Err(HubError::Rejected(Rejection::KeyReused)));
    assert!(ann.extend(id, 60, Some(String::new())).await.is_err());
    drop(ann);
    let house = house.restart_after(Duration::from_secs(1)).await;
    let ann = house.person("ann");
    assert_eq!(ann.extend(id, 60, key()).await, Ok(first), "after a restart");
    assert_silent(&house, &ended(&house, id).await, 360);
    assert_eq!(ann.extend(id, 60, key()).await.map(|record| record.is_open()), Ok(false));
}

//! Half an answer: private, and never older than it was.

use std::time::Duration;

use handraise_broker::{Draft, Feed, Hub, HubError, NewAsk, News, Policy, Rejection, Seat};
use handraise_question::AnswerForm;
use handraise_testkit::{FakeWorld, PATIENCE, new_ask};

use crate::house::House;

fn draft(version: u64, words: &str) -> Draft {
    let form = AnswerForm { words: Some(words.into()), ..AnswerForm::default() };
    Draft { version, answers: vec![form], ..Draft::default() }
}

fn older(kept: Draft) -> Result<(), HubError> {
    Err(HubError::Rejected(Rejection::OlderDraft(Box::new(kept))))
}

#[tokio::test]
async fn a_draft_is_its_writers_alone() {
    let house = House::new().await;
    let id = house.ask_any().await;
    let (ann, bob) = (house.person("ann"), house.person("bob"));
    ann.keep_draft(id, draft(1, "ann's")).await.unwrap();
    assert_eq!(bob.draft(id).await, Ok(None));
    bob.keep_draft(id, draft(7, "bob's")).await.unwrap();
    bob.drop_draft(id).await.unwrap();
    assert_eq!(house.person("ann").draft(id).await, Ok(Some(draft(1, "ann's"))), "on any device");
    assert_eq!(bob.draft(id).await, Ok(None));
    assert_eq!(house.names().await, ["ask.opened"], "and in no event");
}

#[tokio::test]
async fn a_device_that_is_behind_is_told_what_is_kept() {
    let house = House::new().await;
    let id = house.ask_any().await;
    let (laptop, phone) = (house.person("ann"), house.person("ann"));
    laptop.keep_draft(id, draft(3, "three")).await.unwrap();
    assert_eq!(phone.keep_draft(id, draft(2, "two")).await, older(draft(3, "three")));
    assert_eq!(phone.keep_draft(id, draft(3, "another")).await, older(draft(3, "three")));
    assert_eq!(phone.keep_draft(id, draft(3, "three")).await, Ok(()), "the very same");
    phone.keep_draft(id, draft(9, "nine")).await.unwrap();
    assert_eq!(laptop.keep_draft(id, draft(4, "four")).await, older(draft(9, "nine")));
    assert_eq!(laptop.draft(id).await, Ok(Some(draft(9, "nine"))));
    laptop.drop_draft(id).await.unwrap();
    phone.keep_draft(id, draft(1, "anew")).await.unwrap();
}

#[tokio::test]
async fn of_two_drafts_in_one_batch_the_newer_stays() {
    let house = House::new().await;
    let id = house.ask_any().await;
    let (laptop, phone) = (house.person("ann"), house.person("ann"));
    let (one, two) =
        tokio::join!(laptop.keep_draft(id, draft(2, "two")), phone.keep_draft(id, draft(1, "one")));
    assert_eq!((one, two), (Ok(()), older(draft(2, "two"))));
    assert_eq!(laptop.draft(id).await, Ok(Some(draft(2, "two"))));
}

#[tokio::test]
async fn drafts_outlive_a_restart_and_the_end_of_the_ask() {
    let house = House::new().await;
    let id = house.ask_any().await;
    house.person("ann").keep_draft(id, draft(1, "half a thou")).await.unwrap();
    let house = house.restart_after(Duration::from_hours(1)).await;
    house.agent().withdraw(id, None).await.unwrap();
    let ann = house.person("ann");
    assert_eq!(ann.draft(id).await, Ok(Some(draft(1, "half a thou"))));
    assert_eq!(ann.keep_draft(id, draft(1, "other")).await, older(draft(1, "half a thou")));
}

#[tokio::test]
async fn a_draft_has_an_ask_a_version_and_a_size() {
    let house = House::new().await;
    let id = house.ask_any().await;
    let ann = house.person("ann");
    let nobody = "01977420-dfe8-7101-8101-010101010101".parse().unwrap();
    let missing = HubError::Rejected(Rejection::NoSuchAsk(nobody));
    assert_eq!(ann.keep_draft(nobody, draft(1, "a")).await, Err(missing.clone()));
    assert_eq!(ann.drop_draft(nobody).await, Err(missing.clone()));
    assert_eq!(ann.draft(nobody).await, Err(missing));
    let many = Draft { answers: vec![AnswerForm::default(); 21], ..draft(1, "") };
    let large = || Some("a".repeat(300_000));
    let large = Draft { message: large(), input: large(), ..draft(1, "") };
    for wrong in [draft(0, "a"), draft(u64::MAX, "a"), draft(1, &"a".repeat(600_000)), many, large]
    {
        let refused = ann.keep_draft(id, wrong).await;
        assert!(matches!(refused, Err(HubError::Rejected(Rejection::Invalid(_)))), "{refused:?}");
    }
    assert_eq!(ann.draft(id).await, Ok(None));
}

async fn next(feed: &mut Box<dyn Feed>) -> News {
    tokio::time::timeout(PATIENCE, feed.next()).await.expect("no news").unwrap()
}

#[tokio::test(start_paused = true)]
async fn others_see_that_somebody_types_and_until_when_silence_waits() {
    let house = House::timed().await;
    let policy = Policy { deadline_seconds: Some(20), ..Policy::default() };
    let timed = house.ask(NewAsk { policy, ..new_ask(None) }).await.unwrap().record.id;
    let endless = house.ask_any().await;
    let mut feed = house.person("bob").follow(None).await.unwrap();
    assert_eq!(next(&mut feed).await, News::Live(2));
    let ann = house.person("ann");
    ann.keep_draft(endless, draft(1, "a")).await.unwrap();
    assert_eq!(next(&mut feed).await, News::Typing { ask: endless, ends_at: None });
    ann.keep_draft(timed, draft(1, "a")).await.unwrap();
    let ends_at = Some(FakeWorld::second(20));
    assert_eq!(next(&mut feed).await, News::Typing { ask: timed, ends_at });
    tokio::time::sleep(Duration::from_secs(10)).await;
    ann.keep_draft(timed, draft(2, "ab")).await.unwrap();
    let ends_at = Some(FakeWorld::second(25));
    assert_eq!(next(&mut feed).await, News::Typing { ask: timed, ends_at });
}

/// What changes nothing is no typing.
#[tokio::test]
async fn a_repeated_a_refused_and_a_late_draft_are_not_typing() {
    let house = House::new().await;
    let (open, done) = (house.ask_any().await, house.ask_any().await);
    house.answer(done).await;
    let ann: Seat = house.person("ann");
    ann.keep_draft(open, draft(2, "a")).await.unwrap();
    let mut feed = ann.follow(None).await.unwrap();
    assert_eq!(next(&mut feed).await, News::Live(3));
    ann.keep_draft(open, draft(2, "a")).await.unwrap();
    ann.keep_draft(open, draft(1, "b")).await.unwrap_err();
    ann.drop_draft(open).await.unwrap();
    ann.keep_draft(done, draft(1, "a")).await.unwrap();
    ann.keep_draft(open, draft(3, "c")).await.unwrap();
    assert_eq!(next(&mut feed).await, News::Typing { ask: open, ends_at: None });
    house.answer(open).await;
    assert!(matches!(next(&mut feed).await, News::Event(told) if told.seq == 4));
}

//! A model that is not to be had is tried again, with patience that ends.

use std::time::Duration;

use handraise_agent_loop::{Backoff, Event, History, ModelError};
use serde_json::json;
use tokio::time::Instant;

use crate::stage::{Play, Script, names, play, said};

fn busy(after: Option<u64>) -> ModelError {
    let after = after.map(Duration::from_secs);
    ModelError::Passing { reason: "the server is busy".to_owned(), after }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_failed_is_said_again_and_nothing_of_it_is_kept() {
    let script = Script::new([
        Play::Fail("Half a sent", busy(Some(7))),
        Play::Fail("", busy(None)),
        Play::Say(said("A whole sentence.")),
    ]);
    let mut run = script.agent().run(History::new("go"));
    let began = Instant::now();
    let told = play(&mut run).await;
    assert_eq!(names(&told), ["text", "retry", "retry", "text", "done"]);
    assert_eq!(told[1]["reason"], "the server is busy");
    let after = told[1]["after"].as_f64().unwrap();
    assert!((7.0..8.0).contains(&after), "{after}");
    assert!(began.elapsed() >= Duration::from_secs(8), "it did not wait");
    let history = run.into_history().unwrap();
    assert_eq!(history.entries().len(), 2);
    assert!(!json!(history.entries()).to_string().contains("Half"));
    let requests = script.requests();
    assert!(requests.iter().all(|request| *request == json!([{"user": "go"}])), "{requests:?}");
}

#[tokio::test(start_paused = true)]
async fn patience_ends_after_so_many_times() {
    let script = Script::new((0..20).map(|_| Play::Fail("", busy(None))));
    let backoff = Backoff { retries: 4, ..Backoff::default() };
    let told = play(&mut script.agent().backoff(backoff).run(History::new("go"))).await;
    assert_eq!(names(&told), ["retry", "retry", "retry", "retry", "error"]);
    assert_eq!(
        told[4]["error"],
        json!({"kind": "model", "message": "given up after several attempts: the server is busy"})
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_that_wants_to_be_left_alone_for_hours_is_given_up_at_once() {
    let script = Script::new([Play::Fail("", busy(Some(7200)))]);
    let began = Instant::now();
    let told = play(&mut script.agent().run(History::new("go"))).await;
    assert_eq!(names(&told), ["error"]);
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_get_better_is_not_tried_again() {
    let wrong = ModelError::Final { reason: "the key is wrong".to_owned() };
    let script = Script::new([Play::Fail("", wrong)]);
    let mut run = script.agent().run(History::new("go"));
    let Some(Event::Error { error }) = run.next().await else { panic!() };
    assert_eq!((error.kind(), error.to_string().as_str()), ("model", "the key is wrong"));
    assert_eq!(script.requests().len(), 1);
}

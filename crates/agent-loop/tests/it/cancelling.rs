//! A run can be cancelled at any point, ends at once, and can be gone on with.

use std::time::Duration;

use handraise_agent_loop::{Event, History, ModelError, Run, RunError};
use serde_json::json;

use crate::stage::{Counting, Play, Script, ask_call, calls, count_call, names, play, said};

/// Goes on until `here` happens, cancels, and expects the end right then.
async fn cancel_at(run: &mut Run, here: impl Fn(&Event) -> bool) {
    while !here(&run.next().await.expect("it ended before")) {}
    run.cancel();
    // Time is paused: anything that waits for a timer would take far longer.
    let next = tokio::time::timeout(Duration::from_millis(1), run.next()).await;
    let Some(Event::Error { error }) = next.expect("it hangs") else { panic!("no error") };
    assert_eq!(error, RunError::Cancelled);
    assert!(run.next().await.is_none());
}

#[tokio::test]
async fn before_it_began() {
    let script = Script::default();
    let mut run = script.agent().run(History::new("go"));
    run.cancel();
    assert_eq!(
        play(&mut run).await,
        [json!({"type": "error", "error": {"kind": "cancelled", "message": "cancelled"}})]
    );
    assert_eq!(script.requests().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn in_the_middle_of_what_the_model_says() {
    let script = Script::new([Play::Hang("I would say"), Play::Say(said("Done."))]);
    let agent = script.agent();
    let mut run = agent.run(History::new("go"));
    cancel_at(&mut run, |event| matches!(event, Event::Text { .. })).await;
    let history = run.into_history().unwrap();
    assert_eq!(history.entries().len(), 1, "half a turn was kept");
    assert_eq!(names(&play(&mut agent.run(history)).await), ["text", "done"]);
}

#[tokio::test(start_paused = true)]
async fn while_a_tool_works() {
    let script = Script::turns([calls("", [count_call("1"), count_call("2")]), said("ok")]);
    let hanging = Counting { hangs: true, ..Counting::default() };
    let mut run = script.agent().tool(hanging.clone()).run(History::new("go"));
    // The tool is at work only once the run is asked for what follows.
    let mut started = false;
    while !started {
        started = matches!(run.next().await.unwrap(), Event::ToolStart { .. });
    }
    assert!(tokio::time::timeout(Duration::from_secs(1), run.next()).await.is_err());
    assert_eq!(hanging.count(), 1);
    run.cancel();
    assert_eq!(names(&play(&mut run).await), ["error"]);

    let counting = Counting::default();
    let agent = script.agent().tool(counting.clone());
    let told = play(&mut agent.run(run.into_history().unwrap())).await;
    let first = told[1]["result"]["error"].as_str().unwrap();
    assert!(first.contains("was interrupted; whether it took effect is unknown"), "{first}");
    assert_eq!(counting.count(), 1, "only the second may be made");
    assert_eq!(told.last().unwrap()["type"], "done");
}

#[tokio::test(start_paused = true)]
async fn while_a_person_is_asked_and_the_same_question_comes_back() {
    let script = Script::turns([calls("First:", [ask_call("q")]), said("ok")]);
    let agent = script.agent();
    let mut run = agent.run(History::new("go"));
    cancel_at(&mut run, |event| matches!(event, Event::AskUser { .. })).await;
    let late = handraise_question::Resolution::Declined { reason: None };
    assert!(run.answer("q", &late).is_err());
    let mut run = agent.run(run.into_history().unwrap());
    let told = play(&mut run).await;
    assert_eq!(names(&told), ["tool_start", "ask_user", "tool_result", "text", "done"]);
    assert_eq!(told[1]["id"], "q");
    assert_eq!(script.requests().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn while_it_waits_to_try_again() {
    let after = Some(Duration::from_mins(1));
    let busy = ModelError::Passing { reason: "busy".to_owned(), after };
    let script = Script::new([Play::Fail("", busy), Play::Say(said("ok"))]);
    let agent = script.agent();
    let mut run = agent.run(History::new("go"));
    cancel_at(&mut run, |event| matches!(event, Event::Retry { .. })).await;
    assert_eq!(script.requests().len(), 1);
    let told = play(&mut agent.run(run.into_history().unwrap())).await;
    assert_eq!(names(&told), ["text", "done"]);
}

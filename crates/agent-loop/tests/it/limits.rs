//! No run goes on for ever, and none ends in silence.

use handraise_agent_loop::{History, RunLimits, Stop, Turn};
use serde_json::{Value, json};

use crate::stage::{
    Counting, Script, ask_call, call, calls, count_call, cut_off, names, play, results, said,
};

fn error(told: &[Value]) -> (&str, &str) {
    let error = &told.last().unwrap()["error"];
    (error["kind"].as_str().unwrap(), error["message"].as_str().unwrap())
}

#[tokio::test]
async fn a_model_that_never_finishes_is_stopped() {
    let script = Script::turns((0..9).map(|i| calls("", [count_call(&i.to_string())])));
    let counting = Counting::default();
    let limits = RunLimits { turns: 3, ..RunLimits::default() };
    let mut run = script.agent().tool(counting.clone()).limits(limits).run(History::new("go"));
    let told = play(&mut run).await;
    let words = "not done after 3 turns, which is as many as this run may take";
    assert_eq!(error(&told), ("turns", words));
    assert_eq!(counting.count(), 3);
}

#[tokio::test]
async fn each_prompt_begins_the_count_anew() {
    let turns =
        [calls("", [count_call("1")]), said("one"), calls("", [count_call("2")]), said("two")];
    let script = Script::turns(turns);
    let limits = RunLimits { turns: 2, ..RunLimits::default() };
    let agent = script.agent().tool(Counting::default()).limits(limits);
    let mut run = agent.run(History::new("go"));
    play(&mut run).await;
    let mut history = run.into_history().unwrap();
    history.say("and again").await.unwrap();
    let told = play(&mut agent.run(history)).await;
    assert_eq!(told.last().unwrap(), &json!({"type": "done", "text": "two"}));
}

#[tokio::test]
async fn when_all_asks_are_used_up_the_model_is_told_and_can_finish() {
    let script = Script::turns([
        calls("", [ask_call("1")]),
        calls("", [ask_call("2")]),
        said("Then without."),
    ]);
    let limits = RunLimits { asks: 1, ..RunLimits::default() };
    let mut run = script.agent().limits(limits).run(History::new("go"));
    let told = play(&mut run).await;
    let text = "No question was asked: all 1 asks of this run are used up. Nobody chose anything. Do \
                not ask again. Finish with what you know, and say what stays open.";
    assert_eq!(results(&told)[1], (false, text.to_owned()));
    assert_eq!(names(&told).iter().filter(|name| **name == "ask_user").count(), 1);
    assert_eq!(told.last().unwrap()["type"], "done");
}

#[tokio::test]
async fn a_model_that_goes_on_asking_is_stopped_with_the_reason() {
    let script = Script::turns((0..9).map(|i| calls("", [ask_call(&i.to_string())])));
    let limits = RunLimits { asks: 1, ..RunLimits::default() };
    let mut run = script.agent().limits(limits).run(History::new("go"));
    let told = play(&mut run).await;
    let words = "the model goes on asking after 1 asks, which is as many as this run may make";
    assert_eq!(error(&told), ("asks_used_up", words));
    assert_eq!(script.requests().len(), 3);
}

#[tokio::test]
async fn a_model_that_does_not_get_a_call_right_is_stopped() {
    let script =
        Script::turns((0..9).map(|i| calls("", [call(&i.to_string(), "none", json!({}))])));
    let mut run = script.agent().run(History::new("go"));
    let told = play(&mut run).await;
    assert_eq!(error(&told), ("invalid_calls", "5 invalid tool calls in a row"));
    assert_eq!(script.requests().len(), 5);
}

#[tokio::test]
async fn a_good_call_in_between_makes_up_for_the_bad_ones() {
    let wrong = |id: &str| call(id, "none", json!({}));
    let script = Script::turns([
        calls("", [wrong("1"), wrong("2"), wrong("3"), wrong("4"), count_call("5")]),
        calls("", [wrong("6"), wrong("7"), wrong("8"), wrong("9")]),
        said("ok"),
    ]);
    let mut run = script.agent().tool(Counting::default()).run(History::new("go"));
    assert_eq!(play(&mut run).await.last().unwrap()["type"], "done");
}

#[tokio::test]
async fn a_call_that_was_cut_short_is_not_made() {
    let counting = Counting::default();
    let script = Script::turns([
        // The last one is not whole, although it looks as if it were.
        cut_off(calls("", [count_call("1"), count_call("2")])),
        said("ok"),
    ]);
    let mut run = script.agent().tool(counting.clone()).run(History::new("go"));
    let told = play(&mut run).await;
    assert_eq!(counting.count(), 1);
    let text = "Nothing was done: the call is not valid.\nthe call was cut off at the limit of your \
                message's length. Make it again, shorter";
    assert_eq!(results(&told), [(true, "1".to_owned()), (false, text.to_owned())]);
    assert_eq!(told.last().unwrap()["type"], "done");
}

#[tokio::test]
async fn words_that_were_cut_off_are_gone_on_with_and_are_one_text() {
    let script = Script::turns([cut_off(said("The first half ")), said("and the second.")]);
    let mut run = script.agent().run(History::new("go"));
    let told = play(&mut run).await;
    let text = "The first half and the second.";
    assert_eq!(told.last().unwrap(), &json!({"type": "done", "text": text}));
    assert_eq!(
        script.last_request(),
        json!([{"user": "go"}, {"assistant": "The first half ", "calls": 0}, {"user":
            "Your last message was cut off at the limit of its length. Go on exactly where it \
             stopped."}])
    );
}

#[tokio::test]
async fn words_that_are_cut_off_again_and_again_are_no_answer() {
    let script = Script::turns((0..9).map(|_| cut_off(said("bla "))));
    let mut run = script.agent().run(History::new("go"));
    let told = play(&mut run).await;
    let words = "the model's answer was cut off 4 times in a row: allow it more tokens";
    assert_eq!(error(&told), ("cut_off", words));
}

#[tokio::test]
async fn a_refusal_is_not_an_answer() {
    let refused = Turn { stop: Stop::Refused, ..said("I cannot") };
    let script = Script::turns([refused]);
    let told = play(&mut script.agent().run(History::new("go"))).await;
    assert_eq!(error(&told), ("refused", "the model refused to go on"));
}

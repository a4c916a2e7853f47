//! A model asks, a person answers, the model reads it.

use std::time::Duration;

use async_trait::async_trait;
use handraise_agent_loop::{AnswerError, Event, History, RunError, Tool, ToolContext, ToolResult};
use handraise_question::{OwnWords, Resolution};
use handraise_testkit::one_of;
use serde_json::{Value, json};

use crate::stage::{
    Counting, Script, ask, ask_call, call, calls, chosen, count_call, names, play, play_with,
    results, said,
};

const ANSWERED: &str = "User answered the following questions:\n\n1. Which (Which?)\n   Selected: b\n\n\
                        Proceeding with user selections.";

#[tokio::test]
async fn a_question_is_asked_answered_and_read() {
    let script = Script::turns([calls("First:", [ask_call("toolu_1")]), said("All set.")]);
    let mut run = script.agent().run(History::new("go"));
    let told = play(&mut run).await;
    let questions = json!([one_of("Which?", "Which", &["a", "b"])]);
    assert_eq!(
        told,
        [
            json!({"type": "text", "text": "First:"}),
            json!({"type": "tool_start", "id": "toolu_1", "name": "AskUserQuestion",
                   "input": {"questions": questions}}),
            json!({"type": "ask_user", "id": "toolu_1", "questions": questions}),
            json!({"type": "tool_result", "id": "toolu_1", "name": "AskUserQuestion", "result": {
                "success": true, "output": ANSWERED,
                "metadata": {"title": "AskUserQuestion", "subtitle": "1 question(s)", "result": {
                    "answers": [{"question": "Which?", "header": "Which", "selectedOptions": ["b"]}]}}}}),
            json!({"type": "text", "text": "All set."}),
            json!({"type": "done", "text": "All set."}),
        ]
    );
    assert_eq!(
        script.last_request(),
        json!([{"user": "go"}, {"assistant": "First:", "calls": 1},
               {"results": [["toolu_1", true, ANSWERED]]}])
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_goes_on_until_there_is_an_answer_and_then_it_does() {
    let script = Script::turns([calls("First:", [ask_call("q")]), said("Thanks.")]);
    let mut run = script.agent().run(History::new("go"));
    let asked = loop {
        if let Event::AskUser { ask, preamble, .. } = run.next().await.unwrap() {
            break (ask, preamble);
        }
    };
    assert_eq!(asked.1.as_deref(), Some("First:"));
    let days = Duration::from_hours(48);
    assert!(tokio::time::timeout(days, run.next()).await.is_err(), "it did not wait");
    run.handle().answer("q", &chosen(&asked.0, "a")).unwrap();
    assert_eq!(names(&play(&mut run).await), ["tool_result", "text", "done"]);
}

#[tokio::test]
async fn whatever_is_no_answer_is_said_so_and_is_no_choice() {
    let words = |text: &str| OwnWords::try_from(text).unwrap();
    for (resolution, text) in [
        (
            Resolution::Declined { reason: Some(words("too early")) },
            "The person declined to answer: too early. No option was chosen; do not assume one.",
        ),
        (
            Resolution::Discuss { words: words("why?") },
            "The person wants to talk first: why?. No option was chosen. Answer them, then ask again \
             if you still need it.",
        ),
        (
            Resolution::NoAnswer { after_seconds: 90 },
            "Nobody answered within 90 s. This is neither a choice nor consent. Do not choose for the \
             person.",
        ),
        (
            Resolution::Withdrawn { reason: None },
            "The question was withdrawn before anybody answered. No option was chosen; do not assume \
             one.",
        ),
    ] {
        let script = Script::turns([calls("", [ask_call("q")]), said("ok")]);
        let mut run = script.agent().run(History::new("go"));
        let told = play_with(&mut run, |_| resolution.clone()).await;
        assert_eq!(results(&told), [(false, text.to_owned())]);
        assert_eq!(script.last_request()[2], json!({"results": [["q", false, text]]}));
    }
}

#[tokio::test]
async fn an_answer_to_something_else_is_refused_and_changes_nothing() {
    let colours = call(
        "q",
        "AskUserQuestion",
        json!({"questions": [one_of("Which colour?", "Colour", &["red", "blue"])]}),
    );
    let script = Script::turns([calls("", [colours]), said("ok")]);
    let mut run = script.agent().run(History::new("go"));
    while !matches!(run.next().await.unwrap(), Event::AskUser { .. }) {}
    let foreign = chosen(&ask(), "b");
    assert!(matches!(run.answer("q", &foreign), Err(AnswerError::Invalid(_))));
    assert_eq!(run.answer("other", &foreign), Err(AnswerError::NotAsked));
    run.answer("q", &Resolution::Declined { reason: None }).unwrap();
    let twice = run.answer("q", &Resolution::Declined { reason: None });
    assert_eq!(twice, Err(AnswerError::NotAsked));
    assert_eq!(names(&play(&mut run).await), ["tool_result", "text", "done"]);
}

#[tokio::test]
async fn a_call_that_is_not_valid_is_refused_with_every_reason_and_can_be_mended() {
    let mut five = one_of("Which?", "Far too long a header", &["a", "b", "c", "d", "e"]);
    five["multiSelect"] = Value::Null;
    let cases = [
        (
            call("1", "AskUserQuestion", json!({"questions": [five]})),
            "questions[0].header: 21 characters, 1–12 needed\n\
             questions[0].options: 5 options, 2–4 needed\n\
             questions[0].multiSelect: null, true or false needed",
        ),
        (
            call("1", "AskUserQuestion", json!({"question": "Which?"})),
            "questions: missing, a list of questions needed",
        ),
        (
            call("1", "AskUserQuestion", json!("{\"questions\": [")),
            "input: not JSON, a JSON object needed",
        ),
        (
            call("1", "SECRET", json!({})),
            "name: no such tool, one of the tools that exist (AskUserQuestion, count) needed",
        ),
        (call("1", "count", json!({"by": "SECRET"})), "input.by: string, integer needed"),
        (call("1", "count", json!([])), "input: array, a JSON object needed"),
    ];
    for (wrong, reasons) in cases {
        let counting = Counting::default();
        let script = Script::turns([calls("", [wrong]), calls("", [ask_call("2")]), said("ok")]);
        let mut run = script.agent().tool(counting.clone()).run(History::new("go"));
        let told = play(&mut run).await;
        let refused = format!("Nothing was done: the call is not valid.\n{reasons}");
        assert_eq!(results(&told), [(false, refused), (true, ANSWERED.to_owned())]);
        assert_eq!(counting.count(), 0);
        assert_eq!(told.last().unwrap()["type"], "done");
    }
}

#[tokio::test]
async fn several_calls_are_made_in_order_and_answered_in_one_message() {
    let counting = Counting::default();
    let made = [count_call("1"), ask_call("2"), call("3", "none", json!({})), count_call("4")];
    let script = Script::turns([calls("", made), said("ok")]);
    let mut run = script.agent().tool(counting.clone()).run(History::new("go"));
    let told = play(&mut run).await;
    assert_eq!(
        names(&told),
        [
            "tool_start",
            "tool_result",
            "tool_start",
            "ask_user",
            "tool_result",
            "tool_start",
            "tool_result",
            "tool_start",
            "tool_result",
            "text",
            "done"
        ]
    );
    let last = script.last_request();
    let read: Vec<_> = last[2]["results"].as_array().unwrap().iter().map(|r| &r[0]).collect();
    assert_eq!(read, ["1", "2", "3", "4"]);
    assert_eq!(last.as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn calls_whose_names_are_of_no_use_get_others_so_that_no_answer_is_taken_for_another() {
    // Some servers number the calls of each turn anew, or do not name them at all.
    let script = Script::turns([
        calls("", [ask_call("call_0"), ask_call("call_0"), ask_call(""), ask_call("a b")]),
        calls("", [ask_call("call_0"), ask_call("call_1_2")]),
        said("ok"),
    ]);
    let mut run = script.agent().run(History::new("go"));
    let told = play(&mut run).await;
    let asked: Vec<_> = told
        .iter()
        .filter(|e| e["type"] == "ask_user")
        .map(|e| e["id"].as_str().unwrap())
        .collect();
    assert_eq!(asked, ["call_0", "call_1_2", "call_1_3", "call_1_4", "call_2_1", "call_2_2"]);
}

/// A tool that asks twice, and once more without waiting for it.
struct Asks;

#[async_trait]
impl Tool for Asks {
    fn name(&self) -> &'static str {
        "asks"
    }

    fn description(&self) -> &'static str {
        "Asks."
    }

    fn schema(&self) -> Value {
        json!({ "type": "object" })
    }

    async fn execute(&self, _: Value, context: &ToolContext) -> ToolResult {
        let one = context.ask_user(ask()).await.unwrap();
        let two = context.ask_user(ask()).await.unwrap();
        let third = tokio::time::timeout(Duration::from_hours(1), context.ask_user(ask())).await;
        assert!(third.is_err());
        ToolResult::ok(format!("{}", one == two))
    }
}

#[tokio::test(start_paused = true)]
async fn any_tool_may_ask_as_often_as_it_likes_and_may_give_it_up() {
    let script = Script::turns([calls("", [call("c", "asks", json!({}))]), said("ok")]);
    let mut run = script.agent().tool(Asks).run(History::new("go"));
    let mut asked = vec![];
    while let Some(event) = run.next().await {
        if let Event::AskUser { id, ask, .. } = &event {
            if id != "c/3" {
                run.answer(id, &chosen(ask, "a")).unwrap();
            }
            asked.push(id.clone());
        }
        if let Event::ToolResult { result, .. } = event {
            assert_eq!(result, ToolResult::ok("true"));
            let late = run.answer("c/3", &chosen(&ask(), "a"));
            assert_eq!(late, Err(AnswerError::NotAsked));
        }
    }
    assert_eq!(asked, ["c", "c/2", "c/3"]);
}

#[tokio::test]
async fn without_a_prompt_there_is_nothing_to_do() {
    let mut run = Script::default().agent().run(History::in_memory(vec![]));
    let Some(Event::Error { error }) = run.next().await else { panic!() };
    assert_eq!(error, RunError::NoPrompt);
    assert!(run.next().await.is_none());
}

//! A run goes on where its history ends, whatever ended the one before.

use handraise_agent_loop::{
    Entry, Event, History, HistoryError, HistoryStore, Tool, ToolContext, ToolResult,
};
use handraise_question::wording::api;
use handraise_testkit::one_of;
use serde_json::{Value, json};

use crate::stage::{
    Counting, Script, Shelf, ask, ask_call, call, calls, chosen, count_call, names, play, results,
    said,
};

fn prompt() -> Entry {
    Entry::Prompt { text: "go".to_owned() }
}

fn started(call: &str) -> Entry {
    Entry::Started { call: call.to_owned() }
}

fn asked(id: &str) -> Entry {
    let questions = ask().as_sent().get().to_owned();
    Entry::Asked { id: id.to_owned(), call: id.to_owned(), questions }
}

#[tokio::test]
async fn an_open_question_is_asked_again_under_the_same_name_and_counts_once() {
    let turn = Entry::Turn(calls("First:", [ask_call("q")]));
    let script = Script::turns([said("ok")]);
    let history = History::in_memory(vec![prompt(), turn, started("q"), asked("q")]);
    let limits = handraise_agent_loop::RunLimits { asks: 1, ..Default::default() };
    let mut run = script.agent().limits(limits).run(history);
    let Some(Event::ToolStart { .. }) = run.next().await else { panic!() };
    let Some(Event::AskUser { id, ask, preamble }) = run.next().await else { panic!() };
    assert_eq!((id.as_str(), preamble.as_deref()), ("q", Some("First:")));
    run.answer(&id, &chosen(&ask, "a")).unwrap();
    assert_eq!(names(&play(&mut run).await), ["tool_result", "text", "done"]);
    let history = run.into_history().unwrap();
    let asks = history.entries().iter().filter(|entry| matches!(entry, Entry::Asked { .. }));
    assert_eq!(asks.count(), 1);
}

#[tokio::test]
async fn an_answer_that_was_given_is_used_and_nobody_is_asked_again() {
    let resolution = api::bare(&chosen(&ask(), "b"));
    let entries = vec![
        prompt(),
        Entry::Turn(calls("", [ask_call("q")])),
        started("q"),
        asked("q"),
        Entry::Resolved { id: "q".to_owned(), resolution },
    ];
    let script = Script::turns([said("ok")]);
    let told = play(&mut script.agent().run(History::in_memory(entries))).await;
    assert_eq!(names(&told), ["tool_start", "tool_result", "text", "done"]);
    assert!(results(&told)[0].1.contains("Selected: b"), "{told:?}");
}

#[tokio::test]
async fn a_tool_that_may_have_taken_effect_is_not_run_twice_and_one_that_did_not_begin_is_run() {
    let turn = Entry::Turn(calls("", [count_call("1"), count_call("2")]));
    let script = Script::turns([said("ok")]);
    let counting = Counting::default();
    let history = History::in_memory(vec![prompt(), turn, started("1")]);
    let told = play(&mut script.agent().tool(counting.clone()).run(history)).await;
    let words = "The call was interrupted; whether it took effect is unknown. Look before you repeat \
                 it.";
    assert_eq!(results(&told), [(false, words.to_owned()), (true, "1".to_owned())]);
    assert_eq!(counting.count(), 1);
}

#[tokio::test]
async fn a_tool_that_says_that_it_may_be_is_run_again() {
    let turn = Entry::Turn(calls("", [count_call("1")]));
    let counting = Counting { repeatable: true, ..Counting::default() };
    let script = Script::turns([said("ok")]);
    let history = History::in_memory(vec![prompt(), turn, started("1")]);
    let told = play(&mut script.agent().tool(counting.clone()).run(history)).await;
    assert_eq!(results(&told), [(true, "1".to_owned())]);
    assert_eq!(counting.count(), 1);
}

#[tokio::test]
async fn what_is_finished_is_said_to_be_done_without_asking_the_model() {
    let script = Script::default();
    let history = History::in_memory(vec![prompt(), Entry::Turn(said("All set."))]);
    let told = play(&mut script.agent().run(history)).await;
    assert_eq!(told, [json!({"type": "done", "text": "All set."})]);
}

#[tokio::test]
async fn a_tool_that_is_gone_since_is_an_invalid_call_and_no_end() {
    let turn = Entry::Turn(calls("", [call("1", "gone", json!({}))]));
    let script = Script::turns([said("ok")]);
    let history = History::in_memory(vec![prompt(), turn, started("1")]);
    let told = play(&mut script.agent().run(history)).await;
    assert!(results(&told)[0].1.contains("no such tool"), "{told:?}");
    assert_eq!(told.last().unwrap()["type"], "done");
}

#[tokio::test]
async fn new_words_of_the_person_end_what_was_open() {
    let entries =
        vec![prompt(), Entry::Turn(calls("", [count_call("1"), ask_call("q")])), started("1")];
    let script = Script::turns([said("ok")]);
    let counting = Counting::default();
    let mut history = History::in_memory(entries);
    history.say("Never mind. What is 1 + 1?").await.unwrap();
    let told = play(&mut script.agent().tool(counting.clone()).run(history)).await;
    assert_eq!(names(&told), ["text", "done"]);
    assert_eq!(counting.count(), 0);
    let request = script.last_request();
    let read = request[2]["results"].as_array().unwrap();
    assert!(read[0][2].as_str().unwrap().contains("was interrupted"), "{read:?}");
    assert!(read[1][2].as_str().unwrap().contains("Nobody chose anything"), "{read:?}");
    assert_eq!(request[3], json!({"user": "Never mind. What is 1 + 1?"}));
}

/// A store on which nothing can be kept after so many entries.
struct Full(usize);

#[async_trait::async_trait]
impl HistoryStore for Full {
    async fn append(&mut self, _: &Entry) -> Result<(), HistoryError> {
        self.0 =
            self.0.checked_sub(1).ok_or_else(|| HistoryError::Write("disk full".to_owned()))?;
        Ok(())
    }
}

#[tokio::test]
async fn what_cannot_be_kept_is_neither_done_nor_shown() {
    // The turn, that it began, that it is asked: each is kept before anything follows from it.
    for (room, told_before) in
        [(0, vec!["error"]), (1, vec!["tool_start", "error"]), (2, vec!["tool_start", "error"])]
    {
        let script = Script::turns([calls("", [ask_call("q")]), said("ok")]);
        let history = History::kept(vec![prompt()], Full(room));
        let told = play(&mut script.agent().run(history)).await;
        assert_eq!(names(&told), told_before);
        assert_eq!(
            told.last().unwrap()["error"],
            json!({"kind": "history", "message": "the history cannot be written: disk full"})
        );
    }
    let script = Script::turns([calls("", [count_call("1")]), said("ok")]);
    let counting = Counting::default();
    let history = History::kept(vec![prompt()], Full(1));
    play(&mut script.agent().tool(counting.clone()).run(history)).await;
    assert_eq!(counting.count(), 0, "it was run although nobody noted that it began");
}

#[tokio::test]
async fn everything_is_kept_before_it_is_told() {
    let shelf = Shelf::with(vec![prompt()]);
    let script = Script::turns([calls("", [count_call("1"), ask_call("q")]), said("ok")]);
    let mut run = script.agent().tool(Counting::default()).run(shelf.history());
    while let Some(event) = run.next().await {
        let kept = shelf.entries();
        let has = |entry: &Entry| kept.contains(entry);
        if let Event::ToolStart { .. } = event {
            assert!(kept.iter().any(|entry| matches!(entry, Entry::Turn(_))), "{kept:?}");
        } else if let Event::AskUser { id, ask, .. } = event {
            assert!(has(&asked(&id)), "{kept:?}");
            run.answer(&id, &chosen(&ask, "a")).unwrap();
        } else if let Event::ToolResult { id, result, .. } = event {
            assert!(has(&Entry::Result { call: id, result, invalid: false }), "{kept:?}");
        } else if let Event::Done { text } = event {
            assert!(has(&Entry::Turn(said(&text))), "{kept:?}");
        }
    }
    let result = |entry: &&Entry| {
        matches!(entry, Entry::Result { result: ToolResult { success: true, .. }, .. })
    };
    assert_eq!(shelf.entries().iter().filter(result).count(), 2);
}

/// A tool that asks what it is called with, and looks at what is kept when it has the answer.
struct Looking(Shelf);

#[async_trait::async_trait]
impl Tool for Looking {
    fn name(&self) -> &'static str {
        "look"
    }

    fn description(&self) -> &'static str {
        "Asks and looks."
    }

    fn schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn repeatable(&self) -> bool {
        true
    }

    async fn execute(&self, _: Value, context: &ToolContext) -> ToolResult {
        context.ask_user(ask()).await.unwrap();
        ToolResult::ok(match self.0.entries().last() {
            Some(Entry::Resolved { .. }) => "it was kept",
            _ => "it was not kept",
        })
    }
}

#[tokio::test]
async fn an_answer_is_kept_before_the_tool_has_it() {
    let shelf = Shelf::with(vec![prompt()]);
    let script = Script::turns([calls("", [call("c", "look", json!({}))]), said("ok")]);
    let told = play(&mut script.agent().tool(Looking(shelf.clone())).run(shelf.history())).await;
    assert_eq!(results(&told), [(true, "it was kept".to_owned())]);
}

#[tokio::test]
async fn a_tool_that_asks_something_else_when_it_is_run_again_does_not_get_the_old_answer() {
    let other = json!([one_of("Something else?", "Else", &["a", "b"])]).to_string();
    let id = "c".to_owned();
    let asked = Entry::Asked { id: id.clone(), call: id.clone(), questions: other };
    let resolution = api::bare(&chosen(&ask(), "a"));
    let turn = Entry::Turn(calls("", [call("c", "look", json!({}))]));
    let entries = vec![prompt(), turn, started("c"), asked, Entry::Resolved { id, resolution }];
    let script = Script::turns([said("ok")]);
    let mut run = script.agent().tool(Looking(Shelf::default())).run(History::in_memory(entries));
    let told = play(&mut run).await;
    assert_eq!(names(&told), ["tool_start", "ask_user", "tool_result", "text", "done"]);
    assert_eq!(told[1]["id"], "c/2");
}

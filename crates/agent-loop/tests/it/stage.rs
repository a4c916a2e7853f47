//! A model that plays a script, a tool that counts, and somebody who answers.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use handraise_agent_loop::{
    Agent, AskUserQuestion, Call, Entry, Event, History, HistoryError, HistoryStore, Message,
    Model, ModelError, Request, Run, Said, Stop, Tool, ToolContext, ToolResult, Turn,
};
use handraise_question::{AnswerForm, Ask, Limits, Resolution};
use handraise_testkit::one_of;
use serde_json::{Value, json};

/// One thing a scripted model does when it is asked for a turn.
#[derive(Debug, Clone)]
pub(crate) enum Play {
    Say(Turn),
    /// Says some words and fails.
    Fail(&'static str, ModelError),
    /// Says some words and nothing more.
    Hang(&'static str),
}

/// A model that plays its script, and notes what it was given.
#[derive(Clone, Default)]
pub(crate) struct Script(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    plays: Vec<Play>,
    played: usize,
    requests: Vec<Value>,
}

impl Script {
    pub(crate) fn new(plays: impl IntoIterator<Item = Play>) -> Self {
        let plays = plays.into_iter().collect();
        Self(Arc::new(Mutex::new(State { plays, ..State::default() })))
    }

    pub(crate) fn turns(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::new(turns.into_iter().map(Play::Say))
    }

    /// The messages of each request.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.0.lock().unwrap().requests.clone()
    }

    /// The messages of the last request.
    pub(crate) fn last_request(&self) -> Value {
        self.requests().pop().unwrap_or_default()
    }

    pub(crate) fn agent(&self) -> Agent {
        Agent::new(self.clone()).tool(AskUserQuestion)
    }
}

#[async_trait]
impl Model for Script {
    async fn turn(&self, request: &Request<'_>, said: &Said) -> Result<Turn, ModelError> {
        let play = {
            let mut state = self.0.lock().unwrap();
            state.requests.push(seen(request));
            state.played += 1;
            state.plays.get(state.played - 1).cloned().expect("the script is over")
        };
        match play {
            Play::Say(turn) => {
                said.text(&turn.text);
                Ok(turn)
            }
            Play::Fail(words, error) => {
                said.text(words);
                Err(error)
            }
            Play::Hang(words) => {
                said.text(words);
                std::future::pending().await
            }
        }
    }
}

/// What a model is given, to compare it with.
pub(crate) fn seen(request: &Request<'_>) -> Value {
    let messages = request.messages.iter().map(|message| match message {
        Message::User(text) => json!({ "user": text }),
        Message::Assistant(turn) => json!({ "assistant": turn.text, "calls": turn.calls.len() }),
        Message::Results(results) => json!({ "results": results.iter().map(|(call, result)| {
            json!([call.id, result.success, result.text()])
        }).collect::<Vec<_>>() }),
    });
    messages.collect()
}

pub(crate) fn said(text: &str) -> Turn {
    Turn { text: text.to_owned(), ..Turn::default() }
}

pub(crate) fn calls(text: &str, calls: impl IntoIterator<Item = Call>) -> Turn {
    Turn { text: text.to_owned(), calls: calls.into_iter().collect(), ..Turn::default() }
}

pub(crate) fn cut_off(turn: Turn) -> Turn {
    Turn { stop: Stop::CutOff, ..turn }
}

pub(crate) fn call(id: &str, name: &str, input: Value) -> Call {
    Call { id: id.to_owned(), name: name.to_owned(), input }
}

/// A call that asks which of `a` and `b`.
pub(crate) fn ask_call(id: &str) -> Call {
    call(id, "AskUserQuestion", json!({ "questions": [one_of("Which?", "Which", &["a", "b"])] }))
}

pub(crate) fn count_call(id: &str) -> Call {
    call(id, "count", json!({}))
}

/// The ask that [`ask_call`] makes.
pub(crate) fn ask() -> Ask {
    let json = json!({ "questions": [one_of("Which?", "Which", &["a", "b"])] });
    Ask::read(json.to_string().as_bytes(), &Limits::STRICT).unwrap().ask
}

/// An answer that chooses `label` everywhere.
pub(crate) fn chosen(ask: &Ask, label: &str) -> Resolution {
    let form = AnswerForm { selected: vec![label.to_owned()], ..AnswerForm::default() };
    Resolution::Answered(ask.check(vec![form; ask.questions().len()]).unwrap())
}

/// Answers `b` to everything until the run is over, and returns what was told.
pub(crate) async fn play(run: &mut Run) -> Vec<Value> {
    play_with(run, |ask| chosen(ask, "b")).await
}

/// Answers everything until the run is over, and returns what was told.
pub(crate) async fn play_with(run: &mut Run, answer: impl Fn(&Ask) -> Resolution) -> Vec<Value> {
    let mut told = vec![];
    while let Some(event) = run.next().await {
        told.push(json!(event));
        if let Event::AskUser { id, ask, .. } = event {
            run.answer(&id, &answer(&ask)).unwrap();
        }
    }
    told
}

/// The texts the model reads as results, in their order.
pub(crate) fn results(told: &[Value]) -> Vec<(bool, String)> {
    let results = told.iter().filter(|event| event["type"] == "tool_result");
    results
        .map(|event| {
            let result: ToolResult = serde_json::from_value(event["result"].clone()).unwrap();
            (result.success, result.text().to_owned())
        })
        .collect()
}

/// The events, by name.
pub(crate) fn names(told: &[Value]) -> Vec<&str> {
    told.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

/// A tool that counts how often it was run.
#[derive(Clone, Default)]
pub(crate) struct Counting {
    pub(crate) made: Arc<Mutex<Vec<Value>>>,
    pub(crate) repeatable: bool,
    pub(crate) hangs: bool,
}

impl Counting {
    pub(crate) fn count(&self) -> usize {
        self.made.lock().unwrap().len()
    }
}

#[async_trait]
impl Tool for Counting {
    fn name(&self) -> &'static str {
        "count"
    }

    fn description(&self) -> &'static str {
        "Counts."
    }

    fn schema(&self) -> Value {
        json!({ "type": "object", "properties": { "by": { "type": "integer" } } })
    }

    fn repeatable(&self) -> bool {
        self.repeatable
    }

    async fn execute(&self, input: Value, _: &ToolContext) -> ToolResult {
        self.made.lock().unwrap().push(input);
        // The process may die right after it took effect.
        tokio::task::yield_now().await;
        if self.hangs {
            std::future::pending::<()>().await;
        }
        ToolResult::ok(format!("{}", self.count()))
    }
}

/// Keeps entries where a test can see them, also when the run is gone.
#[derive(Clone, Default)]
pub(crate) struct Shelf(pub(crate) Arc<Mutex<Vec<Entry>>>);

impl Shelf {
    pub(crate) fn with(entries: Vec<Entry>) -> Self {
        Self(Arc::new(Mutex::new(entries)))
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.0.lock().unwrap().clone()
    }

    /// The history as the next process finds it.
    pub(crate) fn history(&self) -> History {
        History::kept(self.entries(), self.clone())
    }
}

#[async_trait]
impl HistoryStore for Shelf {
    async fn append(&mut self, entry: &Entry) -> Result<(), HistoryError> {
        // Whatever goes on meanwhile may come between.
        tokio::task::yield_now().await;
        self.0.lock().unwrap().push(entry.clone());
        tokio::task::yield_now().await;
        Ok(())
    }
}

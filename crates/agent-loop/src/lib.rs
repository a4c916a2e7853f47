//! An agent loop that can ask: **model in, tools in, events out.**
//!
//! ```
//! use handraise_agent_loop::{Agent, AskUserQuestion, Event, History, Model};
//! use handraise_question::{Answers, Ask, Resolution};
//!
//! async fn work(model: impl Model + 'static, choose: impl Fn(&Ask) -> Answers) -> String {
//!     let agent = Agent::new(model).system("You set up projects.").tool(AskUserQuestion);
//!     let mut run = agent.run(History::new("Add a database to my app."));
//!     while let Some(event) = run.next().await {
//!         match event {
//!             Event::Text { text } => print!("{text}"),
//!             Event::AskUser { id, ask, .. } => {
//!                 // The run waits until this is called: now, or tomorrow.
//!                 run.answer(&id, &Resolution::Answered(choose(&ask))).unwrap();
//!             }
//!             Event::Done { text } => return text,
//!             Event::Error { error } => panic!("{error}"),
//!             _ => {}
//!         }
//!     }
//!     unreachable!("a run ends with `done` or `error`")
//! }
//! ```
//!
//! - An [`Agent`] is a [`Model`] with a brief, [`Tool`]s and [`RunLimits`]. [`ApiModel`] is a model behind
//!   HTTP: Anthropic's Messages API or chat completions; tests bring their own.
//! - [`Agent::run`] goes on where a [`History`] ends and makes a [`Run`]. [`Run::next`] does the work and
//!   returns what happened as [`Event`]s; nothing runs in the background. The last event is `done` or
//!   `error`. [`Run::handle`] answers and cancels from elsewhere.
//! - [`AskUserQuestion`] is the tool with which a model asks. Any tool may ask:
//!   [`ToolContext::ask_user`]. Each ask becomes `ask_user`, and the run waits for [`Run::answer`], which
//!   takes a `Resolution` of `handraise-question`: answered, declined, and so on, each in words that
//!   cannot be mistaken for a choice.
//! - A [`History`] is only ever added to, and each entry is kept **before** it is acted on or told.
//!   [`HistoryFile`] keeps it on disk, so that a run goes on after `kill -9`: an open question is asked
//!   again under the same name, an answer that was given is used, and a tool that may have taken effect
//!   is not run twice unless it says that it may be.
//! - [`ThroughHub`] has the questions of a run answered at a hub.
//!
//! The library prints nothing, and reads nothing of the environment but which proxy to use.

mod agent;
mod api;
mod ask_tool;
mod asking;
mod backoff;
mod calling;
mod engine;
mod event;
mod history;
mod hub;
mod model;
mod run;
mod schema;
mod tool;

pub use agent::{Agent, RunLimits};
pub use api::{Api, ApiKey, ApiModel};
pub use ask_tool::AskUserQuestion;
pub use asking::AnswerError;
pub use backoff::Backoff;
pub use event::{Event, RunError};
pub use history::{Entry, History, HistoryError, HistoryFile, HistoryStore};
pub use hub::{HubRun, ThroughHub};
pub use model::{Call, Message, Model, ModelError, Request, Said, Stop, ToolSpec, Turn};
pub use run::{Run, RunHandle};
pub use tool::{AskError, Tool, ToolContext, ToolResult};

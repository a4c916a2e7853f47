//! A model that says what a script says, behind the APIs that agents speak: Anthropic's Messages, chat
//! completions, OpenAI's Responses, and Gemini's.
//!
//! The agents that talk to it are real, so what a test finds out about them is true. Nothing of the
//! model is: it knows no more than the scripts it was given.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

mod block;
mod chat;
mod conversation;
mod fault;
mod gemini;
mod notebook;
mod reply;
mod responses;
mod server;

use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::Value;
use tokio::sync::oneshot;

pub use block::{Block, Turn};
pub use conversation::ToolResult;
pub use fault::Fault;

use server::Desk;

/// A scripted model on a port of its own. It is gone when this is dropped.
///
/// A prompt that holds `SCRIPT:name` plays the script of that name, turn by turn. After its last turn
/// the model repeats every result it has read since. The prompt may also hold `TAG:tag`, by which the
/// results of one session are told from those of another that plays the same script. Names and tags
/// are of letters, digits, `_` and `-`. What a later call needs of an earlier one's result, such as a ticket, is
/// written `RESULT:ticket`.
#[derive(Debug)]
pub struct ScriptedModel {
    url: String,
    desk: Arc<Desk>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ScriptedModel {
    /// Starts a model without any script.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("the port can be waited for");
        let address = listener.local_addr().expect("the port has an address");
        let desk = Arc::<Desk>::default();
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime for the model");
        let serving = Arc::clone(&desk);
        let thread = thread::spawn(move || {
            runtime.block_on(server::serve(listener, serving, stopped));
        });
        let url = format!("http://{address}");
        Self { url, desk, stop: Some(stop), thread: Some(thread) }
    }

    /// Where it is, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Gives it a script.
    pub fn script(&self, name: &str, turns: Vec<Turn>) {
        let mut scripts = self.desk.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        scripts.insert(name.to_owned(), turns);
    }

    /// Lets a turn of a script go wrong, once for each of `faults`, before it is said. The first turn
    /// is number 0.
    pub fn faults(&self, script: &str, turn: usize, faults: Vec<Fault>) {
        let mut all = self.desk.faults.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry((script.to_owned(), turn)).or_default().extend(faults);
    }

    /// What it has read as the result of a tool call, in the order of arrival, each call once.
    #[must_use]
    pub fn tool_results(&self) -> Vec<ToolResult> {
        self.desk.notebook.results()
    }

    /// Waits until it has read the results of `n` calls, and returns all there are.
    #[expect(clippy::must_use_candidate, reason = "waiting is the point; the results come along")]
    pub fn wait_results(&self, n: usize) -> Vec<ToolResult> {
        self.desk
            .notebook
            .wait(&format!("{n} results"), |results| (results.len() >= n).then(|| results.to_vec()))
    }

    /// Waits for the first result after a prompt with this tag.
    #[expect(clippy::must_use_candidate, reason = "waiting is the point; the result comes along")]
    pub fn wait_result(&self, tag: &str) -> ToolResult {
        self.wait_nth_result(tag, 0)
    }

    /// Waits for a result after prompts with this tag; the first is number 0.
    #[expect(clippy::must_use_candidate, reason = "waiting is the point; the result comes along")]
    pub fn wait_nth_result(&self, tag: &str, n: usize) -> ToolResult {
        self.desk.notebook.wait(&format!("result {n} of {tag:?}"), |results| {
            results.iter().filter(|result| result.tag.as_deref() == Some(tag)).nth(n).cloned()
        })
    }

    /// Every request for a message, in the order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.desk.notebook.requests()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // If it panicked, it has said so.
            let _ = thread.join();
        }
    }
}

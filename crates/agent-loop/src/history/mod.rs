//! What was said and done, in the order it happened: enough to go on from anywhere.

mod entry;
mod file;
mod steps;

use async_trait::async_trait;
use handraise_question::Ask;

use crate::{Call, Message, ToolResult, Turn};

pub use entry::Entry;
pub use file::HistoryFile;
pub(crate) use steps::Step;

/// Why nothing can be kept or read. Never holds what was to be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// It could not be written. What was told so far is kept.
    #[error("the history cannot be written: {0}")]
    Write(String),
    /// It could not be read.
    #[error("the history cannot be read: {0}")]
    Read(String),
    /// A line of it is none of ours.
    #[error("line {0} of the history is damaged")]
    Damaged(usize),
    /// Another process goes on with it at this moment.
    #[error("another process goes on with this history")]
    InUse,
}

/// Keeps a history. Entries are only ever added.
#[async_trait]
pub trait HistoryStore: Send + Sync {
    /// Keeps an entry. When this returns, it survives the end of the process.
    ///
    /// # Errors
    ///
    /// When it is not kept; then it will not be there at the next load either.
    async fn append(&mut self, entry: &Entry) -> Result<(), HistoryError>;
}

/// One conversation: what was said, called, asked and answered.
///
/// A run goes on where its history ends, whatever ended the run before.
pub struct History {
    entries: Vec<Entry>,
    store: Option<Box<dyn HistoryStore>>,
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("History").field("entries", &self.entries).finish_non_exhaustive()
    }
}

const INTERRUPTED: &str =
    "The call was interrupted; whether it took effect is unknown. Look before you repeat it.";
const WITHDRAWN: &str = "The call was given up before it had a result. Nobody chose anything.";
pub(crate) const GO_ON: &str =
    "Your last message was cut off at the limit of its length. Go on exactly where it stopped.";

impl History {
    /// Begins a conversation that is kept in memory only.
    #[must_use]
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { entries: vec![Entry::Prompt { text: prompt.into() }], store: None }
    }

    /// Goes on with entries that `store` has kept, or with none.
    #[must_use]
    pub fn kept(entries: Vec<Entry>, store: impl HistoryStore + 'static) -> Self {
        Self { entries, store: Some(Box::new(store)) }
    }

    /// Goes on with entries, in memory only.
    #[must_use]
    pub fn in_memory(entries: Vec<Entry>) -> Self {
        Self { entries, store: None }
    }

    /// Everything that is kept, in its order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Says something to the model, as the person.
    ///
    /// Calls that are open because a run was cancelled end with it: nobody waits for them any more.
    ///
    /// # Errors
    ///
    /// When it cannot be kept.
    pub async fn say(&mut self, prompt: impl Into<String>) -> Result<(), HistoryError> {
        let open: Vec<_> = self.open_calls().cloned().collect();
        for Call { id, .. } in open {
            let words = if self.started(&id) { INTERRUPTED } else { WITHDRAWN };
            self.finish(id, ToolResult::failed(words), false).await?;
        }
        self.append(Entry::Prompt { text: prompt.into() }).await
    }

    pub(crate) async fn append(&mut self, entry: Entry) -> Result<(), HistoryError> {
        if let Some(store) = &mut self.store {
            store.append(&entry).await?;
        }
        self.entries.push(entry);
        Ok(())
    }

    pub(crate) async fn finish(
        &mut self,
        call: String,
        result: ToolResult,
        invalid: bool,
    ) -> Result<(), HistoryError> {
        self.append(Entry::Result { call, result, invalid }).await
    }

    /// What the model reads of it.
    pub(crate) fn messages(&self) -> Vec<Message<'_>> {
        let mut messages = vec![];
        let mut turn: Option<&Turn> = None;
        for entry in &self.entries {
            match entry {
                Entry::Prompt { text } | Entry::Note { text } => messages.push(Message::User(text)),
                Entry::Turn(said) => {
                    turn = Some(said);
                    messages.push(Message::Assistant(said));
                }
                Entry::Result { call, result, .. } => {
                    let calls = turn.into_iter().flat_map(|turn| &turn.calls);
                    let Some(call) = calls.into_iter().find(|made| made.id == *call) else {
                        continue;
                    };
                    match messages.last_mut() {
                        Some(Message::Results(results)) => results.push((call, result)),
                        _ => messages.push(Message::Results(vec![(call, result)])),
                    }
                }
                Entry::Started { .. }
                | Entry::Asked { .. }
                | Entry::Resolved { .. }
                | Entry::UsedUp { .. } => {}
            }
        }
        messages
    }

    /// The name of the next ask of `call`, of which `before` were made, and how far it has come.
    pub(crate) fn name_ask(&self, call: &str, before: usize, ask: &Ask) -> (String, Asked) {
        let questions = ask.as_sent().get();
        (before + 1..)
            .map(|n| if n == 1 { call.to_owned() } else { format!("{call}/{n}") })
            .find_map(|id| match self.asked(&id) {
                None => Some((id, Asked::Never)),
                Some(asked) if asked == questions => {
                    let resolution = self.resolution(&id).cloned();
                    Some((id, resolution.map_or(Asked::Open, Asked::Resolved)))
                }
                // The call is made again and asks something else: that is another ask.
                Some(_) => None,
            })
            .unwrap_or_else(|| (call.to_owned(), Asked::Never))
    }
}

/// How far an ask has come.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Asked {
    /// It is new.
    Never,
    /// It was asked before, and is not answered.
    Open,
    /// It was answered, and the answer did not get to the model yet.
    Resolved(serde_json::Value),
}

/// What the model reads about a call that may not be made again.
pub(crate) fn interrupted() -> ToolResult {
    ToolResult::failed(INTERRUPTED)
}

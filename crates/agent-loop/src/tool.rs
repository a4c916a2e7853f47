//! What a model may call.

use std::path::PathBuf;

use async_trait::async_trait;
use handraise_question::{Ask, Resolution, Violations};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::schema;

/// Something a model may call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What the model calls it: letters, digits, `_` and `-`.
    fn name(&self) -> &str;

    /// When the model is to call it, and when not.
    fn description(&self) -> &str;

    /// The JSON schema of its input, an object.
    fn schema(&self) -> Value;

    /// Checks an input before anything is done with it. The model reads every violation and may mend it.
    ///
    /// By default the input is held against the types, required fields, enums and items of the schema.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, at once.
    fn check(&self, input: &Value) -> Result<(), Violations> {
        schema::check(&self.schema(), input)
    }

    /// Whether a call that was cut short by the end of the process may simply be made again.
    ///
    /// By default it may not: the model is told that nobody knows whether it took effect.
    fn repeatable(&self) -> bool {
        false
    }

    /// Does it, with an input that was checked.
    ///
    /// The future is dropped when the run is cancelled; what it started elsewhere can wait for
    /// [`ToolContext::cancelled`].
    async fn execute(&self, input: Value, context: &ToolContext) -> ToolResult;
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Whether it did what the model wanted.
    pub success: bool,
    /// What the model reads.
    pub output: String,
    /// What the model reads instead when it did not work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// For whoever shows it; the model does not read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
}

impl ToolResult {
    /// It worked, and the model reads this.
    pub fn ok(output: impl Into<String>) -> Self {
        Self { success: true, output: output.into(), error: None, metadata: None }
    }

    /// It did not work, and the model reads why.
    pub fn failed(error: impl Into<String>) -> Self {
        let error = Some(error.into());
        Self { success: false, output: String::new(), error, metadata: None }
    }

    /// Adds something for whoever shows it.
    #[must_use]
    pub fn with_metadata(self, metadata: Value) -> Self {
        Self { metadata: Some(metadata), ..self }
    }

    /// What the model reads.
    #[must_use]
    pub fn text(&self) -> &str {
        self.error.as_deref().filter(|_| !self.success).unwrap_or(&self.output)
    }
}

/// What a tool has at hand while it works.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// The directory the agent works in.
    pub cwd: PathBuf,
    /// Ends when the run is cancelled or dropped.
    pub cancelled: CancellationToken,
    pub(crate) asking: mpsc::Sender<AskRequest>,
}

/// A tool's wish to ask.
#[derive(Debug)]
pub(crate) struct AskRequest {
    pub(crate) ask: Ask,
    pub(crate) reply: oneshot::Sender<Result<Resolution, AskError>>,
}

/// Why a tool cannot ask.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// Everything the run may ask has been asked.
    #[error(
        "No question was asked: all {0} asks of this run are used up. Nobody chose anything. Do not \
         ask again. Finish with what you know, and say what stays open."
    )]
    UsedUp(u32),
    /// The run is over.
    #[error("No question was asked: the run is over.")]
    Over,
}

impl ToolContext {
    /// Asks the person and waits for the end of it, however long it takes.
    ///
    /// # Errors
    ///
    /// When it cannot be asked. The error's words are for the model.
    pub async fn ask_user(&self, ask: Ask) -> Result<Resolution, AskError> {
        let (reply, replied) = oneshot::channel();
        let request = AskRequest { ask, reply };
        self.asking.send(request).await.map_err(|_| AskError::Over)?;
        replied.await.unwrap_or(Err(AskError::Over))
    }
}

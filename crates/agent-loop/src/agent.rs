//! An agent: a model, what it is told, what it may call, and how far it may go.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Backoff, History, Model, Run, Tool, ToolSpec};

/// A model with tools. It may run many conversations, also at once.
#[derive(Clone)]
pub struct Agent {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) system: String,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) limits: RunLimits,
    pub(crate) backoff: Backoff,
    pub(crate) cwd: PathBuf,
}

/// How far a run may go, from the person's last words on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// Turns of the model.
    pub turns: u32,
    /// Asks, of one to four questions each. When they are used up the model is told so; if it asks
    /// again, the run ends.
    pub asks: u32,
    /// Calls in a row that cannot be made: no such tool, not JSON, not what the tool takes.
    pub invalid_calls: u32,
    /// How often in a row the model may be asked to go on where its words were cut off.
    pub continuations: u32,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { turns: 50, asks: 20, invalid_calls: 5, continuations: 3 }
    }
}

impl Agent {
    /// An agent without tools.
    #[must_use]
    pub fn new(model: impl Model + 'static) -> Self {
        Self {
            model: Arc::new(model),
            system: String::new(),
            tools: vec![],
            limits: RunLimits::default(),
            backoff: Backoff::default(),
            cwd: PathBuf::from("."),
        }
    }

    /// Tells the model who it is and what it is to do.
    #[must_use]
    pub fn system(self, brief: impl Into<String>) -> Self {
        Self { system: brief.into(), ..self }
    }

    /// Lets the model call `tool`; it replaces one of the same name.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.retain(|known| known.name() != tool.name());
        self.tools.push(Arc::new(tool));
        self
    }

    /// Sets how far a run may go.
    #[must_use]
    pub fn limits(self, limits: RunLimits) -> Self {
        Self { limits, ..self }
    }

    /// Sets how often and how long a model that is not to be had is tried again.
    #[must_use]
    pub fn backoff(self, backoff: Backoff) -> Self {
        Self { backoff, ..self }
    }

    /// Sets the directory the tools work in.
    #[must_use]
    pub fn cwd(self, directory: impl Into<PathBuf>) -> Self {
        Self { cwd: directory.into(), ..self }
    }

    /// Goes on where `history` ends. Nothing happens before the run is asked for its next event.
    #[must_use]
    pub fn run(&self, history: History) -> Run {
        Run::new(self.clone(), history)
    }

    pub(crate) fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.name() == name).cloned()
    }

    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        let spec = |tool: &Arc<dyn Tool>| ToolSpec {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            schema: tool.schema(),
        };
        self.tools.iter().map(spec).collect()
    }
}

//! Asks that wait for a person.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use handraise_question::wording::api;
use handraise_question::{Ask, Resolution, Violations};
use tokio::sync::oneshot;

/// Why an answer was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// Nothing of that name is asked, or it has ended.
    #[error("no such question is open")]
    NotAsked,
    /// These are answers to something else.
    #[error("{0}")]
    Invalid(#[from] Violations),
}

/// The asks of one run that wait.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenAsks(Arc<Mutex<HashMap<String, Open>>>);

#[derive(Debug)]
struct Open {
    ask: Ask,
    answered: oneshot::Sender<Resolution>,
}

impl OpenAsks {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the end of an ask from now on.
    pub(crate) fn open(&self, id: String, ask: Ask) -> oneshot::Receiver<Resolution> {
        let (answered, answer) = oneshot::channel();
        self.lock().insert(id, Open { ask, answered });
        answer
    }

    /// Nobody waits for anything any more.
    pub(crate) fn close(&self) {
        self.lock().clear();
    }

    pub(crate) fn answer(&self, id: &str, resolution: &Resolution) -> Result<(), AnswerError> {
        let mut open = self.lock();
        let waiting = open.get(id).ok_or(AnswerError::NotAsked)?;
        // The answers were checked, but perhaps against other questions.
        let resolution = api::read(&waiting.ask, &api::bare(resolution))?;
        let waiting = open.remove(id).ok_or(AnswerError::NotAsked)?;
        waiting.answered.send(resolution).map_err(|_| AnswerError::NotAsked)
    }
}

//! A run: events out, answers in.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use handraise_question::Resolution;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::asking::{AnswerError, OpenAsks};
use crate::engine::Engine;
use crate::{Agent, Event, History};

/// A conversation that goes on, as far as somebody asks for its events.
///
/// Nothing runs in the background: [`next`](Self::next) does the work. It may be dropped and called
/// again at any time, and nothing is lost.
pub struct Run {
    work: Option<Pin<Box<dyn Future<Output = History> + Send>>>,
    history: Option<History>,
    events: mpsc::UnboundedReceiver<Event>,
    handle: RunHandle,
    // Tools that went on elsewhere hear of it when the run is dropped.
    _dropped: DropGuard,
}

/// Answers and cancels a run from elsewhere.
#[derive(Debug, Clone)]
pub struct RunHandle {
    open: OpenAsks,
    cancelled: CancellationToken,
}

impl Run {
    pub(crate) fn new(agent: Agent, history: History) -> Self {
        // It never holds much: the work goes on only when everything was taken.
        let (tell, events) = mpsc::unbounded_channel();
        let handle = RunHandle { open: OpenAsks::default(), cancelled: CancellationToken::new() };
        let (open, cancelled) = (handle.open.clone(), handle.cancelled.clone());
        let engine = Engine { agent, history, tell, open, cancelled };
        let dropped = handle.cancelled.clone().drop_guard();
        let work = Some(Box::pin(engine.run()) as Pin<Box<_>>);
        Self { work, history: None, events, handle, _dropped: dropped }
    }

    /// Goes on until something happened; `None` after `done` or `error`.
    pub async fn next(&mut self) -> Option<Event> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        loop {
            if let Poll::Ready(Some(event)) = self.events.poll_recv(context) {
                return Poll::Ready(Some(event));
            }
            let Some(work) = &mut self.work else { return Poll::Ready(None) };
            match work.as_mut().poll(context) {
                Poll::Ready(history) => {
                    self.history = Some(history);
                    self.work = None;
                }
                // What it told while it was polled woke us: the channel knows who waits.
                Poll::Pending => return self.events.poll_recv(context),
            }
        }
    }

    /// Ends the ask `id` with `resolution`; the run goes on with it.
    ///
    /// # Errors
    ///
    /// When nothing of that name is asked, or the answers are not answers to it. Nothing changes then.
    pub fn answer(&self, id: &str, resolution: &Resolution) -> Result<(), AnswerError> {
        self.handle.answer(id, resolution)
    }

    /// Ends the run with [`RunError::Cancelled`](crate::RunError::Cancelled), wherever it is. Its
    /// history can be gone on with.
    pub fn cancel(&self) {
        self.handle.cancel();
    }

    /// Something to answer and cancel it with while it is asked for events.
    #[must_use]
    pub fn handle(&self) -> RunHandle {
        self.handle.clone()
    }

    /// The history, once the run is over.
    #[must_use]
    pub fn into_history(self) -> Option<History> {
        self.history
    }
}

impl RunHandle {
    /// The same as [`Run::answer`].
    ///
    /// # Errors
    ///
    /// The same.
    pub fn answer(&self, id: &str, resolution: &Resolution) -> Result<(), AnswerError> {
        self.open.answer(id, resolution)
    }

    /// The same as [`Run::cancel`].
    pub fn cancel(&self) {
        self.cancelled.cancel();
    }
}

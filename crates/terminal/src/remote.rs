//! A prompt's end and deadline, in the hands of somebody who does not sit before it.

use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use crate::wakes::Wake;

/// What can be done to a prompt from elsewhere, by any thread, while it waits for a person.
///
/// It belongs to one ask. Used too late, when that one has ended and another may be open, it does
/// nothing; used early, it takes effect as soon as the prompt would open.
#[derive(Debug, Clone)]
pub struct Remote {
    ask: u64,
    wakes: Sender<Wake>,
}

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Order {
    /// To end, and to leave these lines.
    Close(Vec<String>),
    /// To wait until then; for ever when absent.
    WaitUntil(Option<Instant>),
}

impl Remote {
    pub(crate) fn new(ask: u64, wakes: Sender<Wake>) -> Self {
        Self { ask, wakes }
    }

    /// Closes the prompt: the question was answered elsewhere, or is no longer asked.
    ///
    /// It gives way to `lines`, such as `● Answered by ann in the browser: JWT`, which may hold
    /// text of the agent or of another person: they are made visible. What was typed until then is
    /// shown below them. An answer the person has confirmed already is faster, and stands.
    pub fn close(&self, lines: Vec<String>) {
        self.order(Order::Close(lines));
    }

    /// Sets how long the prompt still waits for an answer, counted from now; for ever when absent.
    ///
    /// As always, somebody who is typing is not cut off at once.
    pub fn wait(&self, left: Option<Duration>) {
        // An end beyond what the clock can tell is none.
        self.order(Order::WaitUntil(left.and_then(|left| Instant::now().checked_add(left))));
    }

    fn order(&self, order: Order) {
        // With the desk gone, there is nobody to give orders to.
        let _ = self.wakes.send(Wake::Order(self.ask, order));
    }
}

//! A chat with an agent: what is said stays above, what is typed waits below.
//!
//! [`Conversation`] is what stands below and what keys do to it, `view` draws it; neither knows a
//! terminal. What keeps them on one is in `terminal` and `plain`.

mod conversation;
mod line;
mod remote;
mod view;

use crate::outcome::TerminalError;
use crate::plain::PlainChat;
use crate::terminal::DrawnChat;
use crate::wakes::Wake;
pub(crate) use conversation::{Conversation, Effect, Read, read};
pub use line::{ChatLine, Ink};
pub(crate) use remote::ChatOrder;
pub use remote::{ChatRemote, Status};
pub(crate) use view::{draw, first_line, lines_of};

/// What a person at a chat wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// To say this.
    Words(String),
    /// The agent to stop what it does: Esc, or Ctrl-C.
    Interrupt,
    /// To go: Ctrl-D on an empty line, Ctrl-C twice, or `/quit`.
    Leave,
    /// Nothing: the chat was closed by a [`ChatRemote`], because a question is to be asked. What was
    /// typed is there again when the next chat begins.
    Closed,
    /// This signal asked the process to end. The rest is the caller's.
    Signalled(i32),
}

/// A chat that is open at a desk. The terminal is given back when this is dropped.
pub struct Chat<'a> {
    pub(crate) surface: ChatSurface<'a>,
    pub(crate) wakes: std::sync::mpsc::Sender<Wake>,
}

pub(crate) enum ChatSurface<'a> {
    Drawn(Box<DrawnChat<'a>>),
    Plain(PlainChat<'a>),
}

impl Chat<'_> {
    /// What shows things in the chat from elsewhere, or closes it.
    #[must_use]
    pub fn remote(&self) -> ChatRemote {
        ChatRemote::new(self.wakes.clone())
    }

    /// Waits for what the person wants next. After anything but [`Said::Words`] and
    /// [`Said::Interrupt`] the chat is over.
    ///
    /// # Errors
    ///
    /// When the terminal goes away.
    #[expect(clippy::should_implement_trait, reason = "there is always a next, or an error")]
    pub fn next(&mut self) -> Result<Said, TerminalError> {
        let said = match &mut self.surface {
            ChatSurface::Drawn(drawn) => drawn.next(),
            ChatSurface::Plain(plain) => plain.next(),
        };
        said.map_err(TerminalError::Lost)
    }
}

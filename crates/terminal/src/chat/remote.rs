//! What is shown in a chat, in the hands of somebody who does not sit before it.

use std::sync::mpsc::Sender;

use super::ChatLine;
use crate::wakes::Wake;

/// What can be shown in the chats of a desk from elsewhere, by any thread.
///
/// It belongs to the desk, not to one chat: what comes while a question is open there is shown when
/// the chat is back.
#[derive(Debug, Clone)]
pub struct ChatRemote {
    wakes: Sender<Wake>,
}

/// How things stand with the agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Status {
    /// It is about to begin.
    #[default]
    Starting,
    /// It works, and can be interrupted.
    Working,
    /// It waits for an answer that is given elsewhere, or later.
    Asking,
    /// It waits for an answer to a question that was left with Ctrl-C.
    SetAside,
    /// It waits for the next message.
    Idle,
    /// It is not there; the next message starts it again.
    Stopped,
    /// Nobody knows: the hub is away.
    Away,
}

/// What is to be done.
#[derive(Debug)]
pub(crate) enum ChatOrder {
    Print(Vec<ChatLine>),
    Growing(Option<String>),
    Waiting(Vec<String>),
    Status(Status),
    Close,
}

impl ChatRemote {
    pub(crate) fn new(wakes: Sender<Wake>) -> Self {
        Self { wakes }
    }

    /// Prints lines that stay.
    pub fn print(&self, lines: Vec<ChatLine>) {
        self.order(ChatOrder::Print(lines));
    }

    /// Shows the unfinished end of what the agent is saying, instead of the one before.
    pub fn growing(&self, text: Option<String>) {
        self.order(ChatOrder::Growing(text));
    }

    /// Shows what was said and waits to be heard, instead of what did before.
    pub fn waiting(&self, texts: Vec<String>) {
        self.order(ChatOrder::Waiting(texts));
    }

    /// Shows how things stand.
    pub fn status(&self, status: Status) {
        self.order(ChatOrder::Status(status));
    }

    /// Closes the chat: a question is to be asked. Somebody who is typing is not cut off: it closes
    /// as soon as the fingers rest.
    pub fn close(&self) {
        self.order(ChatOrder::Close);
    }

    fn order(&self, order: ChatOrder) {
        // With the desk gone, there is nobody to show anything to.
        let _ = self.wakes.send(Wake::Chat(order));
    }
}

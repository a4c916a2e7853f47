//! What the inbox is told, and what it wants.

use std::sync::mpsc::Sender;

use handraise_question::Resolution;

use super::entry::{Entry, EntryId, Past};
use super::overlay::Passage;
use crate::prompt::{Elsewhere, Unsent};
use crate::wakes::Wake;

/// What a person at the inbox wants, and what the inbox needs for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// To see this ask. Until the caller opens it, it is empty.
    Open(EntryId),
    /// To see this ask again, which was opened before.
    Again(EntryId),
    /// This ask to end like this.
    Resolve(EntryId, Resolution),
    /// Nothing yet, but this is what they have ticked and typed so far.
    Draft(EntryId, Unsent),
    /// Nothing: this version of what they typed elsewhere was taken up, and this is what stands here now.
    TakenUp(EntryId, u64, Unsent),
    /// To see what ended and has this in it.
    Search(String),
    /// To go on in the browser, at this ask or at all that waits.
    Browser(Option<EntryId>),
    /// Nothing, but somebody is there, or has just left.
    Looking(bool),
    /// To pause: with the next call the process stops, until it is brought back. Whatever is to be said before
    /// must be said now.
    Pause,
    /// Nobody is there, and this one is new.
    Ring(EntryId),
    /// To leave.
    Leave,
    /// Nothing: the inbox was closed by an [`InboxRemote`].
    Closed,
    /// This signal asked the process to end. The rest is the caller's.
    Signalled(i32),
}

/// What became of an answer that was given here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// It counts.
    Taken,
    /// Somebody else was first.
    Late,
    /// It was refused, and why. The ask still waits.
    Refused(String),
}

#[derive(Debug)]
pub(crate) enum InboxOrder {
    Put { entries: Vec<Entry>, new: bool },
    Sent { id: EntryId, outcome: Sent },
    TakeUp { id: EntryId, version: u64, elsewhere: Elsewhere, over: Option<Unsent> },
    Divided { id: EntryId, divided: bool },
    Found { text: String, past: Vec<Past>, more: bool },
    NotFound { text: String, why: String },
    Doubt,
    Show { title: String, passages: Vec<Passage> },
    Say(String),
    Away(bool),
    Close,
}

/// What can be shown in an inbox from elsewhere, by any thread.
#[derive(Debug, Clone)]
pub struct InboxRemote {
    wakes: Sender<Wake>,
}

impl InboxRemote {
    pub(crate) fn new(wakes: Sender<Wake>) -> Self {
        Self { wakes }
    }

    /// Shows asks as they stand now. If they are `new`, and nobody looks, somebody is called.
    pub fn put(&self, entries: Vec<Entry>, new: bool) {
        self.order(InboxOrder::Put { entries, new });
    }

    /// Says what became of an answer.
    pub fn sent(&self, id: EntryId, outcome: Sent) {
        self.order(InboxOrder::Sent { id, outcome });
    }

    /// Brings what the person has ticked and typed for an ask elsewhere. It is taken up, and that is told,
    /// if there is still nothing else here than `over`, or than nothing.
    pub fn take_up(&self, id: EntryId, version: u64, elsewhere: Elsewhere, over: Option<Unsent>) {
        self.order(InboxOrder::TakeUp { id, version, elsewhere, over });
    }

    /// Says whether something else was typed for an ask elsewhere than here. As long as that is so, it is said
    /// wherever the ask is shown.
    pub fn divided(&self, id: EntryId, divided: bool) {
        self.order(InboxOrder::Divided { id, divided });
    }

    /// Shows what a search for `text` has found, and whether there is more of it.
    pub fn found(&self, text: String, past: Vec<Past>, more: bool) {
        self.order(InboxOrder::Found { text, past, more });
    }

    /// Says why a search for `text` has failed.
    pub fn not_found(&self, text: String, why: String) {
        self.order(InboxOrder::NotFound { text, why });
    }

    /// Says that what has ended may wait again: the hub begins anew.
    pub fn doubt(&self) {
        self.order(InboxOrder::Doubt);
    }

    /// Shows a text until the next key.
    pub fn show(&self, title: String, passages: Vec<Passage>) {
        self.order(InboxOrder::Show { title, passages });
    }

    /// Says something in the last line, until the next key.
    pub fn say(&self, text: String) {
        self.order(InboxOrder::Say(text));
    }

    /// Says whether the hub is away. When it is there for the first time, all that waits was shown.
    pub fn away(&self, away: bool) {
        self.order(InboxOrder::Away(away));
    }

    /// Closes the inbox.
    pub fn close(&self) {
        self.order(InboxOrder::Close);
    }

    fn order(&self, order: InboxOrder) {
        // With the desk gone, there is nobody to show anything to.
        let _ = self.wakes.send(Wake::Inbox(order));
    }
}

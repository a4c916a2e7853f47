//! The inbox: everything that waits, over all agents, on one screen.
//!
//! [`Inbox`] is what is known and what keys do to it, `view` draws it; neither knows a terminal. What
//! keeps them on one is in `terminal`. Three rules make it calm:
//!
//! - Nothing but a key selects another ask, and what comes or goes does not move the selected one
//!   (`list`).
//! - An ask that ends elsewhere while it is selected stays on the screen. Keys that were meant for it go
//!   nowhere: it is left by a key that says so, once the fingers have rested (`ended`).
//! - After an answer the next ask is opened by a key of the person's own, never by itself: a key pressed
//!   twice must not answer something that has not been read.

mod asks;
mod ended;
mod entry;
#[cfg(test)]
mod fixtures;
mod help;
mod history;
mod keys;
mod list;
mod order;
mod orders;
mod overlay;
mod page;
mod scroll;
mod state;
mod view;

pub use entry::{Entry, EntryId, Kind, Opened, Past, Standing};
pub(crate) use orders::InboxOrder;
pub use orders::{InboxRemote, Sent, Wanted};
pub use overlay::Passage;
pub(crate) use state::{Inbox, Moment, Need, Scene};
pub(crate) use view::draw;

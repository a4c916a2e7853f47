//! What every way of tapping somebody on the shoulder has in common.

use handraise_broker::Record;
use serde::Serialize;

use crate::board::{Notices, Topic};
use crate::words::Words;

/// One way of tapping somebody on the shoulder. It is told, and never waited for.
pub(crate) trait Way: Send {
    /// Something happened to one ask.
    fn happened(&mut self, tap: &Tap<'_>);

    /// What is to be seen from now on, all of it.
    fn to_be_seen(&mut self, notices: &Notices);
}

/// Something that happened to one ask.
pub(crate) struct Tap<'a> {
    pub(crate) occasion: Occasion,
    /// Why, in one word.
    pub(crate) reason: &'a str,
    pub(crate) record: &'a Record,
    /// Where it stands, and what is said there; nothing when it is withdrawn.
    pub(crate) said: Option<(Topic, &'a Words)>,
}

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Occasion {
    Opened,
    Again,
    Withdrawn,
}

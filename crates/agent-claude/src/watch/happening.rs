//! What happens, for whoever looks on.

use std::path::PathBuf;

use handraise_broker::AskId;

/// Something that happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Happening {
    /// What.
    pub what: What,
    /// In which session.
    pub session: Option<String>,
    /// Its process.
    pub pid: Option<u32>,
    /// Where it works.
    pub directory: Option<PathBuf>,
    /// Which ask it is about.
    pub ask: Option<AskId>,
    /// The first question.
    pub question: Option<String>,
    /// Why, where there is more to say.
    pub why: Option<String>,
}

/// The kinds of what happens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum What {
    /// Another watch is at work: this one waits for its end.
    Deferred,
    /// The watch has begun.
    Began,
    /// A session was found.
    #[default]
    Found,
    /// A session is over.
    Gone,
    /// Its question was brought to the hub.
    Asked,
    /// Its question is left alone: somebody else looks after it.
    LeftAlone,
    /// Its question could not be brought to the hub.
    NotAsked,
    /// It was brought to the hub, but could not be noted for the next watch.
    NotNoted,
    /// The hub has an answer.
    Answered,
    /// The answer was typed.
    Typed,
    /// The answer was not typed, or not all of it.
    Stopped,
    /// Claude Code took what was typed.
    Delivered,
    /// It was answered in the session's own dialog.
    Settled,
    /// It was taken back: nobody waits for it any more.
    Withdrawn,
    /// The session went on with an answer that no person gave.
    Alarm,
    /// The hub is away.
    HubAway,
    /// The hub is back.
    HubBack,
}

impl What {
    /// A stable name, for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Deferred => "deferred",
            Self::Began => "began",
            Self::Found => "found",
            Self::Gone => "gone",
            Self::Asked => "asked",
            Self::LeftAlone => "left_alone",
            Self::NotAsked => "not_asked",
            Self::NotNoted => "not_noted",
            Self::Answered => "answered",
            Self::Typed => "typed",
            Self::Stopped => "stopped",
            Self::Delivered => "delivered",
            Self::Settled => "settled",
            Self::Withdrawn => "withdrawn",
            Self::Alarm => "alarm",
            Self::HubAway => "hub_away",
            Self::HubBack => "hub_back",
        }
    }
}

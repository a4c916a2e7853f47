//! One ask, as the inbox knows it.

use handraise_question::Ask;

/// The caller's own name for an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub [u8; 16]);

/// What the list shows of an ask. There may be thousands: what only an open ask needs is in [`Opened`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Which ask.
    pub id: EntryId,
    /// What is asked for.
    pub kind: Kind,
    /// The kind of agent.
    pub agent: String,
    /// Where it works, in a word.
    pub project: String,
    /// What its session is about.
    pub title: Option<String>,
    /// What it asks, in a line.
    pub headline: String,
    /// When it asked, in seconds of the inbox's clock.
    pub asked: i64,
    /// When silence ends it.
    pub deadline: Option<i64>,
    /// How it stands.
    pub standing: Standing,
}

/// What an agent asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An answer.
    Question,
    /// To be allowed something.
    Approval,
}

/// How an ask stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It waits for a person.
    Waits,
    /// It has ended, and how.
    Ended(Vec<String>),
    /// It has ended, and a person should know of it: nobody gave the answer, or nobody got it.
    Alarm(Vec<String>),
}

impl Entry {
    /// Whether it waits for a person.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.standing == Standing::Waits
    }

    /// Whether all of `words`, in small letters, can be read in its line.
    pub(super) fn holds(&self, words: &[String]) -> bool {
        let title = self.title.as_deref().unwrap_or_default();
        let text = [&self.project, &self.agent, title, &self.headline].join("\n").to_lowercase();
        words.iter().all(|word| text.contains(word))
    }
}

/// What an ask is when it is opened for the first time.
#[derive(Debug, Clone)]
pub struct Opened {
    /// What can be answered here; or why it cannot.
    pub ask: Result<Ask, String>,
    /// So many of its first options can be chosen only after all of the question was on the screen.
    pub guarded: usize,
    /// Who asks, where: lines above the question.
    pub about: Vec<String>,
    /// What the agent wrote just before.
    pub preamble: Option<String>,
}

/// An ask that has ended, found by a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// When it ended, as the person's clock shows it.
    pub when: String,
    /// Who ended it.
    pub by: String,
    /// Where its agent works.
    pub project: String,
    /// What was asked and decided, in a line.
    pub headline: String,
    /// All of it.
    pub whole: String,
}

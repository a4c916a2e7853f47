//! What came of it, in a few lines.

use std::fmt;
use std::time::Duration;

use handraise_broker::Seq;

use super::Torture;

/// What came of it.
#[derive(Debug)]
pub struct Report {
    pub(super) torture: Torture,
    pub(super) asks: usize,
    pub(super) resolutions: usize,
    pub(super) races: usize,
    pub(super) drafts: usize,
    pub(super) events: Seq,
    pub(super) followers: usize,
    pub(super) breaks: usize,
    pub(super) kills_at_start: usize,
    pub(super) stops: usize,
    pub(super) longest_wait: Duration,
    pub(super) longest_start: Duration,
    /// Everything that should not be. There should be nothing.
    pub problems: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Torture { asks, kills, seed } = self.torture;
        writeln!(f, "seed {seed}: {asks} asks in flight, the hub killed {kills} times")?;
        let lines = [
            ("asks", format!("{}", self.asks)),
            ("resolutions", format!("{}, {} of them raced for", self.resolutions, self.races)),
            ("drafts", format!("{} acknowledged, all there", self.drafts)),
            ("events", format!("{}, seen once each by {} followers", self.events, self.followers)),
            (
                "kills",
                format!(
                    "{kills}, {} of them while starting up; stopped {} times in between",
                    self.kills_at_start, self.stops
                ),
            ),
            ("lost hubs", format!("noticed {} times by waiting askers", self.breaks)),
            ("longest start", format!("{} ms", self.longest_start.as_millis())),
            (
                "longest wait",
                format!(
                    "{} ms until an asker had an answer that was there, restarts included",
                    self.longest_wait.as_millis()
                ),
            ),
        ];
        for (name, value) in lines {
            writeln!(f, "  {name:<14} {value}")?;
        }
        for problem in &self.problems {
            writeln!(f, "  PROBLEM        {problem}")?;
        }
        let end =
            if self.problems.is_empty() { "everything adds up" } else { "it does not add up" };
        write!(f, "  {end}")
    }
}

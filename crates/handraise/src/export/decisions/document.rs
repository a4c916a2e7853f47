//! One project's decisions, as Markdown.

use std::collections::HashSet;
use std::fmt::Write;

use handraise_broker::{Matter, Record};
use handraise_question::{Approval, Responder};
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::entry;
use crate::looking::short;
use crate::markdown::inline;
use crate::who::by;

/// How every decision log begins.
const BEGIN: &str = "# Decisions: ";

/// What a session is about, at most.
const LONGEST_TITLE: usize = 60;

/// By this, below its heading, a log of ours is known.
const MARK: &str = "Written by `handraise export`.";
const ABOUT: &str =
    "What agents asked in this project and what was decided, the oldest first. Times are UTC.";

/// Above approvals, which stand together.
const APPROVALS: &str = "### Approvals";

/// A document that grows at its end.
#[derive(Default)]
pub(super) struct Document {
    title: String,
    asks: Vec<Entry>,
    decisions: usize,
}

/// What was decided with one ask.
struct Entry {
    day: Date,
    is_approval: bool,
    /// By what it is known in a log.
    ask: String,
    text: String,
}

/// Where a text ends, and something can be added.
#[derive(Clone, Copy, Default)]
struct End {
    day: Option<Date>,
    in_approvals: bool,
}

impl Document {
    /// Says which project it is about.
    pub(super) fn call(&mut self, title: &str) {
        self.title = inline(title);
    }

    /// The whole of it.
    pub(super) fn text(&self) -> String {
        format!("{}\n\n{ABOUT} {MARK}\n{}", self.heading(), added(&self.asks, End::default()))
    }

    /// What it begins with.
    pub(super) fn heading(&self) -> String {
        format!("{BEGIN}{}", self.title)
    }

    /// A log that is there, with what it has not yet at its end.
    pub(super) fn after(&self, log: &str) -> String {
        let there: HashSet<_> = log.lines().filter_map(ask_of).collect();
        let new = self.asks.iter().filter(|entry| !there.contains(entry.ask.as_str()));
        format!("{}\n{}", log.trim_end(), added(new, End::of(log)))
    }

    pub(super) fn decisions(&self) -> usize {
        self.decisions
    }

    /// Adds an ask that has ended.
    pub(super) fn add(&mut self, record: &Record) {
        let Some(resolved) = record.resolved() else { return };
        let day = resolved.at.to_zoned(TimeZone::UTC).date();
        let footer = footer(record, resolved.responder.as_ref());
        let mut text = String::new();
        let is_approval = match record.matter() {
            Matter::Questions(_) => {
                let entries = entry::questions(record);
                self.decisions += entries.len();
                for entry in entries {
                    // A String takes everything.
                    let _ = write!(text, "\n{}\n\n*{footer}*\n", entry.trim_end());
                }
                false
            }
            Matter::Approval(raw) => {
                let decided = entry::approval(record, Approval::read(raw).ok().as_ref());
                let _ = writeln!(text, "- {decided} *{footer}*");
                self.decisions += 1;
                true
            }
        };
        self.asks.push(Entry { day, is_approval, ask: short(record.id), text });
    }
}

impl End {
    /// Where a log ends.
    fn of(log: &str) -> Self {
        let day = log.lines().rev().find_map(|line| line.strip_prefix("## ")?.parse().ok());
        let heading = log.lines().rev().find(|line| line.starts_with("##"));
        Self { day, in_approvals: heading == Some(APPROVALS) }
    }
}

/// What is added to a text that ends like this.
fn added<'a>(entries: impl IntoIterator<Item = &'a Entry>, end: End) -> String {
    let End { mut day, mut in_approvals } = end;
    let mut text = String::new();
    for entry in entries {
        if day != Some(entry.day) {
            day = Some(entry.day);
            in_approvals = false;
            // A String takes everything.
            let _ = write!(text, "\n## {}\n", entry.day);
        }
        if entry.is_approval && !in_approvals {
            let _ = write!(text, "\n{APPROVALS}\n\n");
        }
        in_approvals = entry.is_approval;
        text.push_str(&entry.text);
    }
    text
}

/// Who ended it, when, for whom, and where all of it is to be found.
fn footer(record: &Record, responder: Option<&Responder>) -> String {
    let who = responder.map_or_else(|| "nobody".to_owned(), by);
    let at = record.resolved().map(|resolved| resolved.at.strftime("%H:%M UTC").to_string());
    let asker = record.asker();
    let title = asker.title.as_deref().map(|title| inline(&entry::cut(title, LONGEST_TITLE)));
    let title = title.map_or_else(String::new, |title| format!(", {title}"));
    let (at, agent) = (at.unwrap_or_default(), inline(&asker.agent));
    format!("{who}, {at} · {agent}{title} · ask {}", short(record.id))
}

/// Whether a text is a decision log of ours: others have documents that begin alike.
pub(super) fn is_log(text: &str) -> bool {
    let mut lines = text.lines();
    lines.next().is_some_and(|line| line.starts_with(BEGIN))
        && lines.find(|line| !line.trim().is_empty()).is_some_and(|line| line.contains(MARK))
}

/// The ask that a line ends with, if it is one that ends a decision.
pub(super) fn ask_of(line: &str) -> Option<&str> {
    let (_, ask) = line.strip_suffix('*')?.rsplit_once(" · ask ")?;
    Some(ask).filter(|ask| ask.len() == 8 && ask.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;

//! One project's decisions, as Markdown.

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

/// A document that grows at its end.
#[derive(Default)]
pub(super) struct Document {
    title: String,
    text: String,
    day: Option<Date>,
    /// Whether the last entry was an approval: they stand together.
    in_approvals: bool,
    decisions: usize,
}

impl Document {
    /// Says which project it is about.
    pub(super) fn call(&mut self, title: &str) {
        self.title = inline(title);
    }

    /// The whole of it.
    pub(super) fn text(&self) -> String {
        format!("{BEGIN}{}\n\n{ABOUT} {MARK}\n{}", self.title, self.text)
    }

    pub(super) fn decisions(&self) -> usize {
        self.decisions
    }

    /// Adds an ask that has ended.
    pub(super) fn add(&mut self, record: &Record) {
        let Some(resolved) = record.resolved() else { return };
        let day = resolved.at.to_zoned(TimeZone::UTC).date();
        if self.day != Some(day) {
            self.day = Some(day);
            self.in_approvals = false;
            // A String takes everything.
            let _ = write!(self.text, "\n## {day}\n");
        }
        let footer = footer(record, resolved.responder.as_ref());
        match record.matter() {
            Matter::Questions(_) => {
                let entries = entry::questions(record);
                self.decisions += entries.len();
                for entry in entries {
                    let _ = write!(self.text, "\n{}\n\n*{footer}*\n", entry.trim_end());
                }
                self.in_approvals = false;
            }
            Matter::Approval(raw) => {
                if !self.in_approvals {
                    self.text.push_str("\n### Approvals\n\n");
                }
                let decided = entry::approval(record, Approval::read(raw).ok().as_ref());
                let _ = writeln!(self.text, "- {decided} *{footer}*");
                self.decisions += 1;
                self.in_approvals = true;
            }
        }
    }
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

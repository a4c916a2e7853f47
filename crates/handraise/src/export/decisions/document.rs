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
pub(super) const BEGIN: &str = "# Decisions: ";

/// What a session is about, at most.
const LONGEST_TITLE: usize = 60;

const ABOUT: &str = "What agents asked in this project and what was decided, the oldest first. Times are UTC. \
     Written by `handraise export`.";

/// A document that grows at its end.
pub(super) struct Document {
    text: String,
    day: Option<Date>,
    /// Whether the last entry was an approval: they stand together.
    in_approvals: bool,
    decisions: usize,
}

impl Document {
    pub(super) fn new(title: &str) -> Self {
        let text = format!("{BEGIN}{}\n\n{ABOUT}\n", inline(title));
        Self { text, day: None, in_approvals: false, decisions: 0 }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn into_text(self) -> String {
        self.text
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

/// The ask that a line ends with, if it is one that ends a decision.
pub(super) fn ask_of(line: &str) -> Option<&str> {
    let (_, ask) = line.strip_suffix('*')?.rsplit_once(" · ask ")?;
    Some(ask).filter(|ask| ask.len() == 8 && ask.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;

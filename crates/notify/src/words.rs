//! What is said.

use handraise_broker::{Asker, Matter, Record};
use handraise_question::Approval;
use jiff::Timestamp;
use serde::Deserialize;

use crate::clean;
use crate::mask::mask;
use crate::policy::Why;

const LONGEST_TITLE: usize = 80;
const LONGEST_BODY: usize = 300;
/// Secrets are sought in this much of a text; all that is said comes from there.
const MOST_READ: usize = 10_000;

/// How much is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Text {
    /// Who asks, and what.
    #[default]
    Full,
    /// Who asks, and nothing that an agent wrote.
    Project,
}

/// What one notification says: two clean lines, without what looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// Who it is about.
    pub title: String,
    /// What it is about.
    pub body: String,
}

impl Words {
    /// What is said of an ask that has just come.
    #[must_use]
    pub fn of_new(record: &Record, text: Text) -> Self {
        of(record, Why::Opened, text, record.asked_at)
    }
}

/// What is said of one ask.
pub(crate) fn of(record: &Record, why: Why, text: Text, now: Timestamp) -> Words {
    let asker = record.asker();
    let who = match text {
        Text::Full => asker.title.as_deref().filter(|title| !title.trim().is_empty()),
        Text::Project => None,
    };
    let title =
        format!("{} · {}", project(asker), shown(who.unwrap_or(&asker.agent), LONGEST_TITLE / 2));
    let about = match text {
        Text::Full => about(record.matter()),
        Text::Project => match record.matter() {
            Matter::Questions(_) => "asks something".to_owned(),
            Matter::Approval(_) => "wants something allowed".to_owned(),
        },
    };
    let body = match preface(record, why, now) {
        Some(preface) => format!("{preface} {about}"),
        None => about,
    };
    Words { title: clean::line(&title, LONGEST_TITLE), body: clean::line(&body, LONGEST_BODY) }
}

/// Several asks, as far as something is said of them together.
#[derive(Debug)]
pub(crate) struct Count<'a> {
    pub(crate) asks: usize,
    pub(crate) agents: usize,
    /// Whether all of them are there because an agent asks.
    pub(crate) all_ask: bool,
    /// Some of their projects, and how many there are beside them.
    pub(crate) projects: Vec<&'a str>,
    pub(crate) more: usize,
}

/// What is said of several asks at once.
pub(crate) fn of_many(count: &Count<'_>) -> Words {
    let Count { asks, agents, all_ask, projects, more } = count;
    let title = match agents {
        _ if !all_ask => format!("{asks} asks need you"),
        _ if agents == asks => format!("{asks} agents ask"),
        1 => format!("1 agent asks {asks} times"),
        _ => format!("{agents} agents ask {asks} times"),
    };
    let projects = projects.join(", ");
    let body = if *more > 0 { format!("{projects} +{more} more") } else { projects };
    Words { title, body: clean::line(&body, LONGEST_BODY) }
}

/// Who asks, as far as it matters for counting agents.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Who {
    project: String,
    agent: String,
    session: Option<String>,
}

impl Who {
    pub(crate) fn project(&self) -> &str {
        &self.project
    }
}

impl From<&Asker> for Who {
    fn from(asker: &Asker) -> Self {
        Self {
            project: clean::line(&project(asker), LONGEST_TITLE),
            agent: asker.agent.clone(),
            session: asker.session.clone(),
        }
    }
}

/// The last part of the directory.
fn project(asker: &Asker) -> String {
    let directory = asker.directory.as_deref().unwrap_or_default();
    let last = directory.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let last = shown(last, LONGEST_TITLE / 2);
    if last.is_empty() { "an agent".into() } else { last }
}

/// Without secrets, and short enough that the rest has room, too.
fn shown(text: &str, most: usize) -> String {
    let begin: String = text.chars().take(MOST_READ).collect();
    clean::line(&mask(&begin), most)
}

fn about(matter: &Matter) -> String {
    match matter {
        Matter::Questions(_) => {
            let Ok(ask) = matter.ask() else { return "asks something".into() };
            let questions = ask.questions();
            let Some(first) = questions.first() else { return "asks something".into() };
            let text = shown(first.text(), LONGEST_BODY - 60);
            let header = first.header().map(|header| shown(header, 30));
            let more = match questions.len() - 1 {
                0 => String::new(),
                more => format!(" (+{more} more)"),
            };
            match header.filter(|header| !header.is_empty()) {
                Some(header) => format!("{header}: {text}{more}"),
                None => format!("{text}{more}"),
            }
        }
        Matter::Approval(raw) => {
            let Ok(approval) = Approval::read(raw) else { return "wants something allowed".into() };
            if approval.is_plan() {
                return "has a plan to approve".into();
            }
            let tool = shown(approval.tool(), LONGEST_TITLE / 2);
            // Never its input: a command is where secrets are.
            match approval.description().map(|said| shown(said, LONGEST_BODY)) {
                Some(said) if !said.is_empty() => format!("wants to use {tool}: {said}"),
                _ => format!("wants to use {tool}"),
            }
        }
    }
}

/// What is said before, where it is not just asked.
fn preface(record: &Record, why: Why, now: Timestamp) -> Option<String> {
    match why {
        Why::Opened => None,
        Why::Waiting => {
            let waited = now.duration_since(record.asked_at).as_secs();
            Some(format!("Still waits, for {} now.", how_long(waited)))
        }
        Why::Deadline => {
            let left = record.deadline_at.map_or(0, |at| at.duration_since(now).as_secs());
            Some(format!("{} left.", how_long(left)))
        }
        Why::Overruled => Some("The agent took another answer than the one given here.".into()),
        Why::Undelivered => Some("The answer did not reach the agent.".into()),
        Why::Doubted => Some("The agent went on with an answer that nobody gave.".into()),
    }
}

fn how_long(seconds: i64) -> String {
    let seconds = seconds.max(1);
    let (count, unit) = match seconds {
        ..90 => (seconds, "second"),
        90..5400 => ((seconds + 30) / 60, "minute"),
        _ => ((seconds + 1800) / 3600, "hour"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;

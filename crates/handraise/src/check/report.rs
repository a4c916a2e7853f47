//! What is printed: an object for programs, a table for people.

use std::path::Path;

use handraise_agent_claude::transcript::{Call, Ending, Outcome};
use handraise_broker::Doubt;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::waits::Waited;
use crate::looking::when;
use crate::table::{self, Table, within};

/// More of a text tells nobody anything.
const LONGEST_TEXT: usize = 500;
/// How much of a line of text is shown where no terminal says how wide it is.
const LINE: usize = 120;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) projects: Vec<Project>,
    pub(super) total: Counts,
    pub(super) suspicious: Vec<Suspicion>,
    pub(super) skipped: Skipped,
}

#[derive(Debug, Serialize)]
pub(super) struct Project {
    /// Where its sessions worked.
    pub(super) directory: String,
    #[serde(flatten)]
    pub(super) counts: Counts,
}

/// Counts of questions, except where it says otherwise. `asked` is the sum of those from `fromOptions` to
/// `failed`.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Counts {
    /// How many files were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) transcripts: Option<u64>,
    /// How many calls: each may ask several questions.
    pub(super) calls: u64,
    pub(super) asked: u64,
    pub(super) from_options: u64,
    pub(super) own_words: u64,
    pub(super) left_open: u64,
    pub(super) declined: u64,
    pub(super) no_answer: u64,
    pub(super) waiting: u64,
    pub(super) failed: u64,
    /// How many calls have an answer that looks wrong.
    pub(super) suspicious: u64,
    /// How many calls were decided through a hook, as those are that Handraise brings an answer to.
    pub(super) through_hook: u64,
    /// How long calls waited; absent when none did.
    #[serde(rename = "waitedSeconds", skip_serializing_if = "Option::is_none")]
    pub(super) waited: Option<Waited>,
}

impl Counts {
    pub(super) fn of(&mut self, ending: Ending) -> &mut u64 {
        match ending {
            Ending::FromOptions => &mut self.from_options,
            Ending::OwnWords => &mut self.own_words,
            Ending::LeftOpen => &mut self.left_open,
            Ending::Declined => &mut self.declined,
            Ending::NoAnswer => &mut self.no_answer,
            Ending::Failed => &mut self.failed,
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.asked += other.asked;
        self.from_options += other.from_options;
        self.own_words += other.own_words;
        self.left_open += other.left_open;
        self.declined += other.declined;
        self.no_answer += other.no_answer;
        self.waiting += other.waiting;
        self.failed += other.failed;
        self.suspicious += other.suspicious;
        self.through_hook += other.through_hook;
    }

    /// The columns of a table. Those in which nothing is are left out of it.
    fn columns(&self) -> [(&'static str, Option<String>); 12] {
        let count = |count: u64| (count > 0).then(|| count.to_string());
        let time =
            |time: fn(&Waited) -> f64| self.waited.as_ref().map(|waited| spoken(time(waited)));
        [
            ("ASKED", count(self.asked)),
            ("OPTIONS", count(self.from_options)),
            ("WORDS", count(self.own_words)),
            ("OPEN", count(self.left_open)),
            ("DECLINED", count(self.declined)),
            ("NO ANSWER", count(self.no_answer)),
            ("WAITING", count(self.waiting)),
            ("FAILED", count(self.failed)),
            ("SUSPICIOUS", count(self.suspicious)),
            ("WAITED", time(|waited| waited.total)),
            ("MEDIAN", time(|waited| waited.median)),
            ("LONGEST", time(|waited| waited.longest)),
        ]
    }
}

fn spoken(seconds: f64) -> String {
    table::duration(SignedDuration::try_from_secs_f64(seconds).unwrap_or_default())
}

/// An answer that looks wrong.
#[derive(Debug, Serialize)]
pub(super) struct Suspicion {
    pub(super) kind: &'static str,
    pub(super) why: String,
    /// When it was written down.
    pub(super) at: Option<Timestamp>,
    pub(super) directory: String,
    pub(super) session: String,
    /// The id of the call.
    pub(super) call: String,
    /// What was asked.
    pub(super) questions: Vec<String>,
    /// What the model read; long texts are cut.
    pub(super) read: String,
}

impl Suspicion {
    pub(super) fn new(
        project: &Path,
        session: &str,
        call: &Call,
        outcome: &Outcome,
        doubt: Doubt,
    ) -> Self {
        let cut = |text: &str| text.chars().take(LONGEST_TEXT).collect::<String>();
        Self {
            kind: doubt.kind.name(),
            why: doubt.why,
            at: outcome.at.or(call.asked_at),
            directory: project.display().to_string(),
            session: cut(session),
            call: cut(&call.id),
            questions: call.texts().iter().take(4).map(|text| cut(text)).collect(),
            read: cut(&outcome.text),
        }
    }

    fn text(&self, width: usize) -> String {
        let at = self.at.map_or_else(|| "at some time".to_owned(), when);
        let asked = self.questions.join(" / ");
        let (asked, read) = (within(&asked, width), within(&self.read, width));
        let (directory, session) = (within(&self.directory, width), within(&self.session, width));
        format!(
            "{at}  {}  {directory}\n  session  {session}\n  asked    {asked}\n  read     {read}\n  why      {}",
            self.kind, self.why,
        )
    }
}

/// What was passed over.
#[derive(Debug, Default, Serialize)]
pub(super) struct Skipped {
    /// Files and directories that could not be read, or not to their end.
    pub(super) files: u64,
    /// Lines that could have spoken of a question, but are too long or make no sense.
    pub(super) lines: u64,
}

impl Report {
    pub(super) fn text(&self) -> String {
        let mut parts = vec![self.table()];
        if !self.projects.is_empty() {
            parts.push(self.suspicions());
        }
        let Skipped { files, lines } = self.skipped;
        if files + lines > 0 {
            parts.push(format!(
                "Passed over: {}, {}.",
                counted(files, "unreadable file", "unreadable files"),
                counted(lines, "line that makes no sense", "lines that make no sense"),
            ));
        }
        parts.join("\n\n")
    }

    fn table(&self) -> String {
        let read = counted(self.total.transcripts.unwrap_or_default(), "transcript", "transcripts");
        if self.projects.is_empty() {
            return format!("Nothing was asked. Read {read}.");
        }
        let shown = self.total.columns();
        let heads = shown.iter().filter(|(_, cell)| cell.is_some()).map(|(head, _)| *head);
        let mut table = Table::new(&heads.chain(["PROJECT"]).collect::<Vec<_>>());
        let mut row = |counts: &Counts, name: &str| {
            let cells = counts.columns().into_iter().zip(&shown);
            let cells = cells.filter(|(_, (_, in_all))| in_all.is_some());
            let cells = cells.map(|((_, cell), _)| cell.unwrap_or_else(|| "–".to_owned()));
            table.row(cells.chain([name.to_owned()]).collect());
        };
        for project in &self.projects {
            row(&project.counts, &project.directory);
        }
        if self.projects.len() > 1 {
            row(&self.total, "in all");
        }
        table.text(table::width())
    }

    fn suspicions(&self) -> String {
        if self.total.suspicious == 0 {
            return "Nothing looks wrong.".to_owned();
        }
        let width = table::width().unwrap_or(LINE).saturating_sub("  session  ".len()).max(20);
        let shown = self.suspicious.iter().map(|one| one.text(width)).collect::<Vec<_>>();
        let rest = self.total.suspicious.saturating_sub(shown.len() as u64);
        let head = format!(
            "{}:",
            counted(self.total.suspicious, "answer looks wrong", "answers look wrong")
        );
        let more = (rest > 0).then(|| format!("And {rest} more."));
        [head].into_iter().chain(shown).chain(more).collect::<Vec<_>>().join("\n\n")
    }
}

fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

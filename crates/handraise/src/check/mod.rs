//! `handraise check`: what transcripts say of questions and answers.

mod progress;
mod report;
mod sought;
mod tally;
mod waits;

use std::path::PathBuf;

use handraise_agent_claude::transcript::{Found, Reading, SessionFile};

use crate::cli::CheckArgs;
use crate::failure::{Exit, Failure, say};
use crate::output;
use progress::Progress;
use tally::Tally;

pub(crate) fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let sought = sought::transcripts(args)?;
    let mut tally = Tally::default();
    for (path, error) in &sought.unreadable {
        tally.skip_file();
        say(&format!("cannot read {}: {error}", path.display()));
    }
    let mut progress = Progress::of(sought.files.len());
    // The oldest first: what a later session repeats belongs to the earlier one.
    for file in sought.files.iter().rev() {
        progress.step();
        read(file, &mut tally);
    }
    progress.end();
    let report = tally.report();
    if args.json {
        let text = serde_json::to_string(&report);
        output::print(&text.map_err(|error| Failure::new(Exit::Internal, error))?)?;
    } else {
        output::show(&report.text())?;
    }
    Ok(Exit::Answered)
}

/// Reads one transcript. If that fails in the middle, what was found until then counts.
fn read(file: &SessionFile, tally: &mut Tally) {
    let mut reading = Reading::new(file.path.clone());
    let mut project = Project { file, directory: None };
    let done = reading.catch_up(|found| match found {
        Found::Settled(call, outcome) => {
            tally.settled(project.directory(), &file.session, &call, &outcome);
        }
        Found::Asked(_) | Found::Restarted => {}
    });
    for call in reading.pending() {
        tally.waits(project.directory(), call);
    }
    tally.read_file(reading.lines_passed_over());
    if let Err(error) = done {
        tally.skip_file();
        say(&format!("cannot read {}: {error}", file.path.display()));
    }
}

/// Where the session of a file worked, looked up only if it has asked anything.
struct Project<'a> {
    file: &'a SessionFile,
    directory: Option<PathBuf>,
}

impl Project<'_> {
    fn directory(&mut self) -> &std::path::Path {
        self.directory.get_or_insert_with(|| {
            let parent = || self.file.path.parent().unwrap_or(&self.file.path).to_owned();
            self.file.cwd().unwrap_or_else(parent)
        })
    }
}

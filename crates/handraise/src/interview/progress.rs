//! What is seen between two questions.

use std::io::{self, IsTerminal, Write};

use handraise_question::wording::confirmation;

use super::minutes::Asked;
use super::specification;
use crate::{failure, table};

/// Tells on standard error how far an interview has come.
pub(super) struct Progress {
    /// Only a terminal is shown what is to go away again.
    passing: bool,
    /// What was shown of the model's words since the last question.
    said: String,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { passing: io::stderr().is_terminal(), said: String::new() }
    }

    /// The model has the word.
    pub(super) fn thinking(&self) {
        self.passing("… the model is thinking");
    }

    /// Something else is to be shown now.
    pub(super) fn clear(&self) {
        self.passing("");
    }

    fn passing(&self, text: &str) {
        if self.passing {
            // Without standard error there is nobody to tell.
            let _ = write!(io::stderr(), "\r\x1b[2K{text}").and_then(|()| io::stderr().flush());
        }
    }

    /// An interview that was left goes on: what was answered in it.
    #[expect(clippy::unused_self, reason = "one place for what is shown")]
    pub(super) fn going_on(&self, task: &str, asked: &[Asked]) {
        failure::say(&format!("Going on: {}", table::short(task)));
        for one in asked {
            for line in confirmation::lines(&one.ask, &one.ending.resolution) {
                failure::say(&line);
            }
        }
    }

    /// The model says something to the person; what was shown already is not shown again.
    pub(super) fn said(&mut self, text: &str) {
        if !text.trim().is_empty() && text != self.said {
            failure::say(&format!("\n{}\n", text.trim()));
            text.clone_into(&mut self.said);
        }
    }

    /// The next question comes.
    pub(super) fn asking(&mut self, asked: &[Asked], most: usize) {
        self.said.clear();
        let decided = specification::decisions(asked);
        let number = asked.len() + 1;
        let so_far = match decided {
            0 => String::new(),
            1 => ", 1 decision so far".to_owned(),
            n => format!(", {n} decisions so far"),
        };
        failure::say(&format!("Ask {number} of at most {most}{so_far}"));
    }
}

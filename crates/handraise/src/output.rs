//! What goes to standard output.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::failure::{Exit, Failure};

/// Prints a result: the one thing that goes to standard output. If that fails it goes to standard
/// error, so that no answer is lost.
///
/// A terminal gets it made visible, like everything an agent wrote; a pipe or a file gets it as it
/// is.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = if stdout.is_terminal() {
        writeln!(stdout, "{}", handraise_terminal::visible(text))
    } else {
        writeln!(stdout, "{text}")
    };
    written.and_then(|()| stdout.flush()).map_err(|error| {
        let error = anyhow::Error::new(error).context("cannot write to standard output");
        Failure::new(Exit::Internal, error).detail(text)
    })
}

/// Prints a result as one line of JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value);
    print(&text.map_err(|error| Failure::new(Exit::Internal, error))?)
}

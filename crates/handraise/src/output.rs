//! What goes to standard output.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::failure::{Exit, Failure};

/// Prints what exists nowhere else: an answer, a new token. If that fails it goes to standard error, so
/// that it is not lost.
pub(crate) fn print_once(text: &str) -> Result<(), Failure> {
    write_line(&for_reader(text)).map_err(|error| unwritten(error).detail(text))
}

/// Prints a result. A reader that has seen enough may close the pipe.
///
/// A terminal gets it made visible, like everything an agent wrote; a pipe or a file gets it as it
/// is.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    show_raw(&for_reader(text))
}

/// Prints a result for people, made visible wherever it goes.
pub(crate) fn show(text: &str) -> Result<(), Failure> {
    show_raw(&handraise_terminal::visible(text))
}

/// Prints a result as it is.
pub(crate) fn show_raw(text: &str) -> Result<(), Failure> {
    match write_line(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritten(error)),
        _ => Ok(()),
    }
}

/// Prints a result as one line of JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&json(value)?)
}

/// One line of JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::new(Exit::Internal, error))
}

fn for_reader(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { handraise_terminal::visible(text).into() } else { text.into() }
}

fn write_line(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{text}")?;
    stdout.flush()
}

fn unwritten(error: io::Error) -> Failure {
    let error = anyhow::Error::new(error).context("cannot write to standard output");
    Failure::new(Exit::Internal, error)
}

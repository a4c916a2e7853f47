//! The prompt as numbered lines and typed answers: for screen readers, and for terminals that can
//! do no more.

mod dialogue;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use handraise_question::{Ask, Resolution};
use rustix::termios::{QueueSelector, tcflush};

use crate::clean::visible;
use crate::raw_mode::tty;
use crate::terminal::{Outcome, TerminalError};
use dialogue::{Dialogue, End, Heard, Talk};

/// Puts an ask to the person at this terminal, line by line.
///
/// # Errors
///
/// When there is no terminal, or it goes away.
pub fn ask_plainly(ask: &Ask, wait: Option<Duration>) -> Result<Outcome, TerminalError> {
    let tty = tty().map_err(TerminalError::None)?;
    let mut talk = TtyTalk::new(tty, wait).map_err(TerminalError::Lost)?;
    let end = Dialogue::new(ask, &mut talk).run().map_err(TerminalError::Lost)?;
    let resolution = match (end, wait) {
        (End::Resolved(resolution), _) => resolution,
        (End::TimedOut, wait) => {
            Resolution::NoAnswer { after_seconds: wait.unwrap_or_default().as_secs() }
        }
    };
    let lines = handraise_question::wording::confirmation::lines(ask, &resolution);
    for line in lines {
        talk.say(&line).map_err(TerminalError::Lost)?;
    }
    Ok(Outcome::Resolved(resolution))
}

/// Lines from and to the terminal.
struct TtyTalk {
    out: File,
    lines: Receiver<io::Result<String>>,
    until: Option<Instant>,
}

impl TtyTalk {
    fn new(tty: File, wait: Option<Duration>) -> io::Result<Self> {
        // What was typed before the question was there was not meant for it.
        tcflush(&tty, QueueSelector::IFlush)?;
        let (sender, lines) = mpsc::channel();
        let input = BufReader::new(tty.try_clone()?);
        // Ends with the process: a read from a terminal cannot be called off.
        thread::Builder::new().name("lines".into()).spawn(move || {
            for line in input.lines() {
                if sender.send(line).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { out: tty, lines, until: wait.map(|wait| Instant::now() + wait) })
    }
}

impl Talk for TtyTalk {
    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}", visible(text))
    }

    fn hear(&mut self, cue: &str) -> io::Result<Heard> {
        write!(self.out, "{cue}")?;
        self.out.flush()?;
        let line = match self.until {
            None => self.lines.recv().ok(),
            Some(until) => {
                match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                    Ok(line) => Some(line),
                    Err(mpsc::RecvTimeoutError::Disconnected) => None,
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        writeln!(self.out)?;
                        return Ok(Heard::Silence);
                    }
                }
            }
        };
        line.map_or(Ok(Heard::End), |line| line.map(Heard::Line))
    }
}

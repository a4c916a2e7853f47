//! The prompt as numbered lines and typed answers: for screen readers, and for terminals that can
//! do no more.

mod dialogue;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use handraise_question::wording::confirmation;
use handraise_question::{Ask, Resolution};
use rustix::termios::{QueueSelector, tcflush};

use crate::clean::visible;
use crate::prompt::Deadline;
use crate::raw_mode::tty;
use crate::terminal::{Outcome, TerminalError};
use dialogue::{Dialogue, End, Heard, Talk};

/// Lines this close together were pasted, not typed.
const TOGETHER: Duration = Duration::from_millis(60);
/// A terminal hands over no longer line than this, and drops what is typed beyond it.
const LONGEST_LINE: usize = 4095;

/// Puts an ask to the person at this terminal, line by line.
///
/// # Errors
///
/// When there is no terminal, or it goes away.
pub fn ask_plainly(ask: &Ask, wait: Option<Duration>) -> Result<Outcome, TerminalError> {
    let tty = tty().map_err(TerminalError::None)?;
    let mut talk = TtyTalk::new(tty, wait).map_err(TerminalError::Lost)?;
    let end = Dialogue::new(ask, &mut talk).run().map_err(TerminalError::Lost)?;
    let resolution = match end {
        End::Resolved(resolution) => resolution,
        End::TimedOut { after_seconds } => Resolution::NoAnswer { after_seconds },
    };
    for line in confirmation::lines(ask, &resolution) {
        talk.say(&line).map_err(TerminalError::Lost)?;
    }
    Ok(Outcome::Resolved(resolution))
}

/// Lines from and to the terminal.
struct TtyTalk {
    out: File,
    lines: Receiver<io::Result<Vec<u8>>>,
    start: Instant,
    deadline: Option<Deadline>,
    /// What came right behind lines that were heard already.
    next: Option<Heard>,
}

impl TtyTalk {
    fn new(tty: File, wait: Option<Duration>) -> io::Result<Self> {
        // What was typed before the question was there was not meant for it.
        tcflush(&tty, QueueSelector::IFlush)?;
        let (sender, lines) = mpsc::channel();
        let mut input = BufReader::new(tty.try_clone()?);
        // Ends with the process: a read from a terminal cannot be called off.
        thread::Builder::new().name("lines".into()).spawn(move || {
            loop {
                let mut line = vec![];
                let read = input.read_until(b'\n', &mut line);
                let over = !matches!(read, Ok(1..));
                if sender.send(read.map(|_| line)).is_err() || over {
                    return;
                }
            }
        })?;
        Ok(Self {
            out: tty,
            lines,
            start: Instant::now(),
            deadline: wait.map(Deadline::after),
            next: None,
        })
    }

    /// One line, or why there is none.
    fn line(&mut self) -> io::Result<Result<String, Heard>> {
        let line = match &self.deadline {
            None => self.lines.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(deadline) => self.lines.recv_timeout(deadline.left(self.start.elapsed())),
        };
        let bytes = match line {
            Ok(line) => line?,
            Err(RecvTimeoutError::Disconnected) => vec![],
            Err(RecvTimeoutError::Timeout) => {
                // What is half typed must not end up in the shell.
                tcflush(&self.out, QueueSelector::IFlush)?;
                writeln!(self.out)?;
                let after_seconds = self.deadline.as_ref().map_or(0, Deadline::seconds);
                return Ok(Err(Heard::Silence { after_seconds }));
            }
        };
        Ok(line_of(bytes))
    }
}

fn line_of(mut bytes: Vec<u8>) -> Result<String, Heard> {
    // A line without its end was cut short by Ctrl-D: that cancels, whatever was typed before.
    if bytes.pop() != Some(b'\n') {
        return Err(Heard::End);
    }
    if bytes.len() >= LONGEST_LINE {
        return Err(Heard::Unusable("The terminal cut that line off; end a line in \\ to go on."));
    }
    String::from_utf8(bytes).map_err(|_| Heard::Unusable("That line is not UTF-8 text."))
}

impl Talk for TtyTalk {
    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}", visible(text))
    }

    fn hear(&mut self, cue: &str) -> io::Result<Heard> {
        write!(self.out, "{cue}")?;
        self.out.flush()?;
        if let Some(next) = self.next.take() {
            return Ok(next);
        }
        let mut lines = match self.line()? {
            Ok(line) => vec![line],
            Err(heard) => return Ok(heard),
        };
        if let Some(deadline) = &mut self.deadline {
            deadline.edited(self.start.elapsed());
        }
        while let Ok(more) = self.lines.recv_timeout(TOGETHER) {
            match line_of(more?) {
                Ok(line) => lines.push(line),
                Err(heard) => {
                    self.next = Some(heard);
                    break;
                }
            }
        }
        Ok(Heard::Lines(lines))
    }
}

//! The prompt as numbered lines and typed answers: for screen readers, and for terminals that can
//! do no more.

mod chatting;
mod dialogue;
mod lines;

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use handraise_question::Ask;
use handraise_question::wording::confirmation;
use rustix::termios::{QueueSelector, tcflush, tcgetwinsize};
use signal_hook::consts::signal::{SIGCONT, SIGINT, SIGTSTP};
use signal_hook::low_level::emulate_default_handler;

use crate::clean::visible;
use crate::drafting::Drafting;
use crate::outcome::Outcome;
use crate::prompt::{Deadline, Unsent};
use crate::remote::Order;
use crate::signals::{self, can_stop};
use crate::wakes::{Wake, Wakes};
pub(crate) use chatting::PlainChat;
use dialogue::{Dialogue, End, Heard, Talk};
pub(crate) use lines::Lines;

/// Lines this close together were pasted, not typed.
const TOGETHER: Duration = Duration::from_millis(60);
/// A terminal hands over no longer line than this, and drops what is typed beyond it.
const LONGEST_LINE: usize = 4095;

impl Lines {
    /// Puts an ask to the person, line by line.
    pub(crate) fn ask(
        &self,
        tty: &File,
        wakes: &mut Wakes,
        drafting: Drafting<'_>,
        ask: &Ask,
        wait: Option<Duration>,
        is_guarded: bool,
    ) -> io::Result<Outcome> {
        // What was typed before the question was there was not meant for it.
        tcflush(tty, QueueSelector::IFlush)?;
        // Whoever asked may have to take the question back before the process ends.
        signals::listen()?;
        let _signals = signals::divert(wakes.sender());
        let closed = wakes.closed_already();
        let (start, deadline) = (Instant::now(), wait.map(Deadline::after));
        let mut talk =
            TtyTalk { out: tty, lines: self, wakes, drafting, start, deadline, next: None };
        let dialogue = Dialogue::new(ask, &mut talk).guard(is_guarded);
        let end = if let Some(lines) = closed {
            dialogue.closed(lines)
        } else {
            self.read();
            let end = dialogue.run();
            self.rest();
            end?
        };
        let (lines, outcome) = match end {
            End::Resolved(resolution) => {
                (confirmation::lines(ask, &resolution), Outcome::Resolved(resolution))
            }
            // What was typed stands above.
            End::Closed { lines, unsent } => (lines, Outcome::Closed(unsent)),
            End::Signalled(SIGINT) => (vec![], Outcome::Interrupted),
            End::Signalled(signal) => (vec![], Outcome::Signalled(signal)),
        };
        for line in lines {
            talk.say(&line)?;
        }
        Ok(outcome)
    }
}

/// Lines from and to the terminal.
struct TtyTalk<'a> {
    out: &'a File,
    lines: &'a Lines,
    wakes: &'a mut Wakes,
    drafting: Drafting<'a>,
    start: Instant,
    deadline: Option<Deadline>,
    /// What came right behind lines that were heard already.
    next: Option<Heard>,
}

impl TtyTalk<'_> {
    /// One line, or why there is none.
    fn line(&mut self) -> io::Result<Result<String, Heard>> {
        loop {
            let left = self.deadline.as_ref().map(|deadline| deadline.left(self.start.elapsed()));
            match self.wakes.next(left) {
                // From before the question was there. If it closed the input, that is over.
                Ok(Wake::Line(line)) if line.at < self.start => self.lines.read(),
                Ok(Wake::Line(line)) => return Ok(line_of(line.bytes)),
                Ok(Wake::InputLost(error)) => return Err(error),
                Ok(Wake::Order(_, Order::Close(lines))) => {
                    self.cut_off()?;
                    return Ok(Err(Heard::Closed(lines)));
                }
                Ok(Wake::Order(_, Order::WaitUntil(end))) => {
                    let end = end.map(|end| end.saturating_duration_since(self.start));
                    self.deadline = Deadline::moved(self.deadline.take(), end);
                }
                // Nothing was drawn that would have to be tidied up before it stops, or after.
                Ok(Wake::Signal(signal @ (SIGTSTP | SIGCONT))) => {
                    if signal == SIGTSTP && can_stop() {
                        emulate_default_handler(SIGTSTP)?;
                    }
                }
                Ok(Wake::Signal(signal)) => {
                    self.cut_off()?;
                    return Ok(Err(Heard::Signal(signal)));
                }
                // A plain desk reads no keys, and the chat waits.
                Ok(Wake::Arrival(_) | Wake::Chat(_) | Wake::Inbox(_)) => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.cut_off()?;
                    let after_seconds = self.deadline.as_ref().map_or(0, Deadline::seconds);
                    return Ok(Err(Heard::Silence { after_seconds }));
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Err(Heard::End)),
            }
        }
    }

    /// Ends a line that the person has not ended. What is half typed stays to be seen, but must not
    /// end up in the shell.
    fn cut_off(&mut self) -> io::Result<()> {
        tcflush(self.out, QueueSelector::IFlush)?;
        writeln!(self.out)
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

impl Talk for TtyTalk<'_> {
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
        while let Some(more) = self.wakes.next_line(TOGETHER) {
            match line_of(more.bytes) {
                Ok(line) => lines.push(line),
                Err(heard) => {
                    self.next = Some(heard);
                    break;
                }
            }
        }
        Ok(Heard::Lines(lines))
    }

    fn size(&self) -> (usize, usize) {
        // Serial lines do not know theirs.
        let known = tcgetwinsize(self.out).ok().filter(|size| size.ws_col > 0 && size.ws_row > 0);
        known.map_or((80, 24), |size| (size.ws_col.into(), size.ws_row.into()))
    }

    fn note(&mut self, unsent: impl FnOnce() -> Unsent) {
        self.drafting.note(unsent);
    }
}

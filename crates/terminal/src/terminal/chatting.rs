//! A chat on a real terminal: keys in, pictures out, and what was said above them.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use ratatui::text::Line;
use signal_hook::consts::signal::{SIGCONT, SIGTSTP};

use super::stopping::{Stop, owns};
use super::{Drawn, Session};
use crate::chat::{ChatOrder, Conversation, Effect, Said, draw, lines_of};
use crate::full::Canvas;
use crate::outcome::Outcome;
use crate::prompt::Input;
use crate::wakes::{Wake, Wakes};

/// Whoever has not pressed a key for this long has seen that the chat closes: what is typed later is
/// not meant for it.
const REST: Duration = Duration::from_millis(700);
/// So much is taken before it is shown.
const AT_ONCE: usize = 200;
/// The pictures of a stream are at least this far apart: faster, nobody reads.
const APART: Duration = Duration::from_millis(16);

/// A chat that is open.
pub(crate) struct DrawnChat<'a> {
    session: Session<'a>,
    conversation: &'a mut Conversation,
    /// Lines to be printed with the next picture.
    lines: Vec<Line<'static>>,
    /// What came along with a key that ended a message.
    inputs: VecDeque<Input>,
    /// It is to be closed as soon as the person rests.
    closing: bool,
    /// What to leave behind, and whether the terminal is there to leave it at.
    leaving: bool,
    gone: bool,
}

impl Drawn {
    /// Opens a chat.
    pub(crate) fn chat<'a>(
        &'a mut self,
        tty: &'a File,
        wakes: &'a mut Wakes,
        conversation: &'a mut Conversation,
    ) -> io::Result<DrawnChat<'a>> {
        let in_background = !owns(tty);
        conversation.begin();
        let session = Session::new(self, tty, wakes)?;
        if in_background && let Some(signal) = session.wakes.end_after_stop() {
            session.wakes.put_back(Wake::Signal(signal));
        }
        Ok(DrawnChat {
            session,
            conversation,
            lines: vec![],
            inputs: VecDeque::new(),
            closing: false,
            leaving: false,
            gone: false,
        })
    }
}

impl DrawnChat<'_> {
    pub(crate) fn next(&mut self) -> io::Result<Said> {
        loop {
            while let Some(input) = self.inputs.pop_front() {
                if let Some(said) = self.take(input)? {
                    self.paint()?;
                    return Ok(said);
                }
            }
            self.paint()?;
            self.session.background.ask(self.session.screen.out())?;
            let wait = self.closing.then(|| self.until_rest());
            match self.session.wakes.next(wait) {
                Ok(wake) => {
                    if let Some(said) = self.woken(wake)? {
                        return Ok(said);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.closing && self.until_rest().is_zero() {
                        return Ok(Said::Closed);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
    }

    /// Takes a wake, and those that came along with it.
    fn woken(&mut self, wake: Wake) -> io::Result<Option<Said>> {
        let mut wake = wake;
        let start = Instant::now();
        for _ in 0..AT_ONCE {
            match wake {
                Wake::Arrival(arrival) => {
                    self.inputs.extend(self.session.arrived(arrival, true));
                    // Each key is shown before the next wake is looked at.
                    return Ok(None);
                }
                Wake::Chat(ChatOrder::Print(lines)) => {
                    let (palette, columns) = (*self.session.palette, self.session.columns);
                    let lines = lines.iter().flat_map(|line| lines_of(line, palette, columns));
                    self.lines.extend(lines);
                }
                Wake::Chat(ChatOrder::Close) => {
                    self.closing = true;
                    self.conversation.show(ChatOrder::Close);
                    return Ok(None);
                }
                Wake::Chat(order) => self.conversation.show(order),
                Wake::Signal(signal @ (SIGCONT | SIGTSTP)) => {
                    let stop = if signal == SIGTSTP { Stop::Alone } else { Stop::Not };
                    return self.suspend(stop);
                }
                Wake::Signal(signal) => return Ok(Some(self.signalled(signal))),
                Wake::InputLost(error) => return Err(error),
                // Neither lines nor asks are of interest to a chat that is drawn.
                Wake::Line(_) | Wake::Order(..) | Wake::Inbox(_) => {}
            }
            let Ok(next) = self.session.wakes.next(Some(APART.saturating_sub(start.elapsed())))
            else {
                break;
            };
            wake = next;
        }
        Ok(None)
    }

    fn take(&mut self, input: Input) -> io::Result<Option<Said>> {
        Ok(match self.conversation.update(input, Instant::now()) {
            None => None,
            Some(Effect::Send(words)) => Some(Said::Words(words)),
            Some(Effect::Interrupt) => Some(Said::Interrupt),
            Some(Effect::Leave) => {
                self.leaving = true;
                Some(Said::Leave)
            }
            Some(Effect::Suspend) => return self.suspend(Stop::WholeJob),
            Some(Effect::Redraw) => {
                self.session.screen.erase()?;
                None
            }
        })
    }

    fn suspend(&mut self, stop: Stop) -> io::Result<Option<Said>> {
        Ok(match self.session.suspend(stop)? {
            Some(Outcome::Signalled(signal)) => Some(self.signalled(signal)),
            Some(Outcome::Resolved(_) | Outcome::Closed(_) | Outcome::Interrupted) | None => None,
        })
    }

    fn signalled(&mut self, signal: i32) -> Said {
        self.leaving = true;
        self.gone = !owns(self.session.tty);
        Said::Signalled(signal)
    }

    /// How long until the fingers have rested.
    fn until_rest(&self) -> Duration {
        let since = self.session.last_key.map(|last| last.elapsed());
        since.map_or(Duration::ZERO, |since| REST.saturating_sub(since))
    }

    fn paint(&mut self) -> io::Result<()> {
        let Session { palette, columns, rows, screen, .. } = &mut self.session;
        let (buf, cursor) = draw(self.conversation, **palette, *columns, *rows);
        screen.paint_below(&std::mem::take(&mut self.lines), &buf, cursor)
    }

    /// Takes the picture away. What was typed comes back with the next chat; if there is none, it
    /// stays to be copied.
    fn leave(&mut self) -> io::Result<()> {
        self.session.await_background();
        self.session.screen.erase()?;
        if self.closing && !self.leaving {
            // The question stands apart from what was said.
            self.session.screen.out().write_all(b"\r\n")?;
        } else if !self.conversation.typed().trim().is_empty() {
            self.session.leave_text(&self.conversation.take_typed())?;
        }
        self.session.give_back();
        Ok(())
    }
}

impl Drop for DrawnChat<'_> {
    fn drop(&mut self) {
        if !self.gone {
            // If the terminal is gone, there is nothing to tidy up.
            let _ = self.leave();
        }
    }
}

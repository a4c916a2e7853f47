//! An inbox on a real terminal: keys in, pictures out.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use crossterm::event::Event;
use signal_hook::consts::signal::{SIGCONT, SIGTSTP};

use super::stopping::{Stop, owns};
use super::{Drawn, Session};
use crate::full::{Canvas, Full};
use crate::inbox::{Entry, EntryId, Inbox, InboxOrder, Moment, Need, Opened, Scene, Wanted, draw};
use crate::outcome::{Outcome, TerminalError};
use crate::prompt::Input;
use crate::signals::can_stop;
use crate::wakes::{Wake, Wakes};

/// So much is taken before it is shown.
const AT_ONCE: usize = 200;
/// Pictures of what happens elsewhere are at least this far apart: faster, nobody reads.
const APART: Duration = Duration::from_millis(16);

/// An inbox that is open at a desk. The terminal is given back when this is dropped.
pub struct InboxScreen<'a> {
    session: Session<'a, Full<BufWriter<File>>>,
    inbox: Inbox,
    start: Instant,
    clock: fn() -> i64,
    /// What keys answered when the last picture was drawn.
    scene: Option<Scene>,
    /// It is to stop, once the caller knows.
    stopping: Option<Stop>,
    gone: bool,
}

impl Drawn {
    pub(crate) fn inbox<'a>(
        &'a mut self,
        tty: &'a File,
        wakes: &'a mut Wakes,
        clock: fn() -> i64,
    ) -> io::Result<InboxScreen<'a>> {
        let in_background = !owns(tty);
        let session = Session::on(self, tty, wakes, |out, _| Full::new(out))?;
        if in_background && let Some(signal) = session.wakes.end_after_stop() {
            session.wakes.put_back(Wake::Signal(signal));
        }
        let inbox = Inbox::new(Moment { since: Duration::ZERO, clock: clock() });
        let start = Instant::now();
        Ok(InboxScreen { session, inbox, start, clock, scene: None, stopping: None, gone: false })
    }
}

impl InboxScreen<'_> {
    /// Waits for what the person wants next. After [`Wanted::Leave`], [`Wanted::Closed`] and
    /// [`Wanted::Signalled`] it should be dropped.
    ///
    /// # Errors
    ///
    /// When the terminal goes away.
    #[expect(clippy::should_implement_trait, reason = "there is always a next, or an error")]
    pub fn next(&mut self) -> Result<Wanted, TerminalError> {
        self.wait().map_err(TerminalError::Lost)
    }

    /// Opens an ask that was wanted.
    pub fn open(&mut self, id: EntryId, opened: Opened) {
        let now = self.now();
        self.inbox.open(id, opened, now);
    }

    /// Writes bytes to the terminal now: a bell, or a sequence that taps on a shoulder.
    ///
    /// # Errors
    ///
    /// When the terminal goes away.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), TerminalError> {
        let out = self.session.screen.out();
        out.write_all(bytes).and_then(|()| out.flush()).map_err(TerminalError::Lost)
    }

    /// What was typed for each ask and nobody was sent.
    #[must_use]
    pub fn unsent(&self) -> Vec<(Entry, Vec<String>)> {
        self.inbox.unsent()
    }

    fn now(&self) -> Moment {
        Moment { since: self.start.elapsed(), clock: (self.clock)() }
    }

    fn wait(&mut self) -> io::Result<Wanted> {
        if let Some(stop) = self.stopping.take() {
            if let Some(ended) = self.suspend(stop)? {
                return Ok(ended);
            }
            let now = self.now();
            self.inbox.resume(now);
        }
        loop {
            if let Some(wanted) = self.inbox.next_wanted() {
                return Ok(wanted);
            }
            self.paint()?;
            self.session.background.ask(self.session.screen.out())?;
            // A picture that is wide for the first time shows an ask.
            if let Some(wanted) = self.inbox.next_wanted() {
                return Ok(wanted);
            }
            let wait = self.inbox.next_tick().saturating_sub(self.start.elapsed());
            match self.session.wakes.next(Some(wait)) {
                Ok(wake) => {
                    if let Some(wanted) = self.woken(wake)? {
                        return Ok(wanted);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    let now = self.now();
                    self.inbox.update(Input::Tick, now);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
    }

    /// Takes a wake, and orders that came along with it.
    fn woken(&mut self, wake: Wake) -> io::Result<Option<Wanted>> {
        let mut wake = wake;
        let start = Instant::now();
        for _ in 0..AT_ONCE {
            match wake {
                Wake::Arrival(arrival) => return Ok(self.arrived(arrival)),
                Wake::Inbox(order) => self.take(order),
                Wake::Signal(SIGTSTP) => return Ok(self.pause(Stop::Alone)),
                Wake::Signal(SIGCONT) => return self.suspend(Stop::Not),
                Wake::Signal(signal) => return Ok(Some(self.signalled(signal))),
                Wake::InputLost(error) => return Err(error),
                // Neither lines, asks nor chats are of interest here.
                Wake::Line(_) | Wake::Order(..) | Wake::Chat(_) => {}
            }
            let left = APART.saturating_sub(start.elapsed());
            let Ok(next) = self.session.wakes.next(Some(left)) else { break };
            wake = next;
        }
        Ok(None)
    }

    fn take(&mut self, order: InboxOrder) {
        let now = self.now();
        self.inbox.take(order, now);
    }

    fn arrived(&mut self, arrival: crate::burst::Arrival) -> Option<Wanted> {
        match arrival.event {
            Event::FocusGained => self.inbox.focus(true),
            Event::FocusLost => self.inbox.focus(false),
            Event::Key(_) | Event::Paste(_) | Event::Resize(..) | Event::Mouse(_) => {}
        }
        if self.inbox.scene().is_some() && self.session.is_too_early(&arrival) {
            // Not meant for this question, but it may be part of the terminal's answer.
            self.session.sorted(arrival.event);
            return None;
        }
        // Keys count from when they were pressed, however busy the machine is.
        let since = arrival.at.saturating_duration_since(self.start);
        let inputs = self.session.arrived(arrival, self.inbox.is_writing());
        for input in inputs {
            let now = Moment { since, clock: (self.clock)() };
            match self.inbox.update(input, now) {
                Some(Need::Suspend) => return self.pause(Stop::WholeJob),
                Some(Need::Redraw) => self.session.screen.forget(),
                None => {}
            }
            // What came along with a key that led to another question was not meant for it.
            if leads_elsewhere(self.scene, self.inbox.scene()) {
                break;
            }
        }
        None
    }

    /// Whoever is stopped can say nothing any more: the caller comes first.
    fn pause(&mut self, stop: Stop) -> Option<Wanted> {
        if !can_stop() {
            return None;
        }
        self.stopping = Some(stop);
        Some(Wanted::Pause)
    }

    fn suspend(&mut self, stop: Stop) -> io::Result<Option<Wanted>> {
        Ok(match self.session.suspend(stop)? {
            Some(Outcome::Signalled(signal)) => Some(self.signalled(signal)),
            Some(Outcome::Resolved(_) | Outcome::Closed(_) | Outcome::Interrupted) | None => None,
        })
    }

    fn signalled(&mut self, signal: i32) -> Wanted {
        self.gone = !owns(self.session.tty);
        Wanted::Signalled(signal)
    }

    fn paint(&mut self) -> io::Result<()> {
        let size = (self.session.columns, self.session.rows);
        let picture = draw(&mut self.inbox, *self.session.palette, size);
        let scene = self.inbox.scene();
        if leads_elsewhere(self.scene, scene) {
            // Keys pressed before this picture were meant for the one before. It counts from before it is
            // written: whoever sees it may press a key before this process gets to look at the clock.
            self.session.page_shown = Instant::now();
        }
        self.scene = scene;
        self.session.screen.paint(picture)
    }
}

impl Drop for InboxScreen<'_> {
    fn drop(&mut self) {
        if !self.gone {
            self.session.await_background();
            // If the terminal is gone, there is nothing to tidy up.
            let _ = self.session.screen.erase();
            self.session.give_back();
        }
    }
}

/// Whether keys choose something else now than they did before.
fn leads_elsewhere(before: Option<Scene>, now: Option<Scene>) -> bool {
    let Some(now) = now else { return false };
    before.is_none_or(|before| {
        before.ask != now.ask || before.page != now.page || (now.choosing && !before.choosing)
    })
}

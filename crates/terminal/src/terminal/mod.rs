//! A prompt on a real terminal: keys in, pictures out.

mod chatting;
mod inboxing;
mod input;
mod leaving;
mod stopping;

use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::time::Instant;

use handraise_question::Resolution;
use handraise_question::wording::confirmation;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use rustix::termios::{QueueSelector, tcflush};
use signal_hook::consts::signal::{SIGCONT, SIGTSTP};

use crate::background::Background;
use crate::drafting::Drafting;
use crate::full::Canvas;
use crate::inline::Inline;
use crate::keys::{Keys, Reading};
use crate::outcome::Outcome;
use crate::palette::{Depth, Palette, Tone};
use crate::prompt::{Effect, Input, Prompt};
use crate::raw_mode::RawMode;
use crate::remote::Order;
use crate::signals::{self, Diverted};
use crate::view::Sheet;
use crate::wakes::{Wake, Wakes};
pub(crate) use chatting::DrawnChat;
pub use inboxing::InboxScreen;
use stopping::{Stop, owns};

/// What stays from one drawn prompt to the next.
pub(crate) struct Drawn {
    keys: Keys,
    palette: Palette,
    background: Background,
}

impl Drawn {
    pub(crate) fn new(depth: Depth, tone: Option<Tone>, wakes: Sender<Wake>) -> io::Result<Self> {
        Ok(Self {
            keys: Keys::start(wakes)?,
            palette: Palette { depth, tone: tone.unwrap_or(Tone::Dark) },
            background: Background::new(tone.is_none() && depth != Depth::None),
        })
    }

    /// Draws a prompt and waits for the end of it.
    pub(crate) fn ask(
        &mut self,
        tty: &File,
        wakes: &mut Wakes,
        drafting: Drafting<'_>,
        mut prompt: Prompt,
    ) -> io::Result<Outcome> {
        let in_background = !owns(tty);
        let mut session = Session::new(self, tty, wakes)?;
        if in_background && let Some(signal) = session.wakes.end_after_stop() {
            return Ok(Outcome::Signalled(signal));
        }
        session.run(&mut prompt, drafting)
    }
}

/// One prompt. What it has taken is given back in the order of its fields.
struct Session<'a, C = Inline<BufWriter<File>>> {
    keys: Option<Reading<'a>>,
    raw: Option<RawMode>,
    _signals: Diverted,
    screen: C,
    tty: &'a File,
    palette: &'a mut Palette,
    background: &'a mut Background,
    columns: u16,
    rows: u16,
    wakes: &'a mut Wakes,
    last_key: Option<Instant>,
    /// When the page now on the screen first went out. Earlier keys were meant for another.
    page_shown: Instant,
}

impl<'a> Session<'a> {
    fn new(drawn: &'a mut Drawn, tty: &'a File, wakes: &'a mut Wakes) -> io::Result<Self> {
        Self::on(drawn, tty, wakes, Inline::new)
    }
}

impl<'a, C: Canvas> Session<'a, C> {
    /// Takes the terminal, to paint on a `canvas`.
    fn on(
        drawn: &'a mut Drawn,
        tty: &'a File,
        wakes: &'a mut Wakes,
        canvas: impl FnOnce(BufWriter<File>, u16) -> C,
    ) -> io::Result<Self> {
        let Drawn { keys, palette, background } = drawn;
        let mut out = BufWriter::new(tty.try_clone()?);
        // In the background, this stops until the terminal is the prompt's to use.
        tcflush(tty, QueueSelector::IFlush)?;
        signals::listen()?;
        let signals = signals::divert(wakes.sender());
        let raw = RawMode::enter(&mut out)?;
        // Keys typed before the question was on the screen were not meant for it: what waits in
        // the terminal is dropped here, what arrives until the first picture goes out, later.
        tcflush(tty, QueueSelector::IFlush)?;
        let (columns, rows) = size();
        Ok(Self {
            keys: Some(keys.read()?),
            raw: Some(raw),
            _signals: signals,
            screen: canvas(out, columns),
            tty,
            palette,
            background,
            columns,
            rows,
            wakes,
            last_key: None,
            page_shown: Instant::now(),
        })
    }
}

impl Session<'_> {
    fn run(&mut self, prompt: &mut Prompt, mut drafting: Drafting<'_>) -> io::Result<Outcome> {
        if let Some(lines) = self.wakes.closed_already() {
            return self.closed(prompt, &lines);
        }
        let mut picture = self.draw(prompt);
        let start = Instant::now();
        self.page_shown = start;
        self.show(prompt, &picture)?;
        self.background.ask(self.screen.out())?;
        loop {
            drafting.note(|| prompt.unsent());
            let wait = prompt.next_tick().map(|tick| tick.saturating_sub(start.elapsed()));
            let mut inputs = vec![Input::Tick];
            let mut now = None;
            match self.wakes.next(wait) {
                Ok(Wake::Arrival(arrival)) if self.is_too_early(&arrival) => {
                    // Not meant for this page, but it may be part of the terminal's answer.
                    self.sorted(arrival.event);
                    continue;
                }
                Ok(Wake::Arrival(arrival)) => {
                    // Keys count from when they were pressed, however busy the machine is.
                    now = Some(arrival.at.saturating_duration_since(start));
                    inputs = self.arrived(arrival, prompt.is_writing());
                }
                // Lines are read at plain desks only, and the chat waits.
                Ok(Wake::Line(_) | Wake::Chat(_) | Wake::Inbox(_)) => continue,
                Ok(Wake::InputLost(error)) => return Err(error),
                Ok(Wake::Order(_, Order::Close(lines))) => return self.closed(prompt, &lines),
                Ok(Wake::Order(_, Order::WaitUntil(end))) => {
                    prompt.wait_until(end.map(|end| end.saturating_duration_since(start)));
                }
                Ok(Wake::Signal(signal @ (SIGCONT | SIGTSTP))) => {
                    let stop = if signal == SIGTSTP { Stop::Alone } else { Stop::Not };
                    if let Some(outcome) = self.suspend(stop)? {
                        return Ok(outcome);
                    }
                }
                Ok(Wake::Signal(signal)) => {
                    if owns(self.tty) {
                        self.close(&["✘ Stopped: nothing was sent".into()])?;
                    }
                    return Ok(Outcome::Signalled(signal));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            for input in inputs {
                let (page, choosing) = (prompt.page_number(), prompt.is_choosing());
                let effect = prompt.update(input, now.unwrap_or_else(|| start.elapsed()));
                if let Some(outcome) = self.perform(effect, prompt)? {
                    return Ok(outcome);
                }
                // Keys act only on what was drawn, so each is drawn before the next is taken, and
                // what came along with a key that led back to a list, or on to the next, was not
                // meant for it.
                picture = self.draw(prompt);
                if prompt.page_number() != page || (prompt.is_choosing() && !choosing) {
                    self.page_shown = Instant::now();
                    break;
                }
            }
            self.show(prompt, &picture)?;
        }
    }

    /// Puts a picture on the screen, and another one if the prompt changes by being seen.
    fn show(
        &mut self,
        prompt: &mut Prompt,
        picture: &(Buffer, Option<Position>),
    ) -> io::Result<()> {
        self.screen.paint(&picture.0, picture.1)?;
        if prompt.is_on_screen() {
            let (buf, cursor) = self.draw(prompt);
            self.screen.paint(&buf, cursor)?;
            prompt.is_on_screen();
        }
        Ok(())
    }

    fn perform(
        &mut self,
        effect: Option<Effect>,
        prompt: &mut Prompt,
    ) -> io::Result<Option<Outcome>> {
        match effect {
            // Alone, a prompt has nothing to go back to.
            None | Some(Effect::Back) => {}
            Some(Effect::Resolve(resolution)) => {
                if let Resolution::Answered(_) = resolution {
                    self.flash(prompt)?;
                }
                self.close(&confirmation::lines(prompt.ask(), &resolution))?;
                return Ok(Some(Outcome::Resolved(resolution)));
            }
            Some(Effect::Interrupt) => {
                self.close(&["✘ Interrupted: nothing was sent".into()])?;
                return Ok(Some(Outcome::Interrupted));
            }
            Some(Effect::Suspend) => return self.suspend(Stop::WholeJob),
            Some(Effect::Redraw) => self.screen.erase()?,
        }
        Ok(None)
    }

    fn draw(&mut self, prompt: &mut Prompt) -> (Buffer, Option<Position>) {
        let sheet = Sheet::new(prompt, *self.palette, self.columns, self.rows);
        let area = Rect::new(0, 0, self.columns, sheet.height().min(self.rows));
        let mut buf = Buffer::empty(area);
        let drawn = sheet.draw(area, &mut buf);
        prompt.drawn(drawn.rows_seen, drawn.scroll, drawn.lines);
        (buf, drawn.cursor)
    }
}

fn size() -> (u16, u16) {
    match crossterm::terminal::size() {
        Ok((columns, rows)) if columns > 0 && rows > 0 => (columns, rows),
        _ => (80, 24),
    }
}

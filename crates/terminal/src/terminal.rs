//! The prompt on a real terminal: keys in, pictures out.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use handraise_question::wording::confirmation;
use handraise_question::{Ask, Resolution};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use rustix::process::{Signal, getpgrp, getsid, kill_process_group};
use rustix::termios::{QueueSelector, tcflush, tcgetpgrp};
use signal_hook::consts::signal::{SIGCONT, SIGTSTP};
use signal_hook::low_level::emulate_default_handler;

use crate::background::{self, Sorted};
use crate::burst::{self, Arrival};
use crate::clean::wrap;
use crate::inline::Inline;
use crate::palette::{Depth, Palette, Role, Tone};
use crate::prompt::{Effect, Input, Prompt};
use crate::raw_mode::{RawMode, tty};
use crate::view::Sheet;
use crate::wakes::{Wake, Wakes};

/// How the prompt looks and how long it waits.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How many colours to use.
    pub depth: Depth,
    /// The background, if it is known; the terminal is asked otherwise.
    pub tone: Option<Tone>,
    /// How long to wait for an answer; for ever when absent.
    pub wait: Option<Duration>,
}

/// How the prompt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The ask has its resolution.
    Resolved(Resolution),
    /// Ctrl-C.
    Interrupted,
    /// This signal asked the process to end. The terminal is restored; the rest is the caller's.
    Signalled(i32),
}

/// Why a question could not be put on the terminal.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// The process has no terminal.
    #[error("there is no terminal to ask on")]
    None(#[source] io::Error),
    /// The terminal failed or went away.
    #[error("the terminal went away before the question was answered")]
    Lost(#[source] io::Error),
}

/// Once confirmed, the frame turns green for a moment before it gives way.
const FLASH: Duration = Duration::from_millis(100);
/// An answer about the background that is later than this is no longer waited for.
const ANSWER_TIME: Duration = Duration::from_millis(300);
/// Over a slow line an answer takes this long at most; its two halves come this close together.
const EXPECTED: Duration = Duration::from_secs(3);
const SPLIT: Duration = Duration::from_millis(60);

/// What is to be stopped.
#[derive(Clone, Copy)]
enum Stop {
    /// Nothing: it was stopped from outside and runs again.
    Not,
    /// This process, by a signal it was sent.
    Alone,
    /// Everything in this job, as the terminal does on Ctrl-Z.
    WholeJob,
}

/// Puts an ask to the person at this terminal and waits for the end of it.
///
/// # Errors
///
/// When there is no terminal, or it goes away.
pub fn ask(ask: Ask, settings: &Settings) -> Result<Outcome, TerminalError> {
    let tty = tty().map_err(TerminalError::None)?;
    let mut session = Session::new(tty, settings).map_err(TerminalError::Lost)?;
    let mut prompt = Prompt::new(ask, settings.wait);
    session.run(&mut prompt).map_err(TerminalError::Lost)
}

struct Session {
    screen: Inline<BufWriter<File>>,
    tty: File,
    raw: Option<RawMode>,
    palette: Palette,
    background: Background,
    columns: u16,
    rows: u16,
    wakes: Wakes,
    last_key: Option<Instant>,
    /// When the page now on the screen first went out. Earlier keys were meant for another.
    page_shown: Instant,
}

struct Background {
    wanted: bool,
    asked: Option<Instant>,
    answer: background::Answer,
}

impl Session {
    fn new(tty: File, settings: &Settings) -> io::Result<Self> {
        let mut out = BufWriter::new(tty.try_clone()?);
        let raw = RawMode::enter(&mut out)?;
        let (columns, rows) = size();
        Ok(Self {
            screen: Inline::new(out, columns),
            tty,
            raw: Some(raw),
            palette: Palette { depth: settings.depth, tone: settings.tone.unwrap_or(Tone::Dark) },
            background: Background {
                wanted: settings.tone.is_none() && settings.depth != Depth::None,
                asked: None,
                answer: background::Answer::default(),
            },
            columns,
            rows,
            wakes: Wakes::new(),
            last_key: None,
            page_shown: Instant::now(),
        })
    }

    fn run(&mut self, prompt: &mut Prompt) -> io::Result<Outcome> {
        // Keys typed before the question was on the screen were not meant for it: what waits in
        // the terminal is dropped here, what arrives until the first picture goes out, later.
        tcflush(&self.tty, QueueSelector::IFlush)?;
        self.wakes.listen()?;
        let mut picture = self.draw(prompt);
        let start = Instant::now();
        self.page_shown = start;
        self.screen.paint(&picture.0, picture.1)?;
        self.ask_background()?;
        loop {
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
                Ok(Wake::InputLost(error)) => return Err(error),
                Ok(Wake::Signal(signal @ (SIGCONT | SIGTSTP))) => {
                    let stop = if signal == SIGTSTP { Stop::Alone } else { Stop::Not };
                    if let Some(outcome) = self.suspend(stop)? {
                        return Ok(outcome);
                    }
                }
                Ok(Wake::Signal(signal)) => {
                    if self.owns_terminal() {
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
            self.screen.paint(&picture.0, picture.1)?;
        }
    }

    fn is_too_early(&self, arrival: &Arrival) -> bool {
        arrival.at < self.page_shown && matches!(arrival.event, Event::Key(_) | Event::Paste(_))
    }

    fn perform(
        &mut self,
        effect: Option<Effect>,
        prompt: &mut Prompt,
    ) -> io::Result<Option<Outcome>> {
        match effect {
            None => {}
            Some(Effect::Resolve(resolution)) => {
                match resolution {
                    Resolution::Answered(_) => self.flash(prompt)?,
                    // Half-typed words must not end up in the shell.
                    Resolution::NoAnswer { .. } => tcflush(&self.tty, QueueSelector::IFlush)?,
                    Resolution::Declined { .. }
                    | Resolution::Discuss { .. }
                    | Resolution::Withdrawn { .. } => {}
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
        let sheet = Sheet::new(prompt, self.palette, self.columns, self.rows);
        let area = Rect::new(0, 0, self.columns, sheet.height().min(self.rows));
        let mut buf = Buffer::empty(area);
        let drawn = sheet.draw(area, &mut buf);
        prompt.drawn(drawn.rows_seen, drawn.scroll);
        (buf, drawn.cursor)
    }

    fn flash(&mut self, prompt: &mut Prompt) -> io::Result<()> {
        prompt.flash_until = Some(Duration::MAX);
        let (buf, _) = self.draw(prompt);
        self.screen.paint(&buf, None)?;
        thread::sleep(FLASH);
        Ok(())
    }

    /// Takes the prompt away and leaves `lines` in its place.
    fn close(&mut self, lines: &[String]) -> io::Result<()> {
        self.await_background();
        self.screen.erase()?;
        let width = usize::from(self.columns.max(2) - 1);
        let mut drawn = vec![];
        for line in lines {
            let role = if line.starts_with('✔') { Role::Success } else { Role::Muted };
            let style = self.palette.style(role);
            drawn.extend(wrap(line, width).into_iter().map(|part| Line::styled(part, style)));
        }
        let height = u16::try_from(drawn.len()).unwrap_or(u16::MAX);
        let mut buf = Buffer::empty(Rect::new(0, 0, self.columns, height));
        for (y, line) in (0..height).zip(&drawn) {
            buf.set_line(0, y, line, self.columns);
        }
        self.screen.print(&buf)?;
        self.raw = None;
        Ok(())
    }

    fn arrived(&mut self, arrival: Arrival, writing: bool) -> Vec<Input> {
        let may_be_pasted = match writing {
            _ if self.background.answer.is_arriving() => false,
            true => burst::may_be_pasted(self.last_key, &arrival),
            false => burst::may_be_text(&arrival),
        };
        self.last_key = Some(arrival.at);
        let mut events = vec![self.unsplit(arrival.event)];
        if may_be_pasted {
            while let Some(next) = self.wakes.next_arrival(burst::PATIENCE) {
                self.last_key = Some(next.at);
                events.push(next.event);
            }
            events = if writing { burst::join(events) } else { burst::join_text(events) };
        }
        events.into_iter().filter_map(|event| self.sorted(event)).collect()
    }

    /// The terminal's answer about its background may arrive in two pieces, the first of which
    /// reads as Esc: while it is still expected, Esc waits a moment for what follows.
    fn unsplit(&mut self, event: Event) -> Event {
        let esc = matches!(event, Event::Key(KeyEvent { code: KeyCode::Esc, .. }));
        let expected = self.background.asked.is_some_and(|asked| asked.elapsed() < EXPECTED);
        if !esc || !expected || self.background.answer.is_here() {
            return event;
        }
        match self.wakes.next_arrival(SPLIT) {
            Some(Arrival { event: Event::Key(key), .. }) if key.code == KeyCode::Char(']') => {
                Event::Key(KeyEvent::new(KeyCode::Char(']'), KeyModifiers::ALT))
            }
            Some(other) => {
                self.wakes.put_back(other);
                event
            }
            None => event,
        }
    }

    fn sorted(&mut self, event: Event) -> Option<Input> {
        let event = match self.background.answer.sort(event) {
            Sorted::Input(event) => event,
            Sorted::Swallowed => return None,
            Sorted::Background(tone) => {
                self.palette.tone = tone;
                return Some(Input::Tick);
            }
        };
        match event {
            Event::Key(key) => Some(Input::Key(key)),
            Event::Paste(text) => Some(Input::Paste(text)),
            Event::Resize(..) => {
                let (columns, rows) = size();
                self.screen.resize(columns);
                (self.columns, self.rows) = (columns, rows);
                Some(Input::Tick)
            }
            Event::FocusGained | Event::FocusLost | Event::Mouse(_) => None,
        }
    }

    fn ask_background(&mut self) -> io::Result<()> {
        if self.background.wanted {
            self.screen.out().write_all(background::QUERY)?;
            self.screen.out().flush()?;
            self.background.asked = Some(Instant::now());
        }
        Ok(())
    }

    /// Waits a moment for an answer still under way, so that it does not end up in the shell.
    fn await_background(&mut self) {
        let Some(asked) = self.background.asked else { return };
        while !self.background.answer.is_here() {
            let left = ANSWER_TIME.saturating_sub(asked.elapsed());
            match self.wakes.next(Some(left)) {
                Ok(Wake::Arrival(arrival)) => {
                    let event = self.unsplit(arrival.event);
                    self.background.answer.sort(event);
                }
                Ok(Wake::Signal(_)) => {}
                Ok(Wake::InputLost(_)) | Err(_) => return,
            }
        }
    }

    /// Stops like any other job, with the screen tidied up, and comes back, unless it is woken
    /// only to be ended.
    fn suspend(&mut self, stop: Stop) -> io::Result<Option<Outcome>> {
        if getpgrp() == getsid(None)? && !matches!(stop, Stop::Not) {
            // No shell with job control started this: nobody would wake it up again.
            return Ok(None);
        }
        if !matches!(stop, Stop::Not) {
            self.screen.erase()?;
            self.raw = None;
            if let Stop::WholeJob = stop {
                // Reaches this process as well, as a wake that is passed over below.
                kill_process_group(getpgrp(), Signal::TSTP)?;
            }
            emulate_default_handler(SIGTSTP)?;
        }
        loop {
            if let Some(signal) = self.wakes.end_after_stop() {
                return Ok(Some(Outcome::Signalled(signal)));
            }
            if self.owns_terminal() {
                self.resume()?;
                return Ok(None);
            }
            // Woken in the background: the terminal is somebody else's, so it stops again.
            emulate_default_handler(SIGTSTP)?;
        }
    }

    fn owns_terminal(&self) -> bool {
        tcgetpgrp(&self.tty).is_ok_and(|owner| owner == getpgrp())
    }

    fn resume(&mut self) -> io::Result<()> {
        self.raw = None;
        self.raw = Some(RawMode::enter(self.screen.out())?);
        // What was typed until now was typed to the shell.
        tcflush(&self.tty, QueueSelector::IFlush)?;
        self.page_shown = Instant::now();
        self.screen.forget();
        (self.columns, self.rows) = size();
        self.screen.resize(self.columns);
        Ok(())
    }
}

/// Ends the process the way `signal` does, so that its parent sees the true cause.
pub fn end_by(signal: i32) -> ! {
    // It returns only for signals that do not end a process.
    let _ = emulate_default_handler(signal);
    std::process::exit(128 + signal)
}

fn size() -> (u16, u16) {
    match crossterm::terminal::size() {
        Ok((columns, rows)) if columns > 0 && rows > 0 => (columns, rows),
        _ => (80, 24),
    }
}

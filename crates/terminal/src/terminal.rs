//! The prompt on a real terminal: keys in, pictures out.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::Event;
use handraise_question::wording::confirmation;
use handraise_question::{Ask, Resolution};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use rustix::process::{Signal, getpgrp, kill_process_group};
use rustix::termios::{QueueSelector, tcflush};
use signal_hook::consts::signal::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::background::{self, Sorted};
use crate::burst::{self, Arrival};
use crate::clean::wrap;
use crate::inline::Inline;
use crate::palette::{Depth, Palette, Role, Tone};
use crate::prompt::{Effect, Input, Prompt};
use crate::raw_mode::{RawMode, tty};
use crate::view::Sheet;

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

enum Wake {
    Arrival(Arrival),
    InputLost(io::Error),
    Signal(i32),
}

struct Session {
    screen: Inline<BufWriter<File>>,
    tty: File,
    raw: Option<RawMode>,
    palette: Palette,
    background: Background,
    columns: u16,
    rows: u16,
    wakes: Receiver<Wake>,
    sender: Sender<Wake>,
    last_key: Option<Instant>,
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
        let (sender, wakes) = mpsc::channel();
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
            wakes,
            sender,
            last_key: None,
        })
    }

    fn run(&mut self, prompt: &mut Prompt) -> io::Result<Outcome> {
        // Keys typed before the question was on the screen were not meant for it: what waits in
        // the terminal is dropped here, what arrives until the first picture goes out, later.
        tcflush(&self.tty, QueueSelector::IFlush)?;
        self.listen()?;
        let (buf, cursor) = self.draw(prompt);
        let start = Instant::now();
        self.screen.paint(&buf, cursor)?;
        self.ask_background()?;
        loop {
            let wake = match prompt.next_tick() {
                None => self.wakes.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(tick) => self.wakes.recv_timeout(tick.saturating_sub(start.elapsed())),
            };
            let mut inputs = vec![Input::Tick];
            match wake {
                Ok(Wake::Arrival(arrival)) if arrival.at < start => continue,
                Ok(Wake::Arrival(arrival)) => inputs = self.arrived(arrival, prompt.is_writing()),
                Ok(Wake::InputLost(error)) => return Err(error),
                Ok(Wake::Signal(SIGCONT)) => self.resume()?,
                Ok(Wake::Signal(signal)) => {
                    self.close(&["✘ Stopped: nothing was sent".into()])?;
                    return Ok(Outcome::Signalled(signal));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            for input in inputs {
                let effect = prompt.update(input, start.elapsed());
                if let Some(outcome) = self.perform(effect, prompt)? {
                    return Ok(outcome);
                }
                // Keys act only on what was drawn, so each is drawn before the next is taken.
                self.draw(prompt);
            }
            let (buf, cursor) = self.draw(prompt);
            self.screen.paint(&buf, cursor)?;
        }
    }

    fn perform(
        &mut self,
        effect: Option<Effect>,
        prompt: &mut Prompt,
    ) -> io::Result<Option<Outcome>> {
        match effect {
            None => {}
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
            Some(Effect::Suspend) => self.suspend()?,
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
        let pasting = writing && burst::may_be_pasted(self.last_key, &arrival);
        self.last_key = Some(arrival.at);
        let mut events = vec![arrival.event];
        if pasting {
            while let Ok(Wake::Arrival(next)) = self.wakes.recv_timeout(burst::PATIENCE) {
                self.last_key = Some(next.at);
                events.push(next.event);
            }
            events = burst::join(events);
        }
        events.into_iter().filter_map(|event| self.sorted(event)).collect()
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

    /// Starts the threads that turn keys and signals into wakes. They end with the process.
    fn listen(&mut self) -> io::Result<()> {
        let keys = self.sender.clone();
        thread::Builder::new().name("keys".into()).spawn(move || {
            loop {
                let arrival = crossterm::event::read().and_then(|event| {
                    let at = Instant::now();
                    let more = crossterm::event::poll(Duration::ZERO)?;
                    Ok(Arrival { event, at, more })
                });
                let wake = arrival.map_or_else(Wake::InputLost, Wake::Arrival);
                let lost = matches!(wake, Wake::InputLost(_));
                if keys.send(wake).is_err() || lost {
                    return;
                }
            }
        })?;
        let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGCONT])?;
        let sender = self.sender.clone();
        thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                if sender.send(Wake::Signal(signal)).is_err() {
                    return;
                }
            }
        })?;
        Ok(())
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
        let Some(asked) = self.background.asked.take() else { return };
        while !self.background.answer.is_here() {
            let left = ANSWER_TIME.saturating_sub(asked.elapsed());
            match self.wakes.recv_timeout(left) {
                Ok(Wake::Arrival(arrival)) => drop(self.background.answer.sort(arrival.event)),
                Ok(Wake::Signal(_)) => {}
                Ok(Wake::InputLost(_)) | Err(_) => return,
            }
        }
    }

    /// Stops like any other job, with the screen tidied up, and comes back.
    fn suspend(&mut self) -> io::Result<()> {
        self.screen.erase()?;
        self.raw = None;
        kill_process_group(getpgrp(), Signal::TSTP)?;
        // The stop may take effect a little later, on any thread; wait for the signal that ends
        // it. Where nothing can stop the process there is none, and it goes on after a moment.
        while let Ok(wake) = self.wakes.recv_timeout(Duration::from_millis(200)) {
            if let Wake::Signal(SIGCONT) = wake {
                break;
            }
        }
        self.resume()
    }

    fn resume(&mut self) -> io::Result<()> {
        self.raw = None;
        self.raw = Some(RawMode::enter(self.screen.out())?);
        self.screen.forget();
        (self.columns, self.rows) = size();
        self.screen.resize(self.columns);
        Ok(())
    }
}

/// Ends the process the way `signal` does, so that its parent sees the true cause.
pub fn end_by(signal: i32) -> ! {
    // It returns only for signals that do not end a process.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    std::process::exit(128 + signal)
}

fn size() -> (u16, u16) {
    match crossterm::terminal::size() {
        Ok((columns, rows)) if columns > 0 && rows > 0 => (columns, rows),
        _ => (80, 24),
    }
}

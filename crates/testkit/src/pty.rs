//! A program in a pseudo-terminal, seen through a terminal emulator.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::fmt;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

use crate::PATIENCE;

/// A key as a terminal sends it.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "keys are their names")]
pub enum Key<'a> {
    Up,
    Down,
    Right,
    Left,
    Home,
    End,
    PageDown,
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    AltEnter,
    Ctrl(char),
    /// Typed character by character.
    Text(&'a str),
    /// Pasted, and marked as a paste.
    Paste(&'a str),
}

impl Key<'_> {
    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Up => b"\x1b[A".into(),
            Self::Down => b"\x1b[B".into(),
            Self::Right => b"\x1b[C".into(),
            Self::Left => b"\x1b[D".into(),
            Self::Home => b"\x1b[H".into(),
            Self::End => b"\x1b[F".into(),
            Self::PageDown => b"\x1b[6~".into(),
            Self::Enter => b"\r".into(),
            Self::Esc => b"\x1b".into(),
            Self::Tab => b"\t".into(),
            Self::BackTab => b"\x1b[Z".into(),
            Self::Backspace => b"\x7f".into(),
            Self::AltEnter => b"\x1b\r".into(),
            Self::Ctrl(letter) => vec![letter as u8 & 0x1f],
            Self::Text(text) => text.into(),
            // Terminals send a pasted line end as carriage return.
            Self::Paste(text) => {
                format!("\x1b[200~{}\x1b[201~", text.replace('\n', "\r")).into_bytes()
            }
        }
    }
}

/// What is on the screen.
#[derive(Clone)]
pub struct Screen(vt100::Screen);

impl Screen {
    /// The lines, without trailing blanks.
    #[must_use]
    pub fn text(&self) -> String {
        let text = self.0.contents();
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    /// Whether `text` is on the screen.
    #[must_use]
    pub fn has(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// The emulator's own view, for colours, modes and the cursor.
    #[must_use]
    pub fn inner(&self) -> &vt100::Screen {
        &self.0
    }
}

impl fmt::Display for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

struct State {
    parser: vt100::Parser,
    raw: Vec<u8>,
    closed: bool,
}

type Shared = Arc<(Mutex<State>, Condvar)>;

/// A running program and its terminal. It is killed when this is dropped.
pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    shared: Shared,
}

impl Pty {
    /// Starts `program` on a terminal of `columns` × `rows`, with a clean environment plus `env`.
    #[must_use]
    pub fn spawn(
        program: &[&str],
        directory: &Path,
        env: &[(&str, &str)],
        (columns, rows): (u16, u16),
    ) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(program[0]);
        command.args(&program[1..]);
        command.cwd(directory);
        command.env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("HOME", directory);
        command.env("LANG", "C.UTF-8");
        command.env("TERM", "xterm-256color");
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);

        let parser = vt100::Parser::new(at_least_one(rows), at_least_one(columns), 1000);
        let state = State { parser, raw: vec![], closed: false };
        let shared = Arc::new((Mutex::new(state), Condvar::new()));
        let mut reader = pair.master.try_clone_reader().expect("the terminal can be read");
        let writer = pair.master.take_writer().expect("the terminal can be written to");
        let sink = Arc::clone(&shared);
        thread::spawn(move || {
            let mut buf = [0; 4096];
            loop {
                let read = reader.read(&mut buf).unwrap_or(0);
                let (state, changed) = &*sink;
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                state.parser.process(&buf[..read]);
                state.raw.extend_from_slice(&buf[..read]);
                state.closed = read == 0;
                changed.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        Self { master: pair.master, writer, child, shared }
    }

    /// Presses keys, one after the other.
    pub fn press(&mut self, keys: &[Key<'_>]) {
        for key in keys {
            self.send(&key.bytes());
        }
    }

    /// Writes raw bytes to the program.
    pub fn send(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).expect("the program takes input");
        self.writer.flush().expect("the program takes input");
    }

    /// What is on the screen now.
    #[must_use]
    pub fn screen(&self) -> Screen {
        Screen(self.lock().parser.screen().clone())
    }

    /// Every byte the program has written.
    #[must_use]
    pub fn raw(&self) -> Vec<u8> {
        self.lock().raw.clone()
    }

    /// Waits until `text` is on the screen.
    #[expect(clippy::must_use_candidate, reason = "waiting is the point; the screen is a courtesy")]
    pub fn wait_for(&self, text: &str) -> Screen {
        self.wait_until(&format!("{text:?} on the screen"), |screen| screen.has(text))
    }

    /// Waits until the screen is as described.
    pub fn wait_until(&self, what: &str, mut holds: impl FnMut(&Screen) -> bool) -> Screen {
        let (_, changed) = &*self.shared;
        let start = Instant::now();
        let mut state = self.lock();
        loop {
            let screen = Screen(state.parser.screen().clone());
            if holds(&screen) {
                return screen;
            }
            let left = PATIENCE.saturating_sub(start.elapsed());
            assert!(
                !left.is_zero() && !state.closed,
                "no {what} ({}); the screen:\n{screen}",
                if state.closed { "the program has ended" } else { "waited long enough" }
            );
            state = changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Changes the size of the terminal.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.lock().parser.screen_mut().set_size(at_least_one(rows), at_least_one(columns));
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.master.resize(size).expect("the terminal can be resized");
    }

    /// The program's process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.process_id().expect("the program has a process id")
    }

    /// Waits for the program to end, and for the last of its output.
    pub fn wait_exit(&mut self) -> ExitStatus {
        let start = Instant::now();
        let (_, changed) = &*self.shared;
        let mut state = self.lock();
        while !state.closed {
            let left = PATIENCE.saturating_sub(start.elapsed());
            assert!(
                !left.is_zero(),
                "the program has not ended; the screen:\n{}",
                state.parser.screen().contents()
            );
            state = changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        self.child.wait().expect("the program can be waited for")
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn at_least_one(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).unwrap_or(NonZero::<u16>::MIN)
}

impl Drop for Pty {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

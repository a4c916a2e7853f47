//! A program in real tmux, on a server of its own.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::PATIENCE;

/// One tmux server with one window. It is killed when this is dropped.
#[derive(Debug)]
pub struct Tmux {
    socket: TempDir,
}

impl Tmux {
    /// Starts a shell in a window of `columns` × `rows`.
    #[must_use]
    pub fn start(directory: &Path, (columns, rows): (u16, u16)) -> Self {
        let socket = tempfile::tempdir().expect("a place for the socket");
        let tmux = Self { socket };
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let directory = directory.display().to_string();
        tmux.run(&[
            "new-session",
            "-d",
            "-x",
            &columns,
            "-y",
            &rows,
            "-c",
            &directory,
            "-e",
            "PS1=ready$ ",
            "-e",
            "COLORTERM=truecolor",
            "bash",
            "--norc",
            "--noprofile",
            "-i",
        ]);
        // A lone Escape is passed on at once, and the status line takes no row.
        tmux.run(&["set", "-g", "escape-time", "0"]);
        tmux.run(&["set", "-g", "status", "off"]);
        tmux.wait_for("ready$");
        tmux
    }

    /// Types a command line and presses Enter.
    pub fn type_line(&self, line: &str) {
        self.type_text(line);
        self.press(&["Enter"]);
    }

    /// Types text without pressing Enter.
    pub fn type_text(&self, text: &str) {
        // A semicolon at the end would end tmux's own command, and vanish.
        let text = match text.strip_suffix(';') {
            Some(before) => format!("{before}\\;"),
            None => text.to_owned(),
        };
        self.run(&["send-keys", "-l", &text]);
    }

    /// Opens another window that runs a shell command in `directory`, and goes there.
    pub fn new_window(&self, directory: &Path, command: &str) {
        self.run(&["new-window", "-c", &directory.display().to_string(), command]);
    }

    /// Presses keys by tmux's names for them.
    pub fn press(&self, keys: &[&str]) {
        for key in keys {
            self.run(&["send-keys", key]);
        }
    }

    /// Pastes text, as a bracketed paste if the program asked for those and `marked` is set.
    pub fn paste(&self, text: &str, marked: bool) {
        let file = self.socket.path().join("paste");
        std::fs::write(&file, text).expect("the text can be written");
        self.run(&["load-buffer", &file.display().to_string()]);
        self.run(if marked { &["paste-buffer", "-p"] } else { &["paste-buffer"] });
    }

    /// Changes the size of the window.
    pub fn resize(&self, columns: u16, rows: u16) {
        self.run(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// Goes into copy mode, as somebody does who scrolls, or leaves it.
    pub fn copy_mode(&self, on: bool) {
        self.run(if on { &["copy-mode"] } else { &["send-keys", "-X", "cancel"] });
    }

    /// Has all panes of the window share their keys, or not.
    pub fn synchronize(&self, on: bool) {
        self.run(&["set-option", "-w", "synchronize-panes", if on { "on" } else { "off" }]);
    }

    /// Somebody at a terminal of their own, of the same size, who looks at this window.
    #[must_use]
    pub fn attach(&self) -> Self {
        let size = self.ask("#{window_width} #{window_height}");
        let (columns, rows) = size.split_once(' ').expect("a window has a size");
        let size = (columns.parse().expect("a number"), rows.parse().expect("a number"));
        let person = Self::start(self.socket.path(), size);
        let socket = self.socket.path().join("socket");
        person.type_line(&format!("env -u TMUX tmux -S {} attach", socket.display()));
        let screen = self.screen();
        person.wait_until("view of the window", |seen| seen == screen);
        person
    }

    /// What is on the screen.
    #[must_use]
    pub fn screen(&self) -> String {
        let output = self.run(&["capture-pane", "-p"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    /// What is on the screen and what has left it at the top, with lines as they were written.
    #[must_use]
    pub fn history(&self) -> String {
        let output = self.run(&["capture-pane", "-p", "-J", "-S", "-"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    /// Asks tmux for a value, such as `#{pane_title}`.
    #[must_use]
    pub fn ask(&self, format: &str) -> String {
        let output = self.run(&["display-message", "-p", format]);
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Waits until `text` is on the screen.
    #[expect(clippy::must_use_candidate, reason = "waiting is the point; the screen is a courtesy")]
    pub fn wait_for(&self, text: &str) -> String {
        self.wait_until(&format!("{text:?}"), |screen| screen.contains(text))
    }

    /// Waits until the screen is as described. tmux tells nobody when it changes, so it is asked.
    pub fn wait_until(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        self.wait_patiently(what, PATIENCE, holds)
    }

    /// The same, for what takes longer than other things do.
    pub(crate) fn wait_patiently(
        &self,
        what: &str,
        patience: Duration,
        holds: impl Fn(&str) -> bool,
    ) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if holds(&screen) {
                return screen;
            }
            assert!(start.elapsed() < patience, "no {what}; the screen:\n{screen}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Gives tmux a command.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        let output = self.command(args).output().expect("tmux is installed");
        assert!(
            output.status.success(),
            "tmux {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm-256color")
            .env("HOME", self.socket.path())
            .arg("-S")
            .arg(self.socket.path().join("socket"))
            .args(["-f", "/dev/null"])
            .args(args)
            .stdin(Stdio::null());
        command
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // If the server is gone already, all the better.
        let _ = self.command(&["kill-server"]).output();
    }
}

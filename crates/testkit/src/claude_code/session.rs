//! A session of Claude Code in a terminal.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::leftovers::{end_all_with, runs};
use super::screen::{asks, composer, dense, shows};
use crate::{Chance, PATIENCE, Tmux};

/// Claude Code drops the keys that come within some 150 ms after a dialog has appeared, to guard
/// against answers meant for something else, and nothing on the screen tells when it begins to listen.
const GUARD: Duration = Duration::from_millis(700);

/// Claude Code in a terminal. When this is dropped it is killed, with everything it has started.
#[derive(Debug)]
pub struct ClaudeSession {
    tmux: Tmux,
    pid: Pid,
    /// In the environment of the session and of all that comes of it, and nowhere else.
    mark: String,
}

impl ClaudeSession {
    pub(super) fn start(
        program: &Path,
        environment: &[(String, String)],
        project: &Path,
        args: &[&str],
        size: (u16, u16),
    ) -> Self {
        let tmux = Tmux::start(project, size);
        // What it said last can still be read when it has ended.
        tmux.run(&["set", "-g", "remain-on-exit", "on"]);
        let mark = mark();
        let variables = environment.iter().map(|(name, value)| format!("{name}={value}"));
        let (project, program) = (project.display().to_string(), program.display().to_string());
        // Whatever runs in a pane is told where.
        let place = tmux.ask("TMUX=#{socket_path},#{pid},0");
        let mut line: Vec<_> =
            ["new-window", "-c", &project, "env", "-i", "TERM=tmux-256color", &mark, &place]
                .map(str::to_owned)
                .into();
        line.extend(variables);
        line.push(program);
        line.extend(args.iter().map(ToString::to_string));
        // Several words are run without a shell, so the process of the pane is the session itself.
        tmux.run(&line.iter().map(String::as_str).collect::<Vec<_>>());
        let pid = tmux.ask("#{pane_pid}").parse().ok().and_then(Pid::from_raw);
        let session = Self { tmux, pid: pid.expect("the pane has a process"), mark };
        session.wait_until("composer", |screen| composer(screen).is_some());
        session
    }

    /// Types a command at a shell, as people do, and waits until it takes a prompt.
    #[must_use]
    pub fn typed_at(tmux: Tmux, command: &str) -> Self {
        // What is typed from here on has the mark, and the shell itself has not.
        let mark = mark();
        tmux.type_line(&format!("export {mark}; clear"));
        tmux.wait_until("clear screen", |screen| !screen.contains("export"));
        tmux.type_line(command);
        tmux.wait_until("composer", |screen| composer(screen).is_some());
        let shell = tmux.ask("#{pane_pid}");
        let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children"));
        let pid = children.ok().and_then(|child| child.trim().parse().ok()).and_then(Pid::from_raw);
        Self { tmux, pid: pid.expect("the shell runs one program"), mark }
    }

    /// Types a prompt, waits until it stands in the composer, and sends it.
    pub fn prompt(&self, text: &str) {
        let typed = dense(text);
        self.tmux.type_text(text);
        self.wait_until("prompt in the composer", |screen| {
            composer(screen).is_some_and(|inside| inside.ends_with(&typed))
        });
        self.press("Enter");
        self.wait_until("prompt sent", |screen| composer(screen).is_none_or(|text| text != typed));
    }

    /// Waits until the dialog with the question `text` is open and takes keys.
    #[expect(clippy::must_use_candidate, reason = "waiting is the point; the screen is a courtesy")]
    pub fn wait_dialog(&self, text: &str) -> String {
        let whole = |screen: &str| Some(screen.to_owned());
        self.wait_unchanged(text, whole, |screen| asks(screen) && shows(screen, text))
    }

    /// Waits until a dialog of another kind, whose last line is `text`, takes keys. Above such a one
    /// something may blink.
    #[expect(clippy::must_use_candidate, reason = "waiting is the point; the screen is a courtesy")]
    pub fn wait_footer(&self, text: &str) -> String {
        let below = |screen: &str| screen.trim_end().lines().next_back().map(str::to_owned);
        self.wait_unchanged(text, below, |footer| shows(footer, text))
    }

    /// Waits until a part of the screen is as described, and has not changed for a while.
    fn wait_unchanged(
        &self,
        text: &str,
        part: impl Fn(&str) -> Option<String>,
        holds: impl Fn(&str) -> bool,
    ) -> String {
        let start = Instant::now();
        let (mut seen, mut since) = (None, start);
        loop {
            let screen = self.screen();
            let now = part(&screen);
            if now != seen {
                (seen, since) = (now, Instant::now());
            } else if seen.as_deref().is_some_and(&holds) && since.elapsed() >= GUARD {
                return screen;
            }
            assert!(start.elapsed() < PATIENCE, "no dialog with {text:?}; the screen:\n{screen}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Presses keys, each after the one before has shown on the screen: of keys that come together
    /// the dialog takes the first and mistakes the rest.
    pub fn answer(&self, keys: &[&str]) {
        for key in keys {
            let before = self.screen();
            self.press(key);
            let mut last = before.clone();
            // Drawn to the end, as far as can be told: another look shows the same.
            let start = Instant::now();
            loop {
                let screen = self.screen();
                if screen != before && screen == last {
                    break;
                }
                let waited = start.elapsed();
                assert!(
                    waited < PATIENCE,
                    "{key:?} of {keys:?} does nothing; the screen:\n{screen}"
                );
                last = screen;
                thread::sleep(Duration::from_millis(10));
            }
        }
    }

    /// Presses one key, by tmux's name for it.
    pub fn press(&self, key: &str) {
        self.tmux.press(&[key]);
    }

    /// Types text where the cursor is.
    pub fn type_text(&self, text: &str) {
        self.tmux.type_text(text);
    }

    /// Waits until no dialog is open and the composer is back.
    #[expect(clippy::must_use_candidate, reason = "waiting is the point; the screen is a courtesy")]
    pub fn wait_closed(&self) -> String {
        self.wait_until("end of the dialog", |screen| composer(screen).is_some())
    }

    /// What is on the screen.
    #[must_use]
    pub fn screen(&self) -> String {
        self.tmux.screen()
    }

    /// Waits until `text` is on the screen, wherever its lines are broken.
    #[expect(clippy::must_use_candidate, reason = "waiting is the point; the screen is a courtesy")]
    pub fn wait_for(&self, text: &str) -> String {
        self.wait_until(&format!("{text:?}"), |screen| shows(screen, text))
    }

    /// Waits until the screen is as described.
    pub fn wait_until(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        self.tmux.wait_until(what, holds)
    }

    /// Its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Its terminal.
    #[must_use]
    pub fn tmux(&self) -> &Tmux {
        &self.tmux
    }

    /// Kills it (SIGKILL), and nothing it has started, and waits until it is gone.
    pub fn kill(&self) {
        kill_process(self.pid, Signal::KILL).expect("the session takes signals");
        self.wait_ended();
    }

    /// Takes its terminal away, as somebody does who closes the window. It may take its time to end.
    pub fn close_terminal(&self) {
        self.tmux.run(&["kill-window"]);
    }

    /// Waits until its process has ended.
    pub fn wait_ended(&self) {
        let start = Instant::now();
        while runs(self.pid) {
            assert!(start.elapsed() < PATIENCE, "process {} does not end", self.pid());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A variable that nobody else has.
fn mark() -> String {
    format!("TESTKIT_SESSION={:x}_{:x}", Chance::any_seed(), Chance::any_seed())
}

impl Drop for ClaudeSession {
    fn drop(&mut self) {
        // Its terminal goes with the field, and with that the session where `/proc` does not tell.
        end_all_with(&self.mark);
    }
}

//! Whether somebody looks at the inbox, as the hub knows it: whoever does is left alone.

use std::path::PathBuf;

use handraise_broker::AskId;
use serde_json::Value;
use tempfile::TempDir;

use crate::inbox_scene::{Scene, way};
use crate::notifying_scene::{notes, wait_lines};

/// More than anybody needs before the hub has heard of a look.
const SHOWN: usize = 24;

/// An inbox whose person has a program that is told of what waits.
struct Watched {
    scene: Scene,
    notes: PathBuf,
    /// Asks that the program was told of, and that still wait.
    shown: Vec<AskId>,
    _directory: TempDir,
}

impl Watched {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (program, notes) = notes(directory.path());
        let config = format!("[notify]\ncommand = ['{}']", program.display());
        let scene = Scene::with_config((80, 24), &config);
        let mut watched = Self { scene, notes, shown: vec![], _directory: directory };
        watched.scene.inbox();
        // An inbox that is open on a screen keeps nobody from being told: only a key is a sign of somebody.
        for _ in 0..SHOWN {
            let ask = watched.asks();
            watched.wait_told("opened", ask);
            watched.shown.push(ask);
        }
        watched
    }

    fn asks(&self) -> AskId {
        self.scene.asks("claude-code", way("Road")).id
    }

    fn is_told(&self, event: &str, ask: AskId) -> bool {
        let ask = ask.to_string();
        let is = |line: &Value| line["event"] == event && line["id"] == ask.as_str();
        wait_lines(&self.notes, 0).iter().any(is)
    }

    fn wait_told(&self, event: &str, ask: AskId) {
        self.scene.tmux.wait_until(&format!("{event} {ask}"), |_| self.is_told(event, ask));
    }

    /// Waits until nobody is told of what is new, and returns an ask of which nobody was.
    fn wait_quiet(&mut self) -> AskId {
        loop {
            let ask = self.asks();
            // That one is over is told whoever looks. What is decided with the second one comes after what was
            // decided about the ask.
            for _ in 0..2 {
                let Some(over) = self.shown.pop() else { panic!("the hub heard of no look") };
                self.scene.answer_elsewhere(over, "Left");
                self.wait_told("withdrawn", over);
            }
            if !self.is_told("opened", ask) {
                return ask;
            }
        }
    }
}

#[test]
fn nobody_is_told_of_what_is_new_while_somebody_looks_at_the_inbox() {
    let mut watched = Watched::new();
    watched.scene.tmux.press(&["Down"]);
    let ask = watched.wait_quiet();
    watched.scene.leave();
    watched.wait_told("opened", ask);
}

#[test]
fn a_paused_inbox_is_looked_at_by_nobody_until_it_is_brought_back() {
    let mut watched = Watched::new();
    watched.scene.tmux.press(&["Down"]);
    let ask = watched.wait_quiet();
    watched.scene.tmux.press(&["C-z"]);
    watched.scene.tmux.wait_for("Stopped");
    watched.wait_told("opened", ask);
    watched.scene.tmux.type_line("fg");
    watched.scene.tmux.wait_for(" Inbox ");
    // Whoever brings it back is there, also without another key.
    let ask = watched.wait_quiet();
    watched.scene.tmux.press(&["q"]);
    watched.wait_told("opened", ask);
}

//! The programs that are tested: this very binary, run once more in a terminal.
//!
//! They and the tests tell each other how far they are by what is on the screen, and by files.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use handraise_question::{Ask, Limits, Resolution};
use handraise_terminal::{Asking, Depth, Desk, Manner, Outcome, Remote, Tone};
use handraise_testkit::{Key, Pty};

/// Runs this binary once more, as the program of the environment's choice.
const COMMAND: &str = "\"$ME\" --exact program::program --nocapture";

/// Where a program runs, with files that tell it to go on. Gone when this is dropped.
pub(crate) struct Program {
    pub(crate) pty: Pty,
    directory: PathBuf,
}

impl Program {
    /// Starts a program by its name, in the way of `manner`: `drawn` or `plain`.
    pub(crate) fn start(name: &str, manner: &str) -> Self {
        Self::launch(&["sh", "-c", &format!("exec {COMMAND}")], name, manner)
    }

    /// Starts a program as a job of an interactive shell, the way a person does.
    pub(crate) fn in_shell(name: &str, manner: &str) -> Self {
        let mut program = Self::launch(&["bash", "--norc", "--noprofile", "-i"], name, manner);
        program.see("ready$").press(&[Key::Text(COMMAND), Key::Enter]);
        program
    }

    fn launch(program: &[&str], name: &str, manner: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = format!("program-{}-{number}", std::process::id());
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(directory);
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        let me = std::env::current_exe().unwrap().display().to_string();
        let env = [("ME", me.as_str()), ("PROGRAM", name), ("MANNER", manner), ("PS1", "ready$ ")];
        Self { pty: Pty::spawn(program, &directory, &env, (80, 30)), directory }
    }

    /// Lets a program that waits for `file` go on.
    pub(crate) fn go_on(&mut self, file: &str) -> &mut Self {
        fs::write(self.directory.join(file), "").unwrap();
        self
    }

    /// What the program wrote to `file`.
    pub(crate) fn written(&self, file: &str) -> String {
        fs::read_to_string(self.directory.join(file)).unwrap_or_default()
    }

    pub(crate) fn press(&mut self, keys: &[Key<'_>]) -> &mut Self {
        self.pty.press(keys);
        self
    }

    pub(crate) fn see(&mut self, text: &str) -> &mut Self {
        self.pty.wait_for(text);
        self
    }

    pub(crate) fn see_no(&mut self, text: &str) -> &mut Self {
        self.pty.wait_until(&format!("screen without {text:?}"), |screen| !screen.has(text));
        self
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Runs the program that is asked for. As a test it does nothing.
#[test]
#[expect(clippy::disallowed_methods, reason = "variables tell a program from a test")]
fn program() {
    let Ok(name) = std::env::var("PROGRAM") else { return };
    let manner = match std::env::var("MANNER").as_deref() {
        Ok("plain") => Manner::Plain,
        _ => Manner::Drawn { depth: Depth::None, tone: Some(Tone::Dark) },
    };
    println!();
    let desk = Desk::open(manner).unwrap();
    match name.as_str() {
        "one" => one(desk),
        "two" => two(desk),
        "raced" => raced(desk),
        "late" => late(desk),
        "early" => early(desk),
        "shared" => shared(desk),
        "guarded" => guarded(desk),
        name => panic!("no program {name}"),
    }
    std::process::exit(0)
}

/// Asks once, and is closed from elsewhere.
fn one(mut desk: Desk) {
    let asking = desk.ask(letters(), None);
    close_on("close", asking.remote(), "● Withdrawn");
    tell("first", asking);
}

/// Asks twice. In between it waits to be told to go on.
fn two(mut desk: Desk) {
    tell("first", desk.ask(letters(), None));
    println!("printed in between");
    wait_for("go");
    tell("second", desk.ask(colours(), None));
}

/// Asks twice. The first is closed from elsewhere.
fn raced(mut desk: Desk) {
    let asking = desk.ask(letters(), None);
    close_on("close", asking.remote(), "● Answered by ann in the browser: \x1b]0;JWT");
    let mut drafts = OpenOptions::new().create(true).append(true).open("drafts").unwrap();
    let drafted = asking.on_draft(move |unsent| {
        let form = &unsent.answers[0];
        writeln!(drafts, "{:?} {:?} {:?}", form.selected, form.words, form.notes).unwrap();
    });
    let before = stty();
    tell("first", drafted);
    println!("the terminal is as it was: {}", stty() == before);
    tell("second", desk.ask(colours(), None));
}

/// Asks twice, and closes the first too late: before the second is there, and while it is.
fn late(mut desk: Desk) {
    let asking = desk.ask(letters(), None);
    let remote = asking.remote();
    tell("first", asking);
    remote.close(vec!["too late".into()]);
    let asking = desk.ask(colours(), None);
    tell("second", asking.on_draft(move |_| remote.close(vec!["too late".into()])));
}

/// Closes the first before it is asked, and lets the deadline of the second pass.
fn early(mut desk: Desk) {
    let asking = desk.ask(letters(), None);
    asking.remote().close(vec!["● Withdrawn".into()]);
    tell("first", asking);
    let asking = desk.ask(colours(), None);
    asking.remote().wait(Some(Duration::ZERO));
    tell("second", asking);
}

/// Asks twice, and runs another program in between that reads a line.
fn shared(mut desk: Desk) {
    tell("first", desk.ask(letters(), None));
    let reads = r#"printf 'a name? '; read -r name; echo "hello $name""#;
    assert!(Command::new("sh").args(["-c", reads]).status().unwrap().success());
    tell("second", desk.ask(colours(), None));
}

/// Asks once, and lets nothing be chosen before all of it was shown.
fn guarded(mut desk: Desk) {
    tell("first", desk.ask(long(), None).guard(1));
}

fn letters() -> Ask {
    ask(r#"{"questions": [{"question": "Which letter?", "header": "Letter",
        "options": [{"label": "alpha"}, {"label": "beta"}]}]}"#)
}

/// A question of more lines than the terminal has.
fn long() -> Ask {
    let lines = (1..=40).map(|n| format!("line {n}.\\n")).collect::<Vec<_>>().concat();
    ask(&format!(
        r#"{{"questions": [{{"question": "{lines}", "options": [{{"label": "Allow"}}]}}]}}"#
    ))
}

fn colours() -> Ask {
    ask(r#"{"questions": [{"question": "Which colours?", "header": "Colours", "multiSelect": true,
        "options": [{"label": "red"}, {"label": "green"}]}]}"#)
}

fn ask(json: &str) -> Ask {
    Ask::read(json.as_bytes(), &Limits::WIDE).unwrap().ask
}

/// Asks, and prints how it ended.
fn tell(name: &str, asking: Asking<'_>) {
    match asking.outcome().unwrap() {
        Outcome::Resolved(Resolution::Answered(answers)) => {
            println!("{name}: answered {:?}", answers.forms()[0].selected);
        }
        Outcome::Resolved(resolution) => println!("{name}: {resolution:?}"),
        Outcome::Closed(unsent) => {
            let form = &unsent.answers[0];
            println!("{name}: closed with {:?} {:?}", form.selected, form.words);
        }
        Outcome::Interrupted => println!("{name}: interrupted"),
        Outcome::Signalled(signal) => handraise_terminal::end_by(signal),
    }
}

/// How the terminal is set.
fn stty() -> Vec<u8> {
    Command::new("stty").arg("-g").stdin(Stdio::inherit()).output().unwrap().stdout
}

fn close_on(file: &'static str, remote: Remote, line: &'static str) {
    thread::spawn(move || {
        wait_for(file);
        remote.close(vec![line.into()]);
    });
}

fn wait_for(file: &str) {
    while !Path::new(file).exists() {
        thread::sleep(Duration::from_millis(5));
    }
}

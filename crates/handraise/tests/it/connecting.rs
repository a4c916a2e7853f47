//! `connect claude` and its undo, on settings of every kind: byte-equal, minimal, or a clear error and
//! no change.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use handraise_testkit::{Ended, Key, Program, Pty};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_handraise");

pub(crate) const OTHERS: &str = r#"{
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      {"matcher": "AskUserQuestion|ExitPlanMode", "hooks": [{"type": "command", "command": "log.sh"}]},
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo handraise hook claude"}]}
    ],
    "PermissionRequest": [{"matcher": "*", "hooks": [{"type": "command", "command": "beep"}]}],
    "Stop": [
      {
        "hooks": [
          { "type": "command", "command": "say done", "timeout": 3 }
        ]
      }
    ],
    "UserPromptSubmit": []
  },
  "env": { "A": "1" }
}
"#;

/// A person's home, with settings in the usual place.
pub(crate) struct Person(tempfile::TempDir);

impl Person {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn with(settings: impl AsRef<[u8]>) -> Self {
        let person = Self::new();
        fs::create_dir(person.path(".claude")).unwrap();
        fs::write(person.settings(), settings).unwrap();
        person
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        fs::canonicalize(self.0.path()).unwrap().join(below)
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.path(".claude/settings.json")
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.settings()).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Program::command(PROGRAM, &self.path(""));
        command.args(["connect", "claude"]).args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        Program::run(&mut self.command(args))
    }

    pub(crate) fn connect(&self) -> String {
        done(self.run(&["--yes"]))
    }

    pub(crate) fn undo(&self) -> String {
        done(self.run(&["--undo", "--yes"]))
    }

    fn at_terminal(&self, args: &[&str]) -> Pty {
        let program = [&[PROGRAM, "connect", "claude"], args].concat();
        Pty::spawn(&program, &self.path(""), &[], (120, 50))
    }

    /// Connects and undoes, and finds the settings as they were.
    fn there_and_back(&self) {
        let before = self.bytes();
        assert!(self.connect().contains("raise their hand"));
        assert_connected(&self.settings());
        let with = self.bytes();
        assert!(self.connect().contains("is connected already"));
        assert_eq!(self.bytes(), with, "twice is as good as once");
        assert!(self.undo().contains("byte for byte"));
        assert_eq!(self.bytes(), before);
        assert!(self.undo().contains("is not connected"));
        assert_eq!(self.bytes(), before);
        assert_eq!(fs::read_dir(self.path(".claude")).unwrap().count(), 1, "no draft is left");
    }

    pub(crate) fn refused(&self, args: &[&str], exit: i32) -> String {
        let before = fs::read(self.settings()).ok();
        let ended = self.run(args);
        assert_eq!(ended.status.code(), Some(exit), "{}", ended.stderr);
        assert_eq!(fs::read(self.settings()).ok(), before, "nothing was changed");
        assert!(!self.path(".local/share/handraise/connected").exists());
        ended.stderr
    }
}

pub(crate) fn done(ended: Ended) -> String {
    assert_eq!(ended.status.code(), Some(0), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(ended.stderr, "");
    ended.stdout
}

fn parsed(file: &Path) -> Value {
    let text = fs::read_to_string(file).unwrap();
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap()
}

/// The commands of all hooks, by event.
pub(crate) fn commands(file: &Path) -> Vec<(String, String)> {
    let settings = parsed(file);
    let events = settings["hooks"].as_object().cloned().unwrap_or_default();
    let of_event = |(event, groups): (String, Value)| {
        let groups = groups.as_array().unwrap().clone();
        let hooks = groups.into_iter().flat_map(|group| group["hooks"].as_array().unwrap().clone());
        let commands = hooks.map(|hook| hook["command"].as_str().unwrap().to_owned());
        commands.map(|command| (event.clone(), command)).collect::<Vec<_>>()
    };
    events.into_iter().flat_map(of_event).collect()
}

pub(crate) fn assert_runs(file: &Path, command: &str) {
    let found = commands(file);
    for event in [
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PostToolBatch",
        "SessionStart",
        "SessionEnd",
        "Stop",
        "Notification",
    ] {
        let ours = found.iter().filter(|(at, run)| at == event && run == command).count();
        assert_eq!(ours, 1, "{event}: {found:?}");
    }
}

pub(crate) fn assert_connected(file: &Path) {
    assert_runs(file, &format!("{PROGRAM} hook claude"));
}

#[test]
fn settings_that_are_not_there_yet() {
    let person = Person::new();
    let said = person.connect();
    assert!(said.contains("Wrote 8 hooks to"), "{said}");
    assert!(said.contains("start one with: handraise serve\n"), "{said}");
    assert!(said.ends_with("Undo it with: handraise connect claude --undo\n"), "{said}");
    assert_connected(&person.settings());
    assert_eq!(
        parsed(&person.settings())["hooks"]["PermissionRequest"],
        json!([{"matcher": "*", "hooks": [
            {"type": "command", "command": format!("{PROGRAM} hook claude"), "timeout": 2_073_600}
        ]}])
    );
    assert!(person.undo().contains("it was not there before"));
    assert!(!person.path(".claude").exists(), "what was made for it goes with it");
    assert!(person.undo().contains("is not connected"));
}

#[test]
fn a_directory_that_was_there_or_is_used_stays() {
    let person = Person::new();
    person.connect();
    fs::write(person.path(".claude/history.jsonl"), "{}").unwrap();
    person.undo();
    assert!(!person.settings().exists());
    assert!(person.path(".claude/history.jsonl").exists());
    person.connect();
    fs::remove_file(person.path(".claude/history.jsonl")).unwrap();
    person.undo();
    assert!(person.path(".claude").exists());
}

#[test]
fn settings_in_every_layout() {
    for settings in [
        "",
        "\n",
        "{}",
        "{}\n",
        "{ }",
        "{\n}\n",
        "{\"model\":\"opus\",\"hooks\":{\"Stop\":[]}}",
        "{\n\t\"model\": \"opus\",\n\n\t\"env\": {\n\t\t\"A\": \"1\"\n\t}\n}",
        "{\n   \"model\": \"opus\",\n   \"hooks\": {\n   }\n}\n",
        "{\r\n  \"model\": \"opus\"\r\n}\r\n",
        "\u{feff}{\"model\" : \"caf\\u00e9 \\ud83d\\ude00 é\" , \"a\":[ 1,\n2 ] }\n\n",
        OTHERS,
    ] {
        Person::with(settings).there_and_back();
    }
}

#[test]
fn a_layout_is_kept() {
    let person = Person::with("{\"model\":\"opus\"}");
    person.connect();
    assert_eq!(person.text().lines().count(), 1);

    let person = Person::with("\u{feff}{\r\n\t\"model\": \"opus\"\r\n}");
    person.connect();
    let text = person.text();
    let start =
        "\u{feff}{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": {\r\n\t\t\"PreToolUse\": [\r\n";
    assert!(text.starts_with(start), "{text:?}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    assert!(text.ends_with("\r\n\t}\r\n}"), "{text:?}");
}

#[test]
fn hooks_of_others_stay() {
    let person = Person::with(OTHERS);
    let others = commands(&person.settings());
    let said = person.connect();
    let removed: Vec<_> = said.lines().filter(|line| line.starts_with('-')).skip(1).collect();
    // A line that gets a comma is a line that changes.
    assert!(removed.len() <= 5, "{removed:?}");
    let now = commands(&person.settings());
    for hook in &others {
        assert!(now.contains(hook), "{hook:?}");
    }
    assert_eq!(now.len(), others.len() + 8);
}

#[test]
fn edited_in_between_only_ours_go() {
    let person = Person::with(OTHERS);
    person.connect();
    let edit = |text: &str| text.replace("\"opus\"", "\"haiku\",\n\n  \"new\" : [ ]");
    fs::write(person.settings(), edit(&person.text())).unwrap();
    assert!(person.undo().contains("everything else in it stays"));
    assert_eq!(person.text(), edit(OTHERS));
    assert!(person.undo().contains("is not connected"));

    // What was made for our hooks goes with them, and what was not stays.
    let person = Person::new();
    person.connect();
    let edited = person.text().replacen('{', "{\n  \"model\": \"opus\",", 1);
    fs::write(person.settings(), edited).unwrap();
    person.undo();
    assert_eq!(person.text(), "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn connected_edited_and_connected_again() {
    let link = |person: &Person| {
        fs::create_dir(person.path("bin")).unwrap();
        symlink(PROGRAM, person.path("bin/handraise")).unwrap();
        let mut command = Program::command(person.path("bin/handraise"), &person.path(""));
        command.args(["connect", "claude", "--yes"]);
        done(Program::run(&mut command));
        let link = person.path("bin/handraise").display().to_string();
        assert_runs(&person.settings(), &format!("{link} hook claude"));
    };
    // Not edited: back to the very beginning.
    let person = Person::with("{ }");
    person.connect();
    link(&person);
    assert!(person.undo().contains("byte for byte"));
    assert_eq!(person.text(), "{ }");
    // Edited: the edit stays, and nothing of ours.
    let person = Person::with(OTHERS);
    person.connect();
    let edit = |text: &str| text.replace("opus", "haiku");
    fs::write(person.settings(), edit(&person.text())).unwrap();
    link(&person);
    person.undo();
    assert_eq!(person.text(), edit(OTHERS));
    // Missing before, and not edited: gone again.
    let person = Person::new();
    person.connect();
    link(&person);
    person.undo();
    assert!(!person.path(".claude").exists());
}

#[test]
fn without_a_record_ours_are_known_by_what_they_run() {
    let person = Person::with(OTHERS);
    person.connect();
    let connected = person.bytes();
    fs::remove_dir_all(person.path(".local/share/handraise/connected")).unwrap();
    person.undo();
    assert_eq!(person.text(), OTHERS);
    // An old path, and timeouts somebody has changed: brought up to date, in their places.
    let text = String::from_utf8(connected.clone()).unwrap();
    let text = text.replace(PROGRAM, "/old/bin/handraise").replace("2073600", "60");
    fs::write(person.settings(), text).unwrap();
    let said = person.connect();
    assert!(
        said.contains("-            \"command\": \"/old/bin/handraise hook claude\""),
        "{said}"
    );
    assert_eq!(person.bytes(), connected);
    // An undo ends without hooks of ours, even if there were some before.
    person.undo();
    assert_eq!(person.text(), OTHERS);
}

#[test]
fn what_is_kept_is_for_its_owner_alone() {
    let person = Person::with("{\"env\": {\"KEY\": \"secret\"}}");
    person.connect();
    let directory = person.path(".local/share/handraise/connected");
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&directory), 0o700);
    let records: Vec<_> =
        fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(records.len(), 1);
    assert_eq!(mode(&records[0]), 0o600);
    person.undo();
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
}

#[test]
fn settings_that_are_not_understood() {
    for (settings, said) in [
        ("{\n  \"a\": 1,\n}\n", "not valid JSON: trailing comma at line 3, column 1"),
        ("{\n  // mine\n}", "not valid JSON: key must be a string at line 2, column 3"),
        ("{\"a\"", "not valid JSON: EOF while parsing an object at line 1, column 4"),
        ("[]", "the top level is an array, an object needed"),
        ("{\"hooks\": [1]}", "hooks is an array, an object needed"),
        ("{\"hooks\": {\"Stop\": \"x\"}}", "hooks.Stop is a text, an array needed"),
        ("{\"hooks\": {}, \"hooks\": {}}", "hooks is there 2 times"),
    ] {
        let person = Person::with(settings);
        for args in [&["--yes"][..], &["--undo", "--yes"]] {
            let error = person.refused(args, 2);
            let name = person.settings().display().to_string();
            assert!(error.contains(&format!("error: cannot change {name}: {said}\n")), "{error}");
            assert!(error.contains("hint: correct it"), "{error}");
        }
    }
    let person = Person::with(b"{\"a\": \"\xff\"}");
    assert!(person.refused(&["--yes"], 2).contains("is not UTF-8 (at byte 7)"));
}

#[test]
fn without_a_terminal_there_is_nobody_to_ask() {
    let person = Person::with(OTHERS);
    let error = person.refused(&[], 2);
    assert!(error.contains("error: there is no terminal to ask at\nhint: pass --yes"), "{error}");
    let shown = person.run(&[]).stdout;
    assert!(shown.starts_with(&format!("--- {}\n", person.settings().display())), "{shown}");
    assert!(shown.contains("@@") && !shown.contains('\x1b'), "{shown}");
}

#[test]
fn yes_and_no_at_a_terminal() {
    let person = Person::with(OTHERS);
    for no in ["n", "", "maybe"] {
        let mut pty = person.at_terminal(&[]);
        pty.wait_for("Write this? [y/N]");
        pty.press(&[Key::Text(no), Key::Enter]);
        pty.wait_for("Nothing was changed.");
        assert_eq!(pty.wait_exit().exit_code(), 3);
        assert_eq!(person.text(), OTHERS);
    }
    let mut pty = person.at_terminal(&[]);
    pty.wait_for("Write this? [y/N]");
    let raw = String::from_utf8(pty.raw()).unwrap();
    assert!(raw.contains("\x1b[32m+"), "{raw:?}");
    pty.press(&[Key::Text("y"), Key::Enter]);
    pty.wait_for("raise their hand");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    assert_connected(&person.settings());

    let mut pty = person.at_terminal(&["--undo"]);
    pty.wait_for("Write this? [y/N]");
    pty.press(&[Key::Text("YES"), Key::Enter]);
    pty.wait_for("byte for byte");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    assert_eq!(person.text(), OTHERS);
}

#[test]
fn changed_while_the_question_stands() {
    for args in [&[][..], &["--undo"]] {
        let person = Person::with(OTHERS);
        if !args.is_empty() {
            person.connect();
        }
        let mut pty = person.at_terminal(args);
        pty.wait_for("Write this? [y/N]");
        fs::write(person.settings(), "{\"theirs\": true}").unwrap();
        pty.press(&[Key::Text("y"), Key::Enter]);
        pty.wait_for("was changed by somebody else meanwhile");
        assert_eq!(pty.wait_exit().exit_code(), 5);
        assert_eq!(person.text(), "{\"theirs\": true}");
        assert_eq!(fs::read_dir(person.path(".claude")).unwrap().count(), 1);
    }
    // Made meanwhile, where there was none.
    let person = Person::new();
    fs::create_dir(person.path(".claude")).unwrap();
    let mut pty = person.at_terminal(&[]);
    pty.wait_for("Write this? [y/N]");
    fs::write(person.settings(), "{}").unwrap();
    pty.press(&[Key::Text("y"), Key::Enter]);
    pty.wait_for("was changed by somebody else meanwhile");
    assert_eq!(pty.wait_exit().exit_code(), 5);
    assert_eq!(person.text(), "{}");
}

#[test]
fn connected_twice_at_once() {
    for _ in 0..10 {
        let before = "{\n\n}";
        let person = Person::with(before);
        let both = [(); 2].map(|()| Program::spawn(&mut person.command(&["--yes"]), ""));
        for ended in both.map(Program::wait_exit) {
            // Whoever came second found it done, or had been shown something else.
            assert!(matches!(ended.status.code(), Some(0 | 5)), "{}", ended.stderr);
        }
        assert_connected(&person.settings());
        person.undo();
        assert_eq!(person.text(), before);
    }
}

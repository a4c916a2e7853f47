//! `connect codex|opencode|gemini|qwen` and its undo, on settings as people have them: byte-equal, minimal,
//! or a clear error and no change.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use handraise_testkit::{Ended, Key, Program, Pty};

const PROGRAM: &str = env!("CARGO_BIN_EXE_handraise");

const CODEX: &str = "# Mine.\nmodel = \"gpt-5\"   # fast\n\n[mcp_servers.docs]\ncommand = 'docs'\nargs = [\n  \
                     \"-v\", # loud\n]\n\n[tui]\nanimations=false";
const OPENCODE: &str = "// Mine.\n{\n\t\"theme\": \"x\", // dark\n\n\t\"mcp\": {\n\t\t\"docs\": { \"type\": \
                        \"remote\", \"url\": \"http://localhost\" }, // docs\n\t},\n\t\"permission\": \
                        { \"*\": \"ask\" },\n}\n";
const GEMINI: &str = "{\r\n  /* Mine. */\r\n  \"ui\": {\"theme\":\"x\"}, // dark\r\n  \"mcpServers\": \
                      {\"docs\": {\"command\": \"docs\"}}\r\n}\r\n";

/// The agents, where their settings are, and settings that somebody has written.
const ALL: [(&str, &str, &str); 4] = [
    ("codex", ".codex/config.toml", CODEX),
    ("opencode", ".config/opencode/opencode.json", OPENCODE),
    ("gemini", ".gemini/settings.json", GEMINI),
    ("qwen", ".qwen/settings.json", GEMINI),
];

/// A person's home, and the settings of an agent in it.
struct Person {
    home: tempfile::TempDir,
    agent: &'static str,
    file: &'static str,
}

impl Person {
    fn new(agent: &'static str) -> Self {
        let file = ALL.iter().find(|(name, ..)| *name == agent).unwrap().1;
        Self { home: tempfile::tempdir().unwrap(), agent, file }
    }

    fn with(agent: &'static str, settings: impl AsRef<[u8]>) -> Self {
        let person = Self::new(agent);
        fs::create_dir_all(person.settings().parent().unwrap()).unwrap();
        fs::write(person.settings(), settings).unwrap();
        person
    }

    fn path(&self, below: &str) -> PathBuf {
        fs::canonicalize(self.home.path()).unwrap().join(below)
    }

    fn settings(&self) -> PathBuf {
        self.path(self.file)
    }

    fn text(&self) -> String {
        fs::read_to_string(self.settings()).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Program::command(PROGRAM, &self.path(""));
        command.args(["connect", self.agent]).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Ended {
        Program::run(&mut self.command(args))
    }

    fn connect(&self) -> String {
        done(self.run(&["--yes"]))
    }

    fn undo(&self) -> String {
        done(self.run(&["--undo", "--yes"]))
    }

    fn refused(&self, args: &[&str]) -> String {
        let before = fs::read(self.settings()).ok();
        let ended = self.run(args);
        assert_eq!(ended.status.code(), Some(2), "{}{}", ended.stdout, ended.stderr);
        assert_eq!(fs::read(self.settings()).ok(), before, "nothing was changed");
        assert!(!self.path(".local/share/handraise/connected").exists());
        ended.stderr
    }
}

fn done(ended: Ended) -> String {
    assert_eq!(ended.status.code(), Some(0), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(ended.stderr, "");
    ended.stdout
}

#[test]
fn settings_of_every_agent_come_back_byte_for_byte() {
    for (agent, _, settings) in ALL {
        let person = Person::with(agent, settings);
        let said = person.connect();
        assert!(said.contains("Wrote the server `handraise` to"), "{said}");
        let ask = if agent == "gemini" { "ask_person" } else { "ask_user" };
        let unasked = format!("will use {ask} and wait_answer without asking you first");
        assert!(said.contains(&unasked), "{said}");
        assert!(said.contains(&format!("There is no `{agent}` on the PATH yet")), "{said}");
        assert!(
            said.ends_with(&format!("Undo it with: handraise connect {agent} --undo\n")),
            "{said}"
        );
        let with = person.text();
        assert!(with.contains(PROGRAM) && with.contains("23h"), "{with}");
        assert!(person.connect().contains("is connected already"));
        assert_eq!(person.text(), with, "twice is as good as once");
        assert!(person.undo().contains("byte for byte"));
        assert_eq!(person.text(), settings);
        assert!(person.undo().contains("is not connected"));
    }
}

#[test]
fn the_help_names_the_settings_of_every_agent() {
    let help = done(Person::new("codex").run(&["--help"]));
    for (agent, file, _) in ALL {
        let (directory, name) = file.rsplit_once('/').unwrap();
        let line =
            help.lines().position(|line| line.trim_start().starts_with(&format!("{agent}  ")));
        let about = help.lines().skip(line.unwrap()).take(2).collect::<String>();
        assert!(about.contains(&format!("~/{directory}")) && about.contains(name), "{help}");
    }
}

#[test]
fn settings_that_were_not_there_go_again() {
    for (agent, ..) in ALL {
        let person = Person::new(agent);
        person.connect();
        let made = fs::read_dir(person.path("")).unwrap().count();
        assert_eq!(made, 2, "the settings, and our own home");
        assert!(person.undo().contains("it was not there before"));
        assert_eq!(fs::read_dir(person.path("")).unwrap().count(), 1, "{agent}");
    }
}

#[test]
fn edited_in_between_only_ours_goes() {
    for (agent, _, settings) in ALL {
        let person = Person::with(agent, settings);
        person.connect();
        let edit = |text: &str| text.replace("docs", "papers").replace("Mine.", "Still mine.");
        fs::write(person.settings(), edit(&person.text())).unwrap();
        assert!(person.undo().contains("Took the server out of"));
        assert_eq!(person.text(), edit(settings));
    }
}

/// Servers of ours as somebody may have written them by hand.
const HAND_WRITTEN: [(&str, &str); 5] = [
    (
        "codex",
        "model = 'x'\n\n[mcp_servers.handraise] # asks me\ncommand = \"handraise\"\nargs = [\"mcp\"]\n\
         startup_timeout_sec = 5\n\n[mcp_servers.handraise.env]\nA = \"1\"",
    ),
    (
        "opencode",
        "{\n  \"mcp\": {\"handraise\": {\"type\": \"local\", \"command\": [\"handraise\", \"mcp\"]}}, // mine\n  \
         \"permission\": {\"*\": \"ask\", \"handraise_*\": \"allow\"}\n}\n",
    ),
    (
        "opencode",
        "{\"mcp\": {\"handraise\": {\"command\": [\"handraise\", \"mcp\"]}}, \"permission\": \"ask\"}",
    ),
    (
        "gemini",
        "{\"mcpServers\": {\"handraise\": {\"command\": \"handraise\", \"args\": [\"mcp\"], \"cwd\": \"/\"}}}",
    ),
    (
        "qwen",
        "{\n  \"mcpServers\": {\n    \"handraise\": { // mine\n      \"command\": \"handraise\",\n      \
         \"args\": [\"mcp\"],\n      \"env\": {}\n    }\n  }\n}\n",
    ),
];

#[test]
fn a_server_of_ours_that_somebody_wrote_by_hand_comes_back_byte_for_byte() {
    for (agent, settings) in HAND_WRITTEN {
        let person = Person::with(agent, settings);
        person.connect();
        assert!(person.text().contains(PROGRAM) && person.text() != settings);
        assert!(person.undo().contains("byte for byte"));
        assert_eq!(person.text(), settings);
        // Put back by its owner, it is as if we had never been there.
        person.connect();
        fs::write(person.settings(), settings).unwrap();
        person.connect();
        person.undo();
        assert_eq!(person.text(), settings);
        person.connect();
        fs::write(person.settings(), settings).unwrap();
        assert!(person.undo().contains("is not connected"));
        assert_eq!(person.text(), settings);
    }
}

#[test]
fn a_rule_that_was_there_before_stays_though_the_server_goes() {
    let person = Person::with("opencode", HAND_WRITTEN[1].1);
    person.connect();
    fs::write(person.settings(), person.text().replace("mine", "still mine")).unwrap();
    assert!(person.undo().contains("Took the server out of"));
    let rules = "\"permission\": {\"*\": \"ask\", \"handraise_*\": \"allow\"}";
    assert!(person.text().contains(rules), "{}", person.text());
}

#[test]
fn the_program_that_is_run_is_brought_up_to_date() {
    for (agent, _, settings) in ALL {
        let person = Person::with(agent, settings);
        fs::create_dir(person.path("bin")).unwrap();
        symlink(PROGRAM, person.path("bin/hand up")).unwrap();
        let mut other = Program::command(person.path("bin/hand up"), &person.path(""));
        other.args([
            "connect",
            agent,
            "--yes",
            "--data",
            &person.path("hub").display().to_string(),
        ]);
        done(Program::run(&mut other));
        assert!(person.text().contains("bin/hand up\"") && person.text().contains("--data"));
        // Its own home knows what it wrote; another does not, and takes it for somebody else's.
        assert!(person.refused(&["--yes"]).contains("is there already and runs another program"));
        done(Program::run(other.arg("--undo")));
        assert_eq!(person.text(), settings);
        person.connect();
        let moved = person.text().replace(PROGRAM, "/old/handraise");
        fs::write(person.settings(), moved).unwrap();
        assert!(person.connect().contains("/old/handraise"), "the difference is shown");
        assert!(person.text().contains(PROGRAM) && !person.text().contains("/old/"));
        person.undo();
        assert_eq!(person.text(), settings);
    }
}

#[test]
fn a_server_of_our_name_that_is_not_ours_is_left_alone() {
    for (agent, settings) in [
        ("codex", "[mcp_servers.handraise]\ncommand = \"other\"\n"),
        ("opencode", "{\"mcp\": {\"handraise\": {\"type\": \"remote\", \"url\": \"x\"}}}"),
        ("gemini", "{\"mcpServers\": {\"handraise\": {\"command\": \"other\"}}}"),
        ("qwen", "{\"mcpServers\": {\"handraise\": {\"httpUrl\": \"x\"}}}"),
    ] {
        let person = Person::with(agent, settings);
        let error = person.refused(&["--yes"]);
        assert!(error.contains("handraise is there already and runs another program"), "{error}");
        assert!(error.contains("hint: rename or remove it, then run this again"), "{error}");
        assert!(person.undo().contains("is not connected"));
        assert_eq!(person.text(), settings);
    }
}

#[test]
fn settings_that_are_not_understood_are_not_touched() {
    for (agent, settings, said) in [
        ("codex", "a = 1\n\n[x\n", "not valid TOML: "),
        ("codex", "mcp_servers = 1", "mcp_servers is integer, table needed"),
        ("opencode", "{\"mcp\": []}", "mcp is an array, an object needed"),
        ("opencode", "{\"a\" 1}", "not valid JSON: "),
        ("gemini", "{\"a\": 1,}", "not valid JSON: "),
        ("qwen", "[]", "the top level is an array, an object needed"),
    ] {
        let person = Person::with(agent, settings);
        for args in [&["--yes"][..], &["--undo", "--yes"]] {
            let error = person.refused(args);
            let name = person.settings().display().to_string();
            assert!(error.contains(&format!("error: cannot change {name}: {said}")), "{error}");
        }
    }
    for (agent, ..) in ALL {
        let person = Person::with(agent, b"a = \"\xff\"");
        assert!(person.refused(&["--yes"]).contains("is not UTF-8 (at byte 5)"));
        let person = Person::with(agent, "");
        fs::set_permissions(person.settings(), fs::Permissions::from_mode(0o444)).unwrap();
        assert!(person.refused(&["--yes"]).contains("is read-only"));
    }
}

#[test]
fn a_link_stays_a_link() {
    for (agent, _, settings) in ALL {
        let person = Person::new(agent);
        fs::create_dir_all(person.settings().parent().unwrap()).unwrap();
        fs::write(person.path("dotfile"), settings).unwrap();
        symlink(person.path("dotfile"), person.settings()).unwrap();
        person.connect();
        assert!(fs::symlink_metadata(person.settings()).unwrap().is_symlink());
        assert!(fs::read_to_string(person.path("dotfile")).unwrap().contains(PROGRAM));
        person.undo();
        assert_eq!(fs::read_to_string(person.path("dotfile")).unwrap(), settings);
    }
}

#[test]
fn nothing_is_written_before_somebody_said_yes() {
    let person = Person::with("codex", CODEX);
    let error = person.refused(&[]);
    assert!(error.contains("error: there is no terminal to ask at"), "{error}");
    let at_terminal =
        || Pty::spawn(&[PROGRAM, "connect", "codex"], &person.path(""), &[], (120, 50));
    let mut pty = at_terminal();
    pty.wait_for("without asking you first");
    pty.wait_for("Write this? [y/N]");
    pty.press(&[Key::Text("n"), Key::Enter]);
    pty.wait_for("Nothing was changed.");
    assert_eq!(person.text(), CODEX);
    let mut pty = at_terminal();
    pty.wait_for("Write this? [y/N]");
    pty.press(&[Key::Text("y"), Key::Enter]);
    pty.wait_for("raise their hand");
    assert!(person.text().contains(PROGRAM));
}

#[test]
fn other_settings_than_ones_own() {
    for (agent, file) in [
        ("codex", ".codex/config.toml"),
        ("opencode", "opencode.jsonc"),
        ("gemini", ".gemini/settings.json"),
        ("qwen", ".qwen/settings.json"),
    ] {
        let person = Person::new(agent);
        let project = person.path("project");
        fs::create_dir(&project).unwrap();
        let said =
            done(Program::run(person.command(&["--project", "--yes"]).current_dir(&project)));
        assert!(said.ends_with("--undo --project\n"), "{said}");
        assert!(fs::read_to_string(project.join(file)).unwrap().contains(PROGRAM));
        assert!(!person.settings().exists());
        done(Program::run(person.command(&["--project", "--yes", "--undo"]).current_dir(&project)));
        assert_eq!(fs::read_dir(&project).unwrap().count(), 0);
        done(person.run(&["--settings", "mine", "--yes"]));
        assert!(fs::read_to_string(person.path("mine")).unwrap().contains(PROGRAM));
    }
    for (agent, variable, file) in [
        ("codex", "CODEX_HOME", "other/config.toml"),
        ("opencode", "XDG_CONFIG_HOME", "other/opencode/opencode.jsonc"),
        ("gemini", "GEMINI_CLI_HOME", "other/.gemini/settings.json"),
    ] {
        let person = Person::new(agent);
        done(Program::run(person.command(&["--yes"]).env(variable, person.path("other"))));
        assert!(fs::read_to_string(person.path(file)).unwrap().contains(PROGRAM));
    }
}

#[test]
fn of_the_files_that_opencode_reads_the_one_that_is_there_is_changed() {
    let person = Person::new("opencode");
    let directory = person.path(".config/opencode");
    fs::create_dir_all(&directory).unwrap();
    let text = |name: &str| fs::read_to_string(directory.join(name)).unwrap();
    fs::write(directory.join("config.json"), "{}").unwrap();
    person.connect();
    assert!(text("config.json").contains(PROGRAM));
    // Another one that comes later does not take its place.
    fs::write(directory.join("opencode.jsonc"), "{}").unwrap();
    assert!(person.connect().contains("config.json is connected already"));
    person.undo();
    assert_eq!((text("config.json"), text("opencode.jsonc")), ("{}".into(), "{}".into()));
    person.connect();
    assert!(text("opencode.jsonc").contains(PROGRAM));
}

#[test]
fn the_doctor_looks_after_servers() {
    let person = Person::with("codex", CODEX);
    let doctor = |person: &Person| {
        let mut doctor = Program::command(PROGRAM, &person.path(""));
        Program::run(doctor.arg("doctor")).stdout
    };
    assert!(!doctor(&person).contains("codex"));
    person.connect();
    let name = person.settings().display().to_string();
    assert!(doctor(&person).contains(&format!("✔ codex        server in {name}\n")));
    let connected = person.text();
    fs::write(person.settings(), connected.replace("86400", "60")).unwrap();
    assert!(doctor(&person).contains("! codex"), "{}", doctor(&person));
    fs::write(person.settings(), connected.replace(PROGRAM, "/gone/handraise")).unwrap();
    let said = doctor(&person);
    assert!(said.contains("runs /gone/handraise: no such program"), "{said}");
    assert!(said.contains("hint: write it anew with: handraise connect codex\n"), "{said}");
    fs::write(person.settings(), CODEX).unwrap();
    assert!(doctor(&person).contains("✘ codex        no server of ours in"));
}

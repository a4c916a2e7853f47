//! `handraise doctor`: what is well, what is not, and what to do about it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use handraise_broker::Power;
use handraise_testkit::HubProcess;
use serde_json::Value;
use tempfile::TempDir;

use crate::shell::{Said, Shell};

/// Somebody's machine: a hub and settings of Claude Code.
struct Practice {
    hub: HubProcess,
    shell: Shell,
    settings: PathBuf,
    _directory: TempDir,
}

impl Practice {
    fn new() -> Self {
        let hub = HubProcess::start(Path::new(env!("CARGO_BIN_EXE_handraise")));
        let shell = Shell::at(&hub.home().directory().display().to_string());
        let directory = tempfile::tempdir().unwrap();
        let settings = directory.path().join("settings.json");
        Self { hub, shell, settings, _directory: directory }
    }

    fn connected() -> Self {
        let practice = Self::new();
        let said = practice.run("handraise connect claude --yes");
        assert_eq!(said.code, 0, "{}", said.stderr);
        practice
    }

    fn run(&self, command: &str) -> Said {
        self.shell.run(&format!("{command} --settings {}", self.settings.display()))
    }

    /// How something is, by the doctor's word.
    fn finding(&self, what: &str) -> (String, String) {
        let said = self.run("handraise doctor --json");
        let findings: Vec<Value> = serde_json::from_str(&said.stdout).unwrap();
        let finding = findings.iter().find(|finding| finding["what"] == what).unwrap();
        let word = |name: &str| finding[name].as_str().unwrap().to_owned();
        (word("health"), word("found"))
    }
}

#[test]
fn a_probe_goes_through_the_hooks_as_they_are_installed() {
    let practice = Practice::connected();
    let said = practice.run("handraise doctor");
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{}", said.stdout);
    for line in ["✔ hub ", "✔ tokens ", "✔ hooks ", "✔ program ", "✔ probe        asked, answered"]
    {
        assert!(said.stdout.contains(line), "no {line:?} in\n{}", said.stdout);
    }
    let history = practice.shell.run("handraise history --json");
    let history: Value = serde_json::from_str(&history.stdout).unwrap();
    assert_eq!(history["asks"][0]["state"], "delivered");
    assert_eq!(history["asks"][0]["delivery"]["level"], "seen");
    let left = fs::read_dir(practice.hub.home().directory().join("agents/claude-code")).unwrap();
    assert_eq!(left.count(), 0, "nothing of the probe is left");
}

#[test]
fn programs_that_use_the_token_of_all_agents_are_named() {
    let practice = Practice::new();
    assert_eq!(practice.finding("tokens").0, "well", "its file alone is harmless");
    let questions = serde_json::json!([{"question": "Q?", "options": [{"label": "Yes"}]}]);
    for agent in ["old-bot", "x\n✔ tokens       well"] {
        let ask = serde_json::json!({"asker": {"agent": agent}, "questions": questions});
        assert_eq!(practice.hub.plain(Power::Agent, "POST", "/asks", Some(&ask)).status, 201);
    }
    let (health, found) = practice.finding("tokens");
    assert_eq!(health, "unsure", "{found}");
    assert!(found.contains("agent.token") && found.contains("old-bot"), "{found}");
    let said = practice.run("handraise doctor").stdout;
    assert!(
        said.contains("handraise device add") && said.contains("handraise device revoke"),
        "{said}"
    );
    assert!(!said.contains("\n✔ tokens"), "an agent's name is no line of its own: {said}");
    let revoke =
        said.lines().find_map(|line| line.split_once("handraise device revoke")).unwrap().1;
    let revoked = practice.shell.run(&format!("handraise device revoke{revoke}"));
    assert_eq!(revoked.code, 0, "what is printed can be run: {}", revoked.stderr);
    assert_eq!(practice.finding("tokens").0, "well");
}

#[test]
fn whether_the_dashboard_is_there_is_said() {
    let (health, found) = Practice::new().finding("dashboard");
    let expected = if handraise_server::has_dashboard() {
        ("well", "in this program; handraise link opens it")
    } else {
        ("unsure", "not in this program: npm was missing or failed when it was built")
    };
    assert_eq!((health.as_str(), found.as_str()), expected);
}

#[test]
fn what_is_missing_is_named_with_the_way_to_mend_it() {
    let practice = Practice::new();
    let said = practice.run("handraise doctor");
    assert_eq!(said.code, 1, "{}", said.stdout);
    assert!(said.stdout.contains("✘ hooks        none in"), "{}", said.stdout);
    assert!(said.stdout.contains("handraise connect claude"), "{}", said.stdout);
    assert!(said.stdout.contains("! probe        not asked"), "{}", said.stdout);
    let mut practice = Practice::connected();
    practice.hub.stop();
    let said = practice.run("handraise doctor");
    assert_eq!(said.code, 6, "{}", said.stdout);
    assert!(said.stdout.contains("✘ hub          none is running"), "{}", said.stdout);
}

#[test]
fn whatever_is_not_as_it_should_be_is_found() {
    let practice = Practice::connected();
    assert_eq!(practice.finding("tokens").0, "well");
    let token = practice.hub.home().token_file(Power::Person);
    fs::set_permissions(&token, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(practice.finding("tokens").0, "wrong");
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&token, "another\n").unwrap();
    assert_eq!(practice.finding("tokens").0, "wrong");
    let as_connected = fs::read_to_string(&practice.settings).unwrap();
    let (health, found) = practice.finding("program");
    assert_eq!(health, "well");
    fs::write(&practice.settings, as_connected.replace(&found, "/gone/handraise")).unwrap();
    assert_eq!(practice.finding("program").0, "wrong");
    assert_eq!(practice.finding("hooks").0, "unsure");
    assert_eq!(practice.finding("probe").0, "wrong");
    fs::write(&practice.settings, as_connected.replace("\"Stop\"", "\"Start\"")).unwrap();
    assert_eq!(practice.finding("hooks").0, "wrong");
    for broken in [
        as_connected.replacen('{', "{\"disableAllHooks\": true, ", 1),
        as_connected.replace("\"*\"", "\"Bash\""),
        "{".to_owned(),
    ] {
        fs::write(&practice.settings, broken).unwrap();
        assert_eq!(practice.finding("hooks").0, "wrong");
        assert_eq!(practice.finding("probe").0, "unsure");
    }
    fs::write(&practice.settings, as_connected).unwrap();
    let config = practice.hub.home().config();
    fs::write(&config, "claude = { questions = false }").unwrap();
    assert_eq!(practice.finding("probe").0, "unsure");
    fs::write(&config, "claude = 5").unwrap();
    assert_eq!(practice.finding("config").0, "wrong");
}

#[test]
fn the_version_of_claude_is_compared_with_those_that_were_verified() {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/agents");
    let package = fs::read_to_string(packages.join("package.json")).unwrap();
    let package: Value = serde_json::from_str(&package).unwrap();
    let pinned = package["optionalDependencies"].as_object().unwrap().values().next().unwrap();
    let practice = Practice::connected();
    let directory = practice.shell.directory();
    let claude = handraise_testkit::ClaudeHome::program();
    symlink(claude, directory.join("claude")).unwrap();
    let doctor = format!("PATH={}:$PATH handraise doctor", directory.display());
    let said = practice.run(&doctor);
    let line = format!("✔ Claude Code  {}, a verified version", pinned.as_str().unwrap());
    assert!(said.stdout.contains(&line), "{}", said.stdout);
    fs::remove_file(directory.join("claude")).unwrap();
    fs::write(directory.join("claude"), "#!/bin/sh\necho '9.9.9 (Claude Code)'\n").unwrap();
    fs::set_permissions(directory.join("claude"), fs::Permissions::from_mode(0o755)).unwrap();
    let said = practice.run(&doctor);
    assert!(said.stdout.contains("! Claude Code  9.9.9"), "{}", said.stdout);
}

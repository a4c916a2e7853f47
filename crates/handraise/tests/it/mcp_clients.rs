//! The official MCP SDKs, as their users have them: TypeScript 1 and 2, and Python. They check what
//! comes back against what the tools say they return.

use std::path::{Path, PathBuf};

use handraise_broker::{Resolved, State};
use handraise_testkit::{Ended, Program};
use serde_json::{Value, json};

use crate::forged_receipts::is_refused;
use crate::mcp_scene::{PROGRAM, Scene, wait};

/// Which of them, and how it is to agree on a revision.
#[derive(Debug, Clone, Copy)]
enum Sdk {
    TypeScript1,
    TypeScript2(&'static str),
    Python(&'static str),
}

/// Has a client ask, run out of patience, come back, and be answered.
fn asks_waits_and_is_answered(sdk: Sdk, protocol: &str) {
    let scene = Scene::new();
    let home = scene.hub.home().directory().display().to_string();
    let directory = scene.hub.directory().display().to_string();
    let mut told = json!({
        "command": [PROGRAM, "--data", home, "mcp", "--patience", "2s"],
        "env": {"HOME": directory, "PATH": "/usr/bin:/bin"},
    });
    let (interpreter, script) = match sdk {
        Sdk::TypeScript1 => {
            told["sdk"] = "1".into();
            (node(), "scene.mjs")
        }
        Sdk::TypeScript2(mode) => {
            told["sdk"] = "2".into();
            // A revision by its name is one that no other will do for.
            told["mode"] = if mode.starts_with('2') { json!({"pin": mode}) } else { mode.into() };
            (node(), "scene.mjs")
        }
        Sdk::Python(mode) => {
            told["mode"] = mode.into();
            (python(), "scene.py")
        }
    };
    let mut command = Program::command(interpreter, scene.hub.directory());
    let program = Program::spawn(command.arg(clients().join(script)).arg(told.to_string()), "");

    let line = |name: &str| {
        let found =
            |said: &str| said.lines().any(|line| line.starts_with(&format!("{{\"{name}\"")));
        let said = program.wait_stdout(name, found);
        let line = said.lines().find(|line| found(line)).unwrap().to_owned();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    let connected = line("connected");
    assert_eq!(connected["protocol"], protocol);
    // The one for Python does not ask who is there when it is told what to speak.
    let is_told = matches!(sdk, Sdk::Python(mode) if mode == protocol);
    assert_eq!(connected["connected"], if is_told { Value::Null } else { "handraise".into() });
    assert_eq!(line("tools")["tools"], json!(["ask_user", "wait_answer"]));
    let pending = line("pending");
    assert_eq!(pending["pending"]["status"], "pending");
    let progress: Vec<f64> = serde_json::from_value(pending["progress"].clone()).unwrap();
    assert!(progress.len() >= 2 && progress.is_sorted_by(|one, two| one < two), "{progress:?}");

    let ask = scene.the_ask();
    assert_eq!(pending["pending"]["ticket"], ask.id.to_string());
    assert_eq!(ask.asker().agent, "scene");
    let claim = json!({"kind": "answered", "answers": [{"selected": ["no"]}]});
    is_refused(&scene.hub, "mcp", &ask, &claim);
    let words = "line\nline, \"quote\" 🙋 שלום";
    scene.answer(ask.id, json!([{"selected": ["yes, \"really\""], "notes": words}]));
    let answered = line("answered");
    let answer = &answered["answered"]["answers"][0];
    assert_eq!(answer["selected"], json!(["yes, \"really\""]));
    assert_eq!(answer["notes"], words);
    assert!(answered["text"].as_str().unwrap().contains(words));
    scene.wait_state(ask.id, State::Delivered);

    assert!(line("misfit")["misfit"].as_str().unwrap().contains("questions[0].question"));
    assert_eq!(line("timedOut")["timedOut"], true);
    assert_eq!(line("afterTimeout")["afterTimeout"], "pending");
    line("closed");
    let Ended { status, stdout, stderr } = program.wait_exit();
    assert!(status.success(), "{status}: {stdout}\n{stderr}");
    // Whatever it asked and did not wait for was taken back when it left, at the latest.
    wait("end of every ask", || scene.open().is_empty().then_some(()));
    let left = scene.asks().into_iter().filter(|other| other.id != ask.id);
    let left: Vec<_> =
        left.filter(|ask| !ask.resolved().is_some_and(Resolved::is_withdrawn)).collect();
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn the_sdk_for_typescript_1_asks_waits_and_is_answered() {
    asks_waits_and_is_answered(Sdk::TypeScript1, "2025-11-25");
}

#[test]
fn the_sdk_for_typescript_2_asks_waits_and_is_answered() {
    asks_waits_and_is_answered(Sdk::TypeScript2("legacy"), "2025-11-25");
}

#[test]
fn the_sdk_for_typescript_2_finds_the_newest_revision_by_itself() {
    asks_waits_and_is_answered(Sdk::TypeScript2("auto"), "2026-07-28");
}

#[test]
fn the_sdk_for_typescript_2_speaks_the_newest_revision() {
    asks_waits_and_is_answered(Sdk::TypeScript2("2026-07-28"), "2026-07-28");
}

#[test]
fn the_sdk_for_python_asks_waits_and_is_answered() {
    asks_waits_and_is_answered(Sdk::Python("legacy"), "2025-11-25");
}

#[test]
fn the_sdk_for_python_finds_the_newest_revision_by_itself() {
    asks_waits_and_is_answered(Sdk::Python("auto"), "2026-07-28");
}

#[test]
fn the_sdk_for_python_speaks_the_newest_revision() {
    asks_waits_and_is_answered(Sdk::Python("2026-07-28"), "2026-07-28");
}

fn clients() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/mcp-clients");
    assert!(
        here.join("node_modules").exists(),
        "run `cargo xtask test`, which installs the clients"
    );
    here.canonicalize().unwrap()
}

/// The Python with the SDK, as `cargo xtask` installs it.
fn python() -> PathBuf {
    let target = Path::new(PROGRAM).parent().and_then(Path::parent).unwrap();
    let python = target.join("python/mcp/bin/python");
    assert!(python.exists(), "no {}: run `cargo xtask test`, which installs it", python.display());
    python
}

/// Node.js, wherever whoever runs the tests has it.
fn node() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "where programs are is for the machine to say")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|place| place.join("node"));
    places.find(|node| node.exists()).unwrap_or_else(|| panic!("the tests need node"))
}

//! The first minute of a newcomer.

use std::process::{Command, Stdio};

use handraise_testkit::{Key, Pty};
use serde_json::json;

use crate::http::{Call, Line};

const PROGRAM: &str = env!("CARGO_BIN_EXE_handraise");

fn demo(temporary: &std::path::Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.env_clear().env("TMPDIR", temporary).env("USER", "ann").arg("demo");
    command.stdin(Stdio::null());
    command
}

fn at_terminal(temporary: &std::path::Path) -> Pty {
    let directory = temporary.display().to_string();
    let env = [("COLORFGBG", "15;0"), ("TMPDIR", directory.as_str()), ("USER", "ann")];
    Pty::spawn(&[PROGRAM, "demo"], temporary, &env, (100, 50))
}

fn is_empty(directory: &std::path::Path) -> bool {
    std::fs::read_dir(directory).unwrap().next().is_none()
}

#[test]
fn by_itself_it_shows_what_the_agent_received() {
    let temporary = tempfile::tempdir().unwrap();
    let output = demo(temporary.path()).arg("--auto").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    for line in [
        "✔ Database: PostgreSQL",
        "  the agent got PostgreSQL (Recommended)",
        "  the agent got TypeScript, ESLint + Prettier, Tailwind CSS",
        "  the agent got {\"Which authentication method should we use?\":\"OAuth 2.0 (Recommended)\",\
         \"Which OAuth providers should we support?\":\"Google, GitHub\"}",
        "  the agent got bun",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert_eq!(text.matches("ask.resolved by ann (api)").count(), 4, "{text}");
    assert!(text.contains("the log adds up"), "{text}");
    assert!(!text.contains("#login="), "{text}");
    assert!(is_empty(temporary.path()));
}

#[test]
fn at_a_terminal_the_agent_goes_on_with_what_was_chosen() {
    let temporary = tempfile::tempdir().unwrap();
    let mut pty = at_terminal(temporary.path());
    pty.wait_for("Which database");
    pty.press(&[Key::Down, Key::Enter]);
    pty.wait_for("the agent got MongoDB");
    pty.wait_for("Which features");
    pty.wait_for("space toggle");
    pty.press(&[Key::Text(" "), Key::Down, Key::Text(" "), Key::Enter]);
    pty.wait_for("the agent got TypeScript, ESLint + Prettier");
    pty.wait_for("Question 1 of 2");
    pty.press(&[Key::Enter]);
    pty.wait_for("Question 2 of 2");
    pty.press(&[Key::Text(" "), Key::Enter]);
    pty.wait_for("l leave open");
    pty.press(&[Key::Enter]);
    pty.wait_for("Which package manager");
    pty.wait_for("Type something else");
    pty.press(&[Key::Text("4")]);
    pty.wait_for("Please specify:");
    pty.press(&[Key::Text("bun"), Key::Enter]);
    let screen = pty.wait_for("handraise serve");
    assert!(screen.has("Package Mgr  bun"), "{screen}");
    assert!(screen.has("ask.resolved by ann (terminal)"), "{screen}");
    assert!(screen.has("the log adds up"), "{screen}");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    assert!(is_empty(temporary.path()));
}

#[test]
fn what_is_answered_in_the_browser_closes_the_prompt() {
    if !handraise_server::has_dashboard() {
        return;
    }
    let temporary = tempfile::tempdir().unwrap();
    let mut pty = at_terminal(temporary.path());
    let screen = pty.wait_for("Which database").text();
    let link = screen.lines().find(|line| line.starts_with("http://")).unwrap();
    let (address, secret) = link.trim_end().split_once("/#login=").unwrap();
    let address = address.strip_prefix("http://").unwrap().parse().unwrap();
    let call = |call: &Call<'_>| Line::to(address).call(call).json();
    let login = call(&Call::post("/api/v1/login").json(&json!({"secret": secret})));
    let token = login["token"].as_str().unwrap();
    let asks = call(&Call::get("/api/v1/asks").token(token));
    let answer = format!("/api/v1/asks/{}/answer", asks["asks"][0]["id"].as_str().unwrap());
    let answers = json!({"answers": [{"selected": ["MongoDB"]}]});
    let sent = Call::post(&answer).token(token).header("handraise-surface", "web").json(&answers);
    assert_eq!(call(&sent)["resolution"]["responder"]["surface"], "web");
    let screen = pty.wait_for("Which features");
    for text in ["Answered elsewhere by ann", "the agent got MongoDB"] {
        assert!(screen.has(text), "no {text:?} in\n{screen}");
    }
    pty.press(&[Key::Ctrl('c')]);
    assert_eq!(pty.wait_exit().exit_code(), 130);
    assert!(is_empty(temporary.path()));
}

#[test]
fn ctrl_c_and_a_signal_leave_nothing_behind() {
    let temporary = tempfile::tempdir().unwrap();
    let mut pty = at_terminal(temporary.path());
    pty.wait_for("esc cancel");
    pty.press(&[Key::Ctrl('c')]);
    assert_eq!(pty.wait_exit().exit_code(), 130);
    assert!(is_empty(temporary.path()));

    let mut pty = at_terminal(temporary.path());
    pty.wait_for("esc cancel");
    let pid = pty.pid().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert_eq!(pty.wait_exit().signal(), Some("Terminated"));
    assert!(is_empty(temporary.path()));
}

#[test]
fn without_a_terminal_it_says_what_to_do() {
    // A session of its own has no terminal.
    let mut detached = Command::new("setsid");
    detached.env_clear().env("PATH", "/usr/bin:/bin").args(["--wait", PROGRAM, "demo"]);
    let output = detached.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(said.contains("handraise demo --auto"), "{said}");
}

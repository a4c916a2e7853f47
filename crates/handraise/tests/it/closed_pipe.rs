//! Readers that have seen enough, as `| head -1`: whatever prints ends quietly, with its own exit code.

use std::io::pipe;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use handraise_broker::Power;
use handraise_testkit::{HubProcess, Program};
use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_handraise");

fn questions() -> Value {
    json!([{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}])
}

/// Runs it with a pipe whose reader is gone.
fn unread(command: &mut Command) -> Output {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    command.stdout(writer).output().unwrap()
}

#[test]
fn every_printing_command_ends_quietly_when_nobody_reads_on() {
    let hub = HubProcess::start(Path::new(BINARY));
    let ask = json!({"asker": {"agent": "tester"}, "questions": questions()});
    let ids = [(), ()].map(|()| {
        let asked = hub.plain(Power::Agent, "POST", "/asks", Some(&ask));
        asked.body["id"].as_str().unwrap().to_owned()
    });
    let answer = json!({"answers": [{"selected": ["A"]}]});
    let path = format!("/asks/{}/answer", ids[0]);
    assert_eq!(hub.plain(Power::Person, "POST", &path, Some(&answer)).status, 200);
    for arguments in [
        &["completions", "bash"][..],
        &["completions", "zsh"],
        &["ask", "--example"],
        &["--help"],
        &["ask", "--help"],
        &["status"],
        &["status", "--json"],
        &["list"],
        &["list", "--json"],
        &["history"],
        &["history", "--json"],
        &["history", "--times"],
        &["history", "--times", "--json"],
        &["doctor"],
        &["doctor", "--json"],
        &["link"],
        &["link", "--json"],
        &["link", "--qr"],
        &["device", "list"],
        &["device", "list", "--json"],
        &["audit", "verify"],
        &["audit", "verify", "--json"],
        &["export"],
        &["service", "status"],
        &["service", "status", "--json"],
        &["demo", "--auto"],
    ] {
        let command = || {
            let mut command = match arguments {
                // It has a home of its own.
                ["demo", ..] => Program::command(BINARY, hub.directory()),
                _ => hub.command(),
            };
            command.args(arguments).stdin(Stdio::null());
            command
        };
        let read = command().output().unwrap();
        assert!(!read.stdout.is_empty(), "{arguments:?} prints nothing: {read:?}");
        let told = |output: &Output| {
            (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        assert_eq!(told(&unread(&mut command())), told(&read), "{arguments:?}");
    }
}

/// A new token exists nowhere else.
#[test]
fn a_token_that_nobody_reads_is_said_on_standard_error() {
    let hub = HubProcess::start(Path::new(BINARY));
    for arguments in [&["device", "add", "phone"][..], &["device", "add", "phone", "--json"]] {
        let ended = unread(hub.command().args(arguments).stdin(Stdio::null()));
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{stderr}");
        let lines: Vec<_> = stderr.lines().collect();
        assert!(lines[0].starts_with("error: cannot write to standard output"), "{stderr}");
        assert!(lines[1].trim().len() >= 43, "{stderr}");
    }
}

use std::fs;
use std::future::pending;
use std::path::Path;

use rustix::process::{kill_process, test_kill_process};

use super::*;

fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

/// Waits until a shell has written down a process.
async fn process_in(file: &Path) -> Pid {
    loop {
        let written = fs::read_to_string(file).unwrap_or_default();
        if let Some(pid) = written.strip_suffix('\n') {
            return Pid::from_raw(pid.parse().unwrap()).unwrap();
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn it_gets_what_happened_and_an_end_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("got");
    let what = json!({"event": "opened"});
    run(&shell(&format!("cat > {}", file.display())), &what, pending()).await.unwrap();
    assert_eq!(fs::read_to_string(file).unwrap(), "{\"event\":\"opened\"}\n");
}

#[tokio::test]
async fn one_that_reads_nothing_prints_much_or_leaves_something_running_harms_nobody() {
    let large = json!({"text": "x".repeat(1_000_000)});
    run(&shell("exec 0<&-; exit 0"), &large, pending()).await.unwrap();
    run(&shell("yes | head -c 3000000"), &large, pending()).await.unwrap();
    // It keeps the pipes open, and nobody waits for it.
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("left");
    let script = format!("sleep 1000 & echo $! > {}", file.display());
    run(&shell(&script), &large, pending()).await.unwrap();
    let left = process_in(&file).await;
    test_kill_process(left).unwrap();
    kill_process(left, Signal::KILL).unwrap();
}

#[tokio::test]
async fn one_that_fails_is_quoted_on_one_clean_line() {
    let script = shell(r"printf '\033[2Jno\nway' >&2; exit 3");
    let said = run(&script, &json!({}), pending()).await.unwrap_err().to_string();
    assert!(said.ends_with(": ␛[2Jno way"), "{said:?}");
    let missing = run(&["/no/such/program".into()], &json!({}), pending()).await.unwrap_err();
    assert!(missing.to_string().starts_with("/no/such/program cannot be run"), "{missing}");
}

#[tokio::test]
async fn one_that_hangs_is_killed_with_all_it_started() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("started");
    let script = shell(&format!("sleep 1000 & echo $! > {}; wait", file.display()));
    let mut started = None;
    let patience = async { started = Some(process_in(&file).await) };
    let slow = run(&script, &json!({}), patience).await.unwrap_err();
    assert!(matches!(slow, CommandTrouble::Slow(_)), "{slow}");
    dies(started.unwrap()).await;
}

#[tokio::test]
async fn a_hub_that_stops_leaves_none_of_them_behind() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("started");
    let script = shell(&format!("sleep 1000 & echo $! > {}; wait", file.display()));
    let what = json!({});
    let started = tokio::select! {
        ended = run(&script, &what, pending()) => panic!("{ended:?}"),
        started = process_in(&file) => started,
    };
    dies(started).await;
}

/// Its shell is gone, and whoever inherits it takes it away.
async fn dies(process: Pid) {
    let stat = format!("/proc/{}/stat", process.as_raw_nonzero());
    while fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        tokio::task::yield_now().await;
    }
}

#[test]
fn no_secret_and_no_input_of_a_tool_is_told_and_nothing_hides() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0");
    let ask = json!({
        "id": "1", "kind": "approval", "askedAt": "now",
        "asker": {"agent": "test", "directory": "/dev/api", "preamble": format!("use {token}")},
        "approval": {"tool": "B\u{202e}ash", "input": {"command": "rm"}, "description": token, "plan": null},
    });
    assert_eq!(
        Value::from(what(ask.clone(), Text::Full)),
        json!({
            "id": "1", "kind": "approval", "askedAt": "now",
            "asker": {"agent": "test", "directory": "/dev/api", "preamble": "use [hidden]"},
            "approval": {"tool": "B<U+202E>ash", "description": "[hidden]"},
        })
    );
    assert_eq!(
        Value::from(what(ask, Text::Project)),
        json!({
            "id": "1", "kind": "approval", "askedAt": "now",
            "asker": {"agent": "test", "directory": "/dev/api"},
        })
    );
}

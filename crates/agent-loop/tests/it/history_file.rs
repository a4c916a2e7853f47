//! A history in a file: nobody else reads it, nothing of it is lost, and half a line is none.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use handraise_agent_loop::{Entry, HistoryError, HistoryFile};

use crate::stage::{Counting, Script, ask_call, calls, count_call, names, play, said};

fn home() -> (tempfile::TempDir, std::path::PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("history.jsonl");
    (home, file)
}

#[tokio::test]
async fn what_was_said_is_there_again_and_only_for_its_owner() {
    let (_home, path) = home();
    let script = Script::turns([calls("First:", [ask_call("q"), count_call("c")]), said("ok")]);
    let mut history = HistoryFile::open(&path).await.unwrap();
    assert_eq!(history.entries(), []);
    history.say("go").await.unwrap();
    let mut run = script.agent().tool(Counting::default()).run(history);
    play(&mut run).await;
    let kept = run.into_history().unwrap().entries().to_vec();
    assert!(kept.len() > 6, "{kept:?}");
    assert_eq!(HistoryFile::open(&path).await.unwrap().entries(), kept);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn a_line_that_was_not_written_to_its_end_is_dropped_wherever_it_was_cut() {
    let (_home, path) = home();
    let script = Script::turns([calls("", [ask_call("q")]), said("All set: \u{1F44D}")]);
    let mut history = HistoryFile::open(&path).await.unwrap();
    history.say("go").await.unwrap();
    let mut run = script.agent().run(history);
    play(&mut run).await;
    drop(run);
    let bytes = fs::read(&path).unwrap();
    let whole = HistoryFile::open(&path).await.unwrap().entries().to_vec();
    for cut in 0..bytes.len() {
        fs::write(&path, &bytes[..cut]).unwrap();
        let lines = bytes[..cut].split(|byte| *byte == b'\n').count() - 1;
        let mut history = HistoryFile::open(&path).await.unwrap();
        assert_eq!(history.entries(), &whole[..lines], "cut at {cut}");
        // What is said next is not joined to what was cut.
        history.say("again").await.unwrap();
        let kept = history.entries().to_vec();
        drop(history);
        assert_eq!(HistoryFile::open(&path).await.unwrap().entries(), kept, "cut at {cut}");
    }
}

#[tokio::test]
async fn a_damaged_line_is_named_and_nothing_is_thrown_away() {
    let (_home, path) = home();
    let prompt = r#"{"type":"prompt","text":"go"}"#;
    let damaged = format!("{prompt}\n{{\"type\": SECRET\n{prompt}\n");
    fs::write(&path, &damaged).unwrap();
    let error = HistoryFile::open(&path).await.unwrap_err();
    assert_eq!(error, HistoryError::Damaged(2));
    assert_eq!(error.to_string(), "line 2 of the history is damaged");
    assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
}

#[tokio::test]
async fn two_cannot_go_on_with_the_same_history() {
    let (_home, path) = home();
    let first = HistoryFile::open(&path).await.unwrap();
    assert_eq!(HistoryFile::open(&path).await.unwrap_err(), HistoryError::InUse);
    drop(first);
    HistoryFile::open(&path).await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_opened_is_an_error_with_its_reason() {
    let (home, _) = home();
    let error = HistoryFile::open(home.path()).await.unwrap_err();
    assert_eq!(error.to_string(), "the history cannot be read: is a directory");
    let error = HistoryFile::open(home.path().join("no/such")).await.unwrap_err();
    assert_eq!(error.to_string(), "the history cannot be read: entity not found");
}

#[tokio::test]
async fn a_run_goes_on_after_the_process_was_killed_in_the_middle_of_a_question() {
    let (_home, path) = home();
    let script = Script::turns([calls("First:", [ask_call("q")]), said("ok")]);
    let mut history = HistoryFile::open(&path).await.unwrap();
    history.say("go").await.unwrap();
    let mut run = script.agent().run(history);
    while names(&[serde_json::json!(run.next().await.unwrap())]) != ["ask_user"] {}
    drop(run);
    // The last thing the process did was to begin another line.
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"type\":\"res").unwrap();
    let history = HistoryFile::open(&path).await.unwrap();
    assert!(matches!(history.entries().last(), Some(Entry::Asked { .. })));
    let told = play(&mut script.agent().run(history)).await;
    assert_eq!(names(&told), ["tool_start", "ask_user", "tool_result", "text", "done"]);
}

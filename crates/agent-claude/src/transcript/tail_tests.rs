//! Transcripts that the real Claude Code wrote are in `samples/`.

use std::path::PathBuf;

use serde_json::json;

use super::*;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("samples/{name}.jsonl"))
}

fn outcome(name: &str, call: &str) -> Option<Outcome> {
    Transcript::new(&sample(name)).outcome(call)
}

#[test]
fn a_call_that_was_answered_tells_its_answers() {
    let outcome = outcome("answered", "toolu_ask1_0_0_cf69").unwrap();
    assert!(outcome.text.starts_with("Your questions have been answered: "), "{}", outcome.text);
    assert_eq!(outcome.result["answers"], json!({"Which database should we use?": "MySQL"}));
    assert!(!outcome.rejected);
}

#[test]
fn a_call_that_was_denied_by_a_hook_is_told_from_one_that_a_person_left() {
    let denied = outcome("denied", "toolu_ask1_0_0_f6ad").unwrap();
    assert_eq!((denied.text.as_str(), denied.rejected), ("no thanks", false));
    let left = outcome("interrupted", "toolu_ask1_0_0_7404").unwrap();
    assert!(left.rejected, "{left:?}");
}

#[test]
fn a_call_nobody_ended_has_no_outcome() {
    let path = sample("killed");
    let text = std::fs::read_to_string(&path).unwrap();
    let start = text.find("toolu_").unwrap();
    let call: String = text[start..].chars().take_while(|c| *c != '"').collect();
    let transcript = Transcript::new(&path);
    assert!(transcript.context(&call).is_some(), "the call itself is there");
    assert_eq!(transcript.outcome(&call), None);
    assert_eq!(transcript.outcome("toolu_of_another"), None);
    assert_eq!(Transcript::new(Path::new("/no/such/file")).outcome(&call), None);
}

/// A transcript of lines that a test wrote.
fn written(lines: &[serde_json::Value]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
    // The first line is cut off, and the last not written to its end yet.
    let text = format!("cut off\"}}\nnonsense\n\n{}\n{{\"type\":\"assis", lines.join("\n"));
    std::fs::write(file.path(), text).unwrap();
    file
}

fn says(blocks: &serde_json::Value) -> serde_json::Value {
    json!({"type": "assistant", "message": {"content": blocks}, "gitBranch": "feature/x"})
}

fn call(id: &str) -> serde_json::Value {
    says(&json!([{"type": "tool_use", "id": id, "name": "AskUserQuestion", "input": {}}]))
}

#[test]
fn the_words_before_a_call_are_those_of_the_same_message() {
    let file = written(&[
        json!({"type": "custom-title", "customTitle": "auth"}),
        json!({"type": "user", "message": {"content": "Add a login"}}),
        says(&json!([{"type": "text", "text": "I look around."}])),
        json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": "toolu_0", "content": "a\nb"}]}}),
        json!({"type": "user", "isMeta": true, "message": {"content": "a reminder"}}),
        says(&json!([{"type": "text", "text": "There are two ways."}])),
        json!({"type": "attachment"}),
        says(
            &json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Which one?"}]),
        ),
        call("toolu_1"),
        call("toolu_2"),
    ]);
    for id in ["toolu_1", "toolu_2"] {
        let context = Transcript::new(file.path()).context(id).unwrap();
        assert_eq!(context.preamble.as_deref(), Some("There are two ways.\n\nWhich one?"));
        assert_eq!(context.prompt.as_deref(), Some("Add a login"));
        assert_eq!(context.branch.as_deref(), Some("feature/x"));
        assert_eq!(context.title.as_deref(), Some("auth"));
    }
    assert_eq!(Transcript::new(file.path()).context("toolu_3"), None, "not written down yet");
}

#[test]
fn without_words_there_is_no_preamble() {
    let file =
        written(&[json!({"type": "user", "message": {"content": "[Request"}}), call("toolu_1")]);
    let context = Transcript::new(file.path()).context("toolu_1").unwrap();
    assert_eq!((context.preamble, context.prompt), (None, None));
}

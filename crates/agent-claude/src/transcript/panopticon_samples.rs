//! Every sample of Panopticon's plan "AskUserQuestion Interception" that is about files, as it stands there.
//! What its server answers is in `handraise-wire`.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use serde_json::{Value, json};

use super::{Found, Places, Reading, workspace_of};

const WORKSPACE: &str = "/home/eltmon/projects/panopticon/workspaces/feature-pan-1";

#[test]
fn panopticon_sample_agent_state() {
    let agents = tempfile::tempdir().unwrap();
    let sample = r#"{
     "id": "agent-pan-1",
     "workspace": "/home/eltmon/projects/panopticon/workspaces/feature-pan-1"
   }"#;
    fs::create_dir(agents.path().join("agent-pan-1")).unwrap();
    fs::write(agents.path().join("agent-pan-1/state.json"), sample).unwrap();
    assert_eq!(workspace_of(agents.path(), "agent-pan-1"), Some(WORKSPACE.into()));
}

#[test]
fn panopticon_sample_workspace_to_claude_project_dir() {
    let places = Places::new("/home/eltmon/.claude".into());
    let expected =
        "/home/eltmon/.claude/projects/-home-eltmon-projects-panopticon-workspaces-feature-pan-1";
    assert_eq!(places.directory_of(Path::new(WORKSPACE)), Path::new(expected));
}

#[test]
fn panopticon_sample_sessions_index() {
    let directory = tempfile::tempdir().unwrap();
    let sample = r#"{
     "entries": [{
       "sessionId": "286e638d-add1-490d-b6f4-6b99c8514f58",
       "fullPath": "/path/to/session.jsonl",
       "modified": "2026-01-20T19:50:46.594Z"
     }]
   }"#;
    fs::write(directory.path().join("sessions-index.json"), sample).unwrap();
    // The file itself was last written to longer ago.
    let file = fs::File::create(directory.path().join("session.jsonl")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let found = Places::transcripts_in(directory.path()).remove(0);
    let modified: jiff::Timestamp = "2026-01-20T19:50:46.594Z".parse().unwrap();
    assert_eq!(found.path, directory.path().join("session.jsonl"));
    assert_eq!(found.modified, Some(modified.into()));
}

/// Claude Code writes a type and a session beside the message; lines without are copies (measured), so they
/// are added here.
#[test]
fn panopticon_samples_of_a_call_and_of_its_result() {
    let call = json!({
      "message": {
        "content": [{
          "type": "tool_use",
          "id": "toolu_017wfzbruBz63jsFiqrgkpbc",
          "name": "AskUserQuestion",
          "input": {
            "questions": [{
              "question": "Which work items should we import?",
              "header": "Work Items",
              "options": [
                {"label": "User Stories + Defects", "description": "Most common..."},
                {"label": "All except Features", "description": "Include Tasks..."}
              ],
              "multiSelect": false
            }]
          }
        }]
      }
    });
    let result = json!({
      "message": {
        "content": [{
          "type": "tool_result",
          "tool_use_id": "toolu_017wfzbruBz63jsFiqrgkpbc",
          "content": "Selected: User Stories + Defects"
        }]
      }
    });
    let line = |mut sample: Value, kind: &str| {
        sample["type"] = kind.into();
        sample["sessionId"] = "286e638d-add1-490d-b6f4-6b99c8514f58".into();
        format!("{sample}\n")
    };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("session.jsonl");
    fs::write(&path, line(call, "assistant")).unwrap();
    let mut reading = Reading::new(path.clone());
    reading.catch_up(|_| {}).unwrap();
    let pending: Vec<_> = reading.pending().iter().map(|call| call.id.as_str()).collect();
    assert_eq!(pending, ["toolu_017wfzbruBz63jsFiqrgkpbc"], "a call without a result waits");
    let mut whole = fs::read_to_string(&path).unwrap();
    whole.push_str(&line(result, "user"));
    fs::write(&path, whole).unwrap();
    let mut settled = vec![];
    reading
        .catch_up(|found| match found {
            Found::Settled(call, outcome) => settled.push((call.id.clone(), outcome.text)),
            Found::Asked(_) | Found::Restarted => {}
        })
        .unwrap();
    let text = "Selected: User Stories + Defects".to_owned();
    assert_eq!(settled, [("toolu_017wfzbruBz63jsFiqrgkpbc".to_owned(), text)]);
    assert!(reading.pending().is_empty());
}

//! The example does what it says.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use handraise_testkit::{Block, ScriptedModel, one_of};
use serde_json::{Value, json};

/// Cargo builds examples beside the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().parent().unwrap().join("examples").join(name);
    assert!(path.exists(), "cargo build --examples");
    path
}

#[test]
fn an_agent_with_a_tool_of_its_own_asks_and_deploys() {
    let source = include_str!("../../examples/own_tool.rs");
    assert!(source.lines().count() <= 40, "the example is to be read in one look");
    let server = ScriptedModel::start();
    server.script(
        "deploy",
        vec![
            vec![
                Block::text("Where?"),
                Block::ask(&json!([one_of("Where to?", "Target", &["staging", "production"])])),
            ],
            vec![Block::tool("deploy", json!({"to": "staging"}))],
            vec![Block::text("It is there.")],
        ],
    );
    let out = Command::new(example("own_tool"))
        .env("PROMPT", "SCRIPT:deploy")
        .env("MODEL_URL", server.url())
        .env("MODEL_KEY", "k")
        .env("MODEL", "scripted")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(out.status.success(), "{out:?}");
    let lines: Vec<Value> = String::from_utf8(out.stdout)
        .unwrap()
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let names: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "text",
            "tool_start",
            "ask_user",
            "tool_result",
            "tool_start",
            "tool_result",
            "text",
            "done"
        ]
    );
    assert_eq!(lines[5]["result"], json!({"success": true, "output": "deployed to \"staging\""}));
    assert_eq!(lines[7], json!({"type": "done", "text": "It is there."}));
    let read = server.tool_results();
    assert!(read[0].text.contains("Selected: staging"), "{read:?}");
}

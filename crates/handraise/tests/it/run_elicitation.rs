//! Forms of MCP servers, filled in at the hub.

use handraise_broker::{Matter, Reply, State};
use handraise_testkit::{Block, ClaudeHome};
use serde_json::{Value, json};

use crate::run_scene::RunScene;

/// A server with one tool, which asks before it answers.
const SERVER: &str = r#"
import json, sys
def send(message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
schema = {"type": "object", "required": ["name"], "properties": {
    "name": {"type": "string", "title": "Name"},
    "age": {"type": "integer", "title": "Age", "minimum": 0},
    "color": {"type": "string", "title": "Color", "enum": ["red", "green"]}}}
call = None
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if method == "initialize":
        send({"id": id, "result": {"protocolVersion": message["params"]["protocolVersion"],
              "capabilities": {"tools": {}}, "serverInfo": {"name": "lab", "version": "1"}}})
    elif method == "tools/list":
        send({"id": id, "result": {"tools": [
            {"name": name, "description": "asks", "inputSchema": {"type": "object"}}
            for name in ["form", "page"]]}})
    elif method == "tools/call":
        call = id
        if message["params"]["name"] == "form":
            params = {"message": "Who are you?", "requestedSchema": schema}
        else:
            params = {"mode": "url", "message": "Sign in, please.", "url": "https://example.com/in",
                      "elicitationId": "e-1"}
        send({"id": 4711, "method": "elicitation/create", "params": params})
    elif id == 4711:
        send({"id": call, "result": {"content": [
            {"type": "text", "text": "elicited " + json.dumps(message.get("result"), sort_keys=True)}]}})
    elif id is not None:
        send({"id": id, "result": {}})
"#;

fn with_server() -> RunScene {
    let mut run = RunScene::without_run("");
    let server = run.project.join("server.py");
    std::fs::write(&server, SERVER).unwrap();
    let servers = json!({"mcpServers": {"lab": {"command": "python3", "args": [server]}}});
    let config = run.project.join("mcp.json");
    std::fs::write(&config, servers.to_string()).unwrap();
    let claude = ClaudeHome::program().display().to_string();
    let config = config.display().to_string();
    run.run(&["--approvals", "all"], &[&claude, "--mcp-config", &config]);
    run.wait_state(&[handraise_broker::SessionState::Idle]);
    run
}

#[test]
fn a_form_is_asked_as_questions_and_filled_in() {
    let run = with_server();
    run.play("form", vec![vec![Block::tool("mcp__lab__form", json!({}))]]);
    let ask = run.scene.wait_open(1).remove(0);
    assert_eq!(ask.asker().preamble.as_deref(), Some("Who are you?"));
    let raw = ask.matter().as_sent();
    let questions: Value = serde_json::from_str(raw.get()).unwrap();
    let headers: Vec<_> = questions.as_array().unwrap().iter().map(|q| &q["header"]).collect();
    assert_eq!(headers, ["Name", "Age", "Color"]);
    // An age that is none is asked about once more.
    let wrong = json!([{"words": "Ann"}, {"words": "old"}, {"selected": ["green"]}]);
    run.scene.answer(ask.id, wrong);
    let again =
        run.wait("second ask", || run.scene.open().into_iter().find(|one| one.id != ask.id));
    run.scene.answer(again.id, json!([{"words": "Ann"}, {"words": "42"}, {"leftOpen": true}]));
    let result = run.scene.model.wait_result("form");
    let expected = r#"elicited {"action": "accept", "content": {"age": 42, "name": "Ann"}}"#;
    assert!(result.text.contains(expected), "{}", result.text);
    for ask in [ask, again] {
        run.scene.wait_record(ask.id, "delivery", |record| record.state() == State::Delivered);
    }
}

#[test]
fn a_form_that_is_declined_is_declined() {
    let run = with_server();
    run.play("noform", vec![vec![Block::tool("mcp__lab__form", json!({}))]]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.reply(ask.id, Reply::Decline(None));
    let result = run.scene.model.wait_result("noform");
    assert!(result.text.contains(r#"elicited {"action": "decline"}"#), "{}", result.text);
}

#[test]
fn a_page_is_opened_with_consent() {
    let run = with_server();
    run.play("page", vec![vec![Block::tool("mcp__lab__page", json!({}))]]);
    let ask = run.scene.wait_open(1).remove(0);
    let Matter::Approval(raw) = ask.matter() else { panic!("{ask:?}") };
    assert!(raw.get().contains("https://example.com/in"), "{raw}");
    let allow = serde_json::from_value(json!({"decision": "allow"})).unwrap();
    run.scene.reply(ask.id, Reply::Decide(allow));
    let result = run.scene.model.wait_result("page");
    assert!(result.text.contains(r#"elicited {"action": "accept""#), "{}", result.text);
}

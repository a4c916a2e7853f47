//! The same tools for clients of every revision of MCP that is in use.

use serde_json::{Value, json};

use crate::mcp_scene::{Client, Scene, one, structured, text};

/// What a client of 2026-07-28 says with every request, for want of a handshake.
fn meta() -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
           "io.modelcontextprotocol/clientInfo": {"name": "newest", "version": "1"},
           "io.modelcontextprotocol/clientCapabilities": {}})
}

fn request(client: &mut Client, id: &str, method: &str, mut params: Value) -> Value {
    params["_meta"] = meta();
    client.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    client.result(&json!(id))
}

#[test]
fn a_client_with_a_handshake_gets_the_revision_it_speaks() {
    let scene = Scene::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = scene.silent_client(&[]);
        let greeting = client.hello(version, "scene");
        assert_eq!(greeting["protocolVersion"], version);
        assert_eq!(greeting["serverInfo"]["name"], "handraise");
        assert_eq!(greeting["capabilities"], json!({"tools": {}}));
        let instructions = greeting["instructions"].as_str().unwrap();
        assert!(instructions.contains("wait_answer"), "{instructions}");
        let call = client.ask("Go?");
        scene.answer(scene.the_ask().id, json!([{"selected": ["yes"]}]));
        let result = client.result(&call);
        assert_eq!(structured(&result)["status"], "answered");
        assert!(result.get("resultType").is_none(), "older clients do not know it: {result}");
    }
}

#[test]
fn a_client_of_a_revision_nobody_knows_is_offered_one() {
    let scene = Scene::new();
    let mut client = scene.silent_client(&[]);
    assert_eq!(client.hello("1999-01-01", "scene")["protocolVersion"], "2025-11-25");
    client.settle();
}

#[test]
fn a_client_without_a_handshake_discovers_lists_and_asks() {
    let scene = Scene::new();
    let mut client = scene.silent_client(&["--patience", "1s"]);
    let discovered = request(&mut client, "d", "server/discover", json!({}));
    let versions = discovered["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{discovered}");
    assert_eq!(discovered["capabilities"], json!({"tools": {}}));
    let listed = request(&mut client, "l", "tools/list", json!({}));
    assert_eq!(listed["tools"].as_array().unwrap().len(), 2);
    let asked = json!({"name": "ask_user", "arguments": one("Go?")});
    let pending = request(&mut client, "a", "tools/call", asked);
    assert_eq!(pending["resultType"], "complete");
    assert_eq!(structured(&pending)["status"], "pending");
    let ask = scene.the_ask();
    assert_eq!(ask.asker().agent, "newest");
    scene.answer(ask.id, json!([{"selected": ["no"]}]));
    let waited = json!({"name": "wait_answer", "arguments": {"ticket": ask.id.to_string()}});
    let answer = request(&mut client, "w", "tools/call", waited);
    assert_eq!(structured(&answer)["answers"][0]["selected"], json!(["no"]));
    scene.wait_state(ask.id, handraise_broker::State::Delivered);
}

#[test]
fn a_client_without_a_handshake_may_ask_at_once_and_take_it_back() {
    let scene = Scene::new();
    let mut client = scene.silent_client(&[]);
    let params = json!({"name": "ask_user", "arguments": one("Go?"), "_meta": meta()});
    client.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    let ask = scene.the_ask();
    client.cancel(&json!(1), "enough");
    scene.wait_withdrawn(ask.id);
    // Every request says for itself what it speaks.
    client.say(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    assert_eq!(client.response(&json!(2))["error"]["code"], -32602);
}

#[test]
fn a_conversation_of_codex_has_its_name_and_its_thread() {
    let scene = Scene::new();
    let mut client = scene.silent_client(&[]);
    client.hello("2025-06-18", "codex-mcp-client");
    let meta = json!({"threadId": "t-7", "sessionId": "s-7", "callId": "call_29"});
    let call = client.call_with("ask_user", &one("Go?"), &meta);
    let ask = scene.the_ask();
    assert_eq!(ask.asker().agent, "codex");
    assert_eq!(ask.asker().session.as_deref(), Some("t-7"));
    assert!(ask.asker().directory.is_some() && ask.asker().host.is_some());
    scene.answer(ask.id, json!([{"selected": ["yes"]}]));
    assert!(text(&client.result(&call)).contains("yes"));
}

#[test]
fn both_tools_say_what_they_take_what_they_return_and_when_to_use_them() {
    let scene = Scene::without_hub("");
    let mut client = scene.client(&[]);
    client.say(&json!({"jsonrpc": "2.0", "id": "list", "method": "tools/list"}));
    let listed = client.result(&json!("list"));
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ask_user", "wait_answer"]);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["outputSchema"]["type"], "object");
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert_eq!(tool["annotations"]["destructiveHint"], false);
        assert!(!tool.to_string().contains("$ref"), "hosts of models do not follow references");
    }
    let description = tools[0]["description"].as_str().unwrap();
    for word in ["(Recommended)", "Other", "secrets", "permission", "wait_answer", "one call"] {
        assert!(description.contains(word), "{word}");
    }
}

#[test]
fn whatever_comes_before_the_beginning_does_not_end_it() {
    let scene = Scene::without_hub("");
    let mut client = scene.silent_client(&[]);
    client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.cancel(&json!(99), "nothing to cancel");
    client.say(&json!({"jsonrpc": "2.0", "id": 5, "result": {}}));
    client.say(&json!({"jsonrpc": "2.0", "id": "early", "method": "tools/list"}));
    assert!(client.response(&json!("early")).get("error").is_some());
    client.say(&json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"}));
    client.result(&json!("ping"));
    client.hello("2025-11-25", "late");
    client.settle();
}

#[test]
fn the_help_shows_how_to_let_a_client_use_it() {
    let scene = Scene::without_hub("");
    let ended = handraise_testkit::Program::run(scene.hub.command().args(["mcp", "--help"]));
    assert!(ended.stdout.contains("\"mcpServers\""), "{}", ended.stdout);
    assert!(ended.stdout.contains("--patience"), "{}", ended.stdout);
}

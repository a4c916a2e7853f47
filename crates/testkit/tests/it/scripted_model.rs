//! The scripted model, by hand.

use std::io::{Read, Write};
use std::net::TcpStream;

use handraise_testkit::{Block, PATIENCE, ScriptedModel, ToolResult};
use serde_json::{Value, json};

/// Sends a request as an old client would, so that the answer is neither cut in chunks nor kept open;
/// returns the status and the body.
fn send(model: &ScriptedModel, method: &str, path: &str, body: &str) -> (u16, String) {
    let headers = "x-api-key: dummy\r\nanthropic-version: 2023-06-01\r\n";
    send_with(model, method, path, headers, body)
}

fn send_with(
    model: &ScriptedModel,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> (u16, String) {
    let mut stream = TcpStream::connect(model.url().strip_prefix("http://").unwrap()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.0\r\n{headers}content-length: {length}\r\n\r\n");
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

fn request(messages: &Value, stream: bool) -> String {
    let tools = json!([{ "name": "AskUserQuestion", "input_schema": { "type": "object" } }]);
    let model = "claude-test";
    json!({
        "model": model, "max_tokens": 100, "tools": tools, "messages": messages, "stream": stream,
    })
    .to_string()
}

fn message(model: &ScriptedModel, messages: &Value) -> Value {
    let (status, body) = send(model, "POST", "/v1/messages", &request(messages, false));
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

fn questions() -> Value {
    json!([{
        "question": "Which database should we use?", "header": "Database", "multiSelect": false,
        "options": [{ "label": "Postgres" }, { "label": "SQLite — größer" }],
    }])
}

fn asking() -> ScriptedModel {
    let model = ScriptedModel::start();
    let turn = vec![Block::text("Let me ask about the database."), Block::ask(&questions())];
    model.script("ask", vec![turn]);
    model
}

#[test]
fn a_script_is_played_turn_by_turn_and_then_its_results_are_repeated() {
    let model = asking();
    let prompt = json!({ "role": "user", "content": "SCRIPT:ask TAG:mine" });
    let first = message(&model, &json!([prompt]));
    assert_eq!(first["stop_reason"], "tool_use");
    assert_eq!(first["model"], "claude-test");
    let id = first["content"][1]["id"].as_str().unwrap();
    assert!(id.starts_with("toolu_ask_0_1_") && id.len() == "toolu_ask_0_1_".len() + 8, "{id}");
    assert_eq!(first["content"][1]["input"]["questions"], questions());

    let result = json!({ "type": "tool_result", "tool_use_id": id, "content": "SQLite" });
    let said = json!({ "role": "assistant", "content": first["content"] });
    let conversation = json!([prompt, said, { "role": "user", "content": [result] }]);
    let second = message(&model, &conversation);
    assert_eq!(
        second["content"],
        json!([{ "type": "text", "text": format!("ECHO {id}: SQLite") }])
    );
    assert_eq!(second["stop_reason"], "end_turn");

    // Asked once more, as after a lost connection: read once all the same.
    message(&model, &conversation);
    let read = ToolResult {
        tool_use_id: id.to_owned(),
        text: "SQLite".to_owned(),
        is_error: false,
        script: Some("ask".to_owned()),
        tag: Some("mine".to_owned()),
    };
    assert_eq!(model.wait_result("mine"), read);
    assert_eq!(model.wait_results(1), [read]);
    assert_eq!(model.requests().len(), 3);
}

#[test]
fn a_stream_comes_in_pieces_that_add_up() {
    let model = asking();
    let messages = json!([{ "role": "user", "content": "SCRIPT:ask" }]);
    let (status, body) = send(&model, "POST", "/v1/messages?beta=true", &request(&messages, true));
    assert_eq!(status, 200);
    let events: Vec<(&str, Value)> = body
        .split_terminator("\n\n")
        .map(|event| {
            let (name, data) = event.split_once('\n').unwrap();
            let data = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            (name.strip_prefix("event: ").unwrap(), data)
        })
        .collect();
    assert!(events.iter().all(|(name, data)| data["type"] == *name));

    let mut names: Vec<_> = events.iter().map(|(name, _)| *name).collect();
    names.dedup();
    let block = ["content_block_start", "content_block_delta", "content_block_stop"];
    let (start, end) = (["message_start", "ping"], ["message_delta", "message_stop"]);
    assert_eq!(names, [&start[..], &block, &block, &end].concat());

    let pieces = |index: u64, field: &str| -> Vec<String> {
        let deltas = events.iter().filter(|(_, data)| data["index"] == index);
        deltas.filter_map(|(_, data)| Some(data["delta"][field].as_str()?.to_owned())).collect()
    };
    let (text, input) = (pieces(0, "text"), pieces(1, "partial_json"));
    assert!(text.len() > 1 && input.len() > 1);
    assert_eq!(text.concat(), "Let me ask about the database.");
    let input: Value = serde_json::from_str(&input.concat()).unwrap();
    assert_eq!(input["questions"], questions());
    let delta = events.iter().find(|(name, _)| *name == "message_delta").unwrap();
    assert_eq!(delta.1["delta"]["stop_reason"], "tool_use");
}

#[test]
fn what_is_asked_on_the_side_gets_a_short_text() {
    let model = asking();
    let messages = json!([{ "role": "user", "content": "A title for: SCRIPT:ask" }]);
    let body = json!({ "model": "claude-test", "max_tokens": 9, "messages": messages }).to_string();
    let (status, answer) = send(&model, "POST", "/v1/messages", &body);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((status, &answer["content"][0]["text"]), (200, &json!("ok")));
    let (status, answer) = send(&model, "POST", "/v1/messages/count_tokens", &body);
    assert_eq!((status, answer.as_str()), (200, r#"{"input_tokens":100}"#));
    assert_eq!(send(&model, "HEAD", "/", ""), (200, String::new()));
}

#[test]
fn a_request_that_is_wrong_is_refused_as_the_real_one_refuses_it() {
    let model = asking();
    let refused = |(status, body): (u16, String)| {
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["type"], "error");
        let text = |field: &str| body["error"][field].as_str().unwrap().to_owned();
        (status, text("type"), text("message"))
    };
    let invalid = |message: &str| (400, "invalid_request_error".to_owned(), message.to_owned());
    let unknown = request(&json!([{ "role": "user", "content": "SCRIPT:other" }]), true);
    assert_eq!(
        refused(send(&model, "POST", "/v1/messages", &unknown)),
        invalid("there is no script \"other\"")
    );
    assert_eq!(
        refused(send(&model, "POST", "/v1/messages", r#"{"model":"m","messages":[]}"#)),
        invalid("max_tokens: Field required")
    );
    assert_eq!(refused(send(&model, "POST", "/v1/messages", "{")).0, 400);
    assert_eq!(refused(send_with(&model, "POST", "/v1/messages", "", "{}")).0, 401);
    assert_eq!(refused(send(&model, "GET", "/v1/models", "")).1, "not_found_error");
}

#[test]
fn a_model_that_is_dropped_is_gone() {
    let model = asking();
    let address = model.url().strip_prefix("http://").unwrap().to_owned();
    let mut open = TcpStream::connect(&address).unwrap();
    open.set_read_timeout(Some(PATIENCE)).unwrap();
    drop(model);
    // Cut, in one way or the other.
    assert!(!matches!(open.read(&mut [0]), Ok(1..)));
    assert!(TcpStream::connect(&address).is_err());
}

//! Whatever a client sends, the server neither falls nor hangs, and says nothing but MCP.

use std::cell::RefCell;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::mcp_scene::{Scene, failure, one, structured, wait};

#[test]
fn noise_is_passed_over_and_what_has_an_id_is_refused() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    for noise in
        ["", "  ", "hello", "{", "{\"jsonrpc\":\"2.0\",\"id\":1", "\u{feff}", "\u{0}", "nul", "\"x"]
    {
        client.say_bytes(format!("{noise}\n").as_bytes());
    }
    client.say_bytes(b"\xff\xfe\xfd\n");
    client.say_bytes(b"\r\n\r\n");
    client.settle();
    assert_eq!(client.rest(), Vec::<Value>::new());
    for (line, code) in [
        (r#"{"jsonrpc":"1.0","id":"x","method":"ping"}"#, -32600),
        (r#"{"id":"x","method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":"x","method":7}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":[]}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":"x","method":"tools/call"}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":5}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"rm"}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":"x","method":"tools/burn"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":"x","method":"elicitation/create"}"#, -32601),
    ] {
        client.say_bytes(format!("{line}\n").as_bytes());
        let refused = client.response(&json!("x"));
        assert_eq!(refused["error"]["code"], code, "{line}: {refused}");
    }
}

#[test]
fn wrong_types_are_the_models_to_mend() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    for arguments in [
        json!([]),
        json!("text"),
        json!(7),
        json!(true),
        json!({"questions": {}}),
        json!({"questions": "Q?"}),
        json!({"questions": [7, null, "x", []]}),
        json!({"questions": [{"question": 7}]}),
        json!({"questions": [{"question": "Q?", "options": "a,b"}]}),
        json!({"questions": [{"question": "Q?", "options": [{"label": null}]}]}),
        json!({"questions": [{"question": "Q?"}, {"question": "Q?"}]}),
        json!({"questions": [{"question": "Q?"}], "why": {}}),
    ] {
        let result = client.called("ask_user", &arguments);
        assert!(failure(&result).contains("needed"), "{arguments}: {result}");
    }
    assert!(scene.open().is_empty());
}

#[test]
fn ten_megabytes_are_refused_in_words_and_the_server_goes_on() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    let result = client.called("ask_user", &one(&"x".repeat(10 * 1024 * 1024)));
    assert!(failure(&result).contains("1,048,576 or fewer"), "{result}");
    // Longer than any line that is read, and without an end for a long time.
    let piece = vec![b'['; 1024 * 1024];
    for _ in 0..70 {
        client.say_bytes(&piece);
    }
    client.say_bytes(b"\n");
    client.settle();
    assert!(scene.open().is_empty());
}

#[test]
fn depth_is_refused_where_it_is_too_much() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    for depth in [120, 10_000, 200_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let call = |id: &str, params: String| {
            format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"tools/call","params":{params}}}"#)
        };
        let questions = format!(r#"{{"questions":[{{"question":"Q?","x":{deep}}}]}}"#);
        for (id, arguments) in [("in", questions.as_str()), ("all", deep.as_str())] {
            let params = format!(r#"{{"name":"ask_user","arguments":{arguments}}}"#);
            client.say_bytes(format!("{}\n", call(id, params)).as_bytes());
            let result = client.result(&json!(id));
            assert!(failure(&result).contains("needed"), "{result}");
        }
        let params = format!(r#"{{"name":"ask_user","arguments":{{}},"_meta":{{"x":{deep}}}}}"#);
        client.say_bytes(format!("{}\n", call("meta", params)).as_bytes());
        let refused = client.response(&json!("meta"));
        let in_words = refused["result"]["isError"] == json!(true);
        assert!(in_words || refused["error"]["code"] == json!(-32600), "{refused}");
    }
    client.settle();
}

#[test]
fn escape_sequences_and_markup_are_kept_and_carried_back() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    let question = "\u{1b}]0;owned\u{7}<script>alert(1)</script>\u{202e}?";
    let call = client.ask(question);
    let ask = scene.the_ask();
    scene.answer(ask.id, json!([{"selected": ["yes"]}]));
    assert_eq!(structured(&client.result(&call))["answers"][0]["question"], question);
}

#[test]
fn ids_of_any_kind_are_answered_and_twice_the_same_harms_nobody() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    let long = "i".repeat(100_000);
    for id in [json!(0), json!(-1), json!(i64::MAX), json!(""), json!("☃"), json!(long)] {
        let params = json!({"name": "ask_user", "arguments": one("Go?")});
        client.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
        let ask = scene.the_ask();
        scene.answer(ask.id, json!([{"selected": ["yes"]}]));
        assert_eq!(structured(&client.result(&id))["status"], "answered");
        scene.wait_state(ask.id, handraise_broker::State::Delivered);
    }
    for question in ["One?", "Two?"] {
        let params = json!({"name": "ask_user", "arguments": one(question)});
        client.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    }
    let refused = client.wait(|message| message.get("error").is_some());
    assert_eq!(refused["error"]["code"], -32600);
    assert!(
        refused.get("id").is_none_or(Value::is_null),
        "that would be the first one's: {refused}"
    );
    scene.answer(scene.the_ask().id, json!([{"selected": ["no"]}]));
    assert_eq!(structured(&client.result(&json!(1)))["answers"][0]["question"], "One?");
    // Now it is free again.
    client.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    client.result(&json!(1));
}

#[test]
fn a_client_that_never_reads_does_not_keep_the_server_from_ending() {
    let scene = Scene::new();
    let mut command = scene.hub.command();
    command.arg("mcp");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let info = json!({"name": "deaf", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    writeln!(input, "{hello}").unwrap();
    for id in 1..1000 {
        // More than any pipe holds.
        writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"})).unwrap();
    }
    drop(input);
    let child = RefCell::new(child);
    let status = wait("end of the server", || child.borrow_mut().try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
}

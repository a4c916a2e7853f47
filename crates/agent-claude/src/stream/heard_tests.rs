use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Lines of Claude Code 2.1.325, shortened.
const SAMPLES: &str = include_str!("../../samples/stream.jsonl");

fn read(line: &str) -> Message {
    Message::read(line.as_bytes()).unwrap()
}

/// The sample that holds all of these.
fn sample(parts: &[&str]) -> Message {
    let line = SAMPLES.lines().find(|line| parts.iter().all(|part| line.contains(part)));
    read(line.unwrap_or_else(|| panic!("no sample holds {parts:?}")))
}

#[test]
fn a_session_says_who_it_is() {
    let Message::Init(init) = sample(&[r#""subtype":"init""#]) else { panic!() };
    assert_eq!(
        init,
        Init {
            session_id: "0b22c0be-a5d0-4f89-ba56-ca91e854beb1".into(),
            model: Some("claude-opus-5-5".into()),
            permission_mode: Some("default".into()),
            cwd: Some("/home/dev/project".into()),
            version: Some("2.1.325".into()),
        }
    );
}

#[test]
fn text_is_told_as_it_is_written_and_subagents_apart() {
    let pieces: Vec<Partial> = SAMPLES
        .lines()
        .filter_map(|line| {
            let Message::Partial(partial) = read(line) else { return None };
            Some(partial)
        })
        .collect();
    let piece = |piece| Partial { piece, parent_tool_use_id: None };
    assert_eq!(
        pieces,
        [
            piece(Piece::Start { message_id: Some("msg_1".into()) }),
            piece(Piece::Other),
            piece(Piece::Text("hello there".into())),
            piece(Piece::Other),
            piece(Piece::BlockEnd),
            piece(Piece::End),
            Partial {
                piece: Piece::Text("sub".into()),
                parent_tool_use_id: Some("toolu_agent".into())
            },
        ]
    );
}

#[test]
fn a_call_keeps_its_input_byte_for_byte() {
    let Message::Assistant(message) = sample(&["tool_use\",", "AskUserQuestion", "assistant"])
    else {
        panic!()
    };
    let [Block::ToolUse { id, name, input }] = &message.blocks[..] else { panic!() };
    assert_eq!((id.as_str(), name.as_str()), ("toolu_ask", "AskUserQuestion"));
    assert!(input.get().starts_with(r#"{"questions":[{"question":"Which database"#));
}

#[test]
fn a_question_is_asked_with_all_that_belongs_to_it() {
    let Message::Request(request) = sample(&["can_use_tool", "AskUserQuestion"]) else { panic!() };
    let Asked::CanUseTool(call) = &request.asked else { panic!() };
    assert_eq!(request.id, "b351f019");
    assert_eq!(call.tool_use_id.as_deref(), Some("toolu_ask"));
    assert!(call.requires_user_interaction && call.permission_suggestions.is_none());
    let Message::Request(request) = sample(&["can_use_tool", "Bash"]) else { panic!() };
    let Asked::CanUseTool(call) = &request.asked else { panic!() };
    assert_eq!(call.input.get(), r#"{"command":"touch x && date","description":"touch a file"}"#);
    assert_eq!(call.description.as_deref(), Some("touch a file"));
    assert_eq!(call.blocked_path.as_deref(), Some("/home/dev/project/x"));
    let suggestions = call.permission_suggestions.as_deref().unwrap().get();
    assert!(suggestions.starts_with(r#"[{"type":"addRules","#));
    assert!(!call.requires_user_interaction);
}

#[test]
fn an_mcp_server_asks_with_a_form_or_a_page() {
    let Message::Request(request) = sample(&["elicitation", "form"]) else { panic!() };
    let Asked::Elicitation(asked) = &request.asked else { panic!() };
    let ElicitationMode::Form { schema, order } = &asked.mode else { panic!() };
    assert_eq!((asked.server.as_str(), asked.message.as_str()), ("lab", "What is your name?"));
    assert!(schema.get().contains(r#""enum":["red","green"]"#));
    assert_eq!(*order, ["name", "color"]);
    let Message::Request(request) = sample(&["elicitation", "url"]) else { panic!() };
    let Asked::Elicitation(asked) = &request.asked else { panic!() };
    let ElicitationMode::Url { url, id } = &asked.mode else { panic!() };
    assert_eq!((url.as_str(), id.as_deref()), ("http://127.0.0.1:18931/x", Some("el-1")));
}

#[test]
fn what_the_model_reads_of_a_call_is_told() {
    let Message::User(user) = sample(&["tool_use_result", "questions have been answered"]) else {
        panic!()
    };
    let [result] = &user.results[..] else { panic!() };
    assert_eq!(result.tool_use_id, "toolu_ask");
    assert!(result.text.starts_with("Your questions have been answered") && !result.is_error);
    assert_eq!(user.tool_use_result["answers"]["Which database should we use?"], "SQLite");
    let Message::User(user) = sample(&["user-rejected"]) else { panic!() };
    assert_eq!(user.results[0].not_made.as_deref(), Some("user-rejected"));
    assert!(user.results[0].is_error);
    let Message::User(user) = sample(&["elicit result"]) else { panic!() };
    assert_eq!(user.results[0].text, r#"elicit result: {"action": "accept"}"#);
}

#[test]
fn what_we_said_is_repeated_under_the_same_uuid() {
    let Message::User(user) = sample(&["isReplay"]) else { panic!() };
    assert!(user.is_replay && user.results.is_empty());
    assert_eq!((user.text.as_deref(), user.uuid.as_deref()), (Some("extra message"), Some("m2")));
    let stages: Vec<_> = SAMPLES
        .lines()
        .filter_map(|line| {
            let Message::Progress { uuid, stage } = read(line) else { return None };
            Some((uuid, stage))
        })
        .collect();
    let m2 = |stage| ("m2".to_owned(), stage);
    assert_eq!(
        stages,
        [
            m2(Stage::Queued),
            m2(Stage::Started),
            m2(Stage::Completed),
            ("m1".into(), Stage::Cancelled)
        ]
    );
}

#[test]
fn a_turn_tells_how_it_ended() {
    let Message::TurnEnd(end) = sample(&["aborted_tools"]) else { panic!() };
    assert_eq!(end.subtype, "error_during_execution");
    assert!(end.is_error);
    assert_eq!(end.permission_denials[0].tool_use_id.as_deref(), Some("toolu_ask"));
    let Message::TurnEnd(end) = sample(&["tool_deferred"]) else { panic!() };
    let deferred = end.deferred_tool_use.unwrap();
    assert_eq!((deferred.id.as_str(), deferred.name.as_str()), ("toolu_ask", "AskUserQuestion"));
    let Message::TurnEnd(end) = sample(&["No conversation found"]) else { panic!() };
    assert_eq!(end.errors.len(), 1);
    let Message::TurnEnd(end) = sample(&[r#""terminal_reason":"completed""#]) else { panic!() };
    assert_eq!((end.num_turns, end.result.as_deref()), (Some(2), Some("done")));
    assert!(end.total_cost_usd.is_some_and(|cost| cost > 0.0));
}

#[test]
fn requests_are_answered_and_taken_back() {
    let Message::Response(response) = sample(&["still_queued"]) else { panic!() };
    assert_eq!(response.outcome, Ok(json!({"still_queued": ["m2"]})));
    let Message::Cancelled { request_id } = sample(&["control_cancel_request"]) else { panic!() };
    assert_eq!(request_id, "533b24cf");
    let failed = r#"{"type":"control_response","response":{"subtype":"error","request_id":"x","error":"no"}}"#;
    let Message::Response(response) = read(failed) else { panic!() };
    assert_eq!(response.outcome, Err("no".into()));
}

#[test]
fn what_is_not_known_is_passed_over() {
    for line in [
        r#"{"type":"tomorrow","subtype":"new"}"#,
        r#"{"type":"system","subtype":"status"}"#,
        r#"{"type":"system"}"#,
        r#"{"type":5}"#,
        r#"{"type":"assistant"}"#,
        r#"{"type":"control_request","request":{"subtype":"can_use_tool"}}"#,
        "5",
        "[]",
        r#"{"\ud800":1}"#,
    ] {
        assert!(matches!(read(line), Message::Other { .. }), "{line}");
    }
}

/// Whoever waits for an answer gets one, if only that nobody understands.
#[test]
fn a_request_that_is_not_known_keeps_its_id() {
    for request in [
        r#"{"subtype":"hook_callback"}"#,
        r#"{"subtype":"can_use_tool"}"#,
        r#"{"subtype":"elicitation","mode":"dance"}"#,
        "{}",
    ] {
        let line = format!(r#"{{"type":"control_request","request_id":"r","request":{request}}}"#);
        let Message::Request(request) = read(&line) else { panic!("{line}") };
        assert_eq!(request.id, "r");
        assert!(matches!(request.asked, Asked::Other { .. }));
    }
}

#[test]
fn only_what_is_no_json_cannot_be_read() {
    for line in [&b"{"[..], b"", b"hello", b"\xff", b"{} {}"] {
        assert!(Message::read(line).is_err());
    }
}

#[test]
fn depth_breaks_nothing() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let line =
        format!(r#"{{"type":"user","message":{{"content":{deep}}},"tool_use_result":{deep}}}"#);
    let Message::User(user) = read(&line) else { panic!() };
    assert_eq!(user.tool_use_result, Value::Null);
}

proptest! {
    #[test]
    fn no_bytes_break_the_reading(line in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Message::read(&line);
    }

    #[test]
    fn no_change_to_a_line_breaks_the_reading(
        which in 0..SAMPLES.lines().count(),
        at in any::<prop::sample::Index>(),
        cut in 0_usize..20,
        put in prop_oneof![
            Just(""), Just("null"), Just("{}"), Just("[]"), Just("\""), Just("5"), Just("\\ud800"), Just("}")
        ],
    ) {
        let mut line = SAMPLES.lines().nth(which).unwrap().as_bytes().to_vec();
        let from = at.index(line.len());
        let to = (from + cut).min(line.len());
        line.splice(from..to, put.bytes());
        let _ = Message::read(&line);
    }

    /// Every value of every field may turn into something else.
    #[test]
    fn no_field_of_another_form_breaks_the_reading(
        which in 0..SAMPLES.lines().count(),
        victim in any::<prop::sample::Index>(),
        put in prop_oneof![
            Just(Value::Null), Just(json!({})), Just(json!([])), Just(json!("")), Just(json!(5)), Just(json!([null, {"type": "text"}]))
        ],
    ) {
        fn places(value: &Value, at: &str, found: &mut Vec<String>) {
            found.push(at.to_owned());
            let fields = value.as_object().into_iter().flatten();
            fields.for_each(|(name, inner)| places(inner, &format!("{at}/{name}"), found));
            let items = value.as_array().into_iter().flatten().enumerate();
            items.for_each(|(i, inner)| places(inner, &format!("{at}/{i}"), found));
        }
        let mut line: Value = serde_json::from_str(SAMPLES.lines().nth(which).unwrap()).unwrap();
        let mut all = vec![];
        places(&line, "", &mut all);
        if let Some(place) = line.pointer_mut(&all[victim.index(all.len())]) {
            *place = put;
        }
        prop_assert!(Message::read(line.to_string().as_bytes()).is_ok());
    }
}

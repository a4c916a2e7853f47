//! Agents that ask as Overseer's plan has it: a call of the tool in an `assistant` event, answered by a
//! `tool_result` on standard input. The agent is a program of its own that speaks nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use handraise_broker::{
    AskId, Matter, MessageKind, MessageState, Reply, Resolved, SessionState, State,
};
use handraise_testkit::Program;
use serde_json::{Value, json};

use crate::run_scene::RunScene;

/// What a person says to it is JSON: `ask` has it call the tool and wait for the result of that call,
/// `again` are calls whose results it does not wait for, and `allow` has it ask for leave. It repeats
/// what it read, and ends if that was anything else.
const AGENT: &str = r#"#!/usr/bin/env python3
import json, sys

def say(event):
    print(json.dumps(event), flush=True)

def text(text):
    say({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}})

def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)

text("argv " + json.dumps(sys.argv[1:]))
while True:
    message = read()
    assert message["type"] == "user" and isinstance(message["message"]["content"], str), message
    told = json.loads(message["message"]["content"])
    if "ask" in told:
        calls = [{"type": "tool_use", "name": "AskUserQuestion", **call} for call in told["ask"]]
        say({"type": "assistant", "message": {"role": "assistant", "content": calls}})
    for call in told.get("again", []):
        call = {"type": "tool_use", "name": "AskUserQuestion", **call}
        say({"type": "assistant", "message": {"role": "assistant", "content": [call]}})
        text("said again")
    if "allow" in told:
        say({"type": "control_request", "request_id": "r-1", "request": {
            "subtype": "can_use_tool", "tool_name": "Bash", "input": told["allow"]}})
    if "result" in told:
        say({"type": "user", "message": {"role": "user", "content": [told["result"]]}})
        text("went on")
    else:
        for _ in range(len(told.get("ask", [])) + ("allow" in told)):
            text("read " + json.dumps(read()))
    say({"type": "result", "subtype": "success", "is_error": False})
"#;

/// The call of the plan's own sample.
fn auth_call() -> Value {
    json!({"id": "toolu_abc123", "input": {"questions": [{
        "question": "Which auth method should we use?", "header": "Auth method",
        "options": [
            {"label": "JWT", "description": "Stateless tokens, good for APIs"},
            {"label": "Sessions", "description": "Server-side sessions with cookies"}],
        "multiSelect": false}]}})
}

fn features_call() -> Value {
    let both = auth_call()["input"]["questions"][0].clone();
    let options: Vec<_> = ["Dark mode", "i18n", "Analytics"]
        .map(|label| json!({"label": label, "description": "what it is"}))
        .into();
    let many = json!({"question": "Which features do you want?", "header": "Features",
        "options": options, "multiSelect": true});
    json!({"id": "toolu_2", "input": {"questions": [both, many]}})
}

fn envelope(id: &str, content: &str, is_error: bool) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error}]}})
}

fn start(options: &[&str]) -> RunScene {
    let mut run = RunScene::without_run("");
    let file = run.project.join("agent");
    fs::write(&file, AGENT).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let options: Vec<_> = ["--answers", "tool_result"].iter().chain(options).copied().collect();
    run.run(&options, &[&file.display().to_string(), "fix it", "-p"]);
    run.wait_state(&[SessionState::Idle]);
    run
}

/// What the agent has read so far, without what it was told by a person.
fn read(run: &RunScene) -> Vec<Value> {
    let said = run.messages().into_iter().filter(|message| message.kind == MessageKind::Assistant);
    said.filter_map(|message| {
        Some(serde_json::from_str(message.text.strip_prefix("read ")?).unwrap())
    })
    .collect()
}

fn decline(run: &RunScene, id: AskId, reason: &str) {
    run.scene.reply(id, Reply::Decline(Some(reason.into())));
}

fn wait_read(run: &RunScene, count: usize) -> Vec<Value> {
    run.wait("answers that were read", || Some(read(run)).filter(|read| read.len() == count))
}

#[test]
fn overseer_the_agent_reads_the_answer_as_the_tool_result_of_its_call() {
    let run = start(&[]);
    run.say(&json!({"ask": [auth_call()]}).to_string());
    let ask = run.scene.wait_open(1).remove(0);
    assert_eq!(ask.opened.asker.agent, "agent");
    let sent: Value = serde_json::from_str(ask.matter().as_sent().get()).unwrap();
    assert_eq!(sent, auth_call()["input"]["questions"]);
    assert!(read(&run).is_empty(), "nothing before the person answered");
    run.scene.answer(ask.id, json!([{"selected": ["JWT"]}]));
    assert_eq!(wait_read(&run, 1), [envelope("toolu_abc123", "JWT", false)]);
    run.scene.wait_record(ask.id, "delivered", |record| record.state() == State::Delivered);
    run.wait_state(&[SessionState::Idle]);

    // It was started with its own arguments and nothing else.
    run.wait_words(r#"argv ["fix it", "-p"]"#);
    let said = run.messages().into_iter().find(|message| message.kind == MessageKind::User);
    assert_eq!(said.unwrap().state, Some(MessageState::Delivered));

    // Several questions are a JSON map, several choices are joined, and own words go as they are.
    run.say(&json!({"ask": [features_call()]}).to_string());
    let ask = run.scene.wait_open(1).remove(0);
    let answers =
        json!([{"words": "say \"mTLS\", please"}, {"selected": ["Dark mode", "Analytics"]}]);
    run.scene.answer(ask.id, answers);
    let map = json!({"Which auth method should we use?": "say \"mTLS\", please",
        "Which features do you want?": "Dark mode, Analytics"});
    assert_eq!(wait_read(&run, 2)[1], envelope("toolu_2", &map.to_string(), false));
}

#[test]
fn overseer_whatever_is_no_answer_is_an_error_and_never_empty() {
    let run = start(&["--timeout", "1s"]);
    run.say(&json!({"ask": [auth_call()]}).to_string());
    let ask = run.scene.wait_open(1).remove(0);
    decline(&run, ask.id, "skipped by the person");
    let declined = "The person declined to answer: skipped by the person. No option was chosen; do \
                    not assume one.";
    assert_eq!(wait_read(&run, 1), [envelope("toolu_abc123", declined, true)]);
    run.wait_state(&[SessionState::Idle]);

    // The same call once more gets no answer of before, but is asked.
    run.say(&json!({"ask": [auth_call()]}).to_string());
    let silence = "Nobody answered within 1 s. This is neither a choice nor consent. Do not choose \
                   for the person.";
    assert_eq!(wait_read(&run, 2)[1], envelope("toolu_abc123", silence, true));
    run.wait_state(&[SessionState::Idle]);

    // An agent is blocked by a call that makes no sense, too.
    let calls = json!([{"id": "t-1", "input": {"questions": []}}, {"id": "t-2"}]);
    run.say(&json!({"ask": calls}).to_string());
    for (answer, id) in wait_read(&run, 4)[2..].iter().zip(["t-1", "t-2"]) {
        let result = &answer["message"]["content"][0];
        assert_eq!((&result["tool_use_id"], &result["is_error"]), (&json!(id), &json!(true)));
        let content = result["content"].as_str().unwrap();
        assert!(content.starts_with("Nobody was asked: "), "{content}");
    }
}

#[test]
fn overseer_tool_approvals_are_control_requests_beside_it() {
    let run = start(&[]);
    run.say(&json!({"ask": [auth_call()], "allow": {"command": "ls"}}).to_string());
    let asks = run.scene.wait_open(2);
    for ask in &asks {
        match ask.matter() {
            Matter::Questions(_) => run.scene.answer(ask.id, json!([{"selected": ["Sessions"]}])),
            Matter::Approval(_) => decline(&run, ask.id, "no"),
        }
    }
    let read = wait_read(&run, 2);
    assert!(read.contains(&envelope("toolu_abc123", "Sessions", false)), "{read:#?}");
    let denied = read.iter().find(|read| read["type"] == "control_response").unwrap();
    assert_eq!(denied["response"]["response"]["behavior"], "deny");
}

#[test]
fn overseer_a_question_whose_call_has_a_result_already_is_taken_back() {
    let run = start(&[]);
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_abc123",
        "content": "No such tool", "is_error": true});
    run.say(&json!({"ask": [auth_call()], "result": result}).to_string());
    run.wait_words("went on");
    run.wait_state(&[SessionState::Idle]);
    let asks = run.scene.asks();
    let kinds: Vec<_> = asks.iter().map(|ask| ask.resolved().map(Resolved::kind)).collect();
    assert_eq!(kinds, [Some("withdrawn")]);
    assert!(read(&run).is_empty());
}

#[test]
fn overseer_one_id_is_one_question_and_gets_one_result() {
    let run = start(&[]);
    run.say(&json!({"ask": [auth_call()], "again": [auth_call()]}).to_string());
    // After its result it would be asked once more.
    run.wait_words("said again");
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.answer(ask.id, json!([{"selected": ["JWT"]}]));
    assert_eq!(wait_read(&run, 1), [envelope("toolu_abc123", "JWT", false)]);
    run.wait_state(&[SessionState::Idle]);
    assert_eq!(run.scene.asks().len(), 1);

    // Another question under the same id takes the place of the one before.
    let mut other = features_call();
    other["id"] = "toolu_abc123".into();
    run.say(&json!({"ask": [auth_call()], "again": [other]}).to_string());
    let withdrawn = run.wait("the first one's end", || {
        run.scene.asks().into_iter().find(|ask| ask.resolved().is_some_and(Resolved::is_withdrawn))
    });
    let ask = run.scene.wait_open(1).remove(0);
    assert_ne!(ask.id, withdrawn.id);
    run.scene.answer(ask.id, json!([{"selected": ["JWT"]}, {"selected": ["i18n"]}]));
    let map = json!({"Which auth method should we use?": "JWT",
        "Which features do you want?": "i18n"});
    assert_eq!(wait_read(&run, 2)[1], envelope("toolu_abc123", &map.to_string(), false));
    run.scene.wait_record(ask.id, "delivered", |record| record.state() == State::Delivered);
}

#[test]
fn what_a_tool_result_cannot_do_is_refused() {
    let run = RunScene::without_run("");
    for options in [
        &["--defer-after", "30m"][..],
        &["--on-deadline", "interrupt"],
        &["--preset", "prime-agent"],
    ] {
        let mut line = run.scene.hub.command();
        line.args(["run", "--answers", "tool_result"]).args(options).args(["--", "true"]);
        let ended = Program::run(&mut line);
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert!(ended.stderr.contains("with --answers tool_result"), "{}", ended.stderr);
    }
}

/// `handraise ask` for scripts that stand between an agent and its input.
#[test]
fn overseer_an_answer_is_printed_as_a_tool_result() {
    let run = RunScene::without_run("");
    let file = run.project.join("questions.json");
    fs::write(&file, auth_call()["input"].to_string()).unwrap();
    let ask = |file: &Path, id: &[&str]| {
        let mut line = run.scene.hub.command();
        line.args(["ask", "--via", "hub", "--format", "tool_result"]).args(id).arg(file);
        Program::spawn(&mut line, "")
    };
    let id = ["--tool-use-id", "toolu_abc123"];
    let printed = |text: &str| serde_json::from_str::<Value>(text).unwrap();

    let asking = ask(&file, &id);
    let open = run.scene.wait_open(1).remove(0);
    run.scene.answer(open.id, json!([{"selected": ["JWT"]}]));
    let ended = asking.wait_exit();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert_eq!(printed(&ended.stdout), envelope("toolu_abc123", "JWT", false));

    let asking = ask(&file, &id);
    let open = run.scene.wait_open(1).remove(0);
    decline(&run, open.id, "not now");
    let ended = asking.wait_exit();
    assert_eq!(ended.status.code(), Some(3), "{ended:?}");
    assert_eq!(printed(&ended.stdout)["message"]["content"][0]["is_error"], true);

    fs::write(&file, r#"{"questions": []}"#).unwrap();
    let ended = ask(&file, &id).wait_exit();
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    let result = &printed(&ended.stdout)["message"]["content"][0];
    assert_eq!(
        (&result["is_error"], &result["tool_use_id"]),
        (&json!(true), &json!("toolu_abc123"))
    );

    let without = ask(&file, &[]).wait_exit();
    assert_eq!(without.status.code(), Some(2), "{without:?}");
    assert!(without.stderr.contains("--tool-use-id"), "{}", without.stderr);

    let mut line = run.scene.hub.command();
    let other_format = Program::run(line.args(["ask", "--via", "hub"]).args(id).arg(&file));
    assert_eq!(other_format.status.code(), Some(2), "{other_format:?}");
    assert!(other_format.stderr.contains("needs --format tool_result"), "{other_format:?}");
}

//! Front ends of other systems, as plain WebSocket clients, with the real Claude Code under
//! `handraise run`: what their documents promise of the agent's side. Tests are named after the
//! sentences; what is promised on the wire alone is in `dialect_prime_agent.rs` and `dialect_gobby.rs`.

use handraise_broker::{Matter, MessageState, Record, SessionState};
use handraise_testkit::Block;
use serde_json::{Value, json};

use crate::claude_scene::{chosen, database, features, said};
use crate::dialect_scene::{Door, FrontEnd, gobby_says, prime_agent_cancels, prime_agent_says};
use crate::run_scene::RunScene;

const DATABASE: &str = "Which database should we use?";
const FEATURES: &str = "Which features do you want?";

/// A page of prime-agent's at the session that is run; what it is told first is that nothing waits.
fn prime_agent(run: &RunScene) -> FrontEnd {
    let door = Door::from(&run.scene.hub);
    door.prime_agent(&run.session().id.to_string()).0
}

/// A page of Gobby's at the session that is run, and its name for the conversation.
fn gobby(run: &RunScene) -> (FrontEnd, String) {
    let conversation = run.session().id.to_string();
    (Door::from(&run.scene.hub).gobby(&conversation), conversation)
}

/// The next question; how the session stands is passed over.
fn next_question(page: &mut FrontEnd) -> String {
    loop {
        let heard = page.hears();
        if heard["type"] == "ask_user_question" {
            return heard["question_id"].as_str().unwrap().to_owned();
        }
        assert_eq!(heard["type"], "session_status", "{heard}");
    }
}

/// The next call that waits: what is answered it by.
fn next_call(page: &mut FrontEnd) -> String {
    let heard = page.hears_a("tool_status");
    assert_eq!(heard["status"], "calling", "{heard}");
    heard["tool_call_id"].as_str().unwrap().to_owned()
}

/// Waits until the page hears that the session stands so.
fn wait_processing(page: &mut FrontEnd, is_processing: bool) {
    loop {
        let status = page.hears_a("session_status");
        if status["is_processing"] == is_processing && status["waiting_for_user"] == false {
            return;
        }
    }
}

fn ended(run: &RunScene, id: &str) -> std::sync::Arc<Record> {
    run.scene.wait_ended(id.parse().unwrap())
}

#[test]
fn prime_agent_claude_code_can_ask_clarifying_questions_during_a_chat_session_and_receive_user_responses_over_websocket()
 {
    let run = RunScene::new(&["--preset", "prime-agent"]);
    let mut page = prime_agent(&run);
    for (name, answers, expected) in [
        ("one", json!({DATABASE: "SQLite"}), chosen(&[(&database(), "SQLite")])),
        (
            "own",
            json!({DATABASE: "a \"file\", no more"}),
            said(r#""Which database should we use?"="a "file", no more""#),
        ),
    ] {
        run.ask(name, &[database()]);
        let id = next_question(&mut page);
        page.says(&prime_agent_says(&id, answers));
        assert_eq!(run.scene.model.wait_result(name).text, expected);
        run.wait_state(&[SessionState::Idle]);
    }
}

#[test]
fn prime_agent_return_permission_result_allow_with_updated_input_of_questions_and_answers() {
    let run = RunScene::new(&["--preset", "prime-agent"]);
    let mut page = prime_agent(&run);
    run.ask("both", &[database(), features()]);
    let id = next_question(&mut page);
    let answers = json!({DATABASE: "MySQL", FEATURES: ["Search", "Billing, taxes"]});
    page.says(&prime_agent_says(&id, answers));
    let read = run.scene.model.wait_result("both");
    let expected = chosen(&[(&database(), "MySQL"), (&features(), "\"Billing, taxes\", Search")]);
    assert_eq!((read.text, read.is_error), (expected, false));
}

#[test]
fn prime_agent_return_permission_result_deny_with_interrupt_on_timeout() {
    let run = RunScene::new(&["--preset", "prime-agent", "--timeout", "2s"]);
    let mut page = prime_agent(&run);
    let turn = vec![Block::text("About it."), Block::ask(&json!([database()]))];
    let unread = vec![Block::text("Never said.")];
    run.play("silent", vec![turn, unread]);
    let id = next_question(&mut page);
    loop {
        let heard = page.hears();
        if heard["type"] == "ask_user_timeout" {
            let sample = json!({"type": "ask_user_timeout", "question_id": id,
                "error": "User response timed out"});
            assert_eq!(heard, sample);
            break;
        }
    }
    wait_processing(&mut page, false);
    assert_eq!(ended(&run, &id).resolved().unwrap().kind(), "no_answer");
    // The turn is over. Claude Code drops the words of such a denial; they come with the next words.
    run.wait_state(&[SessionState::Idle]);
    assert!(run.messages().iter().all(|message| message.text != "Never said."));
    page.says(&json!({"type": "user_message", "data": {"content": "SCRIPT:next TAG:next"}}));
    run.wait("words of the timeout", || {
        let requests = run.scene.model.requests();
        let last = requests.last()?["messages"].to_string();
        (last.contains("Nobody answered within 2 s.") && last.contains("SCRIPT:next")).then_some(())
    });
}

#[test]
fn prime_agent_return_permission_result_deny_with_interrupt_on_cancel() {
    let run = RunScene::new(&["--preset", "prime-agent"]);
    let mut page = prime_agent(&run);
    let turn = vec![Block::text("About it."), Block::ask(&json!([database()]))];
    let unread = vec![Block::text("Never said.")];
    run.play("cancel", vec![turn, unread]);
    let id = next_question(&mut page);
    page.says(&prime_agent_cancels(&id));
    loop {
        if page.hears()["type"] == "ask_user_timeout" {
            break;
        }
    }
    wait_processing(&mut page, false);
    assert_eq!(ended(&run, &id).resolved().unwrap().kind(), "declined");
    run.wait_state(&[SessionState::Idle]);
    assert!(run.messages().iter().all(|message| message.text != "Never said."));
    // Claude Code drops the words of such a denial; they come with the next words.
    page.says(&json!({"type": "user_message", "data": {"content": "SCRIPT:next TAG:next"}}));
    let declined = "The person declined to answer. No option was chosen; do not assume one.";
    run.wait("words of the cancellation", || {
        let requests = run.scene.model.requests();
        let last = requests.last()?["messages"].to_string();
        (last.contains(declined) && last.contains("SCRIPT:next")).then_some(())
    });
}

#[test]
fn prime_agent_cancel_tells_and_does_not_interrupt_with_on_deadline_tell() {
    let run = RunScene::new(&["--preset", "prime-agent", "--on-deadline", "tell"]);
    let mut page = prime_agent(&run);
    run.ask("cancel", &[database()]);
    let id = next_question(&mut page);
    page.says(&prime_agent_cancels(&id));
    let read = run.scene.model.wait_result("cancel");
    let expected = "The person declined to answer. No option was chosen; do not assume one.";
    assert_eq!((read.text.as_str(), read.is_error), (expected, true));
}

#[test]
fn prime_agent_disable_normal_chat_input_while_waiting_for_user_is_true_queued_on_backend() {
    let run = RunScene::new(&["--preset", "prime-agent"]);
    let mut page = prime_agent(&run);
    run.ask("queued", &[database()]);
    let id = next_question(&mut page);
    page.says(&json!({"type": "user_message", "data": {"content": "and keep it small"}}));
    let words = run.wait_message("words", |message| message.text == "and keep it small");
    assert_eq!(words.state, Some(MessageState::Queued));
    page.says(&prime_agent_says(&id, json!({DATABASE: "SQLite"})));
    run.scene.model.wait_result("queued");
    run.wait_message("delivery of the words", |message| {
        message.text == "and keep it small" && message.state == Some(MessageState::Delivered)
    });
    // Not before the answer: no request has the words without it.
    for request in run.scene.model.requests() {
        let text = request.to_string();
        assert!(!text.contains("and keep it small") || text.contains("SQLite"), "{text}");
    }
}

#[test]
fn prime_agent_is_processing_while_claude_code_works_and_not_when_it_is_idle() {
    let run = RunScene::new(&["--preset", "prime-agent", "--approvals", "all"]);
    let (mut page, status) = Door::from(&run.scene.hub).prime_agent(&run.session().id.to_string());
    assert_eq!(status["is_processing"], false, "{status}");
    let wait =
        json!({"command": "until [ -e go-on ]; do sleep 0.01; done", "description": "Waits"});
    let turns = vec![vec![Block::tool("Bash", wait)], vec![Block::ask(&json!([database()]))]];
    run.play("work", turns);
    wait_processing(&mut page, true);
    std::fs::write(run.project.join("go-on"), "").unwrap();
    let id = next_question(&mut page);
    let waiting = page.waits_for(Some(&id));
    assert_eq!(waiting["is_processing"], false, "{waiting}");
    page.says(&prime_agent_says(&id, json!({DATABASE: "SQLite"})));
    wait_processing(&mut page, true);
    wait_processing(&mut page, false);
}

#[test]
fn prime_agent_buffers_if_disconnected_and_replays_on_reconnect() {
    let mut run = RunScene::new(&["--preset", "prime-agent"]);
    run.ask("buffered", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    let id = ask.id.to_string();
    let mut page = prime_agent(&run);
    page.is_asked(&id);
    run.scene.hub.kill();
    run.scene.hub.restart();
    let mut page = prime_agent(&run);
    let left = page.is_asked(&id)["timeout_seconds"].as_u64().unwrap();
    assert!((1..=55).contains(&left), "{left}");
    page.says(&prime_agent_says(&id, json!({DATABASE: "SQLite"})));
    let read = run.scene.model.wait_result("buffered").text;
    assert_eq!(read, chosen(&[(&database(), "SQLite")]));
}

#[test]
fn gobby_the_callback_blocks_until_the_web_ui_sends_the_users_answers_through_ask_user_response() {
    let run = RunScene::new(&["--preset", "gobby"]);
    let (mut page, conversation) = gobby(&run);
    run.ask("blocks", &[database(), features()]);
    let call = next_call(&mut page);
    assert!(call.starts_with("toolu_"), "the agent's own name for it: {call}");
    let answers = json!({DATABASE: "SQLite", FEATURES: "Auth, and docs"});
    page.says(&gobby_says(&conversation, &call, answers.clone()));
    let completed = page.sees_call(&call, "completed");
    assert_eq!(completed["result"]["answers"], answers);
    let read = run.scene.model.wait_result("blocks").text;
    let expected = format!("{DATABASE:?}=\"SQLite\", {FEATURES:?}=\"Auth, and docs\"");
    assert_eq!(read, said(&expected));
}

#[test]
fn gobby_all_other_tools_are_auto_approved() {
    let run = RunScene::new(&["--preset", "gobby"]);
    let touch = json!({"command": "touch approved", "description": "Touches"});
    let turns = vec![vec![Block::tool("Bash", touch)], vec![Block::text("Done.")]];
    run.play("tool", turns);
    run.wait_words("Done.");
    assert!(run.project.join("approved").exists());
    assert!(run.scene.history().is_empty(), "nobody was asked");
    let told = run.program.as_ref().unwrap().stderr();
    assert!(told.contains("allows every tool and plan without asking you"), "{told}");
}

#[test]
fn gobby_a_person_who_wants_approvals_is_asked() {
    let touch = json!({"command": "touch approved", "description": "Touches"});
    let by_option = RunScene::new(&["--preset", "gobby", "--approvals", "ask"]);
    let by_config = RunScene::with_config("[run]\napprovals = \"ask\"\n", &["--preset", "gobby"]);
    for run in [by_option, by_config] {
        run.play("tool", vec![vec![Block::tool("Bash", touch.clone())]]);
        let ask = run.scene.wait_open(1).remove(0);
        assert!(matches!(ask.matter(), Matter::Approval(_)));
        assert!(!run.project.join("approved").exists());
    }
}

#[test]
fn gobby_callback_returns_permission_result_allow_with_answers() {
    let run = RunScene::new(&["--preset", "gobby"]);
    // A page that follows everything, as Gobby's own does.
    let mut page = Door::from(&run.scene.hub).gobby("");
    run.ask("allow", &[database()]);
    let heard = page.hears_a("tool_status");
    assert_eq!(heard["arguments"]["questions"], json!([database()]));
    let own = heard["conversation_id"].as_str().unwrap();
    assert_eq!(Some(own), run.session().agent_session.as_deref());
    let call = heard["tool_call_id"].as_str().unwrap();
    page.says(&gobby_says(own, call, json!({DATABASE: "MySQL"})));
    page.sees_call(call, "completed");
    let read = run.scene.model.wait_result("allow");
    assert_eq!((read.text, read.is_error), (chosen(&[(&database(), "MySQL")]), false));
}

#[test]
fn gobby_on_timeout_the_agent_is_told_that_nobody_answered() {
    let run = RunScene::new(&["--preset", "gobby", "--timeout", "2s"]);
    let (mut page, _) = gobby(&run);
    run.ask("timeout", &[database()]);
    let call = next_call(&mut page);
    let told = page.sees_call(&call, "error")["error"].clone();
    let read = run.scene.model.wait_result("timeout");
    assert_eq!((json!(read.text), read.is_error), (told, true), "the same words for both");
    assert!(read.text.starts_with("Nobody answered within 2 s."), "{}", read.text);
}

#[test]
fn gobby_if_client_disconnects_while_question_is_pending_reject_immediately_to_free_up_the_agent() {
    let run = RunScene::new(&["--preset", "gobby"]);
    let (mut page, conversation) = gobby(&run);
    run.ask("gone", &[database()]);
    next_call(&mut page);
    page.leaves();
    let read = run.scene.model.wait_result("gone");
    let expected = "The person declined to answer: the gobby front end that showed it was closed. \
                    No option was chosen; do not assume one.";
    assert_eq!((read.text.as_str(), read.is_error), (expected, true));
    run.wait_state(&[SessionState::Idle]);
    // The session goes on, and the next page answers.
    let mut page = Door::from(&run.scene.hub).gobby(&conversation);
    run.ask("back", &[database()]);
    let call = next_call(&mut page);
    page.says(&gobby_says(&conversation, &call, json!({DATABASE: "SQLite"})));
    assert_eq!(run.scene.model.wait_result("back").text, chosen(&[(&database(), "SQLite")]));
}

#[test]
fn gobby_two_questions_at_once_are_both_shown_and_each_gets_its_own_answer() {
    let run = RunScene::new(&["--preset", "gobby"]);
    let (mut page, conversation) = gobby(&run);
    let turn = vec![Block::ask(&json!([database()])), Block::ask(&json!([features()]))];
    run.play("two", vec![turn]);
    let calls: Vec<Value> = (0..2).map(|_| page.hears_a("tool_status")).collect();
    for call in calls.iter().rev() {
        let question = call["arguments"]["questions"][0]["question"].as_str().unwrap();
        let label = if question == DATABASE { "MySQL" } else { "Search" };
        let id = call["tool_call_id"].as_str().unwrap();
        page.says(&gobby_says(&conversation, id, json!({question: label})));
        page.sees_call(id, "completed");
    }
    let mut read = [0, 1].map(|n| run.scene.model.wait_nth_result("two", n).text);
    read.sort();
    let mut expected = [chosen(&[(&database(), "MySQL")]), chosen(&[(&features(), "Search")])];
    expected.sort();
    assert_eq!(read, expected);
}

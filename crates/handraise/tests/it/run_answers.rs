//! Questions of a Claude Code that is run under the hub, and what its model reads of the answers.

use handraise_broker::{MessageKind, MessageState, Reply, SessionState, State};
use handraise_testkit::Block;
use serde_json::json;

use crate::claude_scene::{auth, chosen, database, features, layout, said};
use crate::run_scene::RunScene;

#[test]
fn a_question_is_answered_and_the_answer_stands_in_the_conversation() {
    let run = RunScene::new(&[]);
    run.ask("single", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    assert_eq!(ask.asker().preamble.as_deref(), Some("About single."));
    assert_eq!(ask.asker().session, run.session().agent_session);
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    let result = run.scene.model.wait_result("single");
    assert_eq!(result.text, chosen(&[(&database(), "SQLite")]));
    run.wait_state(&[SessionState::Idle]);
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
    let kinds: Vec<_> = run.messages().iter().map(|message| message.kind).collect();
    assert_eq!(
        kinds,
        [
            MessageKind::User,
            MessageKind::Assistant,
            MessageKind::Ask,
            MessageKind::Answer,
            MessageKind::Assistant
        ],
        "{:#?}",
        run.messages()
    );
    let messages = run.messages();
    assert_eq!(messages[0].state, Some(MessageState::Delivered));
    assert_eq!(messages[3].text, "✔ Database: SQLite");
}

#[test]
fn several_choices_with_words_arrive_whole() {
    let run = RunScene::new(&[]);
    run.ask("multi", &[features()]);
    let ask = run.scene.wait_open(1).remove(0);
    let answer = json!([{"selected": ["Search", "Billing, taxes"], "words": "and \"tests\", 🦀"}]);
    run.scene.answer(ask.id, answer);
    let result = run.scene.model.wait_result("multi");
    let expected =
        "\"Which features do you want?\"=\"\"Billing, taxes\", Search, \"and \\\"tests\\\", 🦀\"\"";
    assert_eq!(result.text, said(expected));
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
}

#[test]
fn four_questions_are_one_ask() {
    let run = RunScene::new(&[]);
    run.ask("four", &[database(), features(), layout(), auth()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.answer(
        ask.id,
        json!([{"selected": ["SQLite"]}, {"selected": ["Auth"]}, {"leftOpen": true}, {"words": "passkeys"}]),
    );
    let result = run.scene.model.wait_result("four");
    assert!(result.text.contains("\"passkeys\""), "{}", result.text);
    assert!(result.text.contains("left this question open on purpose"), "{}", result.text);
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
}

#[test]
fn a_question_that_is_declined_is_no_choice() {
    let run = RunScene::new(&[]);
    run.ask("no", &[auth()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.reply(ask.id, Reply::Decline(Some("too early".into())));
    let result = run.scene.model.wait_result("no");
    assert_eq!(
        result.text,
        "The person declined to answer: too early. No option was chosen; do not assume one."
    );
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
}

#[test]
fn two_asks_at_once_are_answered_in_any_order() {
    let run = RunScene::new(&[]);
    let two = vec![Block::ask(&json!([database()])), Block::ask(&json!([auth()]))];
    run.play("two", vec![two]);
    let mut asks = run.scene.wait_open(2);
    // Claude Code asks for both at once, and once in a while for the second one first.
    asks.sort_by_key(|ask| !format!("{:?}", ask.matter()).contains("Which database"));
    run.scene.answer(asks[1].id, json!([{"selected": ["JWT"]}]));
    run.scene.wait_open(1);
    run.scene.answer(asks[0].id, json!([{"selected": ["SQLite"]}]));
    let results = run.scene.model.wait_results(2);
    let texts: Vec<_> = results.iter().map(|result| result.text.as_str()).collect();
    assert!(texts.contains(&chosen(&[(&database(), "SQLite")]).as_str()), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("\"JWT\"")), "{texts:?}");
    for ask in asks {
        assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
    }
}

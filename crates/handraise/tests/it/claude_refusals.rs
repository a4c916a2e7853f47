//! Where there is no answer, the model reads that there is none; it never reads one that nobody gave.

use handraise_broker::{Reply, State};
use serde_json::json;

use crate::claude_scene::{DEFAULT, Scene, auth, database};

#[test]
fn claude_reads_that_a_person_declined_or_wants_to_talk() {
    let scene = Scene::new();
    let (session, shell) = (scene.session(DEFAULT), scene.shell());
    let refused = |tag: &str, command: &str, read: &str| {
        let ask = scene.ask(&session, tag, &[database()]);
        let said = shell.run(&command.replace("ID", &ask.id.to_string()));
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{}", said.stdout);
        let result = scene.model.wait_result(tag);
        assert_eq!((result.text.as_str(), result.is_error), (read, true));
        session.wait_closed();
        let seen = scene.wait_seen(ask.id);
        assert_eq!(seen.state(), State::Delivered);
        assert_eq!(seen.last_receipt().unwrap().text.as_deref(), Some(read));
    };
    refused(
        "reason",
        "handraise decline ID --reason 'ask me \"tomorrow\", please'",
        "The person declined to answer: ask me \"tomorrow\", please. No option was chosen; do not \
         assume one.",
    );
    refused(
        "silent",
        "handraise decline ID",
        "The person declined to answer. No option was chosen; do not assume one.",
    );
    refused(
        "talk",
        "handraise discuss ID 'what does each cost?'",
        "The person wants to talk first: what does each cost?. No option was chosen. Answer them, \
         then ask again if you still need it.",
    );
}

#[test]
fn claude_reads_that_one_of_two_questions_was_left_open() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let ask = scene.ask(&session, "open", &[database(), auth()]);
    scene.answer(ask.id, json!([{"selected": ["SQLite"]}, {"leftOpen": true}]));
    let read = scene.model.wait_result("open").text;
    assert!(read.contains("\"Which database should we use?\"=\"SQLite\""), "{read}");
    let open = "\"Which auth method?\"=(no option selected) notes: The person left this question \
                open on purpose.";
    assert!(read.contains(open), "{read}");
    assert_eq!(scene.wait_seen(ask.id).state(), State::Delivered);
}

#[test]
fn claude_reads_that_nobody_answered_in_time() {
    let scene = Scene::with_config("policy = { default_deadline_seconds = 2 }");
    let session = scene.session(DEFAULT);
    scene.put_unseen(&session, "silence", &[database()]);
    let result = scene.model.wait_result("silence");
    let read = "Nobody answered within 2 s. This is neither a choice nor consent. Do not choose for \
                the person.";
    assert_eq!((result.text.as_str(), result.is_error), (read, true));
    session.wait_closed();
    scene.wait_open(0);
}

#[test]
fn a_denied_answer_to_claude_is_never_an_allowed_one() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let ask = scene.ask(&session, "both", &[database(), auth()]);
    scene.reply(ask.id, Reply::Decline(None));
    let result = scene.model.wait_result("both");
    assert!(result.is_error);
    assert!(!result.text.contains("did not answer"), "{}", result.text);
    assert!(!result.text.contains('='), "{}", result.text);
}

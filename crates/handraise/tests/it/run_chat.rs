//! What people say to a Claude Code that is run under the hub, and when it hears it.

use handraise_broker::{Hub, MessageKind, MessageState, News, Power, SessionState};
use handraise_testkit::Block;
use serde_json::json;

use crate::claude_scene::database;
use crate::run_scene::RunScene;

/// As the prime-agent document has it.
#[test]
fn prime_agent_chat_sent_while_a_question_is_open_is_queued_and_delivered_after_it() {
    let run = RunScene::new(&[]);
    run.ask("queue", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    let said = run.say("and keep it small");
    let state = |run: &RunScene| {
        let message = run.messages().into_iter().find(|message| message.key == said.key);
        message.and_then(|message| message.state)
    };
    assert_eq!(state(&run), Some(MessageState::Queued));
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    run.scene.model.wait_result("queue");
    run.wait("delivery of the words", || {
        (state(&run) == Some(MessageState::Delivered)).then_some(())
    });
    // Not before the answer: no request has the words without it.
    for request in run.scene.model.requests() {
        let text = request.to_string();
        if text.contains("and keep it small") {
            assert!(text.contains("SQLite"), "{text}");
        }
    }
}

#[test]
fn every_word_arrives_once_and_in_order() {
    let run = RunScene::new(&[]);
    run.ask("order", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    for word in ["first ünïcode 🦀", "second\nwith two lines", "third \"quoted\""] {
        run.say(word);
    }
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    run.wait("all words", || {
        let messages = run.messages();
        let mut words = messages.iter().filter(|message| message.kind == MessageKind::User);
        words.all(|message| message.state == Some(MessageState::Delivered)).then_some(())
    });
    run.wait_state(&[SessionState::Idle]);
    let last = run.scene.model.requests().pop().unwrap()["messages"].to_string();
    let places: Vec<_> = ["first ünïcode 🦀", "second\\nwith two lines", "third \\\"quoted\\\""]
        .map(|word| last.find(word).unwrap_or_else(|| panic!("no {word} in {last}")))
        .into();
    assert!(places.is_sorted(), "{places:?}");
}

/// As the Overseer document has it.
#[test]
fn overseer_a_question_in_the_middle_of_a_stream_is_shown_when_the_message_is_complete() {
    let run = RunScene::new(&[]);
    let turn = vec![
        Block::text("Before the question."),
        Block::ask(&json!([database()])),
        Block::text("After the question."),
    ];
    run.play("middle", vec![turn]);
    let ask = run.scene.wait_open(1).remove(0);
    let kinds: Vec<_> = run.messages().iter().map(|message| message.kind).collect();
    // Whatever the message held stands before the question.
    let place = kinds.iter().position(|kind| *kind == MessageKind::Ask);
    let place = place.unwrap_or(kinds.len());
    let before = kinds[..place].iter().filter(|kind| **kind == MessageKind::Assistant).count();
    assert_eq!(before, 2, "{:#?}", run.messages());
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    run.scene.model.wait_result("middle");
}

/// As the Overseer document has it.
#[test]
fn overseer_the_answer_appears_in_the_conversation_as_a_message() {
    let run = RunScene::new(&[]);
    run.ask("appears", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"], "notes": "for now"}]));
    let answer = run.wait_message("answer", |message| message.kind == MessageKind::Answer);
    assert_eq!(
        (answer.text.as_str(), answer.ask),
        ("✔ Database: SQLite (note: for now)", Some(ask.id))
    );
}

#[test]
fn what_the_agent_says_is_streamed_and_then_told_as_a_whole() {
    let run = RunScene::new(&[]);
    let words =
        "A long sentence, which comes piece by piece, with ünïcode and 🦀 in it. ".repeat(40);
    let session = run.session().id;
    let client = run.scene.hub.client(Power::Person);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut feed = runtime.block_on(client.follow(None)).unwrap();
    run.play("stream", vec![vec![Block::text(words.clone())]]);
    let mut streamed = String::new();
    let whole = runtime.block_on(async {
        loop {
            match feed.next().await.unwrap() {
                News::Speaking { session: of, streamed: piece } => {
                    assert_eq!(of, session);
                    assert_eq!(piece.offset, streamed.len() as u64);
                    streamed.push_str(&piece.text);
                }
                News::Event(told) => {
                    let messages = told.session.iter().flat_map(|changed| &changed.messages);
                    let mut said =
                        messages.filter(|message| message.kind == MessageKind::Assistant);
                    if let Some(message) = said.next() {
                        break message.clone();
                    }
                }
                News::Live(_) | News::Reset(_) | News::Typing { .. } => {}
            }
        }
    });
    assert_eq!(whole.text, words);
    assert!(words.starts_with(&streamed), "{streamed}");
}

#[test]
fn the_first_words_begin_the_session_and_give_it_its_title() {
    let run = RunScene::without_run("");
    run.scene.model.script("first", vec![vec![Block::text("Hello there.")]]);
    // In a person's own shell: the first words are theirs.
    let shell = run.scene.shell();
    let variables: Vec<_> = run.scene.claude.environment();
    let variables = variables.iter().map(|(name, value)| format!("{name}={value}"));
    shell.begin(&format!(
        "cd {}; env {} {} run --detached -m 'Look around. SCRIPT:first' -- {}",
        run.project.display(),
        variables.collect::<Vec<_>>().join(" "),
        env!("CARGO_BIN_EXE_handraise"),
        handraise_testkit::ClaudeHome::program().display(),
    ));
    run.wait_words("Hello there.");
    let session = run.wait_state(&[SessionState::Idle]);
    assert_eq!(session.title.as_deref(), Some("Look around. SCRIPT:first"));
    assert_eq!(session.directory, run.project.display().to_string());
}

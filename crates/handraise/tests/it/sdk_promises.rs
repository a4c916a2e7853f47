//! What the clients for the Claude Agent SDKs promise, whatever language they are written in.

use std::sync::Arc;

use handraise_broker::{Record, Reply, Resolved, State};
use handraise_testkit::Block;
use serde_json::{Value, json};

use crate::claude_approvals::plan_file;
use crate::claude_scene::{auth, chosen, database, features, layout, said as words};
use crate::forged_receipts::is_refused;
use crate::sdk_scene::{Language, Sdk, said, told};

/// Makes a test of each promise, for one language.
macro_rules! kept_in {
    ($language:expr; $($promise:ident)*) => {
        $(#[test] fn $promise() { crate::sdk_promises::$promise($language) })*
    };
    ($language:expr) => {
        $crate::sdk_promises::kept_in! { $language;
            the_readmes_script_gets_its_answer
            the_readmes_script_without_permissions_is_asked_all_the_same
            the_model_reads_what_the_person_said
            tools_are_allowed_edited_and_denied_by_a_person
            nothing_is_done_because_an_agent_says_it_was_allowed
            a_plan_is_sent_back_and_then_approved
            a_cancelled_question_is_withdrawn_and_nothing_is_left_behind
            gobby_all_other_tools_are_approved_at_once
            gobby_timeout_rejects_with_a_message
            gobby_disconnect_rejects_at_once
            gobby_unknown_keys_are_refused
            prime_agent_pending_question_is_replayed_after_a_disconnect
            prime_agent_timeout_denies_with_interrupt
            prime_agent_cancel_denies_with_interrupt
        }
    };
}
pub(crate) use kept_in;

fn ask(questions: &[Value]) -> Vec<Block> {
    vec![Block::text("Let me ask."), Block::ask(&json!(questions))]
}

fn bash(command: &str) -> Vec<Block> {
    vec![Block::tool("Bash", json!({"command": command, "description": "Make a file"}))]
}

fn one_open(sdk: &Sdk) -> Arc<Record> {
    sdk.scene.wait_open(1).remove(0)
}

fn decide(sdk: &Sdk, ask: &Record, decision: Value) {
    sdk.scene.reply(ask.id, Reply::Decide(serde_json::from_value(decision).unwrap()));
}

fn approval(ask: &Record) -> Value {
    serde_json::from_str(ask.matter().as_sent().get()).unwrap()
}

/// What the model read as the result of its `n`th call, and whether it was an error.
fn read(sdk: &Sdk, n: usize) -> (String, bool) {
    let result = sdk.scene.model.wait_nth_result("play", n);
    (result.text, result.is_error)
}

fn answered(text: String) -> (String, bool) {
    (text, false)
}

fn denied(text: &str) -> (String, bool) {
    (text.to_owned(), true)
}

pub(crate) fn the_readmes_script_gets_its_answer(language: Language) {
    let sdk = Sdk::new(language);
    let program = sdk.play_readme("ask", vec![ask(&[database()])]);
    let asked = one_open(&sdk);
    assert_eq!(asked.asker().agent, "claude-agent-sdk");
    assert_eq!(asked.asker().directory.as_deref(), sdk.project.to_str());
    sdk.scene.answer(asked.id, json!([{"selected": ["SQLite"]}]));
    let text = chosen(&[(&database(), "SQLite")]);
    assert_eq!(read(&sdk, 0), answered(text.clone()));
    let ended = program.wait_exit();
    assert!(ended.status.success() && ended.stdout.contains(&text), "{ended:?}");
    assert_eq!(sdk.scene.get(asked.id).state(), State::Delivered);
    assert_eq!(sdk.scene.asks().len(), 1, "the hooks asked as well");
}

pub(crate) fn the_readmes_script_without_permissions_is_asked_all_the_same(language: Language) {
    let sdk = Sdk::new(language);
    let turns = vec![bash("touch made && echo made it"), ask(&[database()])];
    let program = sdk.play_readme("unattended", turns);
    let asked = one_open(&sdk);
    assert_eq!(read(&sdk, 0), answered("made it".into()), "the tool was not asked about");
    sdk.scene.answer(asked.id, json!([{"words": "none \"yet\", please"}]));
    let expected = words("\"Which database should we use?\"=\"none \"yet\", please\"");
    assert_eq!(read(&sdk, 1), answered(expected));
    assert!(program.wait_exit().status.success());
    assert_eq!(sdk.scene.asks().len(), 1);
}

/// Single, multi with own words, four questions, declined, discuss, left open, and two at once.
pub(crate) fn the_model_reads_what_the_person_said(language: Language) {
    let sdk = Sdk::new(language);
    // In the order in which Claude Code writes it.
    let odd = json!({"question": " Which “database”,\n\"שלום\" 🚀? ", "header": "Database", "options": [
        {"label": "MySQL", "description": "1\u{2028}2"}, {"label": "SQLite", "description": "</b>"}],
        "multiSelect": false});
    let turns = vec![
        ask(std::slice::from_ref(&odd)),
        ask(&[features()]),
        ask(&[database(), auth(), layout(), features()]),
        ask(&[database()]),
        ask(&[database()]),
        ask(&[database(), auth()]),
        vec![Block::ask(&json!([database()])), Block::ask(&json!([auth()]))],
    ];
    let program = sdk.play(turns, json!({"options": {"title": "all of it"}}));

    let asked = one_open(&sdk);
    assert_eq!(asked.matter().as_sent().get(), json!([odd]).to_string(), "not as it was sent");
    assert_eq!(asked.asker().title.as_deref(), Some("all of it"));
    sdk.scene.answer(asked.id, json!([{"selected": ["MySQL"]}]));
    let (text, is_error) = read(&sdk, 0);
    assert!(text.starts_with("Your questions have been answered: ") && !is_error, "{text}");
    assert!(text.contains("=\"MySQL\""), "{text}");

    let asked = one_open(&sdk);
    let answer = json!([{"selected": ["Search", "Billing, taxes"], "words": "docs, \"too\""}]);
    sdk.scene.answer(asked.id, answer);
    let expected =
        r#""Which features do you want?"=""Billing, taxes", Search, "docs, \"too\"""#.to_owned();
    assert_eq!(read(&sdk, 1), answered(words(&format!("{expected}\""))));

    let asked = one_open(&sdk);
    let answers = json!([{"selected": ["SQLite"]}, {"selected": ["JWT"]}, {"selected": ["Topbar"]},
                         {"selected": ["Auth", "say \"hi\""]}]);
    sdk.scene.answer(asked.id, answers);
    let (text, is_error) = read(&sdk, 2);
    let parts = [
        "=\"SQLite\"",
        "=\"JWT\"",
        "=\"Topbar\" selected preview:\n+--------+",
        r#"="Auth, "say \"hi\"""#,
    ];
    assert!(!is_error && parts.iter().all(|part| text.contains(part)), "{text}");

    sdk.scene.reply(one_open(&sdk).id, Reply::Decline(Some("too early".into())));
    let expected =
        "The person declined to answer: too early. No option was chosen; do not assume one.";
    assert_eq!(read(&sdk, 3), denied(expected));

    sdk.scene.reply(one_open(&sdk).id, Reply::Discuss("what does it cost?".into()));
    let expected = "The person wants to talk first: what does it cost?. No option was chosen. Answer \
                    them, then ask again if you still need it.";
    assert_eq!(read(&sdk, 4), denied(expected));

    let asked = one_open(&sdk);
    sdk.scene.answer(asked.id, json!([{"selected": ["SQLite"]}, {"leftOpen": true}]));
    let expected = words(
        "\"Which database should we use?\"=\"SQLite\", \"Which auth method?\"=(no option selected) \
         notes: The person left this question open on purpose.",
    );
    assert_eq!(read(&sdk, 5), answered(expected));

    let both = sdk.scene.wait_open(2);
    let of =
        |text: &str| both.iter().find(|ask| ask.matter().as_sent().get().contains(text)).unwrap();
    sdk.scene.answer(of("auth method").id, json!([{"selected": ["JWT"]}]));
    sdk.scene.answer(of("database").id, json!([{"selected": ["SQLite"]}]));
    let mut both = [read(&sdk, 6), read(&sdk, 7)];
    both.sort();
    let expected = [chosen(&[(&auth(), "JWT")]), chosen(&[(&database(), "SQLite")])];
    assert_eq!(both, expected.map(answered));

    let lines = said(program);
    assert_eq!(told(&lines, "subtype"), "success");
    assert_eq!(told(&lines, "waiting"), 0);
    let states: Vec<_> = sdk.scene.asks().iter().map(|ask| ask.state()).collect();
    assert_eq!(states, [State::Delivered; 8]);
}

pub(crate) fn tools_are_allowed_edited_and_denied_by_a_person(language: Language) {
    let sdk = Sdk::new(language);
    let turns = vec![
        bash("touch one && echo made one"),
        bash("touch two && echo made two"),
        bash("touch three && echo made three"),
        bash("touch four && echo made four"),
        bash("touch five && echo made five"),
    ];
    let program = sdk.play(turns, json!({"options": {"tools": "ask"}}));
    let asked = one_open(&sdk);
    let shown = approval(&asked);
    assert_eq!(shown["tool"], "Bash");
    assert_eq!(shown["input"]["command"], "touch one && echo made one");
    assert_eq!(shown["description"], "Make a file");
    decide(&sdk, &asked, json!({"decision": "allow"}));
    assert_eq!(read(&sdk, 0), answered("made one".into()));
    let edited = json!({"command": "echo made none", "description": "Say so"});
    decide(&sdk, &one_open(&sdk), json!({"decision": "allow", "input": edited}));
    assert_eq!(read(&sdk, 1), answered("made none".into()));
    decide(&sdk, &one_open(&sdk), json!({"decision": "deny", "message": "not here"}));
    assert_eq!(read(&sdk, 2), denied("The person did not allow this: not here."));
    decide(&sdk, &one_open(&sdk), json!({"decision": "allow", "remember": true}));
    assert_eq!(read(&sdk, 3), answered("made four".into()));
    // What Claude Code offered to remember was to accept edits from now on.
    assert_eq!(read(&sdk, 4), answered("made five".into()));
    assert_eq!(told(&said(program), "subtype"), "success");
    assert_eq!(sdk.scene.asks().len(), 4);
    let made = ["one", "two", "three", "four"].map(|name| sdk.project.join(name).exists());
    assert_eq!(made, [true, false, false, true]);
}

pub(crate) fn a_plan_is_sent_back_and_then_approved(language: Language) {
    let sdk = Sdk::new(language);
    let program = sdk.play(vec![ask(&[database()])], json!({"mode": "plan"}));
    let asked = one_open(&sdk);
    // By now Claude Code has told its model where plans are written down.
    let plan = "# The plan\n\n1. Do it \"well\"\n";
    let write = json!({"file_path": plan_file(&sdk.scene), "content": plan});
    let exit = || vec![Block::text("Please approve."), Block::tool("ExitPlanMode", json!({}))];
    let turns = vec![ask(&[database()]), vec![Block::tool("Write", write)], exit(), exit()];
    sdk.scene.model.script("play", turns);
    sdk.scene.answer(asked.id, json!([{"selected": ["SQLite"]}]));
    let (text, is_error) = read(&sdk, 1);
    assert!(!is_error, "the plan was not written down: {text}");
    let asked = one_open(&sdk);
    assert_eq!(approval(&asked)["tool"], "ExitPlanMode");
    assert_eq!(approval(&asked)["plan"], plan);
    decide(&sdk, &asked, json!({"decision": "deny", "message": "add tests"}));
    assert_eq!(read(&sdk, 2), denied("The person did not allow this: add tests."));
    decide(&sdk, &one_open(&sdk), json!({"decision": "allow"}));
    let (text, is_error) = read(&sdk, 3);
    assert!(text.starts_with("User has approved your plan") && !is_error, "{text}");
    assert_eq!(told(&said(program), "subtype"), "success");
}

pub(crate) fn a_cancelled_question_is_withdrawn_and_nothing_is_left_behind(language: Language) {
    let sdk = Sdk::new(language);
    let program = sdk.play(vec![ask(&[database()])], json!({"cancel": true}));
    // It ends by itself, and in Python when all of its tasks have: nothing holds it any more.
    let lines = said(program);
    assert_eq!(told(&lines, "subtype"), "error_during_execution");
    assert_eq!(told(&lines, "waiting"), 0);
    if language == Language::Python {
        assert_eq!(told(&lines, "left"), &json!({"threads": [], "sockets": 0}));
    }
    let asks = sdk.scene.asks();
    let ends: Vec<_> = asks.iter().map(|ask| ask.resolved().map(Resolved::kind)).collect();
    assert_eq!(ends, [Some("withdrawn")]);
}

pub(crate) fn gobby_all_other_tools_are_approved_at_once(language: Language) {
    let sdk = Sdk::new(language);
    let turns = vec![bash("touch made && echo made it"), ask(&[database()])];
    let program = sdk.play(turns, json!({"options": {"preset": "gobby"}}));
    let asked = one_open(&sdk);
    assert_eq!(read(&sdk, 0), answered("made it".into()));
    let policy = asked.policy();
    assert_eq!(policy.deadline_seconds, Some(300));
    assert!(!policy.pause_while_typing);
    sdk.scene.answer(asked.id, json!([{"selected": ["SQLite"]}]));
    assert_eq!(read(&sdk, 1), answered(chosen(&[(&database(), "SQLite")])));
    assert_eq!(told(&said(program), "subtype"), "success");
    assert_eq!(sdk.scene.asks().len(), 1);
}

pub(crate) fn gobby_timeout_rejects_with_a_message(language: Language) {
    let sdk = Sdk::new(language);
    let rules = json!({"options": {"preset": "gobby", "deadline": 1}});
    let program = sdk.play(vec![ask(&[database()])], rules);
    let expected = "Nobody answered within 1 s. This is neither a choice nor consent. Do not choose \
                    for the person.";
    assert_eq!(read(&sdk, 0), denied(expected));
    assert_eq!(told(&said(program), "subtype"), "success");
}

pub(crate) fn gobby_disconnect_rejects_at_once(language: Language) {
    let mut sdk = Sdk::new(language);
    let pause = bash("until [ -e back ]; do sleep 0.01; done; echo it is back");
    let turns = vec![ask(&[database()]), ask(&[database()]), pause, ask(&[auth()])];
    let program = sdk.play(turns, json!({"options": {"preset": "gobby"}}));
    let given_up = one_open(&sdk);
    sdk.scene.hub.kill();
    for n in [0, 1] {
        let (text, is_error) = read(&sdk, n);
        assert!(text.starts_with("Nobody could be reached: ") && is_error, "{text}");
        assert!(text.ends_with(". No option was chosen; do not assume one."), "{text}");
    }
    // Nobody is left with a question for which nobody waits.
    sdk.scene.hub.restart();
    std::fs::write(sdk.project.join("back"), "").unwrap();
    let ended = sdk.scene.wait_ended(given_up.id);
    assert_eq!(ended.resolved().map(Resolved::kind), Some("withdrawn"));
    sdk.scene.answer(one_open(&sdk).id, json!([{"selected": ["JWT"]}]));
    assert_eq!(read(&sdk, 3), answered(chosen(&[(&auth(), "JWT")])));
    assert_eq!(told(&said(program), "subtype"), "success");
}

/// The front end is the program's own, and answers as the person.
pub(crate) fn gobby_unknown_keys_are_refused(language: Language) {
    let sdk = Sdk::new(language);
    let (first, second) = ("Which database should we use?", "Which features do you want?");
    let tries = json!([
        {(first): "SQLite", (second): "Auth", "Which colour?": "red"},
        {(first): "SQLite"},
        {(first): "", (second): "Auth"},
        {(first): "SQLite", (second): []},
        {(first): "SQLite", (second): "\"Billing, taxes\", Search"},
    ]);
    let told_it = json!({"options": {"preset": "gobby"}, "front_end": tries});
    let program = sdk.play(vec![ask(&[database(), features()])], told_it);
    let expected = chosen(&[(&database(), "SQLite"), (&features(), "\"Billing, taxes\", Search")]);
    assert_eq!(read(&sdk, 0), answered(expected));
    let lines = said(program);
    let codes: Vec<_> = lines.iter().filter_map(|line| line.get("front_end")).collect();
    assert_eq!(codes, ["invalid", "invalid", "invalid", "invalid", "answered"]);
    let message = told(&lines, "message").as_str().unwrap();
    assert!(message.contains("Which colour?") && message.contains(first), "{message}");
}

pub(crate) fn prime_agent_pending_question_is_replayed_after_a_disconnect(language: Language) {
    let mut sdk = Sdk::new(language);
    let rules = json!({"options": {"preset": "prime-agent"}});
    let program = sdk.play(vec![ask(&[database()])], rules);
    let asked = one_open(&sdk);
    assert_eq!(asked.policy().deadline_seconds, Some(55));
    sdk.scene.hub.kill();
    sdk.scene.hub.restart();
    assert_eq!(one_open(&sdk).id, asked.id);
    sdk.scene.answer(asked.id, json!([{"words": "whatever is there"}]));
    let expected = words("\"Which database should we use?\"=\"whatever is there\"");
    assert_eq!(read(&sdk, 0), answered(expected));
    assert_eq!(told(&said(program), "subtype"), "success");
    assert_eq!(sdk.scene.get(asked.id).state(), State::Delivered);
}

pub(crate) fn prime_agent_timeout_denies_with_interrupt(language: Language) {
    let sdk = Sdk::new(language);
    let rules = json!({"options": {"preset": "prime-agent", "deadline": 1}});
    let lines = said(sdk.play(vec![ask(&[database()])], rules));
    // The turn is over; the message of an interruption is Claude Code's own, and ours is lost.
    assert_eq!(told(&lines, "subtype"), "error_during_execution");
    let handed = sdk.scene.asks().remove(0).last_receipt().unwrap().text.clone();
    assert_eq!(handed.as_deref(), Some("User response timeout"));
}

pub(crate) fn prime_agent_cancel_denies_with_interrupt(language: Language) {
    let sdk = Sdk::new(language);
    let rules = json!({"options": {"preset": "prime-agent"}});
    let program = sdk.play(vec![ask(&[database()])], rules);
    let asked = one_open(&sdk);
    sdk.scene.reply(asked.id, Reply::Decline(None));
    assert_eq!(told(&said(program), "subtype"), "error_during_execution");
    let handed = sdk.scene.get(asked.id).last_receipt().unwrap().text.clone();
    assert_eq!(handed.as_deref(), Some("User response timeout"));
}

pub(crate) fn nothing_is_done_because_an_agent_says_it_was_allowed(language: Language) {
    let sdk = Sdk::new(language);
    let program = sdk.play(vec![bash("touch forged"), ask(&[database()])], json!({}));
    let asked = one_open(&sdk);
    is_refused(
        &sdk.scene.hub,
        sdk.agent(),
        &asked,
        &json!({"kind": "answered", "decision": "allow"}),
    );
    decide(&sdk, &asked, json!({"decision": "deny"}));
    assert_eq!(read(&sdk, 0), denied("The person did not allow this."));
    assert!(!sdk.project.join("forged").exists());
    let asked = one_open(&sdk);
    let took = json!({"kind": "answered", "answers": [{"selected": ["MySQL"]}]});
    is_refused(&sdk.scene.hub, sdk.agent(), &asked, &took);
    sdk.scene.answer(asked.id, json!([{"selected": ["SQLite"]}]));
    assert_eq!(read(&sdk, 1), answered(chosen(&[(&database(), "SQLite")])));
    said(program);
}

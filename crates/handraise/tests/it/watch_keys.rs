//! Questions of a session without hooks, answered at the hub: the keys are typed into its pane, and the
//! model reads what was chosen.

use handraise_broker::{Reply, State};
use serde_json::{Value, json};

use crate::claude_scene::{auth, chosen, database, features, layout, said};
use crate::watch_pane::Watched;

/// What is asked, what is answered, and what the model reads.
type Way = (Vec<Value>, Value, String);

fn single() -> Vec<Way> {
    let question = "\"Which database should we use?\"";
    let mut ways = vec![(
        vec![database()],
        json!([{"selected": ["SQLite"]}]),
        chosen(&[(&database(), "SQLite")]),
    )];
    for words in [
        "use DuckDB",
        "a; b;",
        "-x --flag",
        "#{pane_id} $(id) `id`",
        "'one' \"two\"",
        "é 日本 👍 שלום",
        "1 2 3 j k",
        "one\ntwo\n\n  four",
    ] {
        let read = said(&format!("{question}=\"{words}\""));
        ways.push((vec![database()], json!([{"words": words}]), read));
    }
    // Claude Code draws a bar before each line of it, and tidies labels up before it takes them.
    let mut lines = database();
    lines["question"] = json!("We need a database.\n\nWhich one?\n");
    lines["options"][1]["label"] = json!("⚠\u{fe0f} SQLite  3 ");
    let read = said("\"We need a database.\n\nWhich one?\n\"=\"⚠ SQLite 3\"");
    ways.push((vec![lines], json!([{"selected": ["⚠\u{fe0f} SQLite  3 "]}]), read));
    // Words that are a label are that option, to Claude Code as well.
    let label = (vec![database()], json!([{"words": "MySQL"}]), chosen(&[(&database(), "MySQL")]));
    ways.push(label);
    ways
}

fn several() -> Vec<Way> {
    let question = "\"Which features do you want?\"";
    let some = json!([{"selected": ["Auth", "Search"]}]);
    let quoted = json!([{"selected": ["say \"hi\"", "Billing, taxes"]}]);
    let comma = json!([{"selected": ["Billing, taxes"]}]);
    let mixed = json!([{"selected": ["Search"], "words": "more; much"}]);
    let commas = json!([{"selected": ["Auth"], "words": "a, b \"c\""}]);
    vec![
        (vec![features()], some, chosen(&[(&features(), "Auth, Search")])),
        (vec![features()], quoted, chosen(&[(&features(), r#""Billing, taxes", "say \"hi\"""#)])),
        (vec![features()], comma, chosen(&[(&features(), "\"Billing, taxes\"")])),
        (vec![features()], mixed, said(&format!("{question}=\"Search, more; much\""))),
        (vec![features()], commas, said(&format!(r#"{question}="Auth, "a, b \"c\""""#))),
        (
            vec![features()],
            json!([{"words": "only words"}]),
            said(&format!("{question}=\"only words\"")),
        ),
    ]
}

fn beside_previews() -> Vec<Way> {
    let question = "\"Which layout do you prefer?\"";
    let (side, top) = ("+--+-----+\n|NV| main|\n+--+-----+", "+--------+\n|  NAV   |\n+--------+");
    let preview =
        |label: &str, preview: &str| format!("{question}=\"{label}\" selected preview:\n{preview}");
    let answered = format!(
        "Your questions have been answered: {}. You can now continue with these answers in mind.",
        preview("Topbar", top)
    );
    let noted = |label, picture| said(&format!("{} notes: wide\nenough;", preview(label, picture)));
    let note = "wide\nenough;";
    vec![
        (vec![layout()], json!([{"selected": ["Topbar"]}]), answered),
        (vec![layout()], json!([{"selected": ["Topbar"], "notes": note}]), noted("Topbar", top)),
        (vec![layout()], json!([{"selected": ["Sidebar"], "notes": note}]), noted("Sidebar", side)),
        (
            vec![layout()],
            json!([{"words": "neither; a tree"}]),
            said(&format!("{question}=(no option selected) notes: neither; a tree")),
        ),
    ]
}

fn together() -> Vec<Way> {
    let open = "The person left this question open on purpose.";
    let jwt = "\"Which auth method?\"=\"JWT\"";
    vec![
        (
            vec![database(), auth()],
            json!([{"selected": ["MySQL"]}, {"selected": ["JWT"]}]),
            chosen(&[(&database(), "MySQL"), (&auth(), "JWT")]),
        ),
        (
            vec![database(), features()],
            json!([{"selected": ["SQLite"]}, {"selected": ["Auth", "Search"]}]),
            chosen(&[(&database(), "SQLite"), (&features(), "Auth, Search")]),
        ),
        (
            vec![database(), auth()],
            json!([{"words": "use DuckDB;"}, {"selected": ["JWT"]}]),
            said(&format!("\"Which database should we use?\"=\"use DuckDB;\", {jwt}")),
        ),
        (
            vec![database(), features(), layout(), auth()],
            json!([{"selected": ["Postgres"]}, {"selected": ["Auth", "Billing, taxes"]},
                {"selected": ["Topbar"]}, {"selected": ["JWT"]}]),
            format!(
                "Your questions have been answered: \"Which database should we use?\"=\"Postgres\", \
                 \"Which features do you want?\"=\"Auth, \"Billing, taxes\"\", \"Which layout do you \
                 prefer?\"=\"Topbar\" selected preview:\n+--------+\n|  NAV   |\n+--------+, {jwt}. You \
                 can now continue with these answers in mind."
            ),
        ),
        (
            vec![database(), auth()],
            json!([{"leftOpen": true}, {"selected": ["JWT"]}]),
            said(&format!("\"Which database should we use?\"=\"{open}\", {jwt}")),
        ),
        (
            vec![features(), auth()],
            json!([{"leftOpen": true, "notes": "later"}, {"selected": ["JWT"]}]),
            said(&format!("\"Which features do you want?\"=\"{open} Their note: later\", {jwt}")),
        ),
        (
            vec![layout(), auth()],
            json!([{"leftOpen": true}, {"selected": ["JWT"]}]),
            said(&format!(
                "\"Which layout do you prefer?\"=(no option selected) notes: {open}, {jwt}"
            )),
        ),
        (
            vec![auth()],
            json!([{"selected": ["JWT"], "notes": "short-lived"}]),
            said("\"Which auth method?\"=\"JWT\nNote: short-lived\""),
        ),
    ]
}

fn each(size: (u16, u16), ways: Vec<Way>) {
    let watched = Watched::in_window(size);
    for (place, (questions, answers, read)) in ways.into_iter().enumerate() {
        let tag = format!("way{place}");
        let ask = watched.ask(&tag, &questions);
        assert_eq!(ask.asker().preamble.as_deref(), Some("Let me ask."));
        watched.answer(ask.id, answers.clone());
        let result = watched.model.wait_result(&tag);
        assert_eq!((result.text.as_str(), result.is_error), (read.as_str(), false), "{answers}");
        let seen = watched.wait_seen(ask.id);
        assert_eq!(seen.state(), State::Delivered, "{answers}");
        assert_eq!(seen.last_receipt().unwrap().text.as_deref(), Some(read.as_str()));
        watched.session.wait_closed();
    }
}

const SMALL: (u16, u16) = (60, 16);
const USUAL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (200, 50);

#[test]
fn watch_types_one_choice_or_words_in_a_small_window() {
    each(SMALL, single());
}

#[test]
fn watch_types_one_choice_or_words_in_the_usual_window() {
    each(USUAL, single());
}

#[test]
fn watch_types_one_choice_or_words_in_a_large_window() {
    each(LARGE, single());
}

#[test]
fn watch_types_several_choices_and_notes_in_a_small_window() {
    each(SMALL, [several(), beside_previews()].concat());
}

#[test]
fn watch_types_several_choices_and_notes_in_the_usual_window() {
    each(USUAL, [several(), beside_previews()].concat());
}

#[test]
fn watch_types_several_choices_and_notes_in_a_large_window() {
    each(LARGE, [several(), beside_previews()].concat());
}

#[test]
fn watch_types_several_questions_in_a_small_window() {
    each(SMALL, together());
}

#[test]
fn watch_types_several_questions_in_the_usual_window() {
    each(USUAL, together());
}

#[test]
fn watch_types_several_questions_in_a_large_window() {
    each(LARGE, together());
}

/// A talk is begun with the person's words, a reason is said after the dialog was left.
fn without_an_answer(size: (u16, u16)) {
    let watched = Watched::in_window(size);
    for (place, question) in [database(), features(), layout()].into_iter().enumerate() {
        let tag = format!("talk{place}");
        let ask = watched.ask(&tag, &[question]);
        watched.reply(ask.id, Reply::Discuss("what does;\nit cost?".into()));
        let result = watched.model.wait_result(&tag);
        assert!(result.is_error && result.text.contains("wants to clarify"), "{result:?}");
        assert_eq!(watched.wait_seen(ask.id).state(), State::Delivered);
        let words = "The person wants to talk first: what does;\nit cost?. No option was chosen.";
        watched.wait("words", || said_to_the_model(&watched, words));
        watched.session.wait_closed();
    }
    let ask = watched.ask("no", &[database(), auth()]);
    watched.reply(ask.id, Reply::Decline(None));
    assert_eq!(watched.wait_seen(ask.id).state(), State::Delivered);
    watched.session.wait_for("User declined to answer questions");
    let ask = watched.ask("why", &[features()]);
    watched.reply(ask.id, Reply::Decline(Some("!not @now\n/yet".into())));
    assert_eq!(watched.wait_seen(ask.id).state(), State::Delivered);
    let words =
        "The person declined to answer: !not @now\n/yet. No option was chosen; do not assume one.";
    watched.wait("reason", || said_to_the_model(&watched, words));
}

/// Whether the model has read this from a person.
fn said_to_the_model(watched: &Watched, words: &str) -> Option<()> {
    let words = json!(words).to_string();
    let words = words.trim_matches('"');
    let requests = watched.model.requests();
    requests.iter().any(|request| request.to_string().contains(words)).then_some(())
}

#[test]
fn watch_leaves_the_dialog_and_says_why_in_a_small_window() {
    without_an_answer(SMALL);
}

#[test]
fn watch_leaves_the_dialog_and_says_why_in_the_usual_window() {
    without_an_answer(USUAL);
}

#[test]
fn watch_leaves_the_dialog_and_says_why_in_a_large_window() {
    without_an_answer(LARGE);
}

//! Somebody comes in between while an answer is typed into a pane: every surface is told.

use std::sync::Arc;

use handraise_broker::{AnswerIn, Delivery, Phase, Record, State};
use handraise_testkit::Block;
use serde_json::json;

use crate::claude_scene::{answers, auth, chosen, database, features, surface};
use crate::watch_pane::Watched;

const SIZE: (u16, u16) = (80, 24);

/// Asks for words and several choices, answers at the hub, and waits until the words are typed.
fn half_typed(watched: &Watched) -> Arc<Record> {
    let ask = watched.ask("long", &[database(), features()]);
    let answers = json!([{"words": "use DuckDB"}, {"selected": ["Auth", "Search"]}]);
    watched.answer(ask.id, answers);
    watched.session.wait_for("❯ 4. use DuckDB");
    ask
}

fn reason(record: &Record) -> &str {
    let Phase::Resolved { delivery: Delivery::Undelivered { reason, .. }, .. } = &record.phase
    else {
        panic!("{:?}", record.phase);
    };
    reason
}

/// Waits for the question that is asked anew, because the session still waits.
fn asked_anew(watched: &Watched, first: &Record) -> Arc<Record> {
    watched
        .wait("question asked anew", || watched.open().into_iter().find(|ask| ask.id != first.id))
}

#[test]
fn watch_tells_that_somebody_scrolls_and_asks_anew() {
    let watched = Watched::in_window(SIZE);
    let ask = half_typed(&watched);
    watched.session.tmux().copy_mode(true);
    let stopped = watched.wait_state(ask.id, State::Undelivered);
    let said = "The answer was not typed: somebody scrolls in its pane (tmux copy mode).";
    assert!(reason(&stopped).starts_with(said), "{}", reason(&stopped));
    assert!(reason(&stopped).contains("Some keys were pressed"), "{}", reason(&stopped));
    // The session still waits, but its dialog is half filled in: only they can answer it now.
    let anew = asked_anew(&watched, &ask);
    assert_eq!(anew.policy().answer_in, AnswerIn::Dialog);
    watched.session.tmux().copy_mode(false);
    watched.session.press("Escape");
    let ended = watched.wait_state(anew.id, State::Delivered);
    assert_eq!(ended.resolved().unwrap().kind(), "declined");
    assert!(watched.open().is_empty());
    watched.session.wait_closed();
}

#[test]
fn watch_tells_that_the_dialog_was_left() {
    let watched = Watched::in_window(SIZE);
    let ask = half_typed(&watched);
    watched.session.press("Escape");
    // Nothing of what was answered at the hub was taken.
    let ended = watched.wait_state(ask.id, State::Overruled);
    let took = ended.last_receipt().and_then(|receipt| receipt.took.clone()).unwrap();
    assert_eq!(took["kind"], "declined");
    watched.session.wait_for("User declined to answer questions");
    assert!(watched.open().is_empty());
}

#[test]
fn watch_tells_that_the_session_was_killed() {
    let watched = Watched::in_window(SIZE);
    let ask = half_typed(&watched);
    watched.session.kill();
    watched.wait_state(ask.id, State::Undelivered);
    assert!(watched.open().is_empty());
    // One that nobody had answered is taken back.
    let watched = Watched::in_window(SIZE);
    let ask = watched.ask("one", &[database()]);
    watched.session.kill();
    let ended = watched.wait("end", || Some(watched.get(ask.id)).filter(|ask| !ask.is_open()));
    assert!(ended.resolved().unwrap().is_withdrawn());
}

#[test]
fn watch_does_not_type_where_somebody_has_begun() {
    let watched = Watched::in_window(SIZE);
    let ask = watched.ask("several", &[features()]);
    watched.session.wait_dialog("Which features do you want?");
    watched.session.press("2");
    watched.session.wait_for("[✔] Billing, taxes");
    watched.answer(ask.id, json!([{"selected": ["Auth"]}]));
    let stopped = watched.wait_state(ask.id, State::Undelivered);
    let said = "somebody has begun to answer in the session's own dialog";
    assert!(reason(&stopped).contains(said), "{}", reason(&stopped));
    let anew = asked_anew(&watched, &ask);
    assert_eq!(anew.policy().answer_in, AnswerIn::Dialog);
    // What they had ticked is as it was, and they finish it.
    watched.session.answer(&["Tab", "Enter"]);
    let result = watched.model.wait_result("several");
    assert_eq!(result.text, chosen(&[(&features(), "\"Billing, taxes\"")]));
    let ended = watched.wait_state(anew.id, State::Delivered);
    assert_eq!(surface(&ended), json!("dialog"));
    assert_eq!(answers(&ended)[0]["selected"], json!(["Billing, taxes"]));
}

#[test]
fn watch_learns_what_was_answered_in_the_dialog() {
    let watched = Watched::in_window(SIZE);
    let ask = watched.ask("one", &[database()]);
    watched.session.wait_dialog("Which database should we use?");
    watched.session.press("3");
    let ended = watched.wait_seen(ask.id);
    assert_eq!((ended.state(), surface(&ended)), (State::Delivered, json!("dialog")));
    assert_eq!(answers(&ended)[0]["selected"], json!(["MySQL"]));
    assert_eq!(ended.doubt(), None);
}

#[test]
fn watch_types_each_answer_into_its_own_dialog() {
    let watched = Watched::in_window(SIZE);
    // Two at once, shown one after the other; the second is answered first.
    let both = vec![Block::ask(&json!([database()])), Block::ask(&json!([auth()]))];
    watched.play("both", vec![both, vec![Block::ask(&json!([database()]))]]);
    let open = watched.wait("both asks", || Some(watched.open()).filter(|open| open.len() == 2));
    let of = |text: &str| {
        let is = |ask: &&Arc<Record>| ask.matter().ask().unwrap().questions()[0].text() == text;
        open.iter().find(is).unwrap().id
    };
    let (first, second) = (of("Which database should we use?"), of("Which auth method?"));
    watched.answer(second, json!([{"selected": ["Session cookie"]}]));
    watched.answer(first, json!([{"selected": ["SQLite"]}]));
    for (nth, read) in [(&database(), "SQLite"), (&auth(), "Session cookie")].iter().enumerate() {
        let result = watched.model.wait_nth_result("both", nth);
        assert_eq!(result.text, chosen(&[*read]));
    }
    // The same question once more is another dialog, and gets an answer of its own.
    let third = watched.wait("third ask", || watched.open().into_iter().next());
    watched.answer(third.id, json!([{"selected": ["MySQL"]}]));
    assert_eq!(watched.model.wait_nth_result("both", 2).text, chosen(&[(&database(), "MySQL")]));
    for id in [first, second, third.id] {
        assert_eq!(watched.wait_seen(id).state(), State::Delivered);
    }
}

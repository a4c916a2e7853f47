use std::sync::Arc;

use handraise_broker::{Opened, SessionState};
use handraise_question::Surface;
use handraise_wire::dialects::named;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::super::fixtures::{NOW, answered, asked, json, session, took, withdrawn};
use super::*;

fn view(dialect: &str, name: Option<&str>) -> View {
    View::new(named(dialect).unwrap(), Sight::new(name.map(str::to_owned), &[]))
}

fn takes(view: &mut View, ask: &Record) -> Vec<Value> {
    json(&view.take(&Arc::new(ask.clone())))
}

fn says(view: &mut View) -> Vec<Value> {
    json(&view.say(NOW))
}

/// Types, with the question each is about.
fn outline(frames: &[Value]) -> Vec<(String, Value)> {
    let about = |frame: &Value| {
        let waiting = &frame["pending_question_id"];
        if waiting.is_null() { frame["question_id"].clone() } else { waiting.clone() }
    };
    frames.iter().map(|frame| (frame["type"].as_str().unwrap().to_owned(), about(frame))).collect()
}

fn outlined(kind: &str, ask: &Record) -> (String, Value) {
    (kind.to_owned(), json!(ask.id.to_string()))
}

fn status_of_nothing() -> (String, Value) {
    ("session_status".into(), Value::Null)
}

fn from_gobby() -> Surface {
    Surface::Dialect("gobby".into())
}

#[test]
fn whoever_has_just_come_hears_first_how_it_stands_and_later_only_what_is_new() {
    let mut view = view("prime-agent", Some("s-1"));
    let ask = asked(1, Some("s-1"));
    takes(&mut view, &ask);
    let heard = outline(&says(&mut view));
    assert_eq!(heard, [outlined("session_status", &ask), outlined("ask_user_question", &ask)]);
    assert_eq!(says(&mut view), [Value::Null; 0]);
    takes(&mut view, &ask);
    assert_eq!(says(&mut view), [Value::Null; 0], "the same once more is nothing new");
    assert_eq!(outline(&takes(&mut view, &withdrawn(&ask))), [outlined("ask_user_timeout", &ask)]);
    assert_eq!(outline(&says(&mut view)), [status_of_nothing()]);
}

#[test]
fn one_by_one_in_the_agents_order_whatever_order_they_are_heard_of() {
    let mut view = view("prime-agent", Some("s-1"));
    let asks = [1, 2, 3].map(|n| asked(n, Some("s-1")));
    for ask in asks.iter().rev() {
        takes(&mut view, ask);
    }
    says(&mut view);
    // Nobody was shown the second: that it is over is no news.
    assert_eq!(takes(&mut view, &withdrawn(&asks[1])), [Value::Null; 0]);
    assert_eq!(says(&mut view), [Value::Null; 0]);
    let own = Surface::Dialect("prime-agent".into());
    assert_eq!(takes(&mut view, &answered(&asks[0], own)), [Value::Null; 0]);
    let heard = outline(&says(&mut view));
    assert_eq!(
        heard,
        [outlined("ask_user_question", &asks[2]), outlined("session_status", &asks[2])]
    );
}

#[test]
fn where_all_are_shown_each_ends_on_its_own() {
    let mut view = view("gobby", None);
    let asks = [asked(1, Some("s-1")), asked(2, Some("s-2")), asked(3, None)];
    for ask in &asks {
        takes(&mut view, ask);
    }
    let shown = says(&mut view);
    let conversations: Vec<_> = shown.iter().map(|frame| &frame["conversation_id"]).collect();
    assert_eq!(conversations, [&json!("s-1"), &json!("s-2"), &json!(asks[2].id.to_string())]);
    let ended = takes(&mut view, &answered(&asks[1], Surface::Web));
    assert_eq!(
        (&ended[0]["status"], &ended[0]["conversation_id"]),
        (&json!("completed"), &json!("s-2"))
    );
}

#[test]
fn one_that_does_not_count_hears_nothing_until_it_does_and_then_everything() {
    let mut view = view("prime-agent", Some("s-1"));
    let (first, second) = (asked(1, Some("s-1")), asked(2, Some("s-1")));
    takes(&mut view, &first);
    says(&mut view);
    let taken = view.turn(false).unwrap();
    assert_eq!(json(&[taken]), [json!({"type": "error", "error": "session_taken"})]);
    assert_eq!(view.turn(false), None, "it is told once");
    takes(&mut view, &second);
    assert_eq!(takes(&mut view, &withdrawn(&first)), [Value::Null; 0]);
    assert_eq!(says(&mut view), [Value::Null; 0]);
    assert_eq!(view.turn(true), None);
    let heard = outline(&says(&mut view));
    assert_eq!(
        heard,
        [outlined("session_status", &second), outlined("ask_user_question", &second)]
    );
}

#[test]
fn a_name_that_is_used_twice_means_the_ask_of_the_named_session() {
    let mut view = view("gobby", None);
    let same = |session: &str, n: u8| {
        let mut ask = asked(n, Some(session));
        let mut opened = Opened::clone(&ask.opened);
        opened.key = Some(format!("{session}/toolu_1"));
        ask.opened = Arc::new(opened);
        ask
    };
    let asks = [same("s-1", 1), same("s-2", 2)];
    for ask in &asks {
        takes(&mut view, ask);
    }
    for ask in &asks {
        let session = ask.asker().session.clone();
        let found = view.find("toolu_1", |found| found.asker().session == session);
        assert_eq!(found.map(|found| found.id), Some(ask.id));
    }
    assert!(view.find("toolu_1", |_| false).is_none());
    assert!(view.find("toolu_2", |_| true).is_none());
}

#[test]
fn an_ask_that_takes_the_name_of_another_is_not_shown_beside_it_and_gets_no_answer_meant_for_it() {
    let mut view = view("gobby", None);
    let first = asked(1, Some("s-1"));
    let mut namesake = asked(2, Some("s-1"));
    let mut opened = Opened::clone(&namesake.opened);
    opened.asker.agent = "other".into();
    opened.key.clone_from(&first.opened.key);
    namesake.opened = Arc::new(opened);
    takes(&mut view, &first);
    takes(&mut view, &namesake);
    assert_eq!(says(&mut view).len(), 1);
    assert_eq!(view.find("toolu_1", |_| true).unwrap().id, first.id);
    // Also when it was heard of before.
    takes(&mut view, &first);
    assert_eq!(takes(&mut view, &withdrawn(&namesake)), [Value::Null; 0]);
    assert_eq!(view.find("toolu_1", |_| true).unwrap().id, first.id);
    takes(&mut view, &answered(&first, Surface::Web));
    assert!(view.find("toolu_1", |_| true).is_none());
}

#[test]
fn what_went_wrong_is_told_once_and_that_it_went_well_after_all() {
    let mut view = view("gobby", Some("s-1"));
    let ask = asked(1, Some("s-1"));
    takes(&mut view, &ask);
    says(&mut view);
    let mine = answered(&ask, from_gobby());
    assert_eq!(takes(&mut view, &mine)[0]["status"], "completed");
    assert_eq!(takes(&mut view, &mine), [Value::Null; 0]);
    let gone = withdrawn(&mine);
    assert_eq!(takes(&mut view, &gone)[0]["status"], "error");
    assert_eq!(takes(&mut view, &gone), [Value::Null; 0]);
    let other = took(&gone, "b", "it took b");
    let words = takes(&mut view, &other)[0]["error"].as_str().unwrap().to_owned();
    assert!(words.contains("another answer"), "{words}");
    assert_eq!(takes(&mut view, &took(&other, "b", "it took b, I say")), [Value::Null; 0]);
    let well = takes(&mut view, &took(&gone, "a", "it took a"));
    assert_eq!((well.len(), &well[0]["status"]), (1, &json!("completed")));
}

#[test]
fn what_it_was_never_shown_is_none_of_its_business_later() {
    let mut view = view("gobby", Some("s-1"));
    let ask = asked(1, Some("s-1"));
    for ended in [answered(&ask, Surface::Web), withdrawn(&answered(&ask, Surface::Web))] {
        assert_eq!(takes(&mut view, &ended), [Value::Null; 0]);
    }
    takes(&mut view, &asked(2, Some("s-2")));
    assert_eq!(says(&mut view), [Value::Null; 0]);
}

#[test]
fn after_a_gap_it_is_asked_for_what_was_open() {
    let mut view = view("gobby", Some("s-1"));
    let asks = [1, 2, 3].map(|n| asked(n, Some("s-1")));
    for ask in &asks {
        takes(&mut view, ask);
    }
    let still = [Arc::new(asks[1].clone())];
    assert_eq!(view.missing(&still), [asks[0].id, asks[2].id]);
}

#[test]
fn how_the_session_stands_is_told_when_it_changes() {
    let mut run = session(1, Some("own"));
    let name = run.id.to_string();
    let mut view = view("prime-agent", Some(&name));
    assert_eq!(outline(&says(&mut view)), [status_of_nothing()]);
    run.state = SessionState::Working;
    assert!(view.note(&run));
    assert_eq!(says(&mut view)[0]["is_processing"], true);
    run.messages += 1;
    assert!(!view.note(&run));
    assert_eq!(says(&mut view), [Value::Null; 0], "that something was said is no change");
    run.state = SessionState::Idle;
    assert!(!view.note(&run), "it is about the same asks");
    assert_eq!(says(&mut view)[0]["is_processing"], false);
}

#[test]
fn a_second_that_has_begun_counts_and_none_is_less_than_nothing() {
    let after = |milliseconds| seconds(NOW, NOW + SignedDuration::from_millis(milliseconds));
    assert_eq!([1, 999, 1000, 1001, 55_000].map(after), [1, 1, 1, 2, 55]);
    assert_eq!([0, -1, -100_000].map(after), [0; 3]);
}

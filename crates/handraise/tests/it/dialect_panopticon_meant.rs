//! Which question a list of labels answers that names none: what Panopticon's plan leaves open.

use serde_json::json;

use crate::asking::{database, features, two_questions};
use crate::http::Call;
use crate::panopticon_scene::{
    SESSION, answer, answers, ask, calls, decline_elsewhere, failed, look_as, nothing, pending,
    taken, yes_or_no,
};
use crate::watched_hub::WatchedHub;

#[test]
fn panopticon_labels_of_several_questions_come_in_one_flat_array() {
    let hub = WatchedHub::start();
    let (first, second) = (ask(&hub, &two_questions()), ask(&hub, &yes_or_no("Go on?")));
    assert_eq!(calls(&pending(&hub, SESSION)).len(), 2);
    taken(&answer(&hub, SESSION, &["MongoDB", "TypeScript", "Tailwind CSS", "Yes"]));
    let given = answers(&hub, &first);
    assert_eq!(given[0]["selected"], json!(["MongoDB"]));
    assert_eq!(given[1]["selected"], json!(["TypeScript", "Tailwind CSS"]));
    assert_eq!(answers(&hub, &second)[0]["selected"], json!(["Yes"]));
    hub.end();
}

#[test]
fn panopticon_labels_that_fit_in_two_ways_are_refused_with_the_reason() {
    let hub = WatchedHub::start();
    let mut other = features();
    other["questions"][0]["question"] = json!("Which of them later?");
    let ids = [ask(&hub, &features()), ask(&hub, &other)];
    let reason = failed(&answer(&hub, SESSION, &["TypeScript", "Tailwind CSS"]));
    assert!(reason.contains("more than one way"), "{reason}");
    for id in &ids {
        assert_eq!(hub.look(id)["state"], "open");
    }
    // One for each can be told apart, once the same label cannot be for the same question.
    taken(&answer(&hub, SESSION, &["TypeScript", "TypeScript"]));
    hub.end();
}

#[test]
fn panopticon_labels_that_do_not_fit_are_refused_with_where_and_change_nothing() {
    let hub = WatchedHub::start();
    let id = ask(&hub, &two_questions());
    let head = hub.look(&id)["seq"].clone();
    for (answers, reason) in [
        (&[][..], "answers: none, one for each question needed"),
        (&["SQLite"], "questions[0].questions[1]: no answer, one at least needed"),
        (
            &["TypeScript"],
            "answers[0]: an option of another question, an answer to questions[0].questions[0] needed",
        ),
        (&["SQLite", "TypeScript", "TypeScript"], "answers[2]: left over, nothing more needed"),
        (&["", "TypeScript"], "answers[0].words: nothing but spaces, text needed"),
        (
            &["a\u{1b}[2Jb", "TypeScript"],
            "answers[0].words: control character U+001B, text without control characters needed",
        ),
    ] {
        assert_eq!(failed(&answer(&hub, SESSION, answers)), reason);
        assert_eq!((&hub.look(&id)["state"], &hub.look(&id)["seq"]), (&json!("open"), &head));
    }
    taken(&answer(&hub, SESSION, &["SQLite", "TypeScript"]));
    hub.end();
}

#[test]
fn panopticon_answer_counts_if_it_is_first_and_not_if_it_is_second() {
    let hub = WatchedHub::start();
    let api = |id: &str| {
        let path = format!("/api/v1/asks/{id}/answer");
        let params = json!({"answers": [{"selected": ["SQLite"]}]});
        hub.call(&Call::post(&path).token(&hub.person).json(&params))
    };
    let id = ask(&hub, &database());
    taken(&answer(&hub, SESSION, &["MongoDB"]));
    assert_eq!(api(&id).problem(), (409, "already_resolved".into()));
    assert_eq!(answers(&hub, &id)[0]["selected"], json!(["MongoDB"]));
    let id = ask(&hub, &database());
    pending(&hub, SESSION);
    assert_eq!(api(&id).status, 200);
    let reason = failed(&answer(&hub, SESSION, &["MongoDB"]));
    assert!(reason.starts_with("already answered by ann at "), "{reason}");
    assert_eq!(answers(&hub, &id)[0]["selected"], json!(["SQLite"]));
    hub.end();
}

#[test]
fn panopticon_duplicate_post_is_refused_and_does_not_reach_the_next_question() {
    let hub = WatchedHub::start();
    let first = ask(&hub, &yes_or_no("Keep the old table?"));
    let second = ask(&hub, &yes_or_no("Drop the new one?"));
    pending(&hub, SESSION);
    taken(&answer(&hub, SESSION, &["Yes"]));
    let reason = failed(&answer(&hub, SESSION, &["Yes"]));
    assert!(reason.starts_with("already answered by ann at "), "{reason}");
    assert_eq!(hub.look(&second)["state"], "open");
    assert_eq!(answers(&hub, &first)[0]["selected"], json!(["Yes"]));
    // Once it has looked again, it is about the second.
    assert_eq!(calls(&pending(&hub, SESSION)), [&second]);
    taken(&answer(&hub, SESSION, &["No"]));
    hub.end();
}

#[test]
fn panopticon_answer_to_a_question_that_ended_does_not_go_to_the_next() {
    let hub = WatchedHub::start();
    let first = ask(&hub, &yes_or_no("Keep the old table?"));
    let second = ask(&hub, &yes_or_no("Drop the new one?"));
    pending(&hub, SESSION);
    let path = format!("/api/v1/asks/{first}/withdraw");
    assert_eq!(hub.call(&Call::post(&path).token(&hub.agent).json(&json!({}))).status, 200);
    let reason = failed(&answer(&hub, SESSION, &["Yes"]));
    assert!(reason.starts_with("withdrawn by the agent at "), "{reason}");
    failed(&answer(&hub, SESSION, &["Yes", "Yes"]));
    assert_eq!(hub.look(&second)["state"], "open");
    hub.end();
}

#[test]
fn panopticon_late_post_does_not_answer_what_its_page_never_showed() {
    let hub = WatchedHub::start();
    assert_eq!(pending(&hub, SESSION), nothing());
    let id = ask(&hub, &yes_or_no("Drop the table?"));
    let late = "what this agent waits with was asked after this page last looked; look again";
    assert_eq!(failed(&answer(&hub, SESSION, &["Yes"])), late);
    assert_eq!(hub.look(&id)["state"], "open");
    // What another device of the same person was told makes no difference.
    let (_, phone) = hub.pair();
    assert_eq!(look_as(&hub, &phone, SESSION).json()["pending"], true);
    assert_eq!(failed(&answer(&hub, SESSION, &["Yes"])), late);
    assert_eq!(calls(&pending(&hub, SESSION)), [&id]);
    let newer = ask(&hub, &yes_or_no("Drop all of them?"));
    failed(&answer(&hub, SESSION, &["Yes", "Yes"]));
    taken(&answer(&hub, SESSION, &["Yes"]));
    assert_eq!(hub.look(&newer)["state"], "open");
    hub.end();
}

/// The page may have been told of the second question and still show the first: what the hub said may be
/// on its way, or another window of the same device may have looked.
#[test]
fn panopticon_answer_that_fits_what_has_just_ended_and_what_took_its_place_is_refused() {
    let hub = WatchedHub::start();
    let first = ask(&hub, &yes_or_no("Delete the scratch file?"));
    assert_eq!(calls(&pending(&hub, SESSION)), [&first]);
    decline_elsewhere(&hub, &first);
    let mut choice = yes_or_no("Delete the production database?");
    choice["questions"][0]["options"][1]["label"] = json!("Never");
    let second = ask(&hub, &choice);
    assert_eq!(calls(&pending(&hub, SESSION)), [&second]);
    let reason = failed(&answer(&hub, SESSION, &["Yes"]));
    assert!(reason.starts_with("what this agent waits with has just changed"), "{reason}");
    assert_eq!(hub.look(&second)["state"], "open");
    // What fits only one of them is about that one.
    let reason = failed(&answer(&hub, SESSION, &["No"]));
    assert!(reason.starts_with("already declined by "), "{reason}");
    taken(&answer(&hub, SESSION, &["Never"]));
    hub.end();
}

#[test]
fn panopticon_page_that_was_told_by_the_hub_before_this_one_has_to_look_first() {
    let hub = WatchedHub::start();
    let first = ask(&hub, &yes_or_no("Delete the scratch file?"));
    pending(&hub, SESSION);
    let hub = hub.restart();
    decline_elsewhere(&hub, &first);
    let second = ask(&hub, &yes_or_no("Delete the production database?"));
    let reason = failed(&answer(&hub, SESSION, &["Yes"]));
    assert!(reason.ends_with("look at pending-questions first"), "{reason}");
    assert_eq!(hub.look(&second)["state"], "open");
    pending(&hub, SESSION);
    taken(&answer(&hub, SESSION, &["No"]));
    hub.end();
}

/// A script that never looks may answer what is there.
#[test]
fn panopticon_post_without_a_get_is_about_what_is_open() {
    let hub = WatchedHub::start();
    let nothing_there = failed(&answer(&hub, SESSION, &["SQLite"]));
    assert_eq!(nothing_there, "this agent waits for no answer");
    ask(&hub, &database());
    taken(&answer(&hub, SESSION, &["SQLite"]));
    failed(&answer(&hub, SESSION, &["SQLite"]));
    hub.end();
}

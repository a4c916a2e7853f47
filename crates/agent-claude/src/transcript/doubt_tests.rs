//! Honest answers and others. The forms are those the real Claude Code writes.

use serde_json::{Value, json};

use super::*;
use crate::transcript::Ending;

const QUESTION: &str = "Which database should we use?";
const CHOSEN: &str =
    "Your questions have been answered: …. You can now continue with these answers in mind.";

fn call() -> Call {
    let options = ["Postgres", "SQLite"].map(|label| json!({"label": label, "description": ""}));
    let question = |text: &str| json!({"question": text, "header": "Database", "multiSelect": false, "options": options});
    Call {
        id: "toolu_1".into(),
        session: None,
        cwd: None,
        asked_at: Some("2026-11-15T18:20:56.000Z".parse().unwrap()),
        metadata: None,
        questions: serde_json::value::to_raw_value(&json!([
            question(QUESTION),
            question("And where?")
        ]))
        .unwrap(),
        sidechain: false,
        entrypoint: None,
    }
}

fn answered(answers: &Value, after: i64, by: &str) -> Outcome {
    let call = call();
    Outcome {
        text: CHOSEN.into(),
        result: json!({"questions": [], "answers": answers, "annotations": {}}),
        at: call.asked_at.map(|at| at + SignedDuration::from_millis(after)),
        decided_by: Some(by.into()),
        ..Outcome::default()
    }
}

fn kind(outcome: &Outcome, sent: bool) -> Option<DoubtKind> {
    doubt(&call(), outcome, sent).map(|doubt| doubt.kind)
}

fn sqlite() -> Value {
    json!({QUESTION: "SQLite"})
}

#[test]
fn two_hundred_honest_answers_are_not_doubted() {
    for number in 0..200 {
        let by = ["user_temporary", "hook"][number % 2];
        let answers =
            [sqlite(), json!({QUESTION: "whatever is there"}), json!({"And where?": "here"})];
        let after = 500 + i64::try_from(number * number * number).unwrap();
        assert_eq!(kind(&answered(&answers[number % 3], after, by), false), None, "{number}");
    }
}

#[test]
fn an_empty_answer_is_doubted() {
    for answers in [json!({}), json!({QUESTION: ""}), json!({QUESTION: " ", "And where?": ""})] {
        let empty = Outcome {
            text: "The user did not answer the questions.".into(),
            ..answered(&answers, 5000, "user_temporary")
        };
        assert_eq!(kind(&empty, false), Some(DoubtKind::Empty));
        assert_eq!(kind(&empty, true), Some(DoubtKind::Empty), "even if we brought it");
        assert_eq!(endings(&call(), &empty), [Ending::NoAnswer; 2]);
    }
    let nothing = Outcome { text: String::new(), ..Outcome::default() };
    assert_eq!(kind(&nothing, false), Some(DoubtKind::Empty));
    let noted = json!({"answers": {}, "annotations": {QUESTION: {"notes": "later"}}});
    let noted = Outcome { result: noted, ..answered(&json!({}), 5000, "user_temporary") };
    assert_eq!(kind(&noted, false), None, "somebody left a note");
}

#[test]
fn an_answer_faster_than_anybody_reads_is_doubted() {
    let quick = answered(&sqlite(), 20, "user_temporary");
    assert_eq!(kind(&quick, false), Some(DoubtKind::TooFast));
    assert_eq!(kind(&quick, true), None, "we know where it comes from");
    // 300 ms, and 2 ms for each of 39 characters.
    assert_eq!(kind(&answered(&sqlite(), 377, "user_temporary"), false), Some(DoubtKind::TooFast));
    assert_eq!(kind(&answered(&sqlite(), 378, "user_temporary"), false), None);
    assert_eq!(kind(&answered(&sqlite(), -5, "user_temporary"), false), Some(DoubtKind::TooFast));
    let long = Call {
        questions: serde_json::value::to_raw_value(&json!([{"question": "x".repeat(100_000)}]))
            .unwrap(),
        ..call()
    };
    let said = |after| doubt(&long, &answered(&json!({"x": "y"}), after, "user_temporary"), false);
    assert!(said(1499).is_some() && said(1500).is_none(), "nobody reads to the end");
    let timeless = Outcome { at: None, ..quick };
    assert_eq!(kind(&timeless, false), None, "nobody knows");
}

#[test]
fn a_dialog_that_closed_by_itself_is_doubted() {
    let text = "No response after 60s — the user may be away from keyboard. Proceed using your best judgment …";
    let timed_out = Outcome {
        text: text.into(),
        timed_out: Some(60_000),
        ..answered(&json!({}), 60_675, "user_temporary")
    };
    let found = doubt(&call(), &timed_out, false).unwrap();
    assert_eq!(found.kind, DoubtKind::TimedOut);
    assert!(found.why.contains("60 s"), "{}", found.why);
    assert_eq!(endings(&call(), &timed_out), [Ending::NoAnswer; 2]);
    let by_words = Outcome { timed_out: None, result: Value::Null, ..timed_out };
    assert_eq!(kind(&by_words, true), Some(DoubtKind::TimedOut));
}

#[test]
fn what_answers_at_once_and_is_no_person_comes_from_nowhere() {
    assert_eq!(kind(&answered(&sqlite(), 44, "hook"), false), Some(DoubtKind::FromNowhere));
    assert_eq!(kind(&answered(&sqlite(), 44, "hook"), true), None);
    assert_eq!(kind(&answered(&sqlite(), 2000, "hook"), false), None, "a person may be behind it");
    assert_eq!(kind(&answered(&sqlite(), 2000, "config"), false), Some(DoubtKind::FromNowhere));
    let odd = doubt(&call(), &answered(&sqlite(), 2000, "x\u{1b}[31m\n"), false).unwrap();
    assert!(odd.why.contains("\"x31m\""), "{}", odd.why);
}

#[test]
fn a_no_is_never_doubted() {
    let no = |text: &str, denied, rejected| Outcome {
        text: text.into(),
        denied,
        rejected,
        failed: true,
        ..Outcome { result: Value::Null, ..answered(&json!({}), 1, "hook") }
    };
    for (outcome, ending) in [
        (
            no("The user doesn't want to proceed with this tool use. The tool", true, true),
            Ending::Declined,
        ),
        (no("The person declined to answer. No option was chosen", true, false), Ending::Declined),
        (no("no way", true, false), Ending::Declined),
        (no("Nobody answered within 90 s. This is neither", true, false), Ending::NoAnswer),
        (
            no("Permission to use … is running in don't ask mode. IMPORTANT", true, false),
            Ending::Failed,
        ),
        (no("<tool_use_error>Error: No such tool available", false, false), Ending::Failed),
        (no("[Tool call interrupted: the session ended", false, false), Ending::Failed),
        (no("", false, false), Ending::Failed),
    ] {
        assert_eq!(kind(&outcome, false), None, "{}", outcome.text);
        assert_eq!(endings(&call(), &outcome), [ending; 2], "{}", outcome.text);
    }
}

#[test]
fn each_question_has_its_own_end() {
    let ends = |answers: Value| endings(&call(), &answered(&answers, 5000, "user_temporary"));
    assert_eq!(
        ends(json!({QUESTION: "SQLite", "And where?": "at home"})),
        [Ending::FromOptions, Ending::OwnWords]
    );
    assert_eq!(ends(sqlite()), [Ending::FromOptions, Ending::LeftOpen]);
    assert_eq!(ends(json!({"something else": "yes"})), [Ending::OwnWords; 2]);
    assert_eq!(ends(json!({QUESTION: 5, "And where?": "x"})), [Ending::LeftOpen, Ending::OwnWords]);
    let older = Outcome { text: "Selected: SQLite".into(), ..Outcome::default() };
    assert_eq!(endings(&call(), &older), [Ending::OwnWords; 2]);
    let senseless = Call { questions: serde_json::value::to_raw_value(&()).unwrap(), ..call() };
    assert_eq!(endings(&senseless, &older), [Ending::OwnWords]);
}

use std::collections::VecDeque;
use std::io;

use handraise_question::{Ask, Limits, Resolution};
use serde_json::{Value, json};

use super::{Dialogue, End, Heard, Talk, Unsent, cancelled};

/// Says its lines one after the other, then closes the input. An entry of several lines is a paste.
struct Script {
    lines: VecDeque<&'static str>,
    said: String,
}

impl Talk for Script {
    fn say(&mut self, text: &str) -> io::Result<()> {
        self.said.extend([text, "\n"]);
        Ok(())
    }

    fn hear(&mut self, cue: &str) -> io::Result<Heard> {
        self.said += cue;
        Ok(self.lines.pop_front().map_or(Heard::End, |lines| {
            Heard::Lines(lines.split('\n').map(str::to_owned).collect())
        }))
    }

    fn size(&self) -> (usize, usize) {
        (40, 6)
    }

    fn note(&mut self, _: impl FnOnce() -> Unsent) {}
}

fn talk(ask: &Value, lines: &[&'static str]) -> (End, String) {
    talk_guarded(ask, lines, false)
}

fn talk_guarded(ask: &Value, lines: &[&'static str], is_guarded: bool) -> (End, String) {
    let ask = Ask::read(ask.to_string().as_bytes(), &Limits::WIDE).unwrap().ask;
    let mut script = Script { lines: lines.iter().copied().collect(), said: String::new() };
    let end = Dialogue::new(&ask, &mut script).guard(is_guarded).run().unwrap();
    (end, script.said)
}

fn answers(ask: &Value, lines: &[&'static str]) -> Value {
    match talk(ask, lines) {
        (End::Resolved(Resolution::Answered(answers)), _) => {
            serde_json::to_value(answers.forms()).unwrap()
        }
        (end, said) => panic!("{end:?} after:\n{said}"),
    }
}

fn three() -> Value {
    json!({"questions": [
        {"question": "Single?", "header": "S", "options": [
            {"label": "a (Recommended)", "description": "first", "preview": "A-A"}, {"label": "b"}]},
        {"question": "Multi?", "multiSelect": true, "options": [{"label": "c"}, {"label": "d"}]},
        {"question": "Open?"}]})
}

#[test]
fn it_reads_well_aloud() {
    let (_, said) = talk(&three(), &["1", "1 2", "because", "s"]);
    insta::assert_snapshot!(said);
}

#[test]
fn answers_notes_and_open_questions() {
    assert_eq!(
        answers(&three(), &["n", "mind this", "2", "1,3", "e\\", "f", "/s", "l 3", "s"]),
        json!([{"selected": ["b"], "words": null, "notes": "mind this", "leftOpen": false},
               {"selected": ["c"], "words": "e\nf", "notes": null, "leftOpen": false},
               {"selected": [], "words": null, "notes": null, "leftOpen": true}])
    );
}

#[test]
fn an_answer_can_be_changed_from_the_review() {
    let changed = answers(&three(), &["1", "1", "x", "1", "2", "s"]);
    assert_eq!(changed[0]["selected"], json!(["b"]));
    assert_eq!(changed[1]["selected"], json!(["c"]));
    assert_eq!(changed[2]["words"], json!("x"));
}

#[test]
fn nonsense_is_answered_with_what_is_understood() {
    let lines = ["", "0", "9", "1,2", "x y z", "99999999999999999999999", "?", "p 1", "p 2", "1"];
    let (end, said) = talk(&three(), &lines);
    assert!(matches!(end, End::Resolved(Resolution::Declined { .. })), "{end:?}");
    for expected in
        ["Nothing chosen.", "Numbers go from 1 to 3.", "One number only", "A-A", "no preview"]
    {
        assert!(said.contains(expected), "{expected} in {said}");
    }
}

#[test]
fn declining_and_talking_first() {
    let (end, _) = talk(&three(), &["x", "not today"]);
    assert!(
        matches!(&end, End::Resolved(Resolution::Declined { reason: Some(r) }) if r.as_str() == "not today")
    );
    let (end, _) = talk(&three(), &["d", "what for?"]);
    assert!(
        matches!(&end, End::Resolved(Resolution::Discuss { words }) if words.as_str() == "what for?")
    );
}

#[test]
fn a_paste_answers_no_other_question() {
    let (end, said) = talk(&three(), &["1\n1\ns"]);
    assert!(matches!(end, End::Resolved(Resolution::Declined { .. })), "{end:?}");
    assert!(said.contains("Several lines came at once"), "{said}");
    let pasted = answers(&three(), &["3", "line one\n1\nline three", "1", "two\nlines", "s"]);
    assert_eq!(pasted[0]["words"], json!("line one\n1\nline three"));
    assert_eq!(pasted[2]["words"], json!("two\nlines"));
}

#[test]
fn the_only_question_cannot_be_skipped() {
    let one = json!({"questions": [{"question": "Q?", "options": [{"label": "a"}]}]});
    let (end, said) = talk(&one, &["s"]);
    assert!(matches!(end, End::Resolved(Resolution::Declined { .. })), "{end:?}");
    assert!(said.contains("the only question"), "{said}");
}

#[test]
fn what_is_longer_than_the_screen_is_allowed_only_after_its_last_page() {
    let text = format!("May it use Bash?\n\na: {}\ncommand: rm -r ~", "1. Allow it ".repeat(12));
    let ask = json!({"questions": [{"question": text, "header": "Bash",
        "options": [{"label": "Allow"}, {"label": "Deny"}]}]});
    let (end, said) = talk_guarded(&ask, &["1", "1\n1", "", "", "1"], true);
    assert!(matches!(end, End::Resolved(Resolution::Answered(_))), "{end:?}");
    insta::assert_snapshot!(said);
    let (end, said) = talk_guarded(&ask, &["x", "no", "1"], true);
    assert!(matches!(end, End::Resolved(Resolution::Declined { reason: Some(_) })), "{said}");
    let (end, _) = talk_guarded(&ask, &["1", "", "1"], true);
    assert_eq!(end, End::Resolved(cancelled()));
}

use serde_json::{Value, json};

use crate::{AnswerForm, Ask, Limits};

fn ask() -> Ask {
    let json = json!({"questions": [
        {"question": "Single?", "options": [{"label": "a"}, {"label": "b"}, {"label": "Other"}]},
        {"question": "Multi?", "multiSelect": true, "options": [{"label": "c"}, {"label": "d"}]},
        {"question": "Open?"}]});
    Ask::read(json.to_string().as_bytes(), &Limits::WIDE).unwrap().ask
}

fn check(forms: Value) -> Result<Vec<AnswerForm>, Vec<String>> {
    let forms = serde_json::from_value(forms).unwrap();
    ask()
        .check(forms)
        .map(|answers| answers.forms())
        .map_err(|violations| violations.as_slice().iter().map(ToString::to_string).collect())
}

#[test]
fn options_come_back_in_the_agents_order_with_the_words() {
    let answers = check(json!([
        {"selected": ["b"]}, {"selected": ["d", "c"], "words": "and e"}, {"words": "yes"}]));
    let forms = answers.unwrap();
    assert_eq!(forms[1].selected, ["c", "d"]);
    assert_eq!(forms[1].words.as_deref(), Some("and e"));
}

#[test]
fn everything_wrong_is_said_at_once() {
    let wrong = check(json!([
        {"selected": ["a"], "words": "and b"},
        {"selected": ["c", "c", "C"]},
        {"words": "\u{1b}[2J"}]));
    assert_eq!(
        wrong.unwrap_err(),
        [
            "answers[0]: an option and own words on a single-select, \
             one of the two (a remark goes into notes) needed",
            "answers[1].selected[1]: an option chosen twice, each option once needed",
            "answers[1].selected[2]: no such option, the exact label of an option needed",
            "answers[2].words: control character U+001B, text without control characters needed",
        ]
    );
}

#[test]
fn an_empty_answer_is_no_answer() {
    assert_eq!(
        check(json!([{}, {"selected": ["c"]}, {"leftOpen": true}])).unwrap_err(),
        ["answers[0]: nothing chosen, an option, own words, or leftOpen needed"]
    );
    assert!(check(json!([{"words": "  "}, {"selected": ["c"]}, {"leftOpen": true}])).is_err());
    assert!(check(json!([])).is_err());
}

#[test]
fn all_left_open_is_a_decline_and_not_an_answer() {
    let open = json!({"leftOpen": true});
    assert_eq!(
        check(json!([open, open, open])).unwrap_err(),
        ["answers: every question left open, one answer at least, or a decline, needed"]
    );
}

#[test]
fn left_open_and_answered_contradict_each_other() {
    let wrong = json!([{"leftOpen": true, "selected": ["a"]}, {"selected": ["c"]}, {"words": "x"}]);
    assert_eq!(
        check(wrong).unwrap_err(),
        ["answers[0]: left open and answered, one of the two needed"]
    );
}

#[test]
fn the_agents_own_other_stands_for_words_and_is_not_chosen() {
    let wrong = json!([{"selected": ["Other"]}, {"selected": ["c"]}, {"words": "x"}]);
    assert_eq!(
        check(wrong).unwrap_err(),
        ["answers[0].selected[0]: no such option, the exact label of an option needed"]
    );
}

#[test]
fn words_that_are_a_label_choose_that_option() {
    let forms = check(json!([{"words": "b"}, {"selected": ["d"], "words": "c"}, {"words": "b"}]));
    let forms = forms.unwrap();
    assert_eq!((forms[0].selected.as_slice(), &forms[0].words), (&["b".to_owned()][..], &None));
    assert_eq!(forms[1].selected, ["c", "d"]);
    assert_eq!(forms[2].words.as_deref(), Some("b"));
}

//! Plain text: the label of one choice, a `", "` join of several, or a JSON map of questions.

use serde_json::{Map, Value};

use crate::{Answer, AnswerForm, Answers, Ask, Question, Resolution, Violation, Violations};

use super::{parts, refusal};

/// What an agent that takes plain text reads.
///
/// One question: its answer verbatim. Several: a JSON object from question text to answer, in the
/// order asked, without those left open.
#[must_use]
pub fn text(ask: &Ask, resolution: &Resolution) -> String {
    refusal::answers_or_words(resolution)
        .map_or_else(|words| words, |answers| answered(ask, answers))
}

fn answered(ask: &Ask, answers: &Answers) -> String {
    match (ask.questions(), answers.as_slice()) {
        ([question], [Answer::Chosen(chosen)]) => parts::write(question, chosen),
        _ => Value::Object(map(ask, answers)).to_string(),
    }
}

/// Question text to answer text, for the questions that were answered.
#[must_use]
pub fn map(ask: &Ask, answers: &Answers) -> Map<String, Value> {
    let mut map = Map::new();
    for (question, answer) in ask.questions().iter().zip(answers.as_slice()) {
        if let Answer::Chosen(chosen) = answer {
            map.insert(question.text().to_owned(), parts::write(question, chosen).into());
        }
    }
    map
}

/// The inverse of [`map()`], before it is checked. Several choices may also come joined without the marks
/// that tell them apart, as far as they can be told apart without; or as a list of texts: labels, and own
/// words that are none.
///
/// # Errors
///
/// A key that names no question, a question without an answer, and whatever is neither text nor a list of
/// texts.
pub fn read(ask: &Ask, answers: &Map<String, Value>) -> Result<Vec<AnswerForm>, Violations> {
    let mut violations = vec![];
    let is_asked = |key: &str| ask.questions().iter().any(|question| question.text() == key);
    let strays = answers.keys().filter(|key| !is_asked(key)).count();
    if strays > 0 {
        let found = format!("{strays} of {} keys that name no question", answers.len());
        violations.push(Violation::new("answers", found, "the exact texts of the questions"));
    }
    let forms = ask.questions().iter().enumerate().map(|(n, question)| {
        let answer = answers.get(question.text()).unwrap_or(&Value::Null);
        read_one(question, answer).unwrap_or_else(|found| {
            let allowed = "text, or a list of texts";
            violations.push(Violation::new(format!("answers[{n}]"), found, allowed));
            AnswerForm::default()
        })
    });
    let forms = forms.collect();
    Violations::none_or(violations, || forms)
}

fn read_one(question: &Question, answer: &Value) -> Result<AnswerForm, &'static str> {
    let (selected, words) = match answer {
        Value::Null => return Err("nothing"),
        Value::String(text) => parts::read_joined(question, text),
        Value::Array(items) => {
            let texts: Option<Vec<_>> = items.iter().map(Value::as_str).collect();
            let texts = texts.ok_or("a list of other things")?;
            if texts.is_empty() {
                return Err("an empty list");
            }
            let (labels, others): (Vec<_>, Vec<_>) =
                texts.into_iter().partition(|text| question.choice(text).is_some());
            let words = (!others.is_empty()).then(|| others.join(", "));
            (labels.into_iter().map(str::to_owned).collect(), words)
        }
        Value::Bool(_) => return Err("true or false"),
        Value::Number(_) => return Err("a number"),
        Value::Object(_) => return Err("an object"),
    };
    Ok(AnswerForm { selected, words, ..AnswerForm::default() })
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{answered, ask};
    use super::*;
    use serde_json::json;

    #[test]
    fn one_question_gives_the_label_or_the_join() {
        let single = ask(&json!({"questions": [
            {"question": "Which?", "options": [{"label": "JWT"}, {"label": "Sessions"}]}]}));
        assert_eq!(text(&single, &answered(&single, &json!([{"selected": ["JWT"]}]))), "JWT");
        let multi = ask(&json!({"questions": [{"question": "Which?", "multiSelect": true,
            "options": [{"label": "JWT"}, {"label": "Sessions"}]}]}));
        assert_eq!(
            text(&multi, &answered(&multi, &json!([{"selected": ["Sessions", "JWT"]}]))),
            "JWT, Sessions"
        );
    }

    #[test]
    fn several_questions_give_a_map_without_those_left_open() {
        let ask = ask(&json!({"questions": [
            {"question": "B?", "options": [{"label": "x"}]},
            {"question": "A?", "options": [{"label": "y"}]},
            {"question": "C?"}]}));
        let resolution = answered(
            &ask,
            &json!([{"selected": ["x"]}, {"words": "say \"y\""}, {"leftOpen": true}]),
        );
        assert_eq!(text(&ask, &resolution), r#"{"B?":"x","A?":"say \"y\""}"#);
    }

    fn two() -> Ask {
        ask(&json!({"questions": [
            {"question": "Which?", "options": [{"label": "JWT"}, {"label": "Sessions"}]},
            {"question": "What else?", "multiSelect": true, "options": [
                {"label": "Auth"}, {"label": "Billing, taxes"}, {"label": "say \"hi\""}]}]}))
    }

    fn read_back(answers: &Value) -> Result<Vec<AnswerForm>, Violations> {
        read(&two(), answers.as_object().unwrap())
    }

    #[test]
    fn what_was_written_is_read_back() {
        for forms in [
            json!([{"selected": ["JWT"]}, {"selected": ["Auth", "Billing, taxes"]}]),
            json!([{"words": "JWT, please"}, {"selected": ["Billing, taxes"]}]),
            json!([{"words": "a\nb"}, {"selected": ["say \"hi\""], "words": "and \"docs\", too"}]),
        ] {
            let Resolution::Answered(answers) = answered(&two(), &forms) else { panic!("{forms}") };
            let map = Value::Object(map(&two(), &answers));
            assert_eq!(read_back(&map).unwrap(), answers.forms(), "{map}");
        }
    }

    #[test]
    fn several_choices_come_joined_or_as_a_list() {
        let joined = json!({"Which?": "Sessions", "What else?": "Auth, \"Billing, taxes\", docs"});
        let list =
            json!({"Which?": ["Sessions"], "What else?": ["Billing, taxes", "docs", "Auth"]});
        for answers in [joined, list] {
            let checked = two().check(read_back(&answers).unwrap()).unwrap();
            let forms = json!(checked.forms());
            assert_eq!(forms[0]["selected"], json!(["Sessions"]), "{answers}");
            assert_eq!(forms[1]["selected"], json!(["Auth", "Billing, taxes"]), "{answers}");
            assert_eq!(forms[1]["words"], "docs", "{answers}");
        }
    }

    #[test]
    fn labels_that_are_joined_as_they_are_are_told_apart_where_they_can_be() {
        for (joined, selected, words) in [
            ("Billing, taxes, Auth", &["Auth", "Billing, taxes"][..], None),
            ("Auth, Billing, taxes, say \"hi\"", &["Auth", "Billing, taxes", "say \"hi\""], None),
            ("Billing, taxes, and docs", &["Billing, taxes"], Some("and docs")),
            ("Billing, taxes, and docs, too", &["Billing, taxes"], Some("and docs, too")),
            ("Billing, taxes", &["Billing, taxes"], None),
            ("Billing", &[], Some("Billing")),
            ("no, Auth", &[], Some("no, Auth")),
            ("Auth, ", &[], Some("Auth, ")),
        ] {
            let answers = json!({"Which?": "JWT", "What else?": joined});
            let read = two().check(read_back(&answers).unwrap()).map(|answers| answers.forms());
            let Ok(forms) = read else { panic!("{joined}: {read:?}") };
            let words = words.filter(|words| *words != "Auth").map(str::to_owned);
            assert_eq!(
                (&forms[1].selected[..], &forms[1].words),
                (&to_owned(selected)[..], &words)
            );
        }
    }

    fn to_owned(labels: &[&str]) -> Vec<String> {
        labels.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_names_no_question_or_is_no_text_is_refused_without_being_quoted() {
        let wrong = json!({"Which?": {"label": "JWT"}, "What else?": ["Auth", 5], "Secret?": "x"});
        let violations = read_back(&wrong).unwrap_err().to_string();
        assert!(violations.contains("answers: 1 of 3 keys that name no question"), "{violations}");
        assert!(violations.contains("answers[0]: an object"), "{violations}");
        assert!(violations.contains("answers[1]: a list of other things"), "{violations}");
        assert!(!violations.contains("Secret"), "{violations}");
        for nothing in [json!({"Which?": "JWT"}), json!({"Which?": "JWT", "What else?": null})] {
            let violations = read_back(&nothing).unwrap_err().to_string();
            assert!(violations.contains("answers[1]: nothing, text"), "{violations}");
        }
        let empty = read_back(&json!({"Which?": "JWT", "What else?": []})).unwrap_err();
        assert!(empty.to_string().contains("answers[1]: an empty list"), "{empty}");
    }
}

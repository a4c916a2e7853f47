//! Plain text: the label of one choice, a `", "` join of several, or a JSON map of questions.

use serde_json::{Map, Value};

use crate::{Answer, Answers, Ask, Resolution};

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
pub(super) fn map(ask: &Ask, answers: &Answers) -> Map<String, Value> {
    let mut map = Map::new();
    for (question, answer) in ask.questions().iter().zip(answers.as_slice()) {
        if let Answer::Chosen(chosen) = answer {
            map.insert(question.text().to_owned(), parts::write(question, chosen).into());
        }
    }
    map
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
}

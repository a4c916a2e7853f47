//! The `AskUserQuestionResult` shape: `{answers: [{question, header, selectedOptions, customInput?}]}`.
//!
//! Four keys go beyond it, each only where the shape has no place for what happened: `notes` and
//! `leftOpen` in an answer, and `resolution` with `message` when nothing was answered.

use serde_json::{Value, json};

use crate::{Answer, Answers, Ask, Question, Resolution};

use super::{api, refusal};

/// The result object.
#[must_use]
pub fn result(ask: &Ask, resolution: &Resolution) -> Value {
    match refusal::answers_or_words(resolution) {
        Ok(answers) => json!({ "answers": answer_list(ask, answers) }),
        Err(message) => {
            json!({ "answers": [], "resolution": api::kind(resolution), "message": message })
        }
    }
}

fn answer_list(ask: &Ask, answers: &Answers) -> Vec<Value> {
    ask.questions().iter().zip(answers.as_slice()).map(|(q, a)| one(q, a)).collect()
}

fn one(question: &Question, answer: &Answer) -> Value {
    let mut out = json!({
        "question": question.text(),
        "header": question.header().unwrap_or_default(),
        "selectedOptions": [],
    });
    match answer {
        Answer::Chosen(chosen) => {
            out["selectedOptions"] = chosen.labels().into();
            if let Some(words) = chosen.words() {
                out["customInput"] = words.into();
            }
        }
        Answer::LeftOpen { .. } => out["leftOpen"] = true.into(),
    }
    if let Some(notes) = answer.notes() {
        out["notes"] = notes.into();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{answered, ask};
    use super::*;

    #[test]
    fn has_the_documents_shape() {
        let ask = ask(&json!({"questions": [
            {"question": "Which database?", "header": "Database",
             "options": [{"label": "PostgreSQL (Recommended)"}, {"label": "SQLite"}]},
            {"question": "Which package manager?", "header": "Package Mgr",
             "options": [{"label": "npm"}]},
            {"question": "And?", "options": []}]}));
        let resolution = answered(
            &ask,
            &json!([
            {"selected": ["PostgreSQL (Recommended)"]}, {"words": "bun"}, {"leftOpen": true}]),
        );
        assert_eq!(
            result(&ask, &resolution),
            json!({"answers": [
                {"question": "Which database?", "header": "Database",
                 "selectedOptions": ["PostgreSQL (Recommended)"]},
                {"question": "Which package manager?", "header": "Package Mgr",
                 "selectedOptions": [], "customInput": "bun"},
                {"question": "And?", "header": "", "selectedOptions": [], "leftOpen": true}]})
        );
    }

    #[test]
    fn no_answer_holds_no_choice() {
        let ask = ask(&json!({"questions": [{"question": "Q?", "options": [{"label": "a"}]}]}));
        assert_eq!(
            result(&ask, &Resolution::NoAnswer { after_seconds: 5 }),
            json!({"answers": [], "resolution": "no_answer",
                   "message": "Nobody answered within 5 s. This is neither a choice nor consent. \
                               Do not choose for the person."})
        );
    }
}

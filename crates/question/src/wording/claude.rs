//! What Claude Code takes: allow with `updatedInput`, or deny with a message.
//!
//! An allow without answers would read as "the user did not answer" and let the model go on, so
//! only [`Answers`], which cannot be empty, become one.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::{Answer, AnswerForm, Answers, Ask, Question, Resolution, Violation, Violations};

use super::{flat, parts, refusal};

const LEFT_OPEN: &str = "The person left this question open on purpose.";
/// What Claude Code takes where something was noted and nothing chosen.
const NOTES_ONLY: &str = "(notes only)";
const THEIR_NOTE: &str = " Their note: ";

/// The permission result: `{"behavior":"allow","updatedInput":…}` or
/// `{"behavior":"deny","message":…}`.
#[must_use]
pub fn permission<'a>(ask: &'a Ask, resolution: &Resolution) -> Permission<'a> {
    match refusal::answers_or_words(resolution) {
        Ok(answers) => Permission::Allow { updated_input: updated_input(ask, answers) },
        Err(message) => Permission::Deny { message },
    }
}

/// A decision in Claude Code's own form.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Permission<'a> {
    /// The questions are answered.
    Allow {
        /// The call with the answers in it.
        updated_input: UpdatedInput<'a>,
    },
    /// They are not.
    Deny {
        /// What the model reads instead.
        message: String,
    },
}

/// The tool's input, with the person's answers added.
#[derive(Debug, Clone, Serialize)]
pub struct UpdatedInput<'a> {
    questions: &'a RawValue,
    answers: Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    annotations: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a RawValue>,
}

/// Answers keyed by the exact question text, with the questions and the metadata as they were sent.
#[must_use]
pub fn updated_input<'a>(ask: &'a Ask, answers: &Answers) -> UpdatedInput<'a> {
    let annotations = ask
        .questions()
        .iter()
        .zip(answers.as_slice())
        .filter_map(|(question, answer)| {
            let annotation = annotation(question, answer);
            (!annotation.is_empty()).then(|| (question.text().to_owned(), annotation.into()))
        })
        .collect();
    let (questions, metadata) = (ask.as_sent(), ask.metadata());
    UpdatedInput { questions, answers: flat::map(ask, answers), annotations, metadata }
}

fn annotation(question: &Question, answer: &Answer) -> Map<String, Value> {
    let mut annotation = Map::new();
    match answer {
        Answer::Chosen(chosen) => {
            let previews: Vec<_> = question
                .choices()
                .filter(|option| chosen.labels().iter().any(|label| label == option.label()))
                .filter_map(|option| option.preview())
                .collect();
            if !previews.is_empty() {
                annotation.insert("preview".into(), previews.join("\n\n").into());
            }
            if let Some(notes) = answer.notes() {
                annotation.insert("notes".into(), notes.into());
            }
        }
        Answer::LeftOpen { .. } => {
            annotation.insert("notes".into(), left_open(answer.notes()).into());
        }
    }
    annotation
}

/// What the model reads of a question that was left open.
#[must_use]
pub fn left_open(note: Option<&str>) -> String {
    let note = note.map(|note| format!("{THEIR_NOTE}{note}")).unwrap_or_default();
    format!("{LEFT_OPEN}{note}")
}

/// Reads answers back from `updatedInput`, or from what Claude Code reports after its own dialog.
///
/// # Errors
///
/// A key that names no question, a question without an answer, or a value that is not text.
pub fn read(ask: &Ask, answers: &Value, annotations: &Value) -> Result<Answers, Violations> {
    read_each(ask, answers, annotations, |_, form| form)
}

/// Reads what Claude Code took in the end. Its own dialog lets a person pass over a question: that
/// leaves it open.
///
/// # Errors
///
/// As of [`read()`]; but a question may be without an answer, if not all are.
pub fn taken(ask: &Ask, answers: &Value, annotations: &Value) -> Result<Answers, Violations> {
    read_each(ask, answers, annotations, |question, form| {
        let left_open = form.left_open || (form.selected.is_empty() && form.words.is_none());
        match form.words.as_deref().and_then(|words| tidied(question, words)) {
            Some(label) if form.selected.is_empty() => {
                AnswerForm { selected: vec![label], words: None, ..form }
            }
            _ => AnswerForm { left_open, ..form },
        }
    })
}

fn read_each(
    ask: &Ask,
    answers: &Value,
    annotations: &Value,
    mend: impl Fn(&Question, AnswerForm) -> AnswerForm,
) -> Result<Answers, Violations> {
    let mut unknown = vec![];
    for key in answers.as_object().into_iter().flat_map(Map::keys) {
        if !ask.questions().iter().any(|question| question.text() == key) {
            unknown.push(Violation::new(
                "answers",
                "a key that names no question",
                "question texts",
            ));
        }
    }
    Violations::none_or(unknown, || ())?;
    let forms = ask.questions().iter().map(|question| {
        let notes = annotations[question.text()]["notes"].as_str();
        mend(question, read_one(question, answers[question.text()].as_str(), notes))
    });
    ask.check(forms.collect())
}

/// The one label that Claude Code's dialog writes like this: it drops what cannot be seen, and blanks
/// (measured).
fn tidied(question: &Question, text: &str) -> Option<String> {
    let tidy = |text: &str| {
        let seen = text.chars().filter(|c| !matches!(c, '\u{FE0E}' | '\u{FE0F}' | '\u{200B}'));
        seen.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mut alike = question.choices().filter(|option| tidy(option.label()) == tidy(text));
    let first = alike.next()?;
    alike.next().is_none().then(|| first.label().to_owned())
}

fn read_one(question: &Question, answer: Option<&str>, notes: Option<&str>) -> AnswerForm {
    // In a dialog, where there is no other place for it, the sentence is the answer itself.
    let said = answer.filter(|text| *text != NOTES_ONLY).or(notes);
    if let Some(rest) = said.and_then(|text| text.strip_prefix(LEFT_OPEN)) {
        let notes = rest.strip_prefix(THEIR_NOTE).map(str::to_owned);
        return AnswerForm { left_open: true, notes, ..Default::default() };
    }
    let Some(text) = answer else { return AnswerForm::default() };
    let (selected, words) = parts::read(question, text);
    AnswerForm { selected, words, notes: notes.map(str::to_owned), left_open: false }
}

#[cfg(test)]
#[path = "claude_tests.rs"]
mod tests;

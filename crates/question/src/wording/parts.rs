//! Several choices in one string, and back: the form Claude Code writes and recognises.
//!
//! Measured on the real CLI, which compares encoded labels and decodes nothing: a label that holds
//! a comma followed by a space, or a double quote, must be a JSON string as `JSON.stringify`
//! writes it; every other label must stand exactly as it is, backslashes and newlines included.
//! One part in any other form, and the whole answer is no longer taken for a choice of options.

use std::borrow::Cow;

use crate::{Chosen, Question, Select};

const SEPARATOR: &str = ", ";

/// The answer to one question as one string.
pub(super) fn write(question: &Question, chosen: &Chosen) -> String {
    match (question.select(), chosen.labels(), chosen.words()) {
        (Select::Single, [label], _) => label.clone(),
        (Select::Single, _, words) => words.unwrap_or_default().to_owned(),
        // One label alone stays raw, unless that reads as several others.
        (Select::Multi, [label], None) if labels_only(question, label).is_none() => label.clone(),
        (Select::Multi, labels, words) => {
            let labels = labels.iter().map(|label| encode_label(label));
            labels.chain(words.map(encode_words)).collect::<Vec<_>>().join(SEPARATOR)
        }
    }
}

/// The inverse of [`write()`]: the chosen labels and the own words in `text`.
pub(super) fn read(question: &Question, text: &str) -> (Vec<String>, Option<String>) {
    let whole = || question.choice(text).map(|option| vec![option.label().to_owned()]);
    let labels = match question.select() {
        Select::Single => whole(),
        Select::Multi => labels_only(question, text).or_else(whole),
    };
    match (labels, question.select()) {
        (Some(labels), _) => (labels, None),
        (None, Select::Single) => (vec![], Some(text.to_owned())),
        (None, Select::Multi) => {
            let (labels, rest) = leading_labels(question, text);
            (labels, Some(decode_words(rest)))
        }
    }
}

/// Labels for people and models to read, joined without being read back.
pub(super) fn join(labels: &[&str]) -> String {
    match labels {
        [label] => (*label).to_owned(),
        labels => {
            labels.iter().map(|label| encode_label(label)).collect::<Vec<_>>().join(SEPARATOR)
        }
    }
}

/// The chosen labels as summaries name them.
pub(super) fn spoken<'a>(question: &'a Question, chosen: &'a Chosen) -> Vec<&'a str> {
    question
        .choices()
        .filter(|option| chosen.labels().iter().any(|label| label == option.label()))
        .map(|option| question.spoken_label(option))
        .collect()
}

fn needs_quotes(part: &str) -> bool {
    part.contains(SEPARATOR) || part.contains('"')
}

fn encode_label(label: &str) -> Cow<'_, str> {
    if needs_quotes(label) {
        // serde_json escapes exactly what JSON.stringify does.
        Cow::Owned(serde_json::Value::from(label).to_string())
    } else {
        Cow::Borrowed(label)
    }
}

/// Own words keep their newlines: the model reads them as they are, quoted only to mark their end.
fn encode_words(words: &str) -> Cow<'_, str> {
    if needs_quotes(words) {
        Cow::Owned(format!("\"{}\"", words.replace('\\', r"\\").replace('"', r#"\""#)))
    } else {
        Cow::Borrowed(words)
    }
}

fn decode_words(text: &str) -> String {
    let decoded = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).and_then(|inner| {
        let mut out = String::with_capacity(inner.len());
        let mut chars = inner.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => out.push(chars.next().filter(|next| matches!(next, '\\' | '"'))?),
                '"' => return None,
                other => out.push(other),
            }
        }
        Some(out)
    });
    // Quotes that were not needed were not ours: they belong to the words.
    decoded.filter(|words| needs_quotes(words)).unwrap_or_else(|| text.to_owned())
}

/// The labels, if `text` is made of encoded labels and nothing else.
fn labels_only(question: &Question, text: &str) -> Option<Vec<String>> {
    let (labels, rest) = leading_labels(question, text);
    (rest.is_empty() && !labels.is_empty()).then_some(labels)
}

/// The encoded labels `text` starts with, and what follows them.
fn leading_labels<'a>(question: &Question, text: &'a str) -> (Vec<String>, &'a str) {
    let mut labels = vec![];
    let mut rest = text;
    'part: while !rest.is_empty() {
        for option in question.choices() {
            let Some(after) = rest.strip_prefix(&*encode_label(option.label())) else { continue };
            let next = if after.is_empty() { Some("") } else { after.strip_prefix(SEPARATOR) };
            // A separator with nothing behind it is text, not an end.
            if let Some(next) = next.filter(|next| after.is_empty() || !next.is_empty()) {
                labels.push(option.label().to_owned());
                rest = next;
                continue 'part;
            }
        }
        break;
    }
    (labels, rest)
}

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;

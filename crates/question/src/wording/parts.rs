//! Several choices in one string, and back: the form Claude Code writes and recognises.
//!
//! Measured on the real CLI, which compares encoded labels and decodes nothing: a label that holds
//! a comma followed by a space, or a double quote, must be a JSON string as `JSON.stringify`
//! writes it; every other label must stand exactly as it is, backslashes and newlines included.
//! One part in any other form, and the whole answer is no longer taken for a choice of options.

use std::borrow::Cow;

use crate::{Chosen, Question, QuestionOption, Select};

const SEPARATOR: &str = ", ";
/// In longer texts labels are looked for from the left only: an agent could make the search long.
const LONGEST_CUT: usize = 10_000;

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

/// As [`read()`], from somebody who joins labels as they are. What [`write()`] can have written is read as
/// that; else labels count wherever they stand whole, if in one way only, or else from the left, the longest
/// first.
pub(super) fn read_joined(question: &Question, text: &str) -> (Vec<String>, Option<String>) {
    let (labels, words) = read(question, text);
    if question.select() == Select::Single || is_written(&labels, words.as_deref(), text) {
        return (labels, words);
    }
    cut(question, text).unwrap_or_else(|| cut_from_left(question, text))
}

/// Whether this is how `text` would have been written.
fn is_written(labels: &[String], words: Option<&str>, text: &str) -> bool {
    let parts = labels.iter().map(|label| encode_label(label));
    let parts: Vec<_> = parts.chain(words.map(encode_words)).collect();
    parts.join(SEPARATOR) == text || matches!((labels, words), ([label], None) if label == text)
}

/// The labels `text` is made of, if it can be cut into labels in exactly one way and none comes twice.
fn cut(question: &Question, text: &str) -> Option<(Vec<String>, Option<String>)> {
    if text.len() > LONGEST_CUT {
        return None;
    }
    // For each place where a part may begin, from the end: in how many ways the rest can be cut, where two
    // stands for more, and the label one of them begins with.
    let mut ways: Vec<(u8, &str)> = vec![(0, ""); text.len() + 1];
    let begins = text.match_indices(SEPARATOR).map(|(at, _)| at + SEPARATOR.len());
    let begins: Vec<_> = std::iter::once(0).chain(begins).collect();
    for from in begins.into_iter().rev() {
        for option in question.choices() {
            let Some(rest) = after_part(&text[from..], option.label()) else { continue };
            let on = if rest.is_empty() { 1 } else { ways[text.len() - rest.len()].0 };
            if on > 0 {
                ways[from] = ((ways[from].0 + on).min(2), option.label());
            }
        }
    }
    if ways[0].0 != 1 {
        return None;
    }
    let (mut labels, mut rest): (Vec<String>, _) = (vec![], text);
    while !rest.is_empty() {
        let label = ways[text.len() - rest.len()].1;
        if labels.iter().any(|known| known == label) {
            return None;
        }
        labels.push(label.to_owned());
        rest = after_part(rest, label)?;
    }
    Some((labels, None))
}

fn cut_from_left(question: &Question, text: &str) -> (Vec<String>, Option<String>) {
    let (mut labels, mut rest): (Vec<String>, _) = (vec![], text);
    loop {
        let left = question.choices().map(QuestionOption::label);
        let left = left.filter(|label| !labels.iter().any(|known| known == label));
        let next = left.filter_map(|label| after_part(rest, label).map(|after| (label, after)));
        let Some((label, after)) = next.max_by_key(|(label, _)| label.len()) else {
            return (labels, Some(rest.to_owned()));
        };
        labels.push(label.to_owned());
        if after.is_empty() {
            return (labels, None);
        }
        rest = after;
    }
}

/// What follows a label that `text` begins with, if it is a part of its own there.
fn after_part<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let after = text.strip_prefix(label)?;
    if after.is_empty() {
        return Some("");
    }
    // A separator with nothing behind it is text, not an end.
    after.strip_prefix(SEPARATOR).filter(|rest| !rest.is_empty())
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
            if let Some(next) = after_part(rest, &encode_label(option.label())) {
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

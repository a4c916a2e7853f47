//! What stays on the person's screen after answering: `✔ Database: PostgreSQL`.

use crate::{Answer, Ask, Question, Resolution};

use super::parts;

/// One line a question, or one line for the whole when nothing was answered.
///
/// Holds agent text: whoever draws it cleans it first.
#[must_use]
pub fn lines(ask: &Ask, resolution: &Resolution) -> Vec<String> {
    match resolution {
        Resolution::Answered(answers) => {
            ask.questions().iter().zip(answers.as_slice()).map(|(q, a)| line(q, a)).collect()
        }
        Resolution::Declined { reason } => vec![match reason {
            Some(reason) => format!("✘ Declined: {}", one_line(reason.as_str())),
            None => "✘ Declined: no option was sent".into(),
        }],
        Resolution::Discuss { words } => {
            vec![format!("✘ To discuss first: {}", one_line(words.as_str()))]
        }
        Resolution::NoAnswer { after_seconds } => {
            vec![format!("✘ No answer within {after_seconds} s: no option was sent")]
        }
        Resolution::Withdrawn { .. } => vec!["✘ Withdrawn by the agent".into()],
    }
}

/// The confirmation of one question.
#[must_use]
pub fn line(question: &Question, answer: &Answer) -> String {
    let name = one_line(question.name());
    let note =
        answer.notes().map_or_else(String::new, |note| format!(" (note: {})", one_line(note)));
    match answer {
        Answer::Chosen(chosen) => {
            let mut parts: Vec<String> =
                parts::spoken(question, chosen).into_iter().map(one_line).collect();
            parts.extend(chosen.words().map(one_line));
            format!("✔ {name}: {}{note}", parts.join(", "))
        }
        Answer::LeftOpen { .. } => format!("– {name}: left open on purpose{note}"),
    }
}

/// The first line of a text, and how many lines follow.
fn one_line(text: &str) -> String {
    let text = text.trim();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    match lines.count() {
        0 => first.to_owned(),
        1 => format!("{first} … (+1 line)"),
        more => format!("{first} … (+{more} lines)"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{answered, ask};
    use super::*;
    use serde_json::json;

    #[test]
    fn names_what_was_chosen_without_recommended() {
        let ask = ask(&json!({"questions": [
            {"question": "Which database?", "header": "Database",
             "options": [{"label": "PostgreSQL (Recommended)"}, {"label": "SQLite"}]},
            {"question": "Which features?", "header": "Features", "multiSelect": true,
             "options": [{"label": "TypeScript"}, {"label": "ESLint + Prettier"}]},
            {"question": "Anything else?"}]}));
        let resolution = answered(
            &ask,
            &json!([
            {"selected": ["PostgreSQL (Recommended)"], "notes": "v17"},
            {"selected": ["TypeScript", "ESLint + Prettier"], "words": "bun\nand\nmore"},
            {"leftOpen": true}]),
        );
        assert_eq!(
            lines(&ask, &resolution),
            [
                "✔ Database: PostgreSQL (note: v17)",
                "✔ Features: TypeScript, ESLint + Prettier, bun … (+2 lines)",
                "– Anything else?: left open on purpose",
            ]
        );
    }

    #[test]
    fn two_options_that_differ_only_in_recommended_stay_apart() {
        let ask = ask(&json!({"questions": [{"question": "Q?", "header": "H",
            "options": [{"label": "A (Recommended)"}, {"label": "A"}]}]}));
        let resolution = answered(&ask, &json!([{"selected": ["A (Recommended)"]}]));
        assert_eq!(lines(&ask, &resolution), ["✔ H: A (Recommended)"]);
    }
}

//! Which question `NAME=value` means.

use handraise_question::{Ask, Question};

use crate::failure::{Exit, Failure};
use crate::table;

/// The question a `NAME=value` names, and the value. The split is at the `=` after the longest name
/// that fits; where there is one question only, the name may be left out.
pub(super) fn value<'a>(ask: &Ask, text: &'a str) -> Result<(usize, &'a str), Failure> {
    let mut best: Option<(usize, usize)> = None;
    let mut rivals = 0;
    for (i, question) in ask.questions().iter().enumerate() {
        for name in names(i, question) {
            let fits = text.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('='));
            match best {
                _ if !fits => {}
                Some((_, length)) if name.len() < length => {}
                Some((other, length)) if name.len() == length && other != i => rivals += 1,
                _ => {
                    rivals = 0;
                    best = Some((i, name.len()));
                }
            }
        }
    }
    match best {
        Some(_) if rivals > 0 => Err(ambiguous(ask, text)),
        Some((i, length)) => Ok((i, &text[length + 1..])),
        None if ask.questions().len() == 1 => Ok((0, text)),
        None => Err(unknown(ask, text)),
    }
}

/// The question of this name.
pub(super) fn question(ask: &Ask, name: &str) -> Result<usize, Failure> {
    let mut found = ask
        .questions()
        .iter()
        .enumerate()
        .filter(|(i, question)| names(*i, question).iter().any(|known| known == name));
    match (found.next(), found.next()) {
        (Some((i, _)), None) => Ok(i),
        (Some(_), Some(_)) => Err(ambiguous(ask, name)),
        (None, _) => Err(unknown(ask, name)),
    }
}

/// The label meant: the exact one or, where that is clear, the one without `(Recommended)`.
pub(super) fn label<'a>(question: &'a Question, text: &'a str) -> &'a str {
    let exact = question.choice(text);
    let spoken = || question.choices().find(|option| question.spoken_label(option) == text);
    exact.or_else(spoken).map_or(text, |option| option.label())
}

pub(super) fn only_once(
    place: &mut Option<String>,
    text: &str,
    option: &str,
) -> Result<(), Failure> {
    if place.replace(text.to_owned()).is_some() {
        let error = anyhow::anyhow!("{option} was given twice for the same question");
        return Err(Failure::new(Exit::BadInput, error));
    }
    Ok(())
}

/// The questions, as they can be named.
pub(super) fn listed(ask: &Ask) -> String {
    let names = ask.questions().iter().enumerate();
    let names = names.map(|(i, question)| format!("{} ({})", i + 1, table::short(question.name())));
    names.collect::<Vec<_>>().join(", ")
}

/// What can be chosen where there are options.
pub(super) fn choices((i, question): (usize, &Question)) -> Option<String> {
    let labels: Vec<_> =
        question.choices().map(|option| format!("“{}”", table::short(option.label()))).collect();
    (!labels.is_empty()).then(|| format!("question {} offers {}", i + 1, labels.join(", ")))
}

/// A question is named by its header, its text or its number.
fn names(i: usize, question: &Question) -> Vec<String> {
    let header = question.header().map(str::to_owned);
    header.into_iter().chain([question.text().to_owned(), (i + 1).to_string()]).collect()
}

fn unknown(ask: &Ask, text: &str) -> Failure {
    let error = anyhow::anyhow!("`{text}` names no question");
    let hint = format!("write NAME=value; the questions: {}", listed(ask));
    Failure::new(Exit::BadInput, error).hint(hint)
}

fn ambiguous(ask: &Ask, text: &str) -> Failure {
    let error = anyhow::anyhow!("`{text}` names more than one question");
    let hint = format!("use the number; the questions: {}", listed(ask));
    Failure::new(Exit::BadInput, error).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use handraise_question::Limits;
    use serde_json::json;

    fn ask(questions: &serde_json::Value) -> Ask {
        let json = json!({"questions": questions}).to_string();
        Ask::read(json.as_bytes(), &Limits::WIDE).unwrap().ask
    }

    #[test]
    fn the_longest_name_wins_and_the_rest_may_hold_anything() {
        let ask = ask(&json!([
            {"question": "Which a=b?", "header": "a", "options": [{"label": "x"}]},
            {"question": "Else?", "header": "a=b", "options": [{"label": "y"}]}]));
        assert_eq!(value(&ask, "a=x").unwrap(), (0, "x"));
        assert_eq!(value(&ask, "a=b=c=d").unwrap(), (1, "c=d"));
        assert_eq!(value(&ask, "Which a=b?=x").unwrap(), (0, "x"));
        assert_eq!(value(&ask, "2=y").unwrap(), (1, "y"));
        assert!(value(&ask, "x").is_err());
        assert!(value(&ask, "3=x").is_err());
    }

    #[test]
    fn one_question_needs_no_name() {
        let ask = ask(&json!([{"question": "Q?", "header": "H", "options": [{"label": "1=2"}]}]));
        assert_eq!(value(&ask, "JWT").unwrap(), (0, "JWT"));
        assert_eq!(value(&ask, "H=JWT").unwrap(), (0, "JWT"));
    }

    #[test]
    fn two_questions_of_one_header_are_told_apart_by_number() {
        let ask = ask(&json!([
            {"question": "A?", "header": "H", "options": [{"label": "x"}]},
            {"question": "B?", "header": "H", "options": [{"label": "x"}]}]));
        assert!(value(&ask, "H=x").is_err());
        assert!(question(&ask, "H").is_err());
        assert_eq!(question(&ask, "2").unwrap(), 1);
        assert_eq!(question(&ask, "B?").unwrap(), 1);
    }

    #[test]
    fn recommended_need_not_be_written() {
        let ask = ask(&json!([{"question": "Q?", "options": [
            {"label": "npm (Recommended)"}, {"label": "yarn"}]}]));
        let question = &ask.questions()[0];
        assert_eq!(label(question, "npm"), "npm (Recommended)");
        assert_eq!(label(question, "npm (Recommended)"), "npm (Recommended)");
        assert_eq!(label(question, "bun"), "bun");
    }
}

//! What a person answered, checked against what was asked.

use serde::{Deserialize, Serialize};

use crate::{Ask, OwnWords, Question, Select, Violation, Violations};

/// An answer as a surface sends it, before it is checked; also its lossless JSON form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AnswerForm {
    /// Labels of the chosen options, byte for byte.
    pub selected: Vec<String>,
    /// What the person typed under "Other".
    pub words: Option<String>,
    /// A remark beside the answer.
    pub notes: Option<String>,
    /// The person chose not to answer this one.
    pub left_open: bool,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Options, own words, or both.
    Chosen(Chosen),
    /// Left open on purpose.
    LeftOpen {
        /// A remark beside it.
        notes: Option<OwnWords>,
    },
}

/// Options in the order they were offered, own words, or both; never neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    labels: Vec<String>,
    words: Option<OwnWords>,
    notes: Option<OwnWords>,
}

impl Chosen {
    /// Labels of the chosen options, in the order the agent offered them.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The person's own words.
    #[must_use]
    pub fn words(&self) -> Option<&str> {
        self.words.as_ref().map(OwnWords::as_str)
    }
}

impl Answer {
    /// The person's remark beside the answer.
    #[must_use]
    pub fn notes(&self) -> Option<&str> {
        match self {
            Self::Chosen(Chosen { notes, .. }) | Self::LeftOpen { notes } => {
                notes.as_ref().map(OwnWords::as_str)
            }
        }
    }

    /// The lossless form.
    #[must_use]
    pub fn form(&self) -> AnswerForm {
        let notes = self.notes().map(str::to_owned);
        match self {
            Self::Chosen(chosen) => AnswerForm {
                selected: chosen.labels.clone(),
                words: chosen.words().map(str::to_owned),
                notes,
                left_open: false,
            },
            Self::LeftOpen { .. } => AnswerForm { notes, left_open: true, ..Default::default() },
        }
    }
}

/// One answer for each question of an ask, in its order; at least one is not left open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers(Vec<Answer>);

impl Answers {
    /// The answers, in the order of the questions.
    #[must_use]
    pub fn as_slice(&self) -> &[Answer] {
        &self.0
    }

    /// The lossless form of each.
    #[must_use]
    pub fn forms(&self) -> Vec<AnswerForm> {
        self.0.iter().map(Answer::form).collect()
    }
}

impl Ask {
    /// Checks a set of answers against the questions.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, at once. A set in which every question is left open is refused:
    /// that is a decline, and is said as one.
    pub fn check(&self, forms: Vec<AnswerForm>) -> Result<Answers, Violations> {
        let mut violations = vec![];
        if forms.len() != self.questions.len() {
            let found = format!("{} for {} questions", forms.len(), self.questions.len());
            return Err(Violation::new("answers", found, "one answer for each question").into());
        }
        if forms.iter().all(|form| form.left_open) {
            violations.push(Violation::new(
                "answers",
                "every question left open",
                "one answer at least, or a decline,",
            ));
        }
        let answers: Vec<_> = self
            .questions
            .iter()
            .zip(forms)
            .enumerate()
            .filter_map(|(i, (question, form))| {
                let mut check =
                    Check { path: format!("answers[{i}]"), violations: &mut violations };
                check.answer(question, form)
            })
            .collect();
        Violations::none_or(violations, || Answers(answers))
    }
}

struct Check<'a> {
    path: String,
    violations: &'a mut Vec<Violation>,
}

impl Check<'_> {
    fn refuse(&mut self, field: &str, found: impl Into<String>, allowed: impl Into<String>) {
        self.violations.push(Violation::new(format!("{}{field}", self.path), found, allowed));
    }

    fn answer(&mut self, question: &Question, form: AnswerForm) -> Option<Answer> {
        let notes = self.words(".notes", form.notes);
        if form.left_open {
            if !form.selected.is_empty() || form.words.is_some() {
                self.refuse("", "left open and answered", "one of the two");
            }
            return Some(Answer::LeftOpen { notes });
        }
        let answered = !form.selected.is_empty() || form.words.is_some();
        if !answered {
            self.refuse("", "nothing chosen", "an option, own words, or leftOpen");
        }
        self.refuse_bad_labels(question, &form.selected);
        let words = self.words(".words", form.words);
        // Words that are exactly an option's label choose that option: no form an agent takes
        // could tell the two apart, and Claude Code does the same.
        let (named, words) = match words {
            Some(words) if question.choice(words.as_str()).is_some() => (Some(words), None),
            words => (None, words),
        };
        let chosen = |label: &str| {
            form.selected.iter().any(|selected| selected == label)
                || named.as_ref().is_some_and(|words| words.as_str() == label)
        };
        // In the agent's order, whatever order they were ticked in.
        let labels: Vec<String> = question
            .choices()
            .map(|option| option.label().to_owned())
            .filter(|label| chosen(label))
            .collect();
        if question.select() == Select::Single {
            if labels.len() > 1 {
                let found = format!("{} options of a single-select", labels.len());
                self.refuse(".selected", found, "1");
            }
            if !labels.is_empty() && words.is_some() {
                let allowed = "one of the two (a remark goes into notes)";
                self.refuse("", "an option and own words on a single-select", allowed);
            }
        }
        let chosen = !labels.is_empty() || words.is_some();
        chosen.then_some(Answer::Chosen(Chosen { labels, words, notes }))
    }

    fn refuse_bad_labels(&mut self, question: &Question, selected: &[String]) {
        for (j, label) in selected.iter().enumerate() {
            let field = format!(".selected[{j}]");
            if question.choice(label).is_none() {
                self.refuse(&field, "no such option", "the exact label of an option");
            } else if selected[..j].contains(label) {
                self.refuse(&field, "an option chosen twice", "each option once");
            }
        }
    }

    fn words(&mut self, field: &str, raw: Option<String>) -> Option<OwnWords> {
        match OwnWords::read(format!("{}{field}", self.path), raw?) {
            Ok(words) => Some(words),
            Err(violation) => {
                self.violations.push(violation);
                None
            }
        }
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;

//! What is to be typed into a dialog, for what a person has resolved.

use handraise_question::wording::{claude, refusal};
use handraise_question::{Answer, Ask, Question, QuestionOption, Resolution, Select};
use serde_json::{Value, json};

use super::alike::dense;

/// What a person wants the dialog to hear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Answers, one for each question.
    Answer(Vec<Entry>),
    /// Nothing: the dialog is left. The reason is said afterwards, where there is one.
    Decline(Option<String>),
    /// A talk, begun with these words.
    Discuss(String),
}

/// What is entered on the page of one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// An option, counted from 0.
    Choose(usize),
    /// Words.
    Words(String),
    /// Several options, and words.
    Several {
        /// The options, counted from 0, upwards.
        chosen: Vec<usize>,
        /// Words beside them.
        words: Option<String>,
    },
    /// Where previews are shown: an option, a note, or both. There is no place for words there.
    Beside {
        /// The option, counted from 0.
        chosen: Option<usize>,
        /// The note.
        notes: Option<String>,
    },
}

/// Why something cannot be typed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Untypable {
    /// A dialog has keys for nine rows.
    #[error("its dialog has more options than keys")]
    TooManyOptions,
    /// Several can be chosen, and there are previews: nobody has seen that dialog.
    #[error("its dialog is of a kind that is not known")]
    UnknownKind,
    /// The ask has ended without anything to say.
    #[error("there is nothing to type")]
    Nothing,
    /// The option is not there.
    #[error("an option was chosen that the dialog does not have")]
    NoSuchOption,
}

/// What Claude Code takes where something was noted and nothing chosen.
const NOTES_ONLY: &str = "(notes only)";

impl Intent {
    /// What to type for a resolution.
    ///
    /// # Errors
    ///
    /// When the dialog has no keys for it.
    pub fn of(ask: &Ask, resolution: &Resolution) -> Result<Self, Untypable> {
        for question in ask.questions() {
            // The digit after the last option is for words, the next for a talk.
            if question.options().len() > 7 {
                return Err(Untypable::TooManyOptions);
            }
            if question.select() == Select::Multi && has_previews(question) {
                return Err(Untypable::UnknownKind);
            }
        }
        let words = || refusal::answers_or_words(resolution).err().unwrap_or_default();
        match resolution {
            Resolution::Answered(answers) => {
                let each = ask.questions().iter().zip(answers.as_slice());
                let entries = each.map(|(question, answer)| Entry::of(question, answer));
                Ok(Self::Answer(entries.collect::<Result<_, _>>()?))
            }
            Resolution::Declined { reason } => Ok(Self::Decline(reason.as_ref().map(|_| words()))),
            // The dialog has no key for silence: the agent is told in words what it means.
            Resolution::NoAnswer { .. } => Ok(Self::Decline(Some(words()))),
            Resolution::Discuss { .. } => Ok(Self::Discuss(words())),
            Resolution::Withdrawn { .. } => Err(Untypable::Nothing),
        }
    }

    /// Whether Claude Code took what was typed.
    pub(super) fn was_taken(&self, ask: &Ask, result: &Value) -> bool {
        let Self::Answer(entries) = self else { return false };
        let (answers, annotations) = (&result["answers"], &result["annotations"]);
        ask.questions().iter().zip(entries).all(|(question, entry)| {
            let answer = answers[question.text()].as_str();
            let notes = annotations[question.text()]["notes"].as_str();
            entry.was_taken(ask, question, answer, notes)
        })
    }
}

impl Entry {
    fn of(question: &Question, answer: &Answer) -> Result<Self, Untypable> {
        let place = |label: &String| {
            let mut options = question.options().iter();
            options.position(|option| option.label() == label).ok_or(Untypable::NoSuchOption)
        };
        let (chosen, words, notes) = match answer {
            Answer::Chosen(chosen) => {
                let places = chosen.labels().iter().map(place).collect::<Result<Vec<_>, _>>()?;
                (places, chosen.words().map(str::to_owned), answer.notes())
            }
            // A dialog has no other place to say so.
            Answer::LeftOpen { .. } => (vec![], Some(claude::left_open(answer.notes())), None),
        };
        let notes = notes.map(str::to_owned);
        if has_previews(question) {
            return Ok(Self::Beside {
                chosen: chosen.first().copied(),
                notes: joined(words, notes),
            });
        }
        Ok(match (question.select(), chosen.first(), notes) {
            (Select::Multi, _, notes) => Self::Several {
                chosen,
                words: joined(words, notes.map(|note| format!("Note: {note}"))),
            },
            (Select::Single, Some(place), None) => Self::Choose(*place),
            // A choice with a note has no place but the words.
            (Select::Single, Some(place), Some(note)) => {
                let label = question.options()[*place].label();
                Self::Words(format!("{label}\nNote: {note}"))
            }
            (Select::Single, None, notes) => {
                let note = notes.map(|note| format!("Note: {note}"));
                Self::Words(joined(words, note).unwrap_or_default())
            }
        })
    }

    /// What Claude Code calls it; nothing where nothing is chosen and nothing said.
    pub(super) fn answer(&self, question: &Question) -> Option<String> {
        let label = |place: &usize| question.options().get(*place).map(QuestionOption::label);
        match self {
            Self::Choose(place) | Self::Beside { chosen: Some(place), .. } => {
                label(place).map(str::to_owned)
            }
            Self::Words(words) => Some(words.clone()),
            Self::Several { chosen, words } => {
                let quoted = |label: &str| {
                    let plain = !label.contains([',', '"']);
                    if plain { label.to_owned() } else { json!(label).to_string() }
                };
                let labels = chosen.iter().filter_map(label).map(quoted);
                Some(labels.chain(words.clone()).collect::<Vec<_>>().join(", "))
            }
            Self::Beside { chosen: None, .. } => Some(NOTES_ONLY.to_owned()),
        }
    }

    fn was_taken(
        &self,
        ask: &Ask,
        question: &Question,
        answer: Option<&str>,
        notes: Option<&str>,
    ) -> bool {
        let is_noted = |meant: Option<&String>| {
            notes.unwrap_or_default().trim() == meant.map_or("", |text| text.trim())
        };
        // Claude Code tidies labels up before it takes them: it drops what cannot be seen, and blanks.
        let tidy = |text: &str| dense(&text.replace(['"', '\\'], ""));
        let meant = self.answer(question);
        let same = answer.map(tidy) == meant.as_deref().map(tidy);
        match self {
            Self::Words(_) => answer == meant.as_deref(),
            Self::Choose(_) => same,
            Self::Several { chosen, words } => {
                let Some(answer) = answer else { return false };
                if same && words.is_none() {
                    return true;
                }
                // Read as the hub reads it: quotes may stand or not.
                let taken = claude::taken(ask, &json!({question.text(): answer}), &Value::Null);
                let forms = taken.map(|answers| answers.forms()).unwrap_or_default();
                let place = ask.questions().iter().position(|other| std::ptr::eq(other, question));
                let labels = chosen.iter().filter_map(|place| question.options().get(*place));
                let labels: Vec<_> = labels.map(|option| option.label().to_owned()).collect();
                let form = place.and_then(|place| forms.get(place));
                form.is_some_and(|form| form.selected == labels && form.words == *words)
                    || (same && words.as_ref().is_some_and(|words| answer.ends_with(words)))
            }
            Self::Beside { chosen: None, notes: meant } => {
                answer.is_none_or(|answer| answer == NOTES_ONLY) && is_noted(meant.as_ref())
            }
            Self::Beside { chosen: Some(_), notes: meant } => same && is_noted(meant.as_ref()),
        }
    }
}

pub(super) fn has_previews(question: &Question) -> bool {
    question.options().iter().any(|option| option.preview().is_some())
}

fn joined(words: Option<String>, note: Option<String>) -> Option<String> {
    match (words, note) {
        (Some(words), Some(note)) => Some(format!("{words}\n{note}")),
        (words, note) => words.or(note),
    }
}

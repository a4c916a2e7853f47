//! How each question of a call ended.

use handraise_broker::Matter;
use handraise_question::Answer;
use handraise_question::wording::claude;
use serde_json::Value;

use super::call::Call;
use super::outcome::Outcome;
use crate::hook::taken::REFUSED;

/// What the model reads when the dialog was submitted with nothing in it.
pub(super) const NOT_ANSWERED: &str = "The user did not answer the questions.";
/// What it reads when Claude Code was set to wait only so long, and somebody else's words for the same.
pub(super) const TIMED_OUT: &str = "No response after ";
/// What it reads when Handraise says that a deadline has passed.
const NOBODY: &str = "Nobody answered within ";
const WITHDRAWN: &str = "The question was withdrawn before anybody answered";
/// What it reads when a person said no at the dialog or at Handraise, or wanted to talk first.
const DECLINED: [&str; 3] =
    [REFUSED, "The person declined to answer", "The person wants to talk first"];
/// The mode in which nobody is asked: everything is denied at once.
const NOBODY_IS_ASKED: &str = "don't ask mode";

/// How one question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Options were chosen.
    FromOptions,
    /// The person wrote something, perhaps beside options.
    OwnWords,
    /// Others of the same call were answered, this one was not.
    LeftOpen,
    /// The person said no, or wanted to talk first.
    Declined,
    /// The model reads that nobody answered.
    NoAnswer,
    /// Nobody was asked: the call was wrong, or the tool was not there, or the session ended.
    Failed,
}

impl Ending {
    /// Whether somebody, or something, has answered.
    #[must_use]
    pub fn is_answer(self) -> bool {
        match self {
            Self::FromOptions | Self::OwnWords => true,
            Self::LeftOpen | Self::Declined | Self::NoAnswer | Self::Failed => false,
        }
    }
}

/// How each question of a call ended, in their order. At least one: a call that makes no sense counts as
/// one question.
#[must_use]
pub fn endings(call: &Call, outcome: &Outcome) -> Vec<Ending> {
    let questions = call.texts();
    let all = |ending| vec![ending; questions.len().max(1)];
    if let Some(ending) = without_answers(outcome) {
        return all(ending);
    }
    let answers = &outcome.result["answers"];
    if !answers.is_object() {
        // Written by something else than today's Claude Code; what is said is said.
        return all(Ending::OwnWords);
    }
    if let Ok(ask) = Matter::read_questions(&call.questions)
        && let Ok(answers) = claude::taken(&ask, answers, &outcome.result["annotations"])
    {
        return answers.as_slice().iter().map(of_answer).collect();
    }
    let mut endings: Vec<_> = questions
        .iter()
        .map(|text| {
            let answered = said(&answers[text.as_str()]);
            if answered { Ending::OwnWords } else { Ending::LeftOpen }
        })
        .collect();
    // All that was said is about something else.
    if !endings.iter().any(|ending| ending.is_answer()) {
        endings = all(if is_blank(outcome) { Ending::NoAnswer } else { Ending::OwnWords });
    }
    endings
}

fn of_answer(answer: &Answer) -> Ending {
    match answer {
        Answer::Chosen(chosen) if chosen.words().is_some() => Ending::OwnWords,
        Answer::Chosen(_) => Ending::FromOptions,
        Answer::LeftOpen { .. } => Ending::LeftOpen,
    }
}

/// How the whole call ended, if it was not answered.
fn without_answers(outcome: &Outcome) -> Option<Ending> {
    let reads = |begin: &&str| outcome.text.starts_with(*begin);
    if outcome.timed_out.is_some() || [TIMED_OUT, NOBODY, WITHDRAWN].iter().any(reads) {
        Some(Ending::NoAnswer)
    } else if outcome.rejected || DECLINED.iter().any(reads) {
        Some(Ending::Declined)
    } else if outcome.denied {
        // In that mode nobody was asked; any other denial is somebody's word.
        let failed = outcome.text.contains(NOBODY_IS_ASKED);
        Some(if failed { Ending::Failed } else { Ending::Declined })
    } else if outcome.failed {
        Some(Ending::Failed)
    } else {
        is_blank(outcome).then_some(Ending::NoAnswer)
    }
}

/// Whether nothing was said at all, though nobody declined.
pub(super) fn is_blank(outcome: &Outcome) -> bool {
    let answers = outcome.result["answers"].as_object();
    let nothing = answers.is_some_and(|answers| !answers.values().any(said));
    let otherwise = said(&outcome.result["response"])
        || outcome.result["annotations"].as_object().is_some_and(|annotations| {
            annotations.values().any(|annotation| said(&annotation["notes"]))
        });
    outcome.text.starts_with(NOT_ANSWERED)
        || outcome.text.trim().is_empty()
        || (nothing && !otherwise)
}

fn said(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(several) => several.iter().any(said),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

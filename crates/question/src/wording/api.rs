//! The lossless JSON of a resolution: what the API and `--format json` carry.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    AnswerForm, Answers, Approval, Ask, Decision, DecisionForm, OwnWords, Resolution, Responder,
    Violation, Violations,
};

/// What an answered resolution holds, and its JSON.
pub trait Given {
    /// The fields beside `kind`.
    type Form: Serialize + DeserializeOwned;

    /// The lossless form.
    fn to_form(&self) -> Self::Form;
}

/// The answers to the questions of an ask, in their order.
#[derive(Debug, Serialize, Deserialize)]
pub struct AnswersForm {
    answers: Vec<AnswerForm>,
}

impl Given for Answers {
    type Form = AnswersForm;

    fn to_form(&self) -> AnswersForm {
        AnswersForm { answers: self.forms() }
    }
}

impl Given for Decision {
    type Form = DecisionForm;

    fn to_form(&self) -> DecisionForm {
        self.form()
    }
}

/// The name of a resolution's kind.
#[must_use]
pub fn kind<A>(resolution: &Resolution<A>) -> &'static str {
    match resolution {
        Resolution::Answered(_) => "answered",
        Resolution::Declined { .. } => "declined",
        Resolution::Discuss { .. } => "discuss",
        Resolution::NoAnswer { .. } => "no_answer",
        Resolution::Withdrawn { .. } => "withdrawn",
    }
}

/// A resolution alone, without who gave it and when.
#[must_use]
pub fn bare<A: Given>(resolution: &Resolution<A>) -> Value {
    json!(Form::from(resolution))
}

/// A resolution with who gave it and when (RFC 3339).
#[must_use]
pub fn resolution<A: Given>(
    resolution: &Resolution<A>,
    responder: Option<&Responder>,
    at: &str,
) -> Value {
    let mut out = bare(resolution);
    out["responder"] = json!(responder);
    out["at"] = at.into();
    out
}

/// Reads a resolution back; `responder` and `at` are the caller's.
///
/// # Errors
///
/// Everything that is wrong with it as an end of `ask`.
pub fn read(ask: &Ask, value: &Value) -> Result<Resolution, Violations> {
    read_with(value, |form: AnswersForm| ask.check(form.answers))
}

/// Reads the resolution of an approval back.
///
/// # Errors
///
/// Everything that is wrong with it as an end of `approval`.
pub fn read_decision(
    approval: &Approval,
    value: &Value,
) -> Result<Resolution<Decision>, Violations> {
    read_with(value, |form: DecisionForm| approval.check(form))
}

fn read_with<A: Given>(
    value: &Value,
    check: impl FnOnce(A::Form) -> Result<A, Violations>,
) -> Result<Resolution<A>, Violations> {
    let form = Form::deserialize(value).map_err(|_| {
        Violation::new("resolution", "of an unknown form", "kind, and what belongs to that kind,")
    })?;
    Ok(match form {
        Form::Answered(given) => Resolution::Answered(check(given)?),
        Form::Declined { reason } => Resolution::Declined {
            reason: reason.map(|r| OwnWords::read("reason", r)).transpose()?,
        },
        Form::Discuss { words } => Resolution::Discuss { words: OwnWords::read("words", words)? },
        Form::NoAnswer { after_seconds } => Resolution::NoAnswer { after_seconds },
        Form::Withdrawn { reason } => Resolution::Withdrawn {
            reason: reason.map(|r| OwnWords::read("reason", r)).transpose()?,
        },
    })
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Form<F> {
    Answered(F),
    Declined { reason: Option<String> },
    Discuss { words: String },
    NoAnswer { after_seconds: u64 },
    Withdrawn { reason: Option<String> },
}

impl<A: Given> From<&Resolution<A>> for Form<A::Form> {
    fn from(resolution: &Resolution<A>) -> Self {
        let text = |words: &OwnWords| words.as_str().to_owned();
        match resolution {
            Resolution::Answered(given) => Self::Answered(given.to_form()),
            Resolution::Declined { reason } => Self::Declined { reason: reason.as_ref().map(text) },
            Resolution::Discuss { words } => Self::Discuss { words: text(words) },
            Resolution::NoAnswer { after_seconds } => {
                Self::NoAnswer { after_seconds: *after_seconds }
            }
            Resolution::Withdrawn { reason } => {
                Self::Withdrawn { reason: reason.as_ref().map(text) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{answered, ask, own};
    use super::*;
    use crate::Surface;

    #[test]
    fn every_kind_comes_back_as_it_went() {
        let ask = ask(&json!({"questions": [
            {"question": "Q?", "multiSelect": true, "options": [{"label": "a, \"b\""}]},
            {"question": "R?"}]}));
        let all = [
            answered(
                &ask,
                &json!([
                {"selected": ["a, \"b\""], "words": "line\nline", "notes": "n"},
                {"leftOpen": true}]),
            ),
            Resolution::Declined { reason: None },
            Resolution::Declined { reason: Some(own("no")) },
            Resolution::Discuss { words: own("why?") },
            Resolution::NoAnswer { after_seconds: 7 },
            Resolution::Withdrawn { reason: None },
        ];
        for one in all {
            let json = resolution(&one, None, "2026-01-01T00:00:00Z");
            assert_eq!(json["kind"], kind(&one));
            assert_eq!(read(&ask, &json).unwrap(), one);
        }
    }

    #[test]
    fn absent_is_null_and_the_responder_is_named() {
        let ask = ask(&json!({"questions": [{"question": "Q?", "options": [{"label": "JWT"}]}]}));
        let responder = Responder {
            person: None,
            device: None,
            surface: Surface::Terminal,
            proof: Some("tty".into()),
        };
        let resolved = answered(&ask, &json!([{"selected": ["JWT"]}]));
        assert_eq!(
            resolution(&resolved, Some(&responder), "2026-01-01T00:00:00Z"),
            json!({"kind": "answered",
                   "answers": [{"selected": ["JWT"], "words": null, "notes": null, "leftOpen": false}],
                   "responder": {"person": null, "device": null, "surface": "terminal", "proof": "tty"},
                   "at": "2026-01-01T00:00:00Z"})
        );
    }
}

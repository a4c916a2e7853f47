//! What each step in the life of an ask means: pure decisions that return events.
//!
//! Nothing here changes anything. An empty list of events means that it is so already: a retry gets
//! the first result.

use std::sync::Arc;

use handraise_question::wording::api;
use handraise_question::{
    AnswerForm, Answers, Approval, Decision, DecisionForm, OwnWords, Resolution, Responder,
    Surface, Violation, Violations,
};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::device::hex;
use crate::{
    AnswerIn, Delivery, Doubt, Event, Extended, Matter, OnDisconnect, OwnWordsRule, Phase, Receipt,
    Record, Rejection, Resolved, State, Submit, Undelivered,
};

/// What a person says to an ask.
#[derive(Debug, Clone, Serialize)]
pub enum Reply {
    /// Answers to its questions.
    Answer(Vec<AnswerForm>),
    /// A decision on its approval.
    Decide(DecisionForm),
    /// No, and perhaps why.
    Decline(Option<String>),
    /// Let us talk first.
    Discuss(String),
}

/// A reply on its way in.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// What was said.
    pub reply: Reply,
    /// By whom.
    pub responder: Responder,
    /// The caller's own name for this submit, to retry it by.
    pub key: Option<String>,
}

/// How long after the last change of a draft somebody still counts as typing.
const TYPING: SignedDuration = SignedDuration::from_secs(15);
const LONGEST_KEY: usize = 200;

impl Record {
    /// Decides what a person's reply means.
    ///
    /// # Errors
    ///
    /// When somebody was first, only the agent's own dialog takes one, or the reply does not fit the
    /// ask.
    pub fn reply(&self, attempt: Attempt, now: Timestamp) -> Result<Vec<Event>, Rejection> {
        let submit = attempt.key.map(|key| submit(key, &attempt.reply)).transpose()?;
        if let Some(resolved) = self.resolved() {
            return match (&resolved.submit, &submit) {
                (Some(first), Some(again)) if first == again => Ok(vec![]),
                (Some(first), Some(again)) if first.key == again.key => Err(Rejection::KeyReused),
                _ => Err(Rejection::AlreadyResolved(Box::new(self.clone()))),
            };
        }
        match self.policy().answer_in {
            AnswerIn::Anywhere => {}
            AnswerIn::Dialog => return Err(Rejection::OnlyInDialog),
        }
        let resolution = self.meaning(attempt.reply)?;
        Ok(vec![Event::Resolved(Arc::new(Resolved {
            resolution,
            responder: Some(attempt.responder),
            at: now,
            submit,
        }))])
    }

    fn meaning(&self, reply: Reply) -> Result<Value, Violations> {
        let words = |path: &str, raw: String| OwnWords::read(path, raw);
        Ok(match reply {
            Reply::Answer(forms) => {
                let ask = self.matter().ask()?;
                if self.policy().own_words == OwnWordsRule::Refuse {
                    refuse_own_words(&ask, &forms)?;
                }
                api::bare(&Resolution::<Answers>::Answered(ask.check(forms)?))
            }
            Reply::Decide(form) => {
                let decision = self.matter().decision_on(form)?;
                api::bare(&Resolution::<Decision>::Answered(decision))
            }
            Reply::Decline(reason) => {
                // A field cleared in a form is no reason, not a bad one.
                let reason = reason.filter(|reason| !reason.trim().is_empty());
                let reason = reason.map(|reason| words("reason", reason)).transpose()?;
                api::bare(&Resolution::<Answers>::Declined { reason })
            }
            Reply::Discuss(text) => {
                api::bare(&Resolution::<Answers>::Discuss { words: words("words", text)? })
            }
        })
    }

    /// Decides what it means that the agent takes the ask back, or that it is gone.
    ///
    /// # Errors
    ///
    /// When the reason cannot be kept.
    pub fn withdraw(
        &self,
        reason: Option<String>,
        now: Timestamp,
    ) -> Result<Vec<Event>, Rejection> {
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        let words = reason.map(|reason| OwnWords::read("reason", reason)).transpose();
        let reason = words.map_err(Violations::from)?;
        Ok(match &self.phase {
            Phase::Open => {
                let resolution = Resolution::<Answers>::Withdrawn { reason };
                let resolution = api::bare(&resolution);
                vec![Event::Resolved(Arc::new(Resolved {
                    resolution,
                    responder: None,
                    at: now,
                    submit: None,
                }))]
            }
            Phase::Resolved { delivery: Delivery::Awaited, resolved }
                if !resolved.is_withdrawn() =>
            {
                let reason = reason.map_or_else(
                    || "the agent was gone before it got the answer".into(),
                    OwnWords::into_string,
                );
                vec![Event::Undelivered(Undelivered { reason })]
            }
            Phase::Resolved { .. } => vec![],
        })
    }

    /// Decides what it means that the last front end of a dialect which showed it has gone.
    #[must_use]
    pub fn disconnect(&self, dialect: &str, now: Timestamp) -> Vec<Event> {
        match (&self.phase, self.policy().on_disconnect) {
            (Phase::Open, OnDisconnect::Decline) => {
                let reason = format!("the {dialect} front end that showed it was closed");
                let reason = OwnWords::try_from(reason.as_str()).ok();
                let rule = Responder {
                    person: Some("onDisconnect".into()),
                    device: None,
                    surface: Surface::Rule,
                    proof: None,
                };
                vec![Event::Resolved(Arc::new(Resolved {
                    resolution: api::bare(&Resolution::<Answers>::Declined { reason }),
                    responder: Some(rule),
                    at: now,
                    submit: None,
                }))]
            }
            (Phase::Open, OnDisconnect::Keep) | (Phase::Resolved { .. }, _) => vec![],
        }
    }

    /// Decides whether the deadline has passed.
    #[must_use]
    pub fn expire(&self, typed_at: Option<Timestamp>, now: Timestamp) -> Vec<Event> {
        match self.ends_at(typed_at) {
            Some(end) if self.is_open() && now >= end => {
                let waited = end.duration_since(self.asked_at).as_secs();
                let after_seconds = u64::try_from(waited).unwrap_or(0);
                let resolution = api::bare(&Resolution::<Answers>::NoAnswer { after_seconds });
                vec![Event::Resolved(Arc::new(Resolved {
                    resolution,
                    responder: None,
                    at: now,
                    submit: None,
                }))]
            }
            _ => vec![],
        }
    }

    /// When silence ends the ask. While somebody types it moves to a little after their last
    /// change, though never past one further whole deadline.
    #[must_use]
    pub fn ends_at(&self, typed_at: Option<Timestamp>) -> Option<Timestamp> {
        let end = self.deadline_at?;
        let policy = self.policy();
        let (Some(typed_at), true) = (typed_at, policy.pause_while_typing) else {
            return Some(end);
        };
        let further = i64::try_from(policy.deadline_seconds.unwrap_or(0)).unwrap_or(i64::MAX);
        let latest = end.saturating_add(SignedDuration::from_secs(further)).unwrap_or(end);
        let typing = typed_at.saturating_add(TYPING).unwrap_or(end);
        Some(end.max(typing.min(latest)))
    }

    /// Decides what it means that a person wants `seconds` more. `key` is the caller's own name for this
    /// wish, to retry it by.
    ///
    /// # Errors
    ///
    /// When the ask has ended, or has no deadline.
    pub fn extend(
        &self,
        seconds: u64,
        responder: Responder,
        key: Option<String>,
        now: Timestamp,
    ) -> Result<Vec<Event>, Rejection> {
        const MOST: u64 = 366 * 24 * 60 * 60;
        let submit = key.map(|key| submit(key, &seconds)).transpose()?;
        if let Some(submit) = &submit
            && let Some(first) = self.extensions.iter().find(|first| first.key == submit.key)
        {
            return if first == submit { Ok(vec![]) } else { Err(Rejection::KeyReused) };
        }
        if !self.is_open() {
            return Err(Rejection::AlreadyResolved(Box::new(self.clone())));
        }
        let deadline = self.deadline_at.ok_or(Rejection::NoDeadline)?;
        if seconds == 0 || seconds > MOST {
            let violation = Violation::new("seconds", seconds.to_string(), format!("1–{MOST}"));
            return Err(Violations::from(violation).into());
        }
        let more = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(0));
        let deadline_at = deadline.max(now).saturating_add(more).unwrap_or(Timestamp::MAX);
        Ok(vec![Event::Extended(Extended { deadline_at, responder, submit })])
    }

    /// Decides what a receipt shows.
    ///
    /// Where the agent says what it took, it is the judge: an open ask beside which it shows a dialog of
    /// its own ends with that, as the agent's claim, and one that had ended otherwise is overruled. Else
    /// what the model read is compared with what was handed over. Only a receipt that says more than the
    /// last one counts; a doubt is more.
    ///
    /// # Errors
    ///
    /// When there is no resolution yet that the agent could have, what it says it took is none, or a
    /// doubt does not say why.
    pub fn receipt(&self, receipt: Receipt, now: Timestamp) -> Result<Vec<Event>, Rejection> {
        if self.is_open() && !self.opened.has_rival_dialog() {
            // Without a dialog the agent has no answer, whatever it claims: only a person gives one.
            return Err(Rejection::StillOpen);
        }
        let took = receipt.took.as_ref().map(|took| self.understood(took)).transpose()?;
        let doubt = receipt.doubt.map(Doubt::check).transpose()?;
        let receipt = Receipt { took, doubt, ..receipt };
        let Some(resolved) = self.resolved() else {
            let resolution = receipt.took.clone().ok_or(Rejection::StillOpen)?;
            let by_a_person =
                !matches!(resolution["kind"].as_str(), Some("no_answer" | "withdrawn"));
            // Where a person is doubted, none is named, not even somebody at the dialog.
            let responder = (by_a_person && receipt.doubt.is_none()).then(in_the_dialog);
            let resolved = Resolved { resolution, responder, at: now, submit: None };
            return Ok(vec![Event::Resolved(Arc::new(resolved)), Event::Delivered(receipt)]);
        };
        let earlier = self.last_receipt();
        let known = match earlier {
            Some(earlier) => receipt.after(earlier),
            None => receipt,
        };
        if earlier == Some(&known) {
            return Ok(vec![]);
        }
        let differs = match (&known.took, earlier) {
            (Some(took), _) => !self.agree(took, &resolved.resolution),
            (None, Some(earlier)) => {
                let texts = (&earlier.text, &known.text);
                self.state() == State::Overruled
                    || matches!(texts, (Some(meant), Some(read)) if meant != read)
            }
            (None, None) => false,
        };
        Ok(vec![if differs { Event::Overruled(known) } else { Event::Delivered(known) }])
    }

    /// What an agent says it took, in the form in which resolutions are kept.
    fn understood(&self, took: &Value) -> Result<Value, Violations> {
        Ok(match self.matter() {
            Matter::Questions(_) => api::bare(&api::read(&self.matter().ask()?, took)?),
            Matter::Approval(raw) => {
                let took = api::read_decision(&Approval::read(raw)?, took)?;
                refuse_details(&took)?;
                api::bare(&took)
            }
        })
    }

    /// Whether the agent took what was resolved. Of an approval it only knows whether it was allowed.
    fn agree(&self, took: &Value, resolution: &Value) -> bool {
        match self.matter() {
            Matter::Questions(_) => took == resolution,
            Matter::Approval(_) => {
                took["kind"] == resolution["kind"] && took["decision"] == resolution["decision"]
            }
        }
    }

    /// Decides that no receipt came in time.
    #[must_use]
    pub fn miss_receipt(&self) -> Vec<Event> {
        if !self.awaits_receipt() {
            return vec![];
        }
        let reason = if self.state() == State::Delivered {
            "handed to the agent, but it was not seen to read it"
        } else {
            "no process took the answer to the agent"
        };
        vec![Event::Undelivered(Undelivered { reason: reason.into() })]
    }
}

/// Refuses everything beside allow and deny in an agent's account of its own dialog. Another input, a
/// rule to remember and a message are a person's to give, and would read like a person's.
fn refuse_details(took: &Resolution<Decision>) -> Result<(), Violations> {
    let Resolution::Answered(decision) = took else { return Ok(()) };
    let form = decision.form();
    let details = [
        ("took.input", form.input.is_some()),
        ("took.remember", form.remember == Some(true)),
        ("took.message", form.message.is_some()),
    ];
    let given = details.into_iter().filter(|(_, is_given)| *is_given);
    let refuse = |(path, _)| Violation::new(path, "something", "`decision` alone");
    Violations::none_or(given.map(refuse).collect(), || ())
}

/// Somebody at the agent's own dialog. Who, nobody says.
fn in_the_dialog() -> Responder {
    let proof = Some("agent".into());
    Responder { person: None, device: None, surface: Surface::Dialog, proof }
}

fn submit(key: String, submitted: &impl Serialize) -> Result<Submit, Violations> {
    if key.is_empty() || key.len() > LONGEST_KEY {
        let found = format!("{} bytes", key.len());
        return Err(Violation::new("idempotencyKey", found, format!("1–{LONGEST_KEY}")).into());
    }
    let content = serde_json::to_vec(submitted).unwrap_or_default();
    Ok(Submit { key, content: hex(&Sha256::digest(content)) })
}

fn refuse_own_words(ask: &handraise_question::Ask, forms: &[AnswerForm]) -> Result<(), Violations> {
    let typed = |(i, form): (usize, &AnswerForm)| {
        let words = form.words.as_deref()?;
        let is_label =
            ask.questions().get(i).is_some_and(|question| question.choice(words).is_some());
        (!is_label).then(|| {
            let allowed = "an option: this ask takes no words of your own";
            Violation::new(format!("answers[{i}].words"), "own words", allowed)
        })
    };
    Violations::none_or(forms.iter().enumerate().filter_map(typed).collect(), || ())
}

#[cfg(test)]
#[path = "transition_tests.rs"]
mod tests;

//! How one ask is to be treated where opinions differ: captured when it is asked.

use serde::{Deserialize, Serialize};

/// The rules one ask lives under. The default is patience: no deadline, words welcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Policy {
    /// After how long silence is reported as silence; never, when absent.
    pub deadline_seconds: Option<u64>,
    /// What the agent is told then.
    pub on_deadline: OnDeadline,
    /// What happens when the front end that showed it goes away.
    pub on_disconnect: OnDisconnect,
    /// Whether a person may answer in words of their own.
    pub own_words: OwnWordsRule,
    /// Whether somebody who is typing gets up to one deadline more.
    pub pause_while_typing: bool,
    /// Which receipt shows that the agent has its answer.
    pub receipt: Level,
    /// Where it can be answered.
    pub answer_in: AnswerIn,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            deadline_seconds: None,
            on_deadline: OnDeadline::Tell,
            on_disconnect: OnDisconnect::Keep,
            own_words: OwnWordsRule::Allow,
            pause_while_typing: true,
            receipt: Level::Handed,
            answer_in: AnswerIn::Anywhere,
        }
    }
}

/// What the agent is told when the deadline passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDeadline {
    /// That nobody answered.
    Tell,
    /// That, and its turn ends.
    Interrupt,
}

/// What happens when the front end that showed an ask goes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDisconnect {
    /// It waits for the next.
    Keep,
    /// It is declined.
    Decline,
}

/// Whether a person may answer in words of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OwnWordsRule {
    /// They may.
    Allow,
    /// Only options count.
    Refuse,
}

/// How sure it is that the agent has its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It was written to the agent.
    Handed,
    /// The model was seen to read it.
    Seen,
}

/// Where an ask can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerIn {
    /// On every surface.
    Anywhere,
    /// In the agent's own dialog and nowhere else: nothing can bring an answer to this agent.
    Dialog,
}

/// How far an agent's own wishes go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyCaps {
    /// For asks that name no deadline of their own.
    pub default_deadline_seconds: Option<u64>,
    /// The shortest deadline: an agent must not be able to time a person out at once.
    pub min_deadline_seconds: u64,
    /// The longest; an ask without a deadline gets it, too.
    pub max_deadline_seconds: Option<u64>,
    /// Whether an agent may have its turn ended by a deadline.
    pub allow_interrupt: bool,
    /// Whether an agent may have its asks declined by a lost connection.
    pub allow_decline_on_disconnect: bool,
    /// Whether an agent may refuse a person's own words.
    pub allow_refuse_own_words: bool,
}

impl Default for PolicyCaps {
    fn default() -> Self {
        Self {
            default_deadline_seconds: None,
            min_deadline_seconds: 1,
            max_deadline_seconds: None,
            allow_interrupt: true,
            allow_decline_on_disconnect: true,
            allow_refuse_own_words: true,
        }
    }
}

/// A year and a day: beyond it nobody means a deadline.
const LONGEST: u64 = 366 * 24 * 60 * 60;

impl PolicyCaps {
    /// The policy an ask gets when it wishes for `wish`.
    #[must_use]
    pub fn grant(&self, wish: Policy) -> Policy {
        let most = self.max_deadline_seconds.unwrap_or(LONGEST).min(LONGEST);
        let seconds = wish.deadline_seconds.or(self.default_deadline_seconds);
        let seconds = seconds.or(self.max_deadline_seconds);
        let mut granted = wish;
        granted.deadline_seconds = seconds.map(|s| s.max(self.min_deadline_seconds).min(most));
        if !self.allow_interrupt {
            granted.on_deadline = OnDeadline::Tell;
        }
        if !self.allow_decline_on_disconnect {
            granted.on_disconnect = OnDisconnect::Keep;
        }
        if !self.allow_refuse_own_words {
            granted.own_words = OwnWordsRule::Allow;
        }
        granted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_to_wait_for_ever() {
        assert_eq!(PolicyCaps::default().grant(Policy::default()), Policy::default());
    }

    #[test]
    fn caps_bound_what_an_agent_wishes_for() {
        let caps = PolicyCaps {
            default_deadline_seconds: Some(300),
            min_deadline_seconds: 30,
            max_deadline_seconds: Some(600),
            allow_interrupt: false,
            allow_decline_on_disconnect: false,
            allow_refuse_own_words: false,
        };
        let seconds = |wish| {
            caps.grant(Policy { deadline_seconds: wish, ..Policy::default() }).deadline_seconds
        };
        assert_eq!(seconds(None), Some(300));
        assert_eq!(seconds(Some(1)), Some(30));
        assert_eq!(seconds(Some(100_000)), Some(600));
        let greedy = Policy {
            on_deadline: OnDeadline::Interrupt,
            on_disconnect: OnDisconnect::Decline,
            own_words: OwnWordsRule::Refuse,
            ..Policy::default()
        };
        let granted = Policy { deadline_seconds: Some(300), ..Policy::default() };
        assert_eq!(caps.grant(greedy), granted);
    }

    #[test]
    fn without_a_default_the_longest_deadline_bounds_those_that_name_none() {
        let caps = PolicyCaps { max_deadline_seconds: Some(60), ..PolicyCaps::default() };
        assert_eq!(caps.grant(Policy::default()).deadline_seconds, Some(60));
    }

    #[test]
    fn a_policy_that_was_kept_before_there_was_a_choice_is_answered_anywhere() {
        let kept = r#"{"deadlineSeconds": null, "onDeadline": "tell", "receipt": "seen"}"#;
        let read: Policy = serde_json::from_str(kept).unwrap();
        assert_eq!(read.answer_in, AnswerIn::Anywhere);
        let dialog: Policy = serde_json::from_str(r#"{"answerIn": "dialog"}"#).unwrap();
        assert_eq!(dialog.answer_in, AnswerIn::Dialog);
    }
}

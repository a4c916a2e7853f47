//! Whether a person can have answered.
//!
//! What Claude Code 2.1.325 writes as `permissionDecision.source` (measured): `user_temporary` for an
//! answer in its dialog or by the program that runs it, but also for a dialog submitted empty and for one
//! that closed by itself after `askUserQuestionTimeout`; `hook` for an answer by a `PermissionRequest` or a
//! `PreToolUse` hook; `user_reject` for "Chat about this"; `config` for a mode that denies; nothing for Esc.
//! A rule that allows the tool does not answer it: the dialog comes, and `user_temporary`. So the word
//! alone clears nobody, and `hook` alone accuses nobody: a hook may well bring a person's answer, as those
//! of Handraise do. What tells is whether there was time to read the question.

use handraise_broker::{Doubt, DoubtKind};
use jiff::SignedDuration;

use super::call::Call;
use super::ending::{TIMED_OUT, endings, is_blank};
use super::outcome::Outcome;

/// Nobody sees a dialog and presses a key in less.
const REACTION: SignedDuration = SignedDuration::from_millis(300);
/// Much faster than anybody reads.
const PER_CHARACTER: SignedDuration = SignedDuration::from_millis(2);
/// Whoever knows a question by sight does not read it to its end.
const LONGEST: SignedDuration = SignedDuration::from_millis(1500);

/// Whether what came of a call looks as if no person had answered it; `None` when all is well, or nobody
/// is said to have answered. `sent`: whether Handraise itself brought this answer to the agent: then it is
/// neither too fast nor from nowhere.
#[must_use]
pub fn doubt(call: &Call, outcome: &Outcome, sent: bool) -> Option<Doubt> {
    let doubted = |kind, why: String| Some(Doubt { kind, why });
    if outcome.timed_out.is_some() || outcome.text.starts_with(TIMED_OUT) {
        let after = outcome.timed_out.map(|waited| format!(" for {} s", waited / 1000));
        let after = after.unwrap_or_default();
        let why =
            format!("Claude Code waited{after}, then told the agent to go on without an answer.");
        return doubted(DoubtKind::TimedOut, why);
    }
    if outcome.denied || outcome.rejected || outcome.failed {
        return None;
    }
    if is_blank(outcome) {
        let why = "The agent was told that nothing was answered, though nobody declined.";
        return doubted(DoubtKind::Empty, why.into());
    }
    if sent || !endings(call, outcome).iter().any(|ending| ending.is_answer()) {
        return None;
    }
    let quick = outcome.waited(call).filter(|waited| *waited < time_to_read(call));
    let after = quick.map(|waited| waited.as_millis().max(0));
    match (outcome.decided_by.as_deref(), after) {
        (Some("hook"), Some(after)) => doubted(
            DoubtKind::FromNowhere,
            format!(
                "A hook answered after {after} ms, before anybody could have read the question."
            ),
        ),
        (Some("hook"), None) => None,
        (Some(by), _) if !by.starts_with("user") => doubted(
            DoubtKind::FromNowhere,
            format!("It was answered by Claude Code's \"{}\", not by a person.", plain(by)),
        ),
        (_, Some(after)) => doubted(
            DoubtKind::TooFast,
            format!(
                "It was answered after {after} ms, before anybody could have read the question."
            ),
        ),
        (_, None) => None,
    }
}

fn time_to_read(call: &Call) -> SignedDuration {
    let characters: usize = call.texts().iter().map(|text| text.chars().count()).sum();
    let reading = PER_CHARACTER.saturating_mul(i32::try_from(characters).unwrap_or(i32::MAX));
    REACTION.saturating_add(reading).min(LONGEST)
}

/// A word of somebody else's file, within a sentence of ours.
fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40).collect()
}

#[cfg(test)]
#[path = "doubt_tests.rs"]
mod tests;

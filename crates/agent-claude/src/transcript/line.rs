//! What one line says of calls and their results.

use std::path::PathBuf;

use handraise_question::check_metadata;
use jiff::Timestamp;
use serde_json::value::{RawValue, to_raw_value};

use super::call::Call;
use super::outcome::Outcome;
use super::picked::{each, pick};
use crate::stream::fields::text;

/// The tool that asks a person.
pub(super) const TOOL: &str = "AskUserQuestion";
/// Questions longer than this nobody can read, and no hub takes.
const LARGEST: usize = 1024 * 1024;
/// More of what a tool gave back is not understood: parsed, it takes many times its length.
const LARGEST_RESULT: usize = 256 * 1024;

/// What a line says.
pub(super) enum Told {
    /// Somebody was asked.
    Call(Call),
    /// This came of the call of this id.
    Result(String, Outcome),
}

/// Tells what a line says, in its order. `wanted` says of which calls the result is of interest. Whether
/// the line makes sense at all.
pub(super) fn tell<S>(
    line: &str,
    state: &mut S,
    wanted: impl Fn(&S, &str) -> bool,
    mut told: impl FnMut(&mut S, Told),
) -> bool {
    let Some(around) = Around::of(line) else { return false };
    if !around.is_message() {
        return true;
    }
    let Some([Some(content)]) = around.message.and_then(|raw| pick(raw.get(), ["content"])) else {
        return true;
    };
    each(content.get(), |item| {
        let fields = ["type", "name", "id", "input", "tool_use_id", "content", "is_error"];
        let Some([kind, name, id, input, result_of, content, failed]) = pick(item.get(), fields)
        else {
            return;
        };
        match kind.and_then(text).as_deref() {
            Some("tool_use") if name.and_then(text).as_deref() == Some(TOOL) => {
                if let Some(call) = id.and_then(text).and_then(|id| around.call(id, input)) {
                    told(state, Told::Call(call));
                }
            }
            Some("tool_result") => {
                if let Some(id) = result_of.and_then(text).filter(|id| wanted(state, id)) {
                    let outcome = around.outcome(content, is_true(failed));
                    told(state, Told::Result(id, outcome));
                }
            }
            _ => {}
        }
    });
    true
}

/// What stands around the message in a line.
struct Around<'a> {
    kind: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
    session: Option<&'a RawValue>,
    cwd: Option<&'a RawValue>,
    timestamp: Option<&'a RawValue>,
    sidechain: Option<&'a RawValue>,
    entrypoint: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    denial: Option<&'a RawValue>,
    decision: Option<&'a RawValue>,
}

impl<'a> Around<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let names = [
            "type",
            "message",
            "sessionId",
            "cwd",
            "timestamp",
            "isSidechain",
            "entrypoint",
            "toolUseResult",
            "toolDenialKind",
            "permissionDecision",
        ];
        let [
            kind,
            message,
            session,
            cwd,
            timestamp,
            sidechain,
            entrypoint,
            result,
            denial,
            decision,
        ] = pick(line, names)?;
        Some(Self {
            kind,
            message,
            session,
            cwd,
            timestamp,
            sidechain,
            entrypoint,
            result,
            denial,
            decision,
        })
    }

    /// Whether this is a message of the conversation. Claude Code also writes down what it sent to the
    /// API (`api-request-blob`): the same messages again, at any time, even before the conversation's
    /// own line, and without what stands around them (measured).
    fn is_message(&self) -> bool {
        let kind = self.kind.and_then(text);
        kind.is_none_or(|kind| kind == "assistant" || kind == "user")
    }

    fn call(&self, id: String, input: Option<&RawValue>) -> Option<Call> {
        let input = input.and_then(|raw| pick(raw.get(), ["questions", "metadata"]));
        let [questions, metadata] = input.unwrap_or_default();
        let questions = match questions {
            Some(questions) => questions.to_owned(),
            None => to_raw_value(&()).ok()?,
        };
        (id.len() + questions.get().len() <= LARGEST).then(|| Call {
            id,
            session: self.session.and_then(text),
            cwd: self.cwd.and_then(text).map(PathBuf::from),
            asked_at: self.at(),
            questions,
            metadata: metadata.filter(|raw| check_metadata(raw).is_ok()).map(ToOwned::to_owned),
            sidechain: is_true(self.sidechain),
            entrypoint: self.entrypoint.and_then(text),
        })
    }

    fn outcome(&self, content: Option<&RawValue>, failed: bool) -> Outcome {
        let small = self.result.filter(|raw| raw.get().len() <= LARGEST_RESULT);
        let timed_out = self.result.and_then(|raw| pick(raw.get(), ["afkTimeoutMs"]));
        let denial = self.denial.and_then(text);
        let source = self.decision.and_then(|raw| pick(raw.get(), ["source"]));
        Outcome {
            text: content.map(words).unwrap_or_default(),
            result: small.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default(),
            rejected: denial.as_deref() == Some("user-rejected"),
            denied: denial.is_some(),
            failed,
            at: self.at(),
            decided_by: source.and_then(|[source]| source).and_then(text),
            timed_out: timed_out
                .and_then(|[waited]| waited)
                .and_then(|raw| serde_json::from_str(raw.get()).ok()),
        }
    }

    fn at(&self) -> Option<Timestamp> {
        self.timestamp.and_then(text)?.parse().ok()
    }
}

fn is_true(raw: Option<&RawValue>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// What the model reads: a text, or the texts of a list of blocks.
fn words(content: &RawValue) -> String {
    if let Some(text) = text(content) {
        return text;
    }
    let mut words = String::new();
    each(content.get(), |block| {
        if let Some([Some(said)]) = pick(block.get(), ["text"])
            && let Some(said) = text(said)
        {
            if !words.is_empty() {
                words.push('\n');
            }
            words.push_str(&said);
        }
    });
    words
}

/// Where the session of this line works, if it says so.
pub(super) fn cwd(line: &str) -> Option<PathBuf> {
    let [cwd] = pick(line, ["cwd"])?;
    cwd.and_then(text).map(PathBuf::from)
}

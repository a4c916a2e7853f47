//! What an event is to be asked about.

use handraise_broker::Matter;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::input::Input;

/// The tool with which Claude Code asks.
pub(crate) const QUESTION: &str = "AskUserQuestion";
/// The tool with which it presents a plan.
pub(crate) const PLAN: &str = "ExitPlanMode";

/// Under this name JavaScript keeps nothing: the model would read that nobody answered (measured).
const UNANSWERABLE: &str = "__proto__";

/// What of Claude Code's dialogs goes to the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// Questions.
    pub questions: bool,
    /// Plans to be approved.
    pub plans: bool,
    /// Tool calls to be approved.
    pub tools: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self { questions: true, plans: false, tools: false }
    }
}

impl Switches {
    /// Whether this tool is asked about.
    #[must_use]
    pub fn cover(self, tool: &str) -> bool {
        match tool {
            QUESTION => self.questions,
            PLAN => self.plans,
            _ => self.tools,
        }
    }
}

/// What the hub is asked, byte for byte as Claude Code has it.
pub(super) fn matter(input: &Input) -> Result<Matter, String> {
    let tool = input.tool_name.as_deref().ok_or("the event names no tool")?;
    let tool_input = input.tool_input.as_deref().ok_or("the event has no input")?;
    let suggestions = input.permission_suggestions.as_deref();
    Call { tool, input: tool_input, suggestions, description: None, plan: None }.matter()
}

/// A call Claude Code wants a person to look at, whichever way it says so.
pub(crate) struct Call<'a> {
    pub(crate) tool: &'a str,
    pub(crate) input: &'a RawValue,
    /// What Claude Code offers to remember.
    pub(crate) suggestions: Option<&'a RawValue>,
    /// What the call does; else the input may say.
    pub(crate) description: Option<&'a str>,
    /// The plan, if it is about one; else the input may hold it.
    pub(crate) plan: Option<&'a str>,
}

impl Call<'_> {
    /// What the hub is asked about it.
    pub(crate) fn matter(&self) -> Result<Matter, String> {
        let tool = self.tool;
        let wrong = |violations| format!("{tool} cannot be asked about: {violations}");
        if tool == QUESTION {
            let (questions, metadata) = questions(self.input).ok_or("the call has no questions")?;
            return of_questions(questions, metadata);
        }
        let value: Value = serde_json::from_str(self.input.get()).unwrap_or_default();
        let approval = to_raw_value(&ApprovalForm {
            tool,
            input: self.input,
            description: self.description.or(value["description"].as_str()),
            suggestions: self.suggestions,
            // A plan that was never written down is none.
            plan: self.plan.or(value["plan"].as_str()).filter(|_| tool == PLAN),
        });
        Matter::approval(approval.map_err(|error| error.to_string())?).map_err(wrong)
    }
}

/// What the hub is asked about questions.
pub(crate) fn of_questions(
    questions: Box<RawValue>,
    metadata: Option<Box<RawValue>>,
) -> Result<Matter, String> {
    let wrong = |violations| format!("{QUESTION} cannot be asked about: {violations}");
    let matter = Matter::questions_with(questions, metadata).map_err(wrong)?;
    let ask = matter.ask().map_err(wrong)?;
    if ask.questions().iter().any(|question| question.text() == UNANSWERABLE) {
        return Err(format!("{UNANSWERABLE} cannot be answered but in the dialog"));
    }
    Ok(matter)
}

#[derive(Serialize)]
struct ApprovalForm<'a> {
    tool: &'a str,
    input: &'a RawValue,
    description: Option<&'a str>,
    suggestions: Option<&'a RawValue>,
    plan: Option<&'a str>,
}

/// The questions of a call and the metadata beside them.
fn questions(tool_input: &RawValue) -> Option<(Box<RawValue>, Option<Box<RawValue>>)> {
    #[derive(Deserialize)]
    struct Input {
        questions: Box<RawValue>,
        metadata: Option<Box<RawValue>>,
    }
    let Input { questions, metadata } = serde_json::from_str(tool_input.get()).ok()?;
    Some((questions, metadata))
}

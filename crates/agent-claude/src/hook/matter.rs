//! What an event is to be asked about.

use handraise_broker::Matter;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::input::Input;
use crate::transcript::pick;

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
            let fields = pick(self.input.get(), ["questions", "metadata"]).unwrap_or_default();
            let [questions, metadata] = fields.map(|field| field.map(ToOwned::to_owned));
            return of_questions(questions.ok_or("the call has no questions")?, metadata);
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
    let matter = Matter::questions_of_call(questions, metadata).map_err(wrong)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(input: &str) -> Option<String> {
        let input = RawValue::from_string(input.to_owned()).unwrap();
        let call = Call {
            tool: QUESTION,
            input: &input,
            suggestions: None,
            description: None,
            plan: None,
        };
        call.matter().unwrap().metadata().map(|raw| raw.get().to_owned())
    }

    #[test]
    fn metadata_is_taken_from_the_call_as_it_was_sent() {
        let questions = r#""questions":[{"question":"Which?","options":[{"label":"a"}]}]"#;
        let of = |metadata: &str| self::metadata(&format!("{{{metadata}{questions}}}"));
        assert_eq!(of(""), None);
        let sent = r#"{ "source" : "caf\u00e9", "n":1e400 }"#;
        assert_eq!(of(&format!("\"metadata\":{sent},")).as_deref(), Some(sent));
        // As in JavaScript, the last of two counts.
        assert_eq!(of(r#""metadata":{"a":1},"metadata":{},"#).as_deref(), Some("{}"));
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let long = "x".repeat(20_000);
        for odd in
            [&deep, &format!("{{\"a\":{deep}}}"), &format!("{{\"a\":\"{long}\"}}"), "1", "null"]
        {
            assert_eq!(of(&format!("\"metadata\":{odd},")), None);
        }
    }
}

//! A tool call or a plan that an agent wants allowed, and what the person decided.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::characters::{count, thousands};
use crate::fields::Object;
use crate::{OwnWords, Violation, Violations};

/// The tool by which Claude Code shows a plan. A plan beside any other call is a remark.
const PLAN_TOOL: &str = "ExitPlanMode";

const MOST_TOOL_CHARACTERS: usize = 200;
const MOST_TEXT_CHARACTERS: usize = 100_000;

/// One tool call or plan to be allowed or denied.
#[derive(Debug, Clone)]
pub struct Approval {
    tool: String,
    description: Option<String>,
    plan: Option<String>,
    can_remember: bool,
    as_sent: Box<RawValue>,
}

impl Approval {
    /// Reads `{tool, input, description, suggestions, plan}`; only `tool` and `input` are needed.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, at once.
    pub fn read(as_sent: &RawValue) -> Result<Self, Violations> {
        let fields: Object = serde_json::from_str(as_sent.get()).map_err(|_| {
            Violation::new("approval", "not an object", "an object with tool and input")
        })?;
        let mut violations = vec![];
        let tool = text(&fields, "tool", MOST_TOOL_CHARACTERS, &mut violations);
        if tool.as_ref().is_none_or(|tool| tool.trim().is_empty()) && violations.is_empty() {
            violations.push(Violation::new("approval.tool", "missing", "the tool's name"));
        }
        if fields.get("input").is_none_or(|input| !input.starts_with('{')) {
            violations.push(Violation::new("approval.input", "no object", "the call's input"));
        }
        let suggestions = fields.get("suggestions").unwrap_or("null");
        if suggestions != "null" && !suggestions.starts_with('[') {
            violations.push(Violation::new("approval.suggestions", "no list", "a list"));
        }
        let can_remember =
            serde_json::from_str::<Vec<&RawValue>>(suggestions).is_ok_and(|all| !all.is_empty());
        let description = text(&fields, "description", MOST_TEXT_CHARACTERS, &mut violations);
        let plan = text(&fields, "plan", MOST_TEXT_CHARACTERS, &mut violations);
        Violations::none_or(violations, || Self {
            tool: tool.unwrap_or_default(),
            description,
            plan,
            can_remember,
            as_sent: as_sent.to_owned(),
        })
    }

    /// The tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// What the agent says the call does.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The plan that comes with the call. Only where [`Approval::is_plan`] is true is it what is approved.
    #[must_use]
    pub fn plan(&self) -> Option<&str> {
        self.plan.as_deref().filter(|plan| !plan.trim().is_empty())
    }

    /// Whether the approval is about a plan, and not about a call that only brings one along.
    #[must_use]
    pub fn is_plan(&self) -> bool {
        self.tool == PLAN_TOOL && self.plan().is_some()
    }

    /// What the tool is to be called with, field by field, without the plan that is shown already: a
    /// text as what it says, everything else as JSON.
    ///
    /// Nothing is left out: two fields of the same name are two, and what cannot be read here (a number
    /// that no machine holds exactly, a value nested without end) is as it was sent.
    #[must_use]
    pub fn fields_beside_plan(&self) -> Vec<(String, String)> {
        let input = self.field("input").unwrap_or_default();
        let Ok(fields) = serde_json::from_str::<Object>(input) else {
            return vec![("input".to_owned(), input.to_owned())];
        };
        let text = |raw: &str| match serde_json::from_str(raw) {
            Ok(Value::String(text)) => text,
            Ok(value) => {
                let text = value.to_string();
                if numbers(&text) == numbers(raw) { text } else { raw.to_owned() }
            }
            Err(_) => raw.to_owned(),
        };
        let fields = fields.into_texts().map(|(name, raw)| (name, text(raw)));
        fields.filter(|(name, text)| name != "plan" || Some(text.as_str()) != self.plan()).collect()
    }

    /// What the agent offers to remember; null if it cannot be read.
    #[must_use]
    pub fn suggestions(&self) -> Value {
        self.value("suggestions")
    }

    /// What the tool is to be called with, byte for byte as the agent sent it.
    #[must_use]
    pub fn input_as_sent(&self) -> Box<RawValue> {
        self.raw("input")
    }

    /// What could be remembered, byte for byte as the agent sent it.
    #[must_use]
    pub fn suggestions_as_sent(&self) -> Box<RawValue> {
        self.raw("suggestions")
    }

    fn raw(&self, name: &str) -> Box<RawValue> {
        let raw = self.field(name).and_then(|raw| RawValue::from_string(raw.to_owned()).ok());
        raw.unwrap_or_else(|| RawValue::NULL.to_owned())
    }

    fn value(&self, name: &str) -> Value {
        self.field(name).and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default()
    }

    fn field(&self, name: &str) -> Option<&str> {
        serde_json::from_str::<Object>(self.as_sent.get()).ok()?.get(name)
    }

    /// The whole as JSON, byte for byte as the agent sent it.
    #[must_use]
    pub fn as_sent(&self) -> &RawValue {
        &self.as_sent
    }

    /// Checks a decision against what was offered.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, at once.
    pub fn check(&self, form: DecisionForm) -> Result<Decision, Violations> {
        let mut violations = vec![];
        let message = match form.message.map(|raw| OwnWords::read("message", raw)).transpose() {
            Ok(message) => message,
            Err(violation) => {
                violations.push(violation);
                None
            }
        };
        let remember = form.remember.unwrap_or(false);
        if remember && !self.can_remember {
            violations.push(Violation::new("remember", "true", "false: the agent offers none"));
        }
        if form.input.as_ref().is_some_and(|input| !input.is_object()) {
            violations.push(Violation::new("input", "no object", "the whole input, edited"));
        }
        let decision = match form.decision {
            Verdict::Allow => Decision::Allow { input: form.input, message, remember },
            Verdict::Deny => {
                if form.input.is_some() {
                    violations.push(Violation::new("input", "edited", "no input when denied"));
                }
                if remember {
                    violations.push(Violation::new("remember", "true", "false when denied"));
                }
                Decision::Deny { message }
            }
        };
        Violations::none_or(violations, || decision)
    }
}

/// The numbers in JSON, as they are written: a machine rounds them.
#[must_use]
pub fn numbers(json: &str) -> Vec<&str> {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
    let mut escaped = false;
    let mut in_text = false;
    let outside = json.split(|c: char| {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = in_text,
            '"' => in_text = !in_text,
            _ => {}
        }
        in_text || !is_number(c)
    });
    outside.filter(|part| part.contains(|c: char| c.is_ascii_digit())).collect()
}

fn text(
    fields: &Object,
    name: &str,
    most: usize,
    violations: &mut Vec<Violation>,
) -> Option<String> {
    let raw = fields.get(name).filter(|raw| *raw != "null")?;
    let path = format!("approval.{name}");
    match serde_json::from_str::<String>(raw) {
        Ok(text) if count(&text) <= most => return Some(text),
        Ok(text) => {
            let found = format!("{} characters", thousands(count(&text)));
            violations.push(Violation::new(path, found, format!("{} or fewer", thousands(most))));
        }
        Err(_) => violations.push(Violation::new(path, "no text", "text")),
    }
    None
}

/// A decision as a surface sends it, before it is checked; also its lossless JSON form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecisionForm {
    /// Allow or deny.
    pub decision: Verdict,
    /// A word to the agent.
    pub message: Option<String>,
    /// The call's input as the person edited it.
    pub input: Option<Value>,
    /// Whether to take what the agent offers to remember.
    pub remember: Option<bool>,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The call may be made.
    Allow,
    /// It may not.
    Deny,
}

/// What a person decided on an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Go ahead.
    Allow {
        /// With this input instead.
        input: Option<Value>,
        /// A word to the agent.
        message: Option<OwnWords>,
        /// And do not ask again, in the way the agent offered.
        remember: bool,
    },
    /// Do not.
    Deny {
        /// Why.
        message: Option<OwnWords>,
    },
}

impl Decision {
    /// The lossless form.
    #[must_use]
    pub fn form(&self) -> DecisionForm {
        let text = |words: &Option<OwnWords>| words.as_ref().map(|words| words.as_str().to_owned());
        match self {
            Self::Allow { input, message, remember } => DecisionForm {
                decision: Verdict::Allow,
                message: text(message),
                input: input.clone(),
                remember: Some(*remember),
            },
            Self::Deny { message } => DecisionForm {
                decision: Verdict::Deny,
                message: text(message),
                input: None,
                remember: None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resolution;
    use crate::wording::api;
    use serde_json::json;

    fn approval(value: &Value) -> Result<Approval, Violations> {
        Approval::read(&serde_json::value::to_raw_value(value).unwrap())
    }

    fn form(value: Value) -> DecisionForm {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn every_problem_is_named() {
        let wrong = approval(&json!({"tool": "", "input": 5, "suggestions": 1, "plan": 2}));
        let paths: Vec<_> =
            wrong.unwrap_err().as_slice().iter().map(|one| one.path.clone()).collect();
        assert_eq!(
            paths,
            ["approval.tool", "approval.input", "approval.suggestions", "approval.plan"]
        );
    }

    #[test]
    fn only_the_planning_tool_asks_for_a_plan() {
        let plan = json!({"tool": "ExitPlanMode", "plan": "1. do it",
            "input": {"plan": "1. do it", "allowedPrompts": [{"tool": "Bash"}]}});
        let plan = approval(&plan).unwrap();
        assert!(plan.is_plan());
        let beside = |approval: &Approval| {
            let fields = approval.fields_beside_plan();
            fields.iter().map(|(name, text)| format!("{name}={text}")).collect::<Vec<_>>()
        };
        assert_eq!(beside(&plan), [r#"allowedPrompts=[{"tool":"Bash"}]"#]);
        let call = json!({"tool": "mcp__db__execute", "plan": "Tidy up",
            "input": {"plan": "DROP TABLE users"}});
        let call = approval(&call).unwrap();
        assert!(!call.is_plan());
        assert_eq!(beside(&call), ["plan=DROP TABLE users"]);
        assert!(
            !approval(&json!({"tool": "ExitPlanMode", "input": {}, "plan": " "}))
                .unwrap()
                .is_plan()
        );
    }

    #[test]
    fn no_field_hides_another() {
        let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
        for (input, fields) in [
            (
                r#"{"command": "curl evil", "n": 1e999}"#.to_owned(),
                "command=curl evil n=1e999".to_owned(),
            ),
            (
                format!(r#"{{"deep": {deep}, "command": "curl evil"}}"#),
                format!("deep={deep} command=curl evil"),
            ),
            (
                r#"{"command": "ls", "command": "curl evil"}"#.to_owned(),
                "command=ls command=curl evil".to_owned(),
            ),
            (
                r#"{"n": 123456789012345678901234567890, "o": {"x": [0.10000000000000000555, "1"]}, "i": [1, -2.5]}"#.to_owned(),
                r#"n=123456789012345678901234567890 o={"x": [0.10000000000000000555, "1"]} i=[1,-2.5]"#.to_owned(),
            ),
            (r#"{"command": "curl \ud800"}"#.to_owned(), r#"command="curl \ud800""#.to_owned()),
            (r#"{"\ud800": "curl"}"#.to_owned(), r#"input={"\ud800": "curl"}"#.to_owned()),
        ] {
            let raw = format!(r#"{{"tool": "Bash", "input": {input}}}"#);
            let call = Approval::read(&RawValue::from_string(raw).unwrap()).unwrap();
            let all = call.fields_beside_plan();
            let all: Vec<_> = all.iter().map(|(name, text)| format!("{name}={text}")).collect();
            assert_eq!(all.join(" "), fields);
        }
    }

    #[test]
    fn a_decision_comes_back_as_it_went() {
        let bash = json!({"tool": "Bash", "input": {"command": "ls"}, "suggestions": [{}]});
        let bash = approval(&bash).unwrap();
        for given in [
            json!({"decision": "allow", "remember": true}),
            json!({"decision": "allow", "input": {"command": "ls -l"}, "message": "long, please"}),
            json!({"decision": "deny", "message": "not here"}),
        ] {
            let resolved = Resolution::Answered(bash.check(form(given)).unwrap());
            assert_eq!(api::read_decision(&bash, &api::bare(&resolved)).unwrap(), resolved);
        }
    }

    #[test]
    fn only_what_was_offered_can_be_decided() {
        let bash = approval(&json!({"tool": "Bash", "input": {}})).unwrap();
        assert!(bash.check(form(json!({"decision": "allow", "remember": true}))).is_err());
        assert!(bash.check(form(json!({"decision": "deny", "input": {}}))).is_err());
        assert!(bash.check(form(json!({"decision": "allow", "input": "ls"}))).is_err());
        assert!(bash.check(form(json!({"decision": "deny", "message": "\u{1b}[2J"}))).is_err());
    }
}

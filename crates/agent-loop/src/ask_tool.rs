//! The tool with which a model asks a person.

use async_trait::async_trait;
use handraise_question::wording::{gencode, summary};
use handraise_question::{Ask, Limits, Resolution, Violations};
use serde_json::{Value, json};

use crate::{Tool, ToolContext, ToolResult};

/// The `AskUserQuestion` tool: one to four questions with two to four options each. The run waits until
/// a person has answered, declined, or wants to talk first.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskUserQuestion;

const DESCRIPTION: &str = "\
Asks the person you work for, and waits for their answer.

Ask when the answer changes what you do and only they can give it: a preference, a trade-off, a \
requirement that can be read in two ways. Ask together what can be asked together. Do not ask what you \
can find out yourself, what the person has already said, or whether you may go on.

Each question stands on its own: complete, ending in a question mark, with a header of at most 12 \
characters to know it by. Offer 2 to 4 options that differ; a label is 1 to 5 words, its description says \
what choosing it means. If you would recommend one, put it first and end its label with \
\"(Recommended)\". Set multiSelect to true when several may be chosen together. Never offer \"Other\": the \
person can always answer in their own words.

In plan mode, ask before the plan is final: clear up what is wanted, and let the person choose between \
approaches. Do not ask here whether the plan is ready or may be carried out. Presenting the plan asks that: \
use ExitPlanMode, or the tool you have in its place.

The result says what was chosen, question by question. If it says that nothing was chosen, nothing was: \
do not choose for the person.";

#[async_trait]
impl Tool for AskUserQuestion {
    fn name(&self) -> &'static str {
        "AskUserQuestion"
    }

    fn description(&self) -> &str {
        DESCRIPTION
    }

    fn schema(&self) -> Value {
        let text = |most: usize, what: &str| json!({ "type": "string", "minLength": 1, "maxLength": most, "description": what });
        let Limits { header, label, description, question, .. } = Limits::STRICT;
        let option = json!({
            "type": "object",
            "properties": {
                "label": text(label.characters.max, "What is chosen, in 1 to 5 words"),
                "description": text(description.characters.max, "What choosing it means"),
            },
            "required": ["label", "description"],
        });
        json!({
            "type": "object",
            "properties": { "questions": {
                "type": "array", "minItems": 1, "maxItems": 4, "description": "1 to 4 questions",
                "items": {
                    "type": "object",
                    "properties": {
                        "question": text(question.characters.max, "The complete question"),
                        "header": text(header.characters.max, "A name for it, at most 12 characters"),
                        "options": {
                            "type": "array", "minItems": 2, "maxItems": 4, "items": option,
                            "description": "2 to 4 options, without \"Other\"",
                        },
                        "multiSelect": { "type": "boolean", "description": "Whether several may be chosen" },
                    },
                    "required": ["question", "header", "options", "multiSelect"],
                },
            } },
            "required": ["questions"],
        })
    }

    fn check(&self, input: &Value) -> Result<(), Violations> {
        read(input).map(|_| ())
    }

    /// The same question asked again under the same name is the same question.
    fn repeatable(&self) -> bool {
        true
    }

    async fn execute(&self, input: Value, context: &ToolContext) -> ToolResult {
        let ask = match read(&input) {
            Ok(ask) => ask,
            Err(violations) => return ToolResult::failed(violations.to_string()),
        };
        match context.ask_user(ask.clone()).await {
            Ok(resolution) => result(&ask, &resolution),
            Err(error) => ToolResult::failed(error.to_string()),
        }
    }
}

fn read(input: &Value) -> Result<Ask, Violations> {
    Ok(Ask::read(input.to_string().as_bytes(), &Limits::STRICT)?.ask)
}

fn result(ask: &Ask, resolution: &Resolution) -> ToolResult {
    let text = summary::text(ask, resolution);
    let result = match resolution {
        Resolution::Answered(_) => ToolResult::ok(text),
        Resolution::Declined { .. }
        | Resolution::Discuss { .. }
        | Resolution::NoAnswer { .. }
        | Resolution::Withdrawn { .. } => ToolResult::failed(text),
    };
    let count = ask.questions().len();
    result.with_metadata(json!({
        "title": "AskUserQuestion",
        "subtitle": format!("{count} question(s)"),
        "result": gencode::result(ask, resolution),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sentences a model needs, each of which another document of the tool has in its own words.
    #[test]
    fn the_description_says_when_to_ask_and_how() {
        for guidance in [
            "Ask when the answer changes what you do",
            "header of at most 12 characters",
            "Offer 2 to 4 options",
            "a label is 1 to 5 words",
            "put it first and end its label with \"(Recommended)\"",
            "Set multiSelect to true when several may be chosen",
            "Never offer \"Other\"",
            "In plan mode, ask before the plan is final",
            "Do not ask here whether the plan is ready",
            "use ExitPlanMode",
            "do not choose for the person",
        ] {
            let description = AskUserQuestion.description();
            assert!(description.contains(guidance), "{guidance:?} is not in:\n{description}");
        }
    }
}

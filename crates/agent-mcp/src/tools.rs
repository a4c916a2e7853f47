//! What a model is told: the two tools, and when to use them.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// Asks.
pub(crate) const ASK_USER: &str = "ask_user";
/// The same for Gemini CLI. Without a terminal it leaves out every tool called `ask_user`, also one of a
/// server, because that is its own name for a dialog (measured).
pub(crate) const ASK_PERSON: &str = "ask_person";
/// Goes on waiting.
pub(crate) const WAIT_ANSWER: &str = "wait_answer";

pub(crate) const INSTRUCTIONS: &str = "\
A person can be asked here while you work, wherever they are. Ask for a decision that is theirs: one that is \
costly to reverse, or where the task can be read in ways that lead to different results. Do not ask for what \
you can find out yourself, for permission to go on, or to have a plan praised. What comes back is exactly what \
the person chose or wrote. When it comes back with status \"pending\" and a ticket, the question is still open: \
call wait_answer with the ticket, and never choose for the person. A result that says declined, discuss, \
no_answer or withdrawn holds no choice either.";

const ASK_DESCRIPTION: &str = "\
Ask the person a question and wait for the answer.

Ask when a decision is the person's to make: it is costly to reverse, the task leaves open what is wanted and \
the readings lead to different results, or it is a matter of taste, money or risk. Do not ask for what you can \
find out from the code or by trying, for permission to go on, or whether a plan is fine.

Put all questions that belong together into one call; each has 0 to 50 options, and one without options is \
answered in the person's own words. Make options that exclude each other unless multiSelect is true. Say in \
each description what follows from the choice. If you would choose one yourself, put it first and add \
\"(Recommended)\" to its label. The person can always answer in their own words, so do not list \"Other\". Use \
preview for what is easier to see than to describe: a piece of code, a layout. Say in why what you found and \
why you need to know: the person may not have seen your work. Never ask for passwords, keys or other secrets.

The result has a status. answered: go on with exactly what was chosen. pending: nobody has answered yet; call \
wait_answer with the ticket. declined, discuss, no_answer, withdrawn: nothing was chosen, and you must not \
assume a choice.";

const WAIT_DESCRIPTION: &str = "\
Go on waiting for the answer to a question that ask_user returned as pending.

Pass the ticket as it stands there. The result is the same as that of ask_user: the answer, or pending again. \
Call it as often as needed; between two calls you may do work that does not depend on the answer. The question \
stays open meanwhile, so do not ask it again. An answer that was given once can be fetched again with the same \
ticket.";

/// The name by which this agent knows the tool that asks.
pub(crate) fn ask_name(agent: &str) -> &'static str {
    if agent == "gemini" { ASK_PERSON } else { ASK_USER }
}

/// Both tools by the names that this agent lets them have, in the order in which they are listed.
pub(crate) fn of(agent: &str) -> Vec<Tool> {
    let ask = ask_name(agent);
    let named = |description: &str| description.replace(ASK_USER, ask);
    let ask = Tool::new(ask, named(ASK_DESCRIPTION), object(ask_input()))
        .with_title("Ask the person")
        .with_raw_output_schema(object(output()))
        // Each call puts a card before a person; nothing else changes.
        .with_annotations(
            ToolAnnotations::with_title("Ask the person")
                .read_only(true)
                .destructive(false)
                .idempotent(false)
                .open_world(true),
        );
    let wait = Tool::new(WAIT_ANSWER, named(WAIT_DESCRIPTION), object(wait_input()))
        .with_title("Wait for the person's answer")
        .with_raw_output_schema(object(output()))
        .with_annotations(
            ToolAnnotations::with_title("Wait for the person's answer")
                .read_only(true)
                .destructive(false)
                .idempotent(true)
                .open_world(true),
        );
    vec![ask, wait]
}

fn object(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(object) => Arc::new(object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Arc::default()
        }
    }
}

/// Plain on purpose: models' hosts refuse references and unions in different ways.
fn ask_input() -> Value {
    let option = json!({
        "type": "object",
        "properties": {
            "label": {"type": "string", "description": "What the person chooses, in 1 to 5 words"},
            "description": {"type": "string", "description": "What it means, and what follows from it"},
            "preview": {
                "type": "string",
                "description": "Markdown to look at before choosing: code, a layout, a diff",
            },
        },
        "required": ["label"],
    });
    let question = json!({
        "type": "object",
        "properties": {
            "question": {
                "type": "string",
                "description": "The whole question, in a sentence that ends with a question mark; no two alike",
            },
            "header": {"type": "string", "description": "A name for it in one or two words"},
            "options": {
                "type": "array", "maxItems": 50, "items": option,
                "description": "What to choose from; leave it out for an open question",
            },
            "multiSelect": {"type": "boolean", "description": "Whether several options may be chosen"},
        },
        "required": ["question"],
    });
    json!({
        "type": "object",
        "properties": {
            "questions": {
                "type": "array", "minItems": 1, "maxItems": 20, "items": question,
                "description": "Questions that are answered together",
            },
            "why": {
                "type": "string",
                "description": "What you found and why you need to know; shown beside the questions",
            },
            "title": {"type": "string", "description": "What you are working on, in a few words"},
        },
        "required": ["questions"],
    })
}

fn wait_input() -> Value {
    json!({
        "type": "object",
        "properties": {
            "ticket": {"type": "string", "description": "The ticket of a pending question"},
        },
        "required": ["ticket"],
    })
}

fn output() -> Value {
    let text_or_null =
        |description: &str| json!({"type": ["string", "null"], "description": description});
    let answer = json!({
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "The question as it was asked"},
            "selected": {
                "type": "array", "items": {"type": "string"},
                "description": "The labels of the chosen options, in the order they were offered",
            },
            "words": text_or_null("What the person wrote instead of, or beside, the options"),
            "notes": text_or_null("A remark beside the answer"),
            "leftOpen": {
                "type": "boolean",
                "description": "The person left this one open on purpose: nothing was chosen",
            },
        },
        "required": ["question", "selected", "words", "notes", "leftOpen"],
    });
    json!({
        "type": "object",
        "properties": {
            "status": {
                "type": "string",
                "enum": ["answered", "pending", "declined", "discuss", "no_answer", "withdrawn"],
                "description": "Only answered holds a choice",
            },
            "answers": {
                "type": "array", "items": answer,
                "description": "With answered: one for each question, in their order",
            },
            "ticket": {"type": "string", "description": "With pending: for wait_answer"},
            "waitedSeconds": {"type": "integer", "description": "With pending: how long this call waited"},
            "next": {"type": "string", "description": "With pending: what to do"},
            "reason": text_or_null("With declined and withdrawn: why"),
            "words": {"type": "string", "description": "With discuss: what the person wants to say first"},
            "message": {"type": "string", "description": "Where nothing was chosen: what that means"},
            "afterSeconds": {"type": "integer", "description": "With no_answer: how long the question waited"},
        },
        "required": ["status"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gemini_is_offered_a_name_that_it_does_not_leave_out() {
        let names = |agent: &str| of(agent).into_iter().map(|tool| tool.name).collect::<Vec<_>>();
        assert_eq!(names("codex"), [ASK_USER, WAIT_ANSWER]);
        assert_eq!(names("gemini"), [ASK_PERSON, WAIT_ANSWER]);
        for tool in of("gemini") {
            let description = tool.description.unwrap_or_default();
            assert!(!description.contains(ASK_USER), "{description}");
        }
    }
}

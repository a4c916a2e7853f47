//! Something to ask, and something to answer.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use handraise_broker::{Asker, Matter, NewAsk, Policy, Reply};
use serde_json::value::RawValue;
use serde_json::{Value, json};

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).expect("the test wrote no JSON")
}

/// Questions as an agent sent them.
#[must_use]
pub fn questions(json: &str) -> Matter {
    Matter::questions(raw(json)).expect("the test's questions do not fit")
}

/// An approval as an agent sent it.
#[must_use]
pub fn approval(json: &str) -> Matter {
    Matter::approval(raw(json)).expect("the test's approval does not fit")
}

/// Answers as a surface sends them.
#[must_use]
pub fn answers(json: Value) -> Reply {
    Reply::Answer(serde_json::from_value(json).expect("the test's answers have another form"))
}

/// An agent that says nothing more of itself than what kind it is.
#[must_use]
pub fn asker(agent: &str) -> Asker {
    Asker { agent: agent.into(), ..Asker::default() }
}

/// An ask with one question, `Which auth?`, with the options `JWT` and `Sessions`.
#[must_use]
pub fn new_ask(key: Option<&str>) -> NewAsk {
    NewAsk {
        asker: asker("test"),
        key: key.map(str::to_owned),
        matter: questions(
            r#"[{"question": "Which auth?", "options": [{"label": "JWT"}, {"label": "Sessions"}]}]"#,
        ),
        policy: Policy::default(),
        rival_dialog: false,
        deliverer: None,
    }
}

/// A question to which one of these labels is the answer, as Claude Code's model asks it.
#[must_use]
pub fn one_of(text: &str, header: &str, labels: &[&str]) -> Value {
    let option = |label: &&str| json!({"label": label, "description": format!("about {label}")});
    let options: Vec<_> = labels.iter().map(option).collect();
    json!({"question": text, "header": header, "multiSelect": false, "options": options})
}

/// Which database? One of three.
#[must_use]
pub fn database_question() -> Value {
    one_of("Which database should we use?", "Database", &["Postgres", "SQLite", "MySQL"])
}

/// Which layout? One of two, each with a preview.
#[must_use]
pub fn layout_question() -> Value {
    let mut layout = one_of("Which layout do you prefer?", "Layout", &["Sidebar", "Topbar"]);
    layout["options"][0]["preview"] = json!("+--+-----+\n|NV| main|\n+--+-----+");
    layout["options"][1]["preview"] = json!("+--------+\n|  NAV   |\n+--------+");
    layout
}

/// Which auth method? One of two.
#[must_use]
pub fn auth_question() -> Value {
    one_of("Which auth method?", "Auth method", &["JWT", "Session cookie"])
}

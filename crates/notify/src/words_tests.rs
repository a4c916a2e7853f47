use std::sync::Arc;

use handraise_broker::{AskId, Opened, Policy};
use jiff::SignedDuration;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;

const NOW: Timestamp = Timestamp::constant(1_750_000_000, 0);

fn raw(json: &Value) -> Box<RawValue> {
    RawValue::from_string(json.to_string()).unwrap()
}

fn record(matter: Matter) -> Record {
    let asker = Asker {
        agent: "claude-code".into(),
        session: Some("s-1".into()),
        directory: Some("/home/dev/api/".into()),
        title: Some("Rework the login".into()),
        ..Asker::default()
    };
    let opened = Opened {
        asker,
        key: None,
        owner: None,
        matter,
        policy: Policy::default(),
        rival_dialog: false,
        deadline_at: None,
    };
    Record::open(AskId::new(NOW, [1; 10]), Arc::new(opened), 1, NOW)
}

fn question(text: &str) -> Value {
    json!({"question": text, "header": "Auth", "options": [{"label": "JWT"}, {"label": "Sessions"}]})
}

fn questions(all: &[Value]) -> Record {
    record(Matter::questions(raw(&json!(all))).unwrap())
}

fn said(record: &Record, why: Why) -> (String, String) {
    let Words { title, body } = of(record, why, Text::Full, NOW + SignedDuration::from_mins(15));
    (title, body)
}

#[test]
fn a_question_is_said_with_who_asks_it() {
    let (title, body) = said(&questions(&[question("Which auth?")]), Why::Opened);
    assert_eq!(title, "api · Rework the login");
    assert_eq!(body, "Auth: Which auth?");
    let three = [question("Which auth?"), question("Why?"), question("When?")];
    assert_eq!(said(&questions(&three), Why::Opened).1, "Auth: Which auth? (+2 more)");
}

#[test]
fn what_is_not_known_is_not_made_up() {
    let mut record = questions(&[question("Which auth?")]);
    let opened = Arc::make_mut(&mut record.opened);
    opened.asker = Asker { agent: "codex".into(), ..Asker::default() };
    assert_eq!(said(&record, Why::Opened).0, "an agent · codex");
}

#[test]
fn an_approval_says_the_tool_and_never_its_input() {
    let approval = |json: Value| record(Matter::approval(raw(&json)).unwrap());
    let bash = json!({"tool": "Bash", "input": {"command": "curl -u ann:pw x"}, "description": "Fetch it"});
    assert_eq!(said(&approval(bash), Why::Opened).1, "wants to use Bash: Fetch it");
    let bare = json!({"tool": "Bash", "input": {"command": "curl -u ann:pw x"}});
    assert_eq!(said(&approval(bare), Why::Opened).1, "wants to use Bash");
    let plan = json!({"tool": "ExitPlanMode", "input": {}, "plan": "1. do it"});
    assert_eq!(said(&approval(plan), Why::Opened).1, "has a plan to approve");
    let call = json!({"tool": "mcp__db__execute", "input": {"sql": "DROP"}, "plan": "Tidy up"});
    assert_eq!(said(&approval(call), Why::Opened).1, "wants to use mcp__db__execute");
}

#[test]
fn a_description_that_is_cut_says_so() {
    let long = json!({"tool": "Bash", "input": {}, "description": "tidy ".repeat(200)});
    let (_, body) = said(&record(Matter::approval(raw(&long)).unwrap()), Why::Opened);
    assert!(body.ends_with('…'), "{body}");
}

#[test]
fn why_it_needs_attention_again_is_said_first() {
    let mut record = questions(&[question("Which auth?")]);
    record.deadline_at = Some(NOW + SignedDuration::from_mins(20));
    let body = |why| said(&record, why).1;
    assert_eq!(body(Why::Deadline), "5 minutes left. Auth: Which auth?");
    assert_eq!(body(Why::Waiting), "Still waits, for 15 minutes now. Auth: Which auth?");
    assert!(body(Why::Overruled).starts_with("The agent took another answer"));
    assert!(body(Why::Undelivered).starts_with("The answer did not reach the agent."));
    assert!(body(Why::Doubted).starts_with("The agent went on with an answer that nobody gave."));
    assert_eq!(how_long(-5), "1 second");
    assert_eq!(how_long(40_000), "11 hours");
}

#[test]
fn secrets_and_hostile_characters_are_not_said() {
    let token = format!("gh\u{200b}p_{}", "a1B2c3D4e5F6g7H8i9J0");
    let (_, body) =
        said(&questions(&[question(&format!("Use {token}\u{202e}\u{1b}[2J?"))]), Why::Opened);
    assert_eq!(body, "Auth: Use [hidden] [2J? <hidden characters left out>");
    let (_, body) = said(&questions(&[question("Run g\u{2065}it status?")]), Why::Opened);
    assert_eq!(body, "Auth: Run g<U+2065>it status?");
    let (title, body) = said(&questions(&[question(&"long ".repeat(500))]), Why::Opened);
    assert!(title.chars().count() <= LONGEST_TITLE && body.chars().count() <= LONGEST_BODY);
}

#[test]
fn whoever_wants_it_hears_only_who_asks() {
    let words = of(&questions(&[question("Which auth?")]), Why::Opened, Text::Project, NOW);
    assert_eq!(words, Words { title: "api · claude-code".into(), body: "asks something".into() });
}

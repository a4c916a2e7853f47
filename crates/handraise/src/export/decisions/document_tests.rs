use std::sync::Arc;

use handraise_broker::{
    AskId, Asker, Attempt, Doubt, DoubtKind, Entry, Event, Opened, Policy, Receipt, Reply,
    Undelivered,
};
use handraise_question::Surface;
use handraise_testkit::{answers, approval, questions};
use jiff::{SignedDuration, Timestamp};
use pulldown_cmark::{Event as Piece, Options, Parser, Tag};
use serde_json::{Value, json};

use super::*;

/// Asks one after the other, twenty minutes apart.
struct Story {
    now: Timestamp,
    asks: u8,
    asker: Asker,
    records: Vec<Record>,
}

impl Story {
    fn new() -> Self {
        let asker = Asker {
            agent: "claude-code".into(),
            directory: Some("/home/ann/shop".into()),
            title: Some("checkout".into()),
            ..Asker::default()
        };
        let now = "2026-11-16T21:40:00Z".parse().unwrap();
        Self { now, asks: 0, asker, records: vec![] }
    }

    fn open(&mut self, matter: Matter) -> &mut Record {
        self.now += SignedDuration::from_mins(20);
        self.asks += 1;
        let id = AskId::new(self.now, [self.asks; 10]);
        let (asker, policy) = (self.asker.clone(), Policy::default());
        let opened = Opened {
            asker,
            key: None,
            owner: None,
            matter,
            policy,
            rival_dialog: true,
            deadline_at: None,
        };
        self.records.push(Record::open(id, Arc::new(opened), 1, self.now));
        self.records.last_mut().unwrap()
    }

    /// Asked, and ended like this.
    fn ask(&mut self, asked: &Value, reply: Reply) -> &mut Record {
        let record = self.open(questions(&asked.to_string()));
        reply_to(record, reply);
        record
    }

    fn approve(&mut self, call: &Value, decision: Value) -> &mut Record {
        let record = self.open(approval(&call.to_string()));
        reply_to(record, Reply::Decide(serde_json::from_value(decision).unwrap()));
        record
    }

    fn text(&self) -> String {
        let mut document = called_shop();
        self.records.iter().for_each(|record| document.add(record));
        document.text()
    }
}

fn called_shop() -> Document {
    let mut document = Document::default();
    document.call("shop");
    document
}

fn happen(record: &mut Record, events: Vec<Event>) {
    let at = record.asked_at;
    for event in events {
        record.apply(&Entry { seq: record.seq + 1, at, ask: Some(record.id), event });
    }
}

fn reply_to(record: &mut Record, reply: Reply) {
    let person = Some("ann".to_owned());
    let responder = Responder { person, device: None, surface: Surface::Web, proof: None };
    let at = record.asked_at;
    let events = record.reply(Attempt { reply, responder, key: None }, at).unwrap();
    happen(record, events);
}

fn receipt(record: &mut Record, receipt: Receipt) {
    let events = record.receipt(receipt, record.asked_at).unwrap();
    happen(record, events);
}

fn database() -> Value {
    json!([{"question": "Which database should the orders go to?", "header": "Database", "options": [
        {"label": "SQLite (Recommended)", "description": "One file, nothing to run"},
        {"label": "PostgreSQL", "description": "A server of its own, for several machines"}]}])
}

fn took(label: &str) -> Value {
    json!({"kind": "answered", "answers": [{"selected": [label]}]})
}

fn project() -> Story {
    let mut story = Story::new();
    story.ask(&database(), answers(json!([{"selected": ["SQLite (Recommended)"]}])));
    let two = json!([
        {"question": "Which payments do we take?", "header": "Payments", "multiSelect": true, "options": [
            {"label": "Card"}, {"label": "Invoice"}, {"label": "PayPal"}]},
        {"question": "When do orders expire?", "header": "Expiry", "options": [
            {"label": "After a day"}, {"label": "Never"}]}]);
    story.ask(
        &two,
        answers(json!([
            {"selected": ["Card", "Invoice"], "words": "SEPA, once it is allowed", "notes": "Legal has to look at it."},
            {"leftOpen": true}])),
    );
    story.approve(
        &json!({"tool": "Bash", "input": {"command": "make clean"}, "description": "Remove what was built"}),
        json!({"decision": "allow"}),
    );
    story.approve(
        &json!({"tool": "ExitPlanMode", "input": {}, "plan": "\n# Move to SQLite\n\n1. …"}),
        json!({"decision": "deny", "message": "Not before the release."}),
    );
    story.ask(&database(), Reply::Decline(Some("Decided yesterday.".into())));
    story.ask(&database(), Reply::Discuss("What does it cost?\nAnd who runs it?".into()));
    let record = story.ask(&database(), answers(json!([{"selected": ["PostgreSQL"]}])));
    receipt(record, Receipt::seen(None).taking(took("SQLite (Recommended)")));
    let record = story.open(questions(&database().to_string()));
    let doubt = Doubt { kind: DoubtKind::TooFast, why: "It came after 0.2 s.".into() };
    receipt(record, Receipt::seen(None).taking(took("PostgreSQL")).doubted(doubt));
    let record = story.open(questions(&database().to_string()));
    receipt(record, Receipt::seen(None).taking(json!({"kind": "no_answer", "afterSeconds": 60})));
    let long = "The checkout has three steps, and each of them can be left in the middle.\n\nWhat do we \
                do with what was typed by then, given that it may hold an address?";
    let words = "Keep it for an hour:\n\n    ttl = 3600\n\nthen drop it.";
    let open = json!([{"question": long, "header": "Half-finished"}]);
    let record = story.ask(&open, answers(json!([{"words": words}])));
    let reason = "no process took the answer to the agent".into();
    happen(record, vec![Event::Undelivered(Undelivered { reason })]);
    story
}

const HOSTILE: &str = "# 1. <script>alert(1)</script> [x](javascript:x) ![p](http://e/p.png) `c` **b** $m$ | a \
                       \u{202e}x\u{2028}## y\n\n---\n- [x] z\n```\n~~~\n<!--";

fn hostile() -> Story {
    let mut story = Story::new();
    story.asker.agent = HOSTILE.chars().take(100).collect();
    story.asker.title = Some(format!("*{HOSTILE} · ask 01234567*"));
    let asked = json!([{"question": HOSTILE, "header": "## ---", "options": [
        {"label": HOSTILE, "description": HOSTILE}, {"label": "1. two", "description": "x\n\n- y #"},
        {"label": "+ *", "description": "===\n~~~"}]}, {"question": "x #"}, {"question": "w".repeat(10_000)}]);
    story.ask(
        &asked,
        answers(json!([
            {"selected": [HOSTILE], "notes": "```\n> # no\n"}, {"words": "# no\n\n    <b>\n```"},
            {"words": "1) one\n=== \n* * *\n</p>"}])),
    );
    story.approve(
        &json!({"tool": "<b>|*\n# x", "input": {}, "description": HOSTILE}),
        json!({"decision": "deny", "message": "*no*\n# no"}),
    );
    let record = story.ask(&database(), answers(json!([{"words": "w"}])));
    let why = "**x**\n# y".into();
    let doubt = Doubt { kind: DoubtKind::FromNowhere, why };
    receipt(record, Receipt::seen(None).taking(took("PostgreSQL")).doubted(doubt));
    story
}

#[test]
fn the_log_of_a_project_reads_well() {
    insta::assert_snapshot!(project().text());
}

#[test]
fn what_only_an_agent_says_was_answered_is_its_word_and_nobodys_decision() {
    let mut story = Story::new();
    let record = story.open(questions(&database().to_string()));
    receipt(record, Receipt::seen(None).taking(took("PostgreSQL")));
    let record = story.open(approval(r#"{"tool": "Bash", "input": {"command": "ls"}}"#));
    let allow = json!({"kind": "answered", "decision": "allow"});
    receipt(record, Receipt::seen(None).taking(allow));
    let text = story.text();
    let by = "the agent's word, in its own dialog, ";
    assert_eq!(text.matches(by).count(), 2, "{text}");
    assert!(text.contains("\n\nBy the agent's word, in its own dialog:\n\n"), "{text}");
    assert!(text.contains("- **Allowed by the agent's word:** Bash. *"), "{text}");
}

#[test]
fn a_tool_that_only_brings_a_plan_is_called_by_its_name() {
    let mut story = Story::new();
    let call = json!({"tool": "mcp__db__execute", "input": {"sql": "DROP TABLE users"}, "plan": "Tidy up"});
    story.approve(&call, json!({"decision": "allow"}));
    let text = story.text();
    assert!(text.contains("- **Allowed** mcp\\_\\_db\\_\\_execute"), "{text}");
    assert!(!text.contains("the plan") && !text.contains("Tidy up"), "{text}");
}

#[test]
fn hostile_text_says_what_it_says_and_does_nothing() {
    let text = hostile().text();
    let mut headings = vec![];
    for piece in Parser::new_ext(&text, Options::all()) {
        match &piece {
            Piece::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::Table(_) | Tag::HtmlBlock) => {
                panic!("{piece:?}")
            }
            Piece::Start(Tag::Heading { level, .. }) => headings.push(*level as usize),
            Piece::Start(_)
            | Piece::End(_)
            | Piece::Text(_)
            | Piece::SoftBreak
            | Piece::HardBreak => {}
            // Our own.
            Piece::Code(code) => assert_eq!(&**code, "handraise export"),
            Piece::Html(_)
            | Piece::InlineHtml(_)
            | Piece::Rule
            | Piece::TaskListMarker(_)
            | Piece::InlineMath(_)
            | Piece::DisplayMath(_)
            | Piece::FootnoteReference(_) => panic!("{piece:?}"),
        }
    }
    // The title, the day, and one for each question and for the approval.
    assert_eq!(headings, [1, 2, 3, 3, 3, 3, 3]);
    assert!(!text.contains('\u{202e}'));
    insta::assert_snapshot!(text.replace(&"w".repeat(9_000), "…"));
}

#[test]
fn what_is_decided_later_only_adds_to_the_end() {
    for story in [project(), hostile()] {
        let mut document = called_shop();
        let mut before = document.text();
        for record in &story.records {
            document.add(record);
            let now = document.text();
            assert!(now.starts_with(&before) && now.len() > before.len(), "{now}");
            now.clone_into(&mut before);
        }
    }
}

#[test]
fn each_decision_ends_with_its_ask() {
    let story = project();
    let text = story.text();
    let found: Vec<_> = text.lines().filter_map(ask_of).collect();
    assert_eq!(found.len(), 11, "{text}");
    for record in &story.records {
        assert!(found.contains(&short(record.id).as_str()), "{text}");
    }
}

//! Real JSON of every kind, for the tests of the dashboard: both sides agree on bytes, not only on types.

use std::sync::Arc;

use handraise_broker::{
    AnswerIn, AskId, Asker, Attempt, DeviceId, Doubt, DoubtKind, Draft, Entry, Event, HubError,
    Matter, Message, MessageKind, MessageState, News, Opened, Policy, Power, Receipt, Record,
    Rejection, Reply, Runner, Session, SessionChanged, SessionId, SessionState, Streamed, Told,
    ToolCall, Undelivered,
};
use handraise_question::{Responder, Surface};
use jiff::{SignedDuration, Timestamp};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::generated::matches_what_is_kept;
use super::*;

fn at(seconds: i64) -> Timestamp {
    "2026-01-05T09:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_secs(seconds)
}

fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap()
}

fn four_questions() -> Matter {
    let page = "<style>b { color: teal }</style><b>Sign in</b>";
    Matter::questions(raw(&json!([
        {"question": "Which database should we use?", "header": "Database", "multiSelect": false,
         "options": [
            {"label": "PostgreSQL (Recommended)", "description": "One server more, all of SQL"},
            {"label": "SQLite", "description": "One file"},
            {"label": "Other", "description": "Something else"}]},
        {"question": "Which features, if any?", "header": "Features", "multiSelect": true,
         "options": [
            {"label": "TypeScript", "description": "Types, checked"},
            {"label": "Tailwind, with \"presets\"", "description": "Styles"},
            {"label": "日本語", "description": "שלום"}]},
        {"question": "Which page?", "header": "Page", "multiSelect": false, "options": [
            {"label": "Form", "description": "A page", "preview": page},
            {"label": "Link", "description": "Text", "preview": "┌────────┐\n│ log in │\n└────────┘"}]},
        {"question": "What should it be called?", "header": "Name"},
    ])))
    .unwrap()
}

fn one_question() -> Matter {
    let questions = raw(&json!([
        {"question": "Which auth?", "header": "Auth", "multiSelect": false,
         "options": [{"label": "JWT"}, {"label": "Sessions"}]}]));
    Matter::questions_with(questions, Some(raw(&json!({"source": "remember"})))).unwrap()
}

fn tool_call() -> Matter {
    Matter::approval(raw(&json!({
        "tool": "Bash",
        "input": {"command": "rm -r build", "timeout": 60},
        "description": "Remove the build directory",
        "suggestions": [{"type": "addRules", "behavior": "allow", "destination": "localSettings",
                         "rules": [{"toolName": "Bash", "ruleContent": "rm -r build"}]}]})))
    .unwrap()
}

fn plan() -> Matter {
    let plan =
        "# Sign in\n\n1. Add a table\n2. Add a page\n\n```sql\nCREATE TABLE person (id);\n```";
    Matter::approval(raw(&json!({"tool": "ExitPlanMode", "input": {"plan": plan}, "plan": plan})))
        .unwrap()
}

/// An ask that was just opened, as the `number`th.
fn open(number: u8, matter: Matter) -> Record {
    let asker = Asker {
        agent: "claude-code".into(),
        session: Some("s-1".into()),
        directory: Some("/home/dev/shop".into()),
        host: Some("laptop".into()),
        branch: Some("main".into()),
        title: Some("Let people sign in".into()),
        preamble: Some("I looked at the **schema**. Before I go on:".into()),
    };
    let policy = Policy { deadline_seconds: Some(300), ..Policy::default() };
    let now = at(i64::from(number) * 60);
    let deadline_at = now.checked_add(SignedDuration::from_secs(300)).ok();
    let key = Some(format!("s-1/toolu_{number}"));
    let owner = Some("claude-code".into());
    let rival_dialog = false;
    let opened = Arc::new(Opened { asker, key, owner, matter, policy, rival_dialog, deadline_at });
    Record::open(AskId::new(now, [number; 10]), opened, u64::from(number) * 10, now)
}

/// What became of an ask with these events.
fn after(mut record: Record, events: Vec<Event>) -> Record {
    for event in events {
        let at = record.asked_at + SignedDuration::from_secs(20);
        let entry = Entry { seq: record.seq + 1, at, ask: Some(record.id), event };
        record.apply(&entry);
    }
    record
}

/// The same, of an agent that only its own dialog can answer.
fn in_the_dialog(record: Record) -> Record {
    let opened = Opened::clone(&record.opened);
    let policy = Policy { answer_in: AnswerIn::Dialog, ..opened.policy };
    Record { opened: Arc::new(Opened { policy, ..opened }), ..record }
}

/// The same, of an agent that shows a dialog of its own.
fn beside_a_dialog(record: Record) -> Record {
    let opened = Opened { rival_dialog: true, ..Opened::clone(&record.opened) };
    Record { opened: Arc::new(opened), ..record }
}

fn replied(record: Record, reply: Reply) -> Record {
    let responder = Responder {
        person: Some("ann".into()),
        device: Some("Firefox on laptop".into()),
        surface: Surface::Web,
        proof: Some("browser".into()),
    };
    let attempt = Attempt { reply, responder, key: Some("submit-1".into()) };
    let events = record.reply(attempt, record.asked_at + SignedDuration::from_secs(20)).unwrap();
    after(record, events)
}

fn answer(selected: &str) -> Reply {
    Reply::Answer(serde_json::from_value(json!([{"selected": [selected]}])).unwrap())
}

fn received(record: Record, receipt: Receipt) -> Record {
    let events = record.receipt(receipt, record.asked_at + SignedDuration::from_secs(21)).unwrap();
    after(record, events)
}

fn asks() -> Vec<(&'static str, Record)> {
    let four = json!([
        {"selected": ["PostgreSQL (Recommended)"]},
        {"selected": ["TypeScript", "日本語"], "words": "and tests", "notes": "in this order"},
        {"leftOpen": true},
        {"words": "two\nlines"}]);
    let four = Reply::Answer(serde_json::from_value(four).unwrap());
    let allow = json!({"decision": "allow", "input": {"command": "rm -r build/"},
                       "message": "with the slash", "remember": true});
    let took = json!({"kind": "answered", "answers": [{"selected": ["Sessions"]}]});
    let doubt =
        Doubt { kind: DoubtKind::TooFast, why: "The answer came 0.2 s after the question.".into() };
    let doubted = Receipt::seen(Some("\"Which auth?\"=\"Sessions\"".into()))
        .taking(took.clone())
        .doubted(doubt);
    let claimed = Receipt::seen(None).taking(took.clone());
    let undelivered = replied(open(5, one_question()), answer("JWT"));
    let missed = undelivered.miss_receipt();
    let silent = open(9, one_question());
    let silence = silent.expire(None, silent.asked_at + SignedDuration::from_secs(300));
    let gone = open(10, one_question());
    let withdrawn = gone.withdraw(Some("the session has ended".into()), at(700)).unwrap();
    vec![
        ("open", open(1, four_questions())),
        ("resolved", replied(open(2, four_questions()), four)),
        (
            "delivered",
            received(
                replied(open(3, one_question()), answer("JWT")),
                Receipt::seen(Some(
                    "User has answered your questions: \"Which auth?\"=\"JWT\".".into(),
                )),
            ),
        ),
        (
            "overruled",
            received(
                replied(open(4, one_question()), answer("JWT")),
                Receipt::seen(Some("Sessions".into())).taking(took),
            ),
        ),
        ("undelivered", after(undelivered, missed)),
        ("approval", open(6, tool_call())),
        (
            "decided",
            replied(open(7, tool_call()), Reply::Decide(serde_json::from_value(allow).unwrap())),
        ),
        ("plan", open(8, plan())),
        ("noAnswer", after(silent, silence)),
        ("withdrawn", after(gone, withdrawn)),
        ("declined", replied(open(11, one_question()), Reply::Decline(Some("not now".into())))),
        ("doubted", received(beside_a_dialog(open(13, one_question())), doubted)),
        ("claimed", received(beside_a_dialog(open(15, one_question())), claimed)),
        ("dialog", in_the_dialog(open(14, four_questions()))),
        ("discuss", replied(open(12, plan()), Reply::Discuss("Why a table?".into()))),
    ]
}

fn frames() -> Vec<(&'static str, EventFrame)> {
    let asked = open(1, four_questions());
    let (id, deadline_at) = (asked.id, asked.deadline_at);
    let told = |seq, name: &str, ask, detail| {
        let session = None;
        News::Event(Arc::new(Told { seq, at: at(60), name: name.into(), ask, session, detail }))
    };
    let device = json!({"change": "added", "device": {
        "id": DeviceId::new(at(0), [1; 10]), "name": "Firefox on laptop", "power": Power::Person,
        "person": "ann", "addedAt": at(0)}});
    let opened = told(10, "ask.opened", Some(Arc::new(asked)), None);
    [
        ("event", opened),
        ("eventWithoutAsk", told(11, "device.changed", None, Some(device))),
        ("live", News::Live(11)),
        ("reset", News::Reset(11)),
        ("typing", News::Typing { ask: id, ends_at: deadline_at }),
        ("eventOfSession", said()),
        ("sessionText", speaking()),
    ]
    .map(|(name, news)| (name, news.into()))
    .into()
}

fn session() -> Session {
    Session {
        id: SessionId::new(at(0), [7; 10]),
        key: None,
        owner: None,
        agent: "claude-code".into(),
        agent_session: Some("5e551071".into()),
        directory: "/home/dev/shop".into(),
        host: Some("laptop".into()),
        title: Some("Check the basket".into()),
        state: SessionState::Working,
        trouble: None,
        runner: Some(Runner { pid: 4711, started: Some("99".into()) }),
        started_at: at(0),
        changed_at: at(60),
        messages: 5,
        interrupts: 0,
        interrupt_keys: vec![],
        ending: false,
    }
}

/// One message of each kind.
fn messages() -> Vec<Message> {
    let ann = Responder {
        person: Some("ann".into()),
        device: Some("Firefox on laptop".into()),
        surface: Surface::Web,
        proof: Some("browser".into()),
    };
    let tool = ToolCall {
        name: "Bash".into(),
        input: "{\"command\": \"ls\"}".into(),
        result: Some("README.md".into()),
    };
    let ask = AskId::new(at(0), [1; 10]);
    let message = |number: u64, kind, text: &str| Message {
        number,
        key: format!("m{number}"),
        at: at(60),
        kind,
        text: text.into(),
        state: None,
        tool: None,
        ask: None,
        responder: None,
    };
    let words = message(1, MessageKind::User, "Check the basket, please.");
    let used = message(3, MessageKind::Tool, "");
    vec![
        Message { state: Some(MessageState::Queued), responder: Some(ann.clone()), ..words },
        message(2, MessageKind::Assistant, "I look at the **files** first."),
        Message { state: Some(MessageState::Done), tool: Some(tool), ..used },
        Message { ask: Some(ask), ..message(4, MessageKind::Ask, "") },
        Message { ask: Some(ask), responder: Some(ann), ..message(5, MessageKind::Answer, "JWT") },
        message(6, MessageKind::Note, "Claude Code was interrupted."),
    ]
}

fn said() -> News {
    let changed = SessionChanged { session: session(), messages: messages() };
    News::Event(Arc::new(Told {
        seq: 12,
        at: at(60),
        name: "session.changed".into(),
        ask: None,
        session: Some(Arc::new(changed)),
        detail: None,
    }))
}

fn speaking() -> News {
    let streamed = Streamed { key: "m6".into(), offset: 6, text: "there".into() };
    News::Speaking { session: session().id, streamed: Arc::new(streamed) }
}

#[test]
fn what_is_told_of_sessions_is_read_as_it_was_meant() {
    for (name, frame) in frames() {
        let text = serde_json::to_string(&frame).unwrap();
        let read = EventFrame::read(&text).unwrap();
        let again = serde_json::to_string(&EventFrame::from(read)).unwrap();
        assert_eq!(again, text, "{name}");
    }
}

fn problems() -> Vec<(&'static str, Problem)> {
    let resolved = replied(open(3, one_question()), answer("JWT"));
    let wrong = json!([
        {"selected": ["Cookies"]}, {"selected": []}, {"selected": ["Form", "Link"]},
        {"words": "\u{1b}[2J"}]);
    let wrong = Reply::Answer(serde_json::from_value(wrong).unwrap());
    let responder = Responder { person: None, device: None, surface: Surface::Api, proof: None };
    let wrong = Attempt { reply: wrong, responder, key: None };
    let invalid = open(3, four_questions()).reply(wrong, at(200)).unwrap_err();
    let newer = Draft { version: 3, message: Some("not yet".into()), ..Draft::default() };
    [
        ("invalid", invalid),
        ("alreadyResolved", Rejection::AlreadyResolved(Box::new(resolved))),
        ("onlyInDialog", Rejection::OnlyInDialog),
        ("olderDraft", Rejection::OlderDraft(Box::new(newer))),
    ]
    .map(|(name, rejection)| (name, Problem::of(&HubError::Rejected(rejection)).unwrap()))
    .into()
}

fn object<T: serde::Serialize>(samples: Vec<(&'static str, T)>) -> Value {
    let fields = samples
        .into_iter()
        .map(|(name, sample)| (name.to_owned(), serde_json::to_value(sample).unwrap()));
    Value::Object(fields.collect())
}

#[test]
fn the_dashboard_is_tested_with_what_this_hub_sends() {
    let asks = asks().iter().map(|(name, record)| (*name, AskResponse::from(record))).collect();
    let samples = json!({
        "asks": object::<AskResponse>(asks),
        "frames": object(frames()),
        "problems": object(problems()),
    });
    let text = serde_json::to_string_pretty(&samples).unwrap();
    matches_what_is_kept("samples.json", &(text + "\n"));
}

/// `null` and absent mean the same.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let given = fields.iter().filter(|(_, value)| !value.is_null());
            given.map(|(name, value)| (name.clone(), without_nulls(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[track_caller]
fn is_described_by<T: serde::Serialize + serde::de::DeserializeOwned>(value: &Value) {
    if value.is_null() {
        return;
    }
    let read: T = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(without_nulls(&serde_json::to_value(read).unwrap()), without_nulls(value));
}

#[test]
fn what_travels_as_it_was_written_is_what_is_described() {
    for (_, record) in asks() {
        let ask = serde_json::to_value(AskResponse::from(&record)).unwrap();
        is_described_by::<Vec<QuestionJson>>(&ask["questions"]);
        is_described_by::<ApprovalJson>(&ask["approval"]);
        is_described_by::<ResolutionJson>(&ask["resolution"]);
        is_described_by::<EndingJson>(&ask["delivery"]["took"]);
    }
}

#[test]
fn an_ask_is_read_back_with_its_doubt_and_where_it_can_be_answered() {
    let lost = open(1, one_question());
    let doubt = Doubt { kind: DoubtKind::Empty, why: "Nothing was chosen.".into() };
    let lost = received(replied(lost, answer("JWT")), Receipt::handed(None).doubted(doubt));
    let missed = Undelivered { reason: "gone".into() };
    let lost = after(lost, vec![Event::Undelivered(missed)]);
    for (name, record) in asks().into_iter().chain([("lost", lost)]) {
        let text = serde_json::to_string(&AskResponse::from(&record)).unwrap();
        let read = serde_json::from_str::<AskResponse>(&text).unwrap();
        let read = Arc::<Record>::try_from(read).unwrap();
        assert_eq!((read.doubt(), read.policy()), (record.doubt(), record.policy()), "{name}");
        assert_eq!(serde_json::to_string(&AskResponse::from(&*read)).unwrap(), text, "{name}");
    }
}

#[test]
fn a_doubt_is_an_object_of_two_words_and_nothing_else() {
    let read = |doubt: Value| {
        let body = json!({"level": "seen", "doubt": doubt});
        serde_json::from_value::<ReceiptParams>(body).map(|params| Receipt::from(params).doubt)
    };
    let doubt = Doubt { kind: DoubtKind::FromNowhere, why: "No dialog.".into() };
    let json = json!({"kind": "from_nowhere", "why": "No dialog."});
    assert_eq!(read(json).unwrap(), Some(doubt));
    assert_eq!(read(Value::Null).unwrap(), None);
    for wrong in [
        json!(["empty", "x"]),
        json!({"kind": {"empty": null}, "why": "x"}),
        json!({"kind": "empty"}),
        json!({"kind": "odd", "why": "x"}),
        json!({"kind": "empty", "why": "x", "more": 1}),
    ] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn a_refusal_is_read_back_as_what_it_was() {
    let refused = HubError::Rejected(Rejection::OnlyInDialog);
    let problem = Problem::of(&refused).unwrap();
    assert_eq!((problem.status, problem.code.as_str()), (409, "only_in_dialog"));
    assert_eq!(problem.into_error(None, None), refused);
}

#[test]
fn every_end_and_every_state_is_among_the_samples() {
    let asks = asks();
    let kinds: Vec<_> = asks.iter().filter_map(|(_, ask)| ask.resolved()).collect();
    for kind in handraise_broker::Resolved::KINDS {
        assert!(kinds.iter().any(|resolved| resolved.kind() == kind), "{kind}");
    }
    for state in handraise_broker::State::ALL {
        assert!(asks.iter().any(|(_, ask)| ask.state() == state), "{}", state.name());
    }
}

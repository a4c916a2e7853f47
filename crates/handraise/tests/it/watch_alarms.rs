//! Answers that nobody gave.

use handraise_broker::{CLAUDE_CODE, DelivererId, DoubtKind, Hub, NewAsk, Policy, Power, State};
use handraise_testkit::{answers, asker, questions};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::watch_scene::{A_WHILE, Scene, Session, Watch, database, sqlite};

/// Waits for the alarm about a call, and for the hub to know.
fn alarmed(scene: &Scene, watch: &Watch, session: &Session, kind: DoubtKind) {
    let told = watch.wait("alarm", |line| line["session"] == json!(session.id));
    assert_eq!(told["question"], "Which database should we use?");
    let ask = scene.wait_ask(session, "doubt", |ask| ask.doubt().is_some());
    let doubt = ask.doubt().unwrap();
    assert_eq!((doubt.kind, json!(doubt.why)), (kind, told["why"].clone()));
    assert_eq!(told["ask"], json!(ask.id));
    assert_eq!(ask.state(), State::Delivered);
    assert_eq!(ask.resolved().unwrap().responder, None, "nobody is named");
}

/// What nobody gave: kind, after how long, what the model reads, what the tool gave back.
fn nobodys() -> Vec<(DoubtKind, SignedDuration, &'static str, Value)> {
    let (quick, long) = (SignedDuration::from_millis(20), SignedDuration::from_secs(60));
    let answered = "Your questions have been answered: \"Which database should we use?\"=\"SQLite\". \
                    You can now continue with these answers in mind.";
    let result = |answers: Value| json!({"questions": database(), "answers": answers});
    let mut timed_out = result(json!({}));
    timed_out["afkTimeoutMs"] = json!(60_000);
    vec![
        (DoubtKind::TooFast, quick, answered, result(sqlite())),
        (DoubtKind::Empty, A_WHILE, "The user did not answer the questions.", result(json!({}))),
        (
            DoubtKind::Empty,
            A_WHILE,
            "The user did not answer the questions.",
            result(json!({"Which database should we use?": ""})),
        ),
        (
            DoubtKind::TimedOut,
            long,
            "No response after 60s — the user may be away from keyboard. Proceed using your best \
             judgment",
            timed_out,
        ),
    ]
}

#[test]
fn watch_raises_an_alarm_when_nobody_gave_what_was_asked_about() {
    let scene = Scene::new();
    let watch = scene.watch();
    for (kind, after, text, result) in nobodys() {
        let session = scene.session("shop");
        session.asks("toolu_1", &database());
        scene.the_ask(&session);
        session.write(format!("{}\n", session.result("toolu_1", after, text, &result)));
        alarmed(&scene, &watch, &session, kind);
    }
}

#[test]
fn watch_raises_an_alarm_for_a_hook_of_somebody_else_however_long_it_took() {
    let scene = Scene::new();
    let watch = scene.watch();
    let session = scene.session("shop");
    session.asks("toolu_1", &database());
    scene.the_ask(&session);
    let (_, _, text, result) = nobodys().remove(0);
    let mut line = session.result("toolu_1", A_WHILE, text, &result);
    line["permissionDecision"] = json!({"decision": "accept", "source": "hook"});
    session.write(format!("{line}\n"));
    alarmed(&scene, &watch, &session, DoubtKind::FromNowhere);
}

#[test]
fn watch_raises_an_alarm_also_when_it_was_over_before_anybody_could_be_asked() {
    let scene = Scene::new();
    let watch = scene.watch();
    for (kind, after, text, result) in nobodys() {
        let session = scene.session("shop");
        let call = session.call("toolu_1", &database());
        let answer = session.result("toolu_1", after, text, &result);
        session.write(format!("{call}\n{answer}\n"));
        alarmed(&scene, &watch, &session, kind);
    }
}

#[test]
fn watch_raises_an_alarm_for_a_session_that_is_left_alone_unless_a_person_answered_elsewhere() {
    let scene = Scene::new();
    let watch = scene.watch();
    for (chosen, doubted) in [("SQLite", false), ("MySQL", true)] {
        let session = scene.session("shop");
        // Somebody else has asked, as our hooks do, and a person was quick.
        let hub = scene.hub.agent(CLAUDE_CODE);
        let new = NewAsk {
            asker: handraise_broker::Asker {
                session: Some(session.id.clone()),
                ..asker("claude-code")
            },
            key: Some(format!("{}/toolu_1", session.id)),
            matter: questions(&database().to_string()),
            policy: Policy::default(),
            rival_dialog: true,
            deliverer: DelivererId::new("a hook"),
        };
        let ask = scene.block_on(hub.ask(new)).unwrap().record;
        let reply = answers(json!([{"selected": [chosen]}]));
        let person = scene.hub.client(Power::Person);
        scene.block_on(person.reply(ask.id, reply, None)).unwrap();
        let call = session.call("toolu_1", &database());
        let (kind, after, text, result) = nobodys().remove(0);
        let answer = session.result("toolu_1", after, text, &result);
        session.write(format!("{call}\n{answer}\n"));
        if doubted {
            watch.wait("alarm", |line| line["session"] == json!(session.id));
            let ask = scene.wait_ask(&session, "doubt", |ask| ask.doubt().is_some());
            assert_eq!((ask.doubt().unwrap().kind, ask.state()), (kind, State::Overruled));
        } else {
            scene.fence();
            assert_eq!(watch.count("alarm"), 0);
        }
    }
}

#[test]
fn watch_raises_an_alarm_for_a_program_that_asks_for_itself_unless_only_time_tells() {
    let scene = Scene::new();
    let watch = scene.watch();
    for (kind, after, text, result) in nobodys() {
        let session = scene.session_with("owned", &[("HANDRAISE_OWNER", "1")]);
        // No two calls of anybody's have one name.
        let id = format!("toolu_{}", session.pid());
        let call = session.call(&id, &database());
        let answer = session.result(&id, after, text, &result);
        session.write(format!("{call}\n{answer}\n"));
        if kind == DoubtKind::TooFast {
            scene.fence();
            assert_eq!(watch.count("alarm"), 0, "a person may have been quick elsewhere");
        } else {
            alarmed(&scene, &watch, &session, kind);
        }
    }
}

#[test]
fn watch_raises_no_alarm_for_two_hundred_honest_answers() {
    let scene = Scene::new();
    let watch = scene.watch();
    let session = scene.session("shop");
    for n in 0..200 {
        let call = format!("toolu_{n}");
        let after = SignedDuration::from_millis(1_500 + 37 * n);
        let answer =
            ["SQLite", "Postgres", "MySQL", "something else"][usize::try_from(n).unwrap() % 4];
        let asked = session.call(&call, &database());
        let answered =
            session.answer(&call, after, &json!({"Which database should we use?": answer}));
        if n % 20 == 0 {
            // Some are asked about at the hub, too.
            session.write(format!("{asked}\n"));
            let open = || scene.asks(&session).into_iter().find(|ask| ask.is_open());
            let ask = scene.wait("open ask", open);
            session.write(format!("{answered}\n"));
            watch.wait("settled", |line| line["ask"] == json!(ask.id));
        } else {
            session.write(format!("{asked}\n{answered}\n"));
        }
    }
    let rejected = "The user doesn't want to proceed with this tool use.";
    let call = session.call("toolu_esc", &database());
    let mut esc = session.result(
        "toolu_esc",
        SignedDuration::from_millis(20),
        rejected,
        &json!("User rejected tool use"),
    );
    esc["toolDenialKind"] = json!("user-rejected");
    session.write(format!("{call}\n{esc}\n"));
    scene.fence();
    assert_eq!(watch.count("alarm"), 0);
    assert!(scene.asks(&session).iter().all(|ask| ask.doubt().is_none()));
}

#[test]
fn watch_raises_no_alarm_for_what_was_over_before_it_began() {
    let scene = Scene::new();
    let session = scene.session("shop");
    let (_, after, text, result) = nobodys().remove(0);
    let mut call = session.call("toolu_1", &database());
    call["timestamp"] = json!("2026-01-01T10:00:00.000Z");
    let mut answer = session.result("toolu_1", after, text, &result);
    answer["timestamp"] = json!("2026-01-01T10:00:00.020Z");
    session.write(format!("{call}\n{answer}\n"));
    let watch = scene.watch();
    scene.fence();
    assert_eq!((watch.count("alarm"), scene.asks(&session).len()), (0, 0));
}

//! Which sessions are watched, and what of their questions comes to the hub.

use std::fs;

use handraise_broker::{AnswerIn, State};
use handraise_testkit::{Program, one_of};
use serde_json::{Value, json};

use crate::watch_scene::{A_WHILE, Scene, Session, Watch, database, parsed, sqlite};

#[test]
fn watch_brings_a_question_to_the_hub_once_with_all_that_is_known_of_it() {
    let scene = Scene::new();
    let watch = scene.watch();
    let session = scene.session("shop");
    session.write("{\"type\":\"user\",\"message\":{\"content\":\"Build the basket\"}}\n");
    session.asks("toolu_1", &database());
    let ask = scene.the_ask(&session);
    let asker = ask.asker();
    assert_eq!(ask.opened.key, Some(format!("{}/toolu_1", session.id)));
    assert_eq!(ask.matter().as_sent().get(), database().to_string(), "byte for byte");
    assert_eq!(
        (asker.agent.as_str(), asker.directory.as_deref()),
        ("claude-code", session.cwd.to_str())
    );
    assert_eq!(asker.title.as_deref(), Some("Build the basket"));
    assert_eq!(asker.branch.as_deref(), Some("feature"));
    assert_eq!(asker.preamble.as_deref(), Some("Let me ask."));
    assert!(asker.host.is_some());
    assert_eq!(ask.policy().answer_in, AnswerIn::Dialog, "it is not in tmux");
    let told = watch.wait("asked", |line| line["session"] == json!(session.id));
    assert_eq!(told["ask"], json!(ask.id));
    assert_eq!(told["question"], "Which database should we use?");
    assert!(told["why"].as_str().unwrap().contains("the session is not in tmux"), "{told}");
    // Whatever else is written, it is asked once.
    session.asks("toolu_1", &database());
    session.announce_as(&json!({"status": "idle"}));
    scene.fence();
    assert_eq!(scene.asks(&session).len(), 1);
}

#[test]
fn watch_tells_the_hub_what_was_answered_in_the_dialog() {
    let scene = Scene::new();
    let watch = scene.watch();
    let session = scene.session("shop");
    session.asks("toolu_1", &database());
    scene.the_ask(&session);
    session.answered("toolu_1", A_WHILE, &sqlite());
    let ask = scene.wait_state(&session, State::Delivered);
    let resolved = ask.resolved().unwrap();
    assert_eq!(resolved.resolution["answers"][0]["selected"], json!(["SQLite"]));
    assert_eq!(json!(resolved.responder.as_ref().unwrap().surface), "dialog");
    assert_eq!(ask.doubt(), None);
    watch.wait("settled", |line| line["ask"] == json!(ask.id));
    // Left, and talked about.
    for (call, text, result, kind) in [
        (
            "toolu_2",
            "The user doesn't want to proceed with this tool use. The tool use was rejected",
            json!("User rejected tool use"),
            "declined",
        ),
        (
            "toolu_3",
            "The user wants to clarify these questions.",
            json!("Error: The user wants to clarify these questions."),
            "discuss",
        ),
        ("toolu_4", "[Tool call interrupted]", json!("Error"), "withdrawn"),
    ] {
        session.asks(call, &database());
        let found = || scene.asks(&session).into_iter().find(|ask| ask.is_open());
        let ask = scene.wait("open ask", found);
        let mut line = session.result(call, A_WHILE, text, &result);
        line["message"]["content"][0]["is_error"] = json!(true);
        session.write(format!("{line}\n"));
        watch.wait("settled", |line| line["ask"] == json!(ask.id));
        let ended = scene.asks(&session).pop().unwrap();
        assert_eq!(ended.resolved().unwrap().kind(), kind);
    }
    assert_eq!(watch.count("alarm"), 0);
}

#[test]
fn watch_takes_back_what_a_killed_session_has_asked() {
    let scene = Scene::new();
    let watch = scene.watch();
    let mut session = scene.session("shop");
    session.asks("toolu_1", &database());
    let ask = scene.the_ask(&session);
    session.kill();
    let ended = scene.wait_ask(&session, "end", |ask| !ask.is_open());
    assert_eq!(ended.resolved().unwrap().kind(), "withdrawn");
    assert_eq!(ended.resolved().unwrap().resolution["reason"], "Claude Code is gone");
    watch.wait("withdrawn", |line| line["ask"] == json!(ask.id));
    watch.wait("gone", |line| line["session"] == json!(session.id));
}

#[test]
fn watch_asks_in_the_order_of_the_calls() {
    let scene = Scene::new();
    let _watch = scene.watch();
    let session = scene.session("shop");
    let questions: Vec<_> =
        (0..20).map(|n| json!([one_of(&format!("Question {n}?"), "Which", &["a", "b"])])).collect();
    let lines = questions.iter().enumerate();
    let lines = lines.map(|(n, questions)| session.call(&format!("toolu_{n}"), questions));
    let lines: Vec<_> = lines.map(|line| format!("{line}\n")).collect();
    session.write(lines.concat());
    let asks =
        scene.wait("twenty asks", || Some(scene.asks(&session)).filter(|asks| asks.len() == 20));
    let asked: Vec<_> = asks.iter().map(|ask| ask.matter().as_sent().get().to_owned()).collect();
    assert_eq!(asked, questions.iter().map(Value::to_string).collect::<Vec<_>>());
}

#[test]
fn watch_follows_a_session_that_goes_on_under_another_id() {
    let scene = Scene::new();
    let watch = scene.watch();
    let mut session = scene.session("shop");
    session.asks("toolu_1", &database());
    let first = scene.the_ask(&session);
    session.become_another();
    watch.wait("withdrawn", |line| line["ask"] == json!(first.id));
    session.asks("toolu_2", &database());
    let second = scene.the_ask(&session);
    assert_eq!(second.asker().session.as_deref(), Some(session.id.as_str()));
    session.answered("toolu_2", A_WHILE, &sqlite());
    scene.wait_state(&session, State::Delivered);
    session.kill();
    watch.wait("gone", |line| line["session"] == json!(session.id));
}

#[test]
fn watch_waits_for_directories_that_are_not_there_yet_and_for_those_made_anew() {
    let scene = Scene::new();
    assert!(!scene.config().parent().unwrap().exists());
    let watch = Watch(Program::spawn(&mut scene.command(&[]), ""));
    // Nothing tells when it has begun; if it has not, it finds what is there.
    let mut session = scene.session("shop");
    session.asks("toolu_1", &database());
    scene.the_ask(&session);
    session.kill();
    watch.wait("gone", |line| line["session"] == json!(session.id));
    for gone in ["projects", "sessions", ""] {
        fs::remove_dir_all(scene.config().join(gone)).unwrap();
        let session = scene.session(&format!("after {gone}"));
        session.asks("toolu_1", &database());
        scene.the_ask(&session);
        session.answered("toolu_1", A_WHILE, &sqlite());
        scene.wait_state(&session, State::Delivered);
    }
}

#[test]
fn watch_leaves_alone_what_others_look_after() {
    let scene = Scene::new();
    let watch = scene.watch();
    // Run by a program that asks for itself.
    let owned = scene.session_with("owned", &[("HANDRAISE_OWNER", "1")]);
    owned.asks("toolu_1", &database());
    let not_owned = scene.session_with("not owned", &[("HANDRAISE_OWNER", "")]);
    not_owned.asks("toolu_1", &database());
    // Noted by our own hook.
    let hooked = scene.session("hooked");
    let event = json!({"hook_event_name": "PreToolUse", "session_id": hooked.id,
        "tool_name": "AskUserQuestion", "tool_use_id": "toolu_1", "cwd": hooked.cwd,
        "transcript_path": hooked.transcript(), "tool_input": {"questions": database()}});
    let mut hook = scene.hub.command();
    let noted = Program::spawn(hook.args(["hook", "claude"]), &event.to_string()).wait_exit();
    assert!(noted.status.success(), "{}", noted.stderr);
    hooked.asks("toolu_1", &database());
    watch.wait("left_alone", |line| line["session"] == json!(hooked.id));
    // A process that has its number from another, and one that asked before it was there.
    let other = Session::start(&scene.config(), "other", &[]);
    other.announce_as(&json!({"procStart": "5"}));
    other.asks("toolu_1", &database());
    let earlier = Session::start(&scene.config(), "earlier", &[]);
    earlier.announce_as(&json!({"startedAt": 9_999_999_999_999_i64}));
    earlier.asks("toolu_1", &database());
    scene.fence();
    scene.the_ask(&not_owned);
    for session in [&owned, &hooked, &other, &earlier] {
        assert_eq!(scene.asks(session).len(), 0, "{}", session.cwd.display());
    }
}

#[test]
fn watch_finds_a_session_that_tells_nothing_of_itself() {
    let scene = Scene::new();
    let watch = scene.watch();
    let mut session = Session::silent(&scene.config(), "old");
    session.asks("toolu_1", &database());
    let ask = scene.the_ask(&session);
    assert_eq!(ask.asker().directory.as_deref(), session.cwd.to_str());
    session.kill();
    scene.wait_ask(&session, "end", |ask| !ask.is_open());
    // Of two in one directory nobody knows which it is.
    let one = Session::silent(&scene.config(), "twins");
    let _two = Session::start(&scene.config(), "twins", &[]);
    drop(one);
    let mut twins = [(); 2].map(|()| Session::silent(&scene.config(), "pair"));
    twins[0].asks("toolu_1", &database());
    scene.fence();
    assert_eq!(scene.asks(&twins[0]).len(), 0);
    twins.iter_mut().for_each(Session::kill);
    drop(watch);
}

#[test]
fn watch_reads_a_transcript_anew_that_was_cut_or_replaced() {
    let scene = Scene::new();
    let watch = scene.watch();
    let session = scene.session("shop");
    session.write("{\"type\":\"user\",\"message\":{\"content\":\"a long story\"}}\n");
    let call = session.call("toolu_1", &database());
    session.write(format!("{call}\n"));
    let ask = scene.the_ask(&session);
    // Cut, with the same question.
    fs::write(session.transcript(), format!("{call}\n")).unwrap();
    // Replaced, with more.
    let draft = session.transcript().with_extension("draft");
    let text = "{\"type\":\"user\",\"message\":{\"content\":\"another story\"}}\n";
    fs::write(&draft, format!("{text}{call}\n")).unwrap();
    fs::rename(&draft, session.transcript()).unwrap();
    // Emptied, moved away, and back again.
    fs::write(session.transcript(), "").unwrap();
    fs::rename(session.transcript(), &draft).unwrap();
    scene.fence();
    assert!(scene.the_ask(&session).is_open(), "what cannot be read says nothing");
    let answer = session.answer("toolu_1", A_WHILE, &sqlite());
    fs::write(&draft, format!("{text}{call}\n{answer}\n")).unwrap();
    fs::rename(&draft, session.transcript()).unwrap();
    let ended = scene.wait_state(&session, State::Delivered);
    assert_eq!(ended.id, ask.id);
    assert_eq!(watch.count("alarm"), 0);
}

#[test]
fn watch_passes_over_what_makes_no_sense() {
    let scene = Scene::new();
    let watch = scene.watch();
    let session = scene.session("shop");
    session.write(b"\"AskUserQuestion\" \xff\xfe\0\n{}\n[]\nnull\n\n");
    session.write("[".repeat(100_000) + "\n");
    session.write(vec![b'x'; 40 * 1024 * 1024]);
    session.write("\n");
    // Questions that are none, of any kind.
    let long = "x".repeat(100_000);
    for (n, questions) in [
        json!(null),
        json!([]),
        json!("what?"),
        json!([{}]),
        json!([{"question": "__proto__", "options": [{"label": "a"}, {"label": "b"}]}]),
        json!([one_of("\u{1b}[2J\u{202e}?", "Head", &["a", "b"])]),
        json!([one_of(&long, "Head", &["a", "b"])]),
    ]
    .iter()
    .enumerate()
    {
        session.asks(&format!("toolu_{n}"), questions);
    }
    session.asks(&"toolu".repeat(10_000), &database());
    session.asks("../../../\u{1b}[2Jtoolu", &database());
    let sessions = scene.config().join("sessions");
    for (name, contents) in [
        ("1.json", "{\"sessionId\":\"x\"}".to_owned()),
        ("0.json", "{\"sessionId\":\"x\"}".to_owned()),
        ("99999999999999999999.json", "{}".to_owned()),
        ("x.json", "{}".to_owned()),
        ("2.json", "[".repeat(10_000)),
        (
            &format!("{}.json", std::process::id()),
            json!({"sessionId": "../../etc", "cwd": "/"}).to_string(),
        ),
    ] {
        fs::write(sessions.join(name), contents).unwrap();
    }
    scene.fence();
    session.asks("toolu_last", &database());
    let key = Some(format!("{}/toolu_last", session.id));
    let last =
        || scene.asks(&session).into_iter().find(|ask| ask.opened.key == key && ask.is_open());
    scene.wait("ask", last);
    for line in watch.lines() {
        assert!(!line.to_string().contains('\u{1b}'), "{line}");
    }
}

#[test]
fn watch_attends_to_hundreds_of_sessions() {
    let scene = Scene::new();
    let mut sessions: Vec<_> = (0..150).map(|n| scene.session(&format!("of {n}"))).collect();
    for session in &sessions {
        session.asks("toolu_1", &database());
    }
    let watch = scene.watch();
    for session in &sessions {
        scene.the_ask(session);
    }
    for (n, session) in sessions.iter_mut().enumerate() {
        if n % 2 == 0 {
            session.answered("toolu_1", A_WHILE, &sqlite());
        } else {
            session.kill();
        }
    }
    for (n, session) in sessions.iter().enumerate() {
        let ended = scene.wait_ask(session, "end", |ask| !ask.is_open());
        let kind = if n % 2 == 0 { "answered" } else { "withdrawn" };
        assert_eq!(ended.resolved().unwrap().kind(), kind);
    }
    assert_eq!((watch.count("asked"), watch.count("alarm")), (150, 0));
}

#[test]
fn watch_once_asks_what_waits_settles_what_is_over_and_ends() {
    let scene = Scene::new();
    let waiting = scene.session("waiting");
    waiting.asks("toolu_1", &database());
    let mut gone = scene.session("gone");
    gone.asks("toolu_1", &database());
    let once = || {
        let ended = Program::run(&mut scene.command(&["--once"]));
        assert!(ended.status.success(), "{}", ended.stderr);
        parsed(&ended.stdout)
    };
    let told = once();
    assert_eq!(told.iter().filter(|line| line["event"] == "found").count(), 2, "{told:?}");
    assert_eq!(told.iter().filter(|line| line["event"] == "asked").count(), 2, "{told:?}");
    assert!(scene.the_ask(&waiting).is_open() && scene.the_ask(&gone).is_open());
    waiting.answered("toolu_1", A_WHILE, &sqlite());
    gone.kill();
    once();
    assert_eq!(scene.the_ask(&waiting).state(), State::Delivered);
    assert_eq!(scene.the_ask(&gone).resolved().unwrap().kind(), "withdrawn");
}

#[test]
fn watch_keeps_to_the_workspace_of_an_agent() {
    let scene = Scene::new();
    let (inside, outside) = (scene.session("inside"), scene.session("outside"));
    inside.asks("toolu_1", &database());
    outside.asks("toolu_1", &database());
    let agents = scene.hub.directory().join(".panopticon/agents/agent-pan-1");
    fs::create_dir_all(&agents).unwrap();
    let state = json!({"id": "agent-pan-1", "workspace": inside.cwd});
    fs::write(agents.join("state.json"), state.to_string()).unwrap();
    let ended = Program::run(&mut scene.command(&["--once", "--agent", "agent-pan-1"]));
    assert!(ended.status.success(), "{}", ended.stderr);
    assert_eq!(scene.the_ask(&inside).asker().title.as_deref(), Some("agent-pan-1"));
    assert_eq!(scene.asks(&outside).len(), 0);
    let unknown = Program::run(&mut scene.command(&["--once", "--agent", "../agent-pan-1"]));
    assert_eq!(unknown.status.code(), Some(2), "{}", unknown.stderr);
}

#[test]
fn watch_needs_a_hub() {
    let mut scene = Scene::new();
    scene.hub.kill();
    let ended = Program::run(&mut scene.command(&[]));
    assert_eq!(ended.status.code(), Some(6), "{}", ended.stderr);
    assert!(ended.stderr.contains("handraise serve"), "{}", ended.stderr);
}

#[test]
fn watch_offers_no_answer_where_one_session_is_open_in_two_terminals() {
    let scene = Scene::new();
    let _watch = scene.watch();
    let (first, second) = (scene.session("shop"), Session::start(&scene.config(), "shop", &[]));
    // As after `claude --resume` in another terminal.
    second.announce_as(&json!({"sessionId": first.id}));
    first.asks("toolu_1", &database());
    let ask = scene.the_ask(&first);
    assert_eq!(ask.policy().answer_in, AnswerIn::Dialog);
    // If the one that is left waits for nothing, the other had asked.
    first.announce_as(&json!({"status": "idle"}));
    drop(second);
    let ended = scene.wait_ask(&first, "end", |ask| !ask.is_open());
    assert!(ended.resolved().unwrap().is_withdrawn());
}

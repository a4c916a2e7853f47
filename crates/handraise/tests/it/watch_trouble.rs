//! Hubs and watches that go away, and come back.

use std::fs;

use handraise_broker::{Asker, CLAUDE_CODE, Hub, NewAsk, State};
use handraise_testkit::{Program, asker, new_ask, questions};
use rustix::process::Signal;
use serde_json::json;

use crate::watch_scene::{A_WHILE, Scene, Watch, database, sqlite};

#[test]
fn watch_waits_for_a_hub_that_is_away() {
    let mut scene = Scene::new();
    let watch = scene.watch();
    let [open, settled] = ["open", "settled"].map(|name| scene.session(name));
    settled.asks("toolu_1", &database());
    scene.the_ask(&settled);
    scene.hub.kill();
    open.asks("toolu_1", &database());
    settled.answered("toolu_1", A_WHILE, &sqlite());
    watch.wait("hub_away", |_| true);
    scene.hub.restart();
    assert!(scene.the_ask(&open).is_open());
    scene.wait_state(&settled, State::Delivered);
    watch.wait("hub_back", |_| true);
}

#[test]
fn watch_finds_again_what_it_had_asked_before_it_was_killed() {
    let scene = Scene::new();
    let watch = scene.watch();
    let waiting = scene.session("waiting");
    let settled = scene.session("settled");
    let mut gone = scene.session("gone");
    for session in [&waiting, &settled, &gone] {
        session.asks("toolu_1", &database());
    }
    let asked = [&waiting, &settled, &gone].map(|session| scene.the_ask(session).id);
    for ask in asked {
        watch.wait("asked", |line| line["ask"] == json!(ask));
    }
    watch.kill();
    settled.answered("toolu_1", A_WHILE, &sqlite());
    gone.kill();
    let watch = scene.watch();
    watch.wait("asked", |line| line["ask"] == json!(asked[0]));
    scene.wait_state(&settled, State::Delivered);
    let ended = scene.wait_ask(&gone, "end", |ask| !ask.is_open());
    assert_eq!(ended.resolved().unwrap().kind(), "withdrawn");
    waiting.answered("toolu_1", A_WHILE, &sqlite());
    scene.wait_state(&waiting, State::Delivered);
    let notes = scene.hub.home().directory().join("agents/claude-code-watch");
    scene.wait("end of all notes", || {
        std::fs::read_dir(&notes).unwrap().next().is_none().then_some(())
    });
    assert_eq!(watch.count("alarm"), 0);
}

#[test]
fn watch_settles_what_ends_as_soon_as_it_is_back() {
    let scene = Scene::new();
    let watch = scene.watch();
    let settled = scene.session("settled");
    let mut gone = scene.session("gone");
    for session in [&settled, &gone] {
        session.asks("toolu_1", &database());
        let ask = scene.the_ask(session);
        watch.wait("asked", |line| line["ask"] == json!(ask.id));
    }
    watch.kill();
    let watch = Watch(Program::spawn(&mut scene.command(&[]), ""));
    for session in [&settled, &gone] {
        watch.wait("found", |line| line["session"] == json!(session.id));
    }
    settled.answered("toolu_1", A_WHILE, &sqlite());
    gone.kill();
    scene.wait_state(&settled, State::Delivered);
    let ended = scene.wait_ask(&gone, "end", |ask| !ask.is_open());
    assert_eq!(ended.resolved().unwrap().kind(), "withdrawn");
}

#[test]
fn watch_settles_what_the_one_before_had_just_asked_when_it_was_killed() {
    let scene = Scene::new();
    let notes = scene.hub.home().directory().join("agents/claude-code-watch");
    fs::create_dir_all(&notes).unwrap();
    let settled = scene.session("settled");
    let mut gone = scene.session("gone");
    for session in [&settled, &gone] {
        session.asks("toolu_1", &database());
        // The hub has it, and the watch did not get to hear of that.
        let asker = Asker { session: Some(session.id.clone()), ..asker("claude-code") };
        let key = Some(format!("{}/toolu_1", session.id));
        let matter = questions(&database().to_string());
        let new = NewAsk { asker, key, matter, rival_dialog: true, ..new_ask(None) };
        scene.block_on(scene.hub.agent(CLAUDE_CODE).ask(new)).unwrap();
        let note = json!({"session": session.id, "call": "toolu_1", "transcript": session.transcript(),
            "process": {"pid": session.pid(), "started": null}});
        fs::write(notes.join(format!("{}.json", session.id)), note.to_string()).unwrap();
    }
    settled.answered("toolu_1", A_WHILE, &sqlite());
    gone.kill();
    let _watch = scene.watch();
    scene.wait_state(&settled, State::Delivered);
    let ended = scene.wait_ask(&gone, "end", |ask| !ask.is_open());
    assert_eq!(ended.resolved().unwrap().kind(), "withdrawn");
    scene.wait("end of all notes", || fs::read_dir(&notes).unwrap().next().is_none().then_some(()));
}

#[test]
fn watch_that_is_stopped_leaves_its_asks_to_the_next() {
    let scene = Scene::new();
    let watch = scene.watch();
    let session = scene.session("shop");
    session.asks("toolu_1", &database());
    let ask = scene.the_ask(&session);
    watch.0.signal(Signal::INT);
    let ended = watch.0.wait_exit();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    assert!(scene.the_ask(&session).is_open());
    let watch = scene.watch();
    watch.wait("asked", |line| line["ask"] == json!(ask.id));
}

#[test]
fn watch_beside_another_says_so_and_ends() {
    let scene = Scene::new();
    let watch = scene.watch();
    let second = Program::run(&mut scene.command(&[]));
    assert_eq!((second.status.code(), second.stdout.as_str()), (Some(0), ""));
    let said = format!("Process {} watches the sessions of", watch.0.pid());
    assert!(second.stderr.contains(&said), "{}", second.stderr);
    // The first goes on, and the next begins when it has ended.
    let session = scene.session("shop");
    session.asks("toolu_1", &database());
    scene.the_ask(&session);
    watch.kill();
    let watch = scene.watch();
    session.answered("toolu_1", A_WHILE, &sqlite());
    scene.wait_state(&session, State::Delivered);
    drop(watch);
}

#[test]
fn watch_says_that_a_note_for_the_next_cannot_be_written() {
    let scene = Scene::new();
    fs::write(scene.hub.home().agents().join("claude-code-watch"), "").unwrap();
    let watch = scene.watch();
    let session = scene.session("shop");
    session.asks("toolu_1", &database());
    let told = watch.wait("not_noted", |line| line["session"] == json!(session.id));
    assert_eq!(told["ask"], json!(scene.the_ask(&session).id));
    assert!(told["why"].as_str().unwrap().contains("its end is lost if the watch is killed"));
    session.answered("toolu_1", A_WHILE, &sqlite());
    scene.wait_state(&session, State::Delivered);
}

#[test]
fn watch_names_the_setting_when_the_kernel_has_no_watch_left() {
    let scene = Scene::new();
    let session = scene.session("shop");
    session.asks("toolu_1", &database());
    for (limit, most, setting) in [
        ("max_inotify_watches", 2, "fs.inotify.max_user_watches"),
        ("max_inotify_instances", 0, "fs.inotify.max_user_instances"),
    ] {
        // As somebody else, whose limits are their own.
        let watch = scene.command(&[]);
        let mut command = Program::command("unshare", &scene.config());
        let script = format!("echo {most} > /proc/sys/user/{limit} && exec \"$@\"");
        command.args(["--user", "--map-root-user", "sh", "-c", &script, "sh"]);
        command.arg(watch.get_program()).args(watch.get_args());
        let ended = Program::run(&mut command);
        assert_eq!(ended.status.code(), Some(1), "{}", ended.stderr);
        assert!(ended.stderr.contains(setting), "{}", ended.stderr);
    }
}

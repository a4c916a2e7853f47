//! Notifications on a real desktop: Debian's daemon shows them, and takes them down.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use handraise_broker::{Doubt, DoubtKind, Policy, Power, Receipt};
use handraise_testkit::{Desktop, PATIENCE};
use serde_json::json;

use crate::notifying_scene::Scene;

const QUESTION: &str = "Auth: Which auth method should the API use?";

#[test]
fn a_question_is_shown_and_taken_down_when_it_is_answered_elsewhere() {
    let scene = Scene::new();
    let ask = scene.ask("api", "Which auth method should the API use?");
    let shown = scene.desktop.wait_bodies(&[QUESTION]);
    assert_eq!(shown[0].title, "api · Rework the login");
    assert_eq!(scene.desktop.drawn(), "1");
    let several = ["Which one?", "And why?", "And when?"];
    let other = scene.ask_all("web", &several, Policy::default());
    scene.desktop.wait_bodies(&[QUESTION, "Auth: Which one? (+2 more)"]);
    scene.answer(ask);
    scene.desktop.wait_bodies(&["Auth: Which one? (+2 more)"]);
    scene.at_hub(Power::Agent, async |hub| hub.withdraw(other, None).await.map(|_| ())).unwrap();
    scene.desktop.wait_bodies(&[]);
    assert_eq!(scene.desktop.drawn(), "0");
}

#[test]
fn whoever_looks_is_left_alone_until_they_look_away() {
    let scene = Scene::new();
    scene.look(None, 300);
    let first = scene.ask("api", "One?");
    scene.ask("web", "Two?");
    // One of them is looked at no more; that it comes alone shows that the other waits.
    scene.look(Some(first), 300);
    scene.desktop.wait_bodies(&["Auth: Two?"]);
    // The look ends by itself.
    scene.look(Some(first), 1);
    scene.desktop.wait_bodies(&["Auth: One?", "Auth: Two?"]);
    assert_eq!(scene.desktop.times_shown(), 2);
}

#[test]
fn many_at_once_are_one_notification_that_counts_down() {
    let scene = Scene::new();
    let asks: Vec<_> = (1..=6).map(|n| scene.ask(&format!("p{n}"), &format!("{n}?"))).collect();
    // On a slow machine some of them are not at once; together they are never more than a few.
    let shown = scene.desktop.wait_until("crowd", |shown| {
        shown.iter().any(|shown| shown.title.ends_with(" agents ask"))
    });
    assert!(shown.len() <= 4, "{shown:#?}");
    for ask in &asks {
        scene.answer(*ask);
    }
    scene.desktop.wait_bodies(&[]);
}

#[test]
fn a_daemon_that_dies_and_comes_back_shows_what_still_waits() {
    let mut scene = Scene::new();
    let answered = scene.ask("api", "One?");
    scene.ask("web", "Two?");
    scene.desktop.wait_bodies(&["Auth: One?", "Auth: Two?"]);
    scene.desktop.kill_daemon();
    scene.answer(answered);
    scene.ask("docs", "Three?");
    scene.desktop.start_daemon();
    scene.desktop.wait_bodies(&["Auth: Two?", "Auth: Three?"]);
    // One that hangs holds nobody up, and what it does late is undone.
    scene.desktop.freeze_daemon(true);
    let late = scene.ask("late", "Four?");
    scene.answer(late);
    scene.desktop.freeze_daemon(false);
    scene.ask("last", "Five?");
    scene.desktop.wait_bodies(&["Auth: Two?", "Auth: Three?", "Auth: Five?"]);
    assert_eq!(scene.hub.stop().status.code(), Some(0));
}

#[test]
fn a_daemon_that_comes_late_is_told_what_waits() {
    let mut scene = Scene::with(Desktop::without_daemon(), "[notify]\ndesktop = true");
    scene.ask("api", "One?");
    scene.hub.wait_said("no program on the session bus shows notifications");
    scene.desktop.start_daemon();
    scene.desktop.wait_bodies(&["Auth: One?"]);
}

#[test]
fn nothing_is_left_over_by_a_hub_that_was_killed() {
    let mut scene = Scene::new();
    let answered = scene.ask("api", "One?");
    scene.ask("web", "Two?");
    scene.desktop.wait_bodies(&["Auth: One?", "Auth: Two?"]);
    let times = scene.desktop.times_shown();
    scene.kill_hub(2);
    // Killed right after an answer, a hub has no time to take anything down: here it is another one,
    // that does not know the desktop, that takes the answer.
    scene.hub.set_variable("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    scene.hub.restart();
    scene.answer(answered);
    scene.hub.kill();
    scene.hub.set_variable("DBUS_SESSION_BUS_ADDRESS", scene.desktop.bus());
    scene.hub.restart();
    scene.desktop.wait_bodies(&["Auth: Two?"]);
    // And what still waits was not shown again.
    assert_eq!(scene.desktop.times_shown(), times);
    // One that stops takes down what nobody can answer now, and shows it again when it is back.
    scene.hub.stop();
    scene.desktop.wait_bodies(&[]);
    scene.hub.restart();
    scene.desktop.wait_bodies(&["Auth: Two?"]);
}

#[test]
fn what_a_killed_hub_had_no_time_to_take_note_of_is_taken_down_too() {
    let mut scene = Scene::new();
    scene.ask("api", "One?");
    scene.desktop.wait_bodies(&["Auth: One?"]);
    // The daemon is told to show it, and the hub dies before it hears under which number.
    let bus = scene.desktop.overhear();
    scene.desktop.freeze_daemon(true);
    let answered = scene.ask("web", "Two?");
    bus.wait("Auth: Two?");
    scene.hub.kill();
    scene.desktop.freeze_daemon(false);
    scene.desktop.wait_bodies(&["Auth: One?", "Auth: Two?"]);
    assert_eq!(scene.desktop.drawn(), "2");
    // Another hub, that does not know the desktop, takes the answer.
    scene.hub.set_variable("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    scene.hub.restart();
    scene.answer(answered);
    scene.hub.kill();
    scene.hub.set_variable("DBUS_SESSION_BUS_ADDRESS", scene.desktop.bus());
    scene.hub.restart();
    scene.desktop.wait_drawn("1");
    scene.wait_noted(|notes| notes["unheard"] == json!([]));
}

#[test]
fn what_was_not_shown_before_a_restart_is_shown_after_it() {
    let mut scene = Scene::new();
    scene.look(None, 300);
    for n in 1..=5 {
        scene.ask(&format!("p{n}"), "Which one?");
    }
    scene.hub.kill();
    scene.hub.restart();
    let shown = scene
        .desktop
        .wait_until("crowd", |shown| shown.len() == 1 && shown[0].title.ends_with("ask"));
    assert_eq!(shown[0].title, "5 agents ask");
    assert_eq!(shown[0].body, "p1, p2, p3, p4 +1 more");
}

#[test]
fn hostile_text_stays_text_and_secrets_stay_away() {
    let scene = Scene::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0");
    scene.ask("api", "<b>bold</b> & \u{1b}[31m\u{202e}<img src=x>?");
    let second = format!("Use {token} or password=hunter2?");
    scene.ask("we<b>", &second);
    scene.desktop.wait_bodies(&[
        "Auth: &lt;b&gt;bold&lt;/b&gt; &amp; ␛[31m&lt;U+202E&gt;&lt;img src=x&gt;?",
        "Auth: Use [hidden] or password=[hidden]",
    ]);
    scene.ask("long", &"long ".repeat(1900));
    let shown = scene.desktop.wait_until("three", |shown| shown.len() == 3);
    assert!(shown.iter().all(|shown| shown.body.len() < 500), "{shown:#?}");
}

#[test]
fn what_needs_attention_again_is_said() {
    let scene = Scene::new();
    let lost = scene.ask("api", "One?");
    scene.desktop.wait_bodies(&["Auth: One?"]);
    scene.answer(lost);
    scene.desktop.wait_bodies(&[]);
    let took = json!({"kind": "declined", "reason": "no"});
    let receipt = Receipt::seen(None).taking(took);
    scene.at_hub(Power::Agent, async |hub| hub.receipt(lost, receipt).await.map(|_| ())).unwrap();
    let overruled = "The agent took another answer than the one given here. Auth: One?";
    scene.desktop.wait_bodies(&[overruled]);
    // A person who has seen it closes it, and nothing brings it back.
    scene.desktop.dismiss();
    scene.desktop.wait_bodies(&[]);
    let soon = Policy { deadline_seconds: Some(12), ..Policy::default() };
    scene.ask_all("web", &["Two?"], soon);
    scene.desktop.wait_until("deadline", |shown| {
        shown.len() == 1 && shown[0].body.ends_with(" left. Auth: Two?")
    });
    let doubted = scene.ask("docs", "Three?");
    let doubt = Doubt { kind: DoubtKind::TooFast, why: "It came too fast.".into() };
    let took = json!({"kind": "answered", "answers": [{"selected": ["JWT"]}]});
    let receipt = Receipt::seen(None).taking(took).doubted(doubt);
    scene
        .at_hub(Power::Agent, async |hub| hub.receipt(doubted, receipt).await.map(|_| ()))
        .unwrap();
    scene.desktop.wait_until("doubt", |shown| {
        shown
            .iter()
            .any(|shown| shown.body.starts_with("The agent went on with an answer that nobody"))
    });
}

#[test]
fn what_a_person_closes_stays_closed_and_a_click_opens_it() {
    let mut scene = Scene::new();
    // A browser is not needed to see what would be opened.
    let programs = scene.hub.directory().join("programs");
    fs::create_dir(&programs).unwrap();
    let (program, opened) = (programs.join("xdg-open"), programs.join("opened"));
    fs::write(&program, format!("#!/bin/sh\necho \"$1\" > {}\n", opened.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    scene.hub.stop();
    scene.hub.set_variable("PATH", &format!("{}:/usr/bin:/bin", programs.display()));
    scene.hub.restart();
    let ask = scene.ask("api", "One?");
    scene.desktop.wait_bodies(&["Auth: One?"]);
    if handraise_server::has_dashboard() {
        scene.desktop.click();
        let place = format!("{}/#/ask/{ask}\n", scene.hub.url());
        let start = std::time::Instant::now();
        while fs::read_to_string(&opened).ok().as_ref() != Some(&place) {
            assert!(start.elapsed() < PATIENCE, "{:?}", fs::read_to_string(&opened));
            std::thread::yield_now();
        }
    }
    scene.desktop.dismiss();
    scene.desktop.wait_bodies(&[]);
    scene.ask("web", "Two?");
    scene.desktop.wait_bodies(&["Auth: Two?"]);
    scene.kill_hub(1);
    scene.hub.restart();
    scene.ask("docs", "Three?");
    scene.desktop.wait_bodies(&["Auth: Two?", "Auth: Three?"]);
}

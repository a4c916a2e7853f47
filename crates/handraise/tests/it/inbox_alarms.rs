//! What went wrong with an answer stands first in the inbox, in words, until somebody dismisses it.

use std::sync::Arc;

use handraise_broker::{Doubt, DoubtKind, Hub, Receipt, Record};
use serde_json::json;

use crate::inbox_scene::{Scene, selected, way};

/// The agent goes on with an answer that nobody gave.
fn doubted(scene: &Scene, name: &str) -> Arc<Record> {
    let ask = scene.asks("claude-code", way(name));
    let doubt = Doubt { kind: DoubtKind::TooFast, why: "it came after 0.1 s".into() };
    let took = json!({"kind": "answered", "answers": [{"selected": ["Left"]}]});
    let receipt = Receipt::seen(None).taking(took).doubted(doubt);
    scene.runtime.block_on(scene.hub.agent().receipt(ask.id, receipt)).unwrap()
}

/// The agent takes another answer than the one that was given.
fn overruled(scene: &Scene, name: &str) {
    let ask = scene.asks("claude-code", way(name));
    scene.answer_elsewhere(ask.id, "Left");
    let took = json!({"kind": "answered", "answers": [{"selected": ["Right"]}]});
    let receipt = Receipt::seen(None).taking(took);
    scene.runtime.block_on(scene.hub.agent().receipt(ask.id, receipt)).unwrap();
}

/// The agent is gone before it has the answer.
fn undelivered(scene: &Scene, name: &str) {
    let ask = scene.asks("claude-code", way(name));
    scene.answer_elsewhere(ask.id, "Left");
    let agent = scene.hub.agent();
    scene.runtime.block_on(agent.withdraw(ask.id, Some("it crashed".into()))).unwrap();
}

fn is_selected(screen: &str, mark: char, name: &str) -> bool {
    selected(screen).is_some_and(|(_, line)| line.contains(mark) && line.contains(name))
}

#[test]
fn it_comes_first_says_what_happened_and_can_be_dismissed() {
    let scene = Scene::new((80, 24));
    scene.asks("claude-code", way("River"));
    doubted(&scene, "Road");
    overruled(&scene, "Bridge");
    undelivered(&scene, "Tunnel");
    scene.inbox();
    let words = [
        ("Road", "⚠ The agent went on, but nobody gave this answer: it came after 0.1 s", "Left"),
        ("Bridge", "⚠ The agent took another answer:\n✔ Bridge: Right", "Left"),
        ("Tunnel", "⚠ Nobody can say that the agent has this answer: it crashed", "Left"),
    ];
    for (left, (name, what, given)) in words.into_iter().enumerate().map(|(n, one)| (3 - n, one)) {
        let screen = scene.tmux.wait_until("an alarm on top", |screen| {
            is_selected(screen, '⚠', name) && screen.contains("enter open")
        });
        assert_eq!(selected(&screen).unwrap().0, 1, "it is the first line:\n{screen}");
        assert!(screen.contains(&format!("1 waits · ⚠ {left} to look at")), "{screen}");
        scene.tmux.press(&["Enter"]);
        let screen = scene.tmux.wait_for(what);
        assert!(screen.contains(&format!("✔ {name}: {given}")), "what was given:\n{screen}");
        scene.tmux.press(&["x"]);
    }
    let screen = scene.tmux.wait_until("only what waits", |screen| !screen.contains('⚠'));
    assert!(is_selected(&screen, '?', "River") && screen.contains("1 waits"), "{screen}");
    scene.leave();
}

#[test]
fn one_that_comes_later_comes_on_top_and_takes_no_focus() {
    let mut scene = Scene::new((80, 24));
    scene.asks("claude-code", way("River"));
    scene.inbox();
    let alarm = doubted(&scene, "Road");
    let screen = scene.tmux.wait_for("⚠ 1 to look at");
    assert!(is_selected(&screen, '?', "River"), "{screen}");
    let line = |text: &str| screen.lines().position(|line| line.contains(text)).unwrap();
    assert!(line("Road: Which way") < line("River: Which way"), "{screen}");
    scene.tmux.press(&["Up", "x"]);
    scene.tmux.wait_until("it is gone", |screen| !screen.contains("Road"));
    // Dismissed, it stays away, whatever is told of it again.
    scene.hub.kill();
    scene.tmux.wait_for("the hub is away");
    scene.hub.restart();
    scene.asks("claude-code", way("Bridge"));
    let screen = scene.tmux.wait_for("Bridge: Which way");
    assert!(!screen.contains("Road"), "{screen}");
    assert!(scene.get(alarm.id).doubt().is_some());
    scene.leave();
}

//! From the inbox to the browser: where it leads, and an address that can be taken along.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use handraise_testkit::Browser;

use crate::inbox_scene::{Scene, way};

/// The one address on the screen with this in it. It is looked for in lines as they were written: a line that
/// the terminal broke by itself is one for whoever copies it.
fn address(scene: &Scene, part: &str) -> String {
    scene.tmux.wait_until(part, |screen| screen.contains(part) && screen.contains("key goes back"));
    let screen = scene.tmux.history();
    let found: Vec<&str> = screen.lines().filter(|line| line.contains(part)).collect();
    assert_eq!(found.len(), 1, "{screen}");
    found[0].to_owned()
}

#[test]
fn an_address_is_one_line_from_the_first_column_at_every_width() {
    for size in [(80, 24), (60, 20), (40, 12), (200, 50)] {
        let scene = Scene::new(size);
        let ask = scene.asks("claude-code", way("Road"));
        scene.inbox();
        scene.tmux.press(&["o"]);
        let login = address(&scene, "#login=");
        let (hub, secret) = login.split_once("/#login=").unwrap();
        assert_eq!(hub, scene.hub.process().url(), "{size:?}");
        assert_eq!(secret.len(), 43, "{size:?}");
        assert!(login.len() < 80, "it fits a line of most terminals: {login}");
        scene.tmux.press(&["Escape"]);
        scene.tmux.wait_for("enter open");
        scene.tmux.press(&["Enter"]);
        scene.tmux.wait_until("an open ask", |screen| {
            screen.contains("╭─ Road ─╮") && !screen.contains("enter open")
        });
        scene.tmux.press(&["o"]);
        assert_eq!(address(&scene, "/ask/"), format!("{hub}/#/ask/{}", ask.id), "{size:?}");
    }
}

#[test]
fn a_link_from_an_ask_leads_to_it() {
    let scene = Scene::new((80, 24));
    for name in ["Road", "River", "Bridge", "Tunnel", "Ferry"] {
        scene.asks("claude-code", way(name));
    }
    let last = scene.asks("claude-code", way("Train"));
    scene.inbox();
    scene.tmux.press(&["End", "Enter"]);
    scene.tmux.wait_for("╭─ Train ─╮");
    scene.tmux.press(&["o"]);
    let link = address(&scene, "#login=");
    // Among so many, the last ones come folded: only the one a link leads to can be answered at once.
    let mut page = Browser::by_link(&link);
    page.card(last.id).check("Right").click("Submit");
    assert_eq!(scene.resolution(last.id)["answers"][0]["selected"][0], "Right");
    scene.tmux.press(&["Escape"]);
    let screen = scene.tmux.wait_for("n next that waits");
    assert!(screen.contains("● Answered by ann in the browser:"), "{screen}");
    // And one that has ended is found where ended ones are.
    scene.tmux.press(&["o"]);
    let link = address(&scene, "#login=");
    Browser::by_link(&link).see("History").see("Which way for Train?");
}

#[test]
fn where_there_is_a_display_a_browser_is_opened_at_the_ask_and_without_a_secret() {
    let scene = Scene::new((80, 24));
    let ask = scene.asks("claude-code", way("Road"));
    let (program, opened) = (scene.directory().join("xdg-open"), scene.directory().join("opened"));
    fs::write(&program, format!("#!/bin/sh\necho \"$*\" >> {}\n", opened.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    scene.tmux.type_line(&format!(
        "unset SSH_CONNECTION SSH_TTY; export DISPLAY=:7 PATH={}:$PATH",
        scene.directory().display()
    ));
    let wait_opened = |expected: &str| {
        scene.tmux.wait_until(expected, |_| {
            fs::read_to_string(&opened).is_ok_and(|text| text == expected)
        });
    };
    scene.inbox();
    scene.tmux.press(&["o"]);
    scene.tmux.wait_for("Opened in the browser.");
    let dashboard = format!("{}/", scene.hub.process().url());
    wait_opened(&format!("{dashboard}\n"));
    scene.tmux.press(&["Escape"]);
    scene.tmux.wait_for("enter open");
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("╭─ Road ─╮");
    scene.tmux.press(&["o"]);
    scene.tmux.wait_for("Opened in the browser.");
    wait_opened(&format!("{dashboard}\n{dashboard}#/ask/{}\n", ask.id));
}

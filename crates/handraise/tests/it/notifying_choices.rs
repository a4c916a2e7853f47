//! What a person chose about being tapped on the shoulder: once more, and with how many words.

use handraise_testkit::Desktop;
use serde_json::json;

use crate::notifying_scene::{Scene, notes, wait_lines};

#[test]
fn an_ask_that_nobody_answers_is_shown_once_more() {
    let directory = tempfile::tempdir().unwrap();
    let (program, file) = notes(directory.path());
    let config = format!("[notify]\nremind_after = '1s'\ncommand = ['{}']", program.display());
    let scene = Scene::with(Desktop::start(), &config);
    let ask = scene.ask("api", "One?");
    // The same notification, with new words, and as new as one that has just come.
    let shown = scene.desktop.wait_until("reminder", |shown| {
        shown.len() == 1 && shown[0].body.starts_with("Still waits, for ")
    });
    assert!(shown[0].body.ends_with(" now. Auth: One?"), "{shown:?}");
    scene.desktop.wait_drawn("1");
    let told = wait_lines(&file, 2);
    let what = |n: usize| (told[n]["event"].clone(), told[n]["reason"].clone());
    assert_eq!(what(0), (json!("opened"), json!("opened")));
    assert_eq!(what(1), (json!("again"), json!("waiting")));
    assert!(told.iter().all(|told| told["id"] == ask.to_string()), "{told:?}");
    scene.answer(ask);
    scene.desktop.wait_bodies(&[]);
    let told = wait_lines(&file, 3);
    assert_eq!(told[2]["event"], "withdrawn", "once, and no more: {told:?}");
}

#[test]
fn nothing_that_an_agent_wrote_is_shown_where_a_person_wants_only_the_project() {
    let directory = tempfile::tempdir().unwrap();
    let (program, file) = notes(directory.path());
    let config = format!("[notify]\ntext = 'project'\ncommand = ['{}']", program.display());
    let scene = Scene::with(Desktop::start(), &config);
    scene.ask("api", "Which auth method should the API use?");
    let shown = scene.desktop.wait_bodies(&["asks something"]);
    assert_eq!(shown[0].title, "api · claude-code");
    let told = wait_lines(&file, 1).remove(0);
    assert_eq!(told["asker"]["directory"], "/dev/api");
    assert_eq!((&told["event"], &told["state"]), (&json!("opened"), &json!("open")));
    for theirs in ["auth", "JWT", "Sessions", "login"] {
        assert!(!told.to_string().contains(theirs), "{theirs}: {told}");
    }
    // Also not where many come at once.
    for n in 1..=5 {
        scene.ask(&format!("p{n}"), "Which one?");
    }
    scene.desktop.wait_until("crowd", |shown| {
        shown.iter().any(|shown| shown.title.ends_with(" agents ask"))
    });
    for shown in scene.desktop.shown() {
        assert!(!format!("{shown:?}").contains("Which"), "{shown:?}");
    }
    for told in wait_lines(&file, 6) {
        assert!(!told.to_string().contains("Which"), "{told}");
    }
}

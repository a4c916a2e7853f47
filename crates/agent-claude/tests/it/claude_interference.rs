//! Somebody or something comes between two keys: no key lands where it was not meant to.

use std::sync::atomic::{AtomicUsize, Ordering};

use handraise_agent_claude::screen::Stopped;
use handraise_testkit::Block;
use serde_json::json;

use crate::scene::{Asked, Scene, auth, database, features};

const SIZE: (u16, u16) = (80, 24);

/// Words, then several choices, then the review: seven things to do.
const STEPS: usize = 7;

fn long(scene: &Scene) -> Asked {
    scene.ask(&[database(), features()])
}

fn answers() -> serde_json::Value {
    json!([{"words": "use DuckDB"}, {"selected": ["Auth", "Search"]}])
}

/// Types the long answer, and lets `interfere` come before step `at`.
fn interrupted(scene: &Scene, asked: &Asked, at: usize, interfere: impl Fn() + Sync) -> Stopped {
    let told = AtomicUsize::new(0);
    let stopped = scene.type_in(asked, &asked.answers(answers()), &|step| {
        told.store(step, Ordering::Relaxed);
        if step == at {
            interfere();
        }
    });
    let stopped = stopped.unwrap_err();
    assert_eq!(told.load(Ordering::Relaxed), at, "{stopped:?}");
    stopped
}

/// No question is open, and nothing was typed where prompts are.
fn composer_is_empty(scene: &Scene) {
    let screen = scene.session.wait_closed();
    let rule = |line: &&str| line.starts_with("──────");
    let lines: Vec<_> = screen.lines().collect();
    let last = lines.iter().rposition(rule).unwrap();
    assert_eq!(lines[last - 1].trim(), "❯", "{screen}");
}

/// A person presses a key, and it has done what it does. Above a dialog other things may move.
fn press(scene: &Scene, key: &str) {
    let dialog = |screen: &str| {
        let lines: Vec<_> = screen.lines().collect();
        let prompt = lines.iter().rposition(|line| line.starts_with("❯ SCRIPT"));
        lines[prompt.unwrap_or_default()..].join("\n")
    };
    let before = dialog(&scene.session.screen());
    scene.session.press(key);
    scene.session.wait_until("change", |screen| dialog(screen) != before);
}

/// Leaves the dialog the way a person does.
fn leave(scene: &Scene, asked: &Asked) {
    press(scene, "Escape");
    composer_is_empty(scene);
    assert!(scene.wait_outcome(asked).rejected);
}

#[test]
fn a_key_of_somebody_else_stops_it_between_any_two_keys() {
    let scene = Scene::of_size(SIZE);
    for at in 0..STEPS {
        let asked = long(&scene);
        // What it does depends on where it comes: it ticks, moves, or is written.
        let key = match at {
            0 => "Tab",
            1 | 2 => "x",
            3 | 4 => "2",
            _ => "Down",
        };
        let stopped = interrupted(&scene, &asked, at, || press(&scene, key));
        let said = "somebody else is answering in the session's own dialog";
        assert_eq!((stopped.why.as_str(), stopped.partly), (said, at > 0), "before step {at}");
        assert!(asked.outcome().is_none(), "before step {at}");
        leave(&scene, &asked);
    }
}

#[test]
fn leaving_the_dialog_stops_it_between_any_two_keys() {
    let scene = Scene::of_size(SIZE);
    for at in 0..STEPS {
        let asked = long(&scene);
        let escape = || {
            press(&scene, "Escape");
            scene.session.wait_closed();
        };
        let stopped = interrupted(&scene, &asked, at, escape);
        // What is written down may come a moment after what is seen.
        let said =
            ["the session no longer waits for it", "its dialog is not on the screen any more"];
        assert!(said.contains(&stopped.why.as_str()), "before step {at}: {stopped:?}");
        composer_is_empty(&scene);
        assert!(scene.wait_outcome(&asked).rejected);
    }
}

#[test]
fn scrolling_stops_it_between_any_two_keys() {
    let scene = Scene::of_size(SIZE);
    let tmux = scene.session.tmux();
    for at in 0..STEPS {
        let asked = long(&scene);
        let stopped = interrupted(&scene, &asked, at, || tmux.copy_mode(true));
        assert_eq!(stopped.why, "somebody scrolls in its pane (tmux copy mode)");
        tmux.copy_mode(false);
        assert!(asked.outcome().is_none());
        leave(&scene, &asked);
    }
}

#[test]
fn a_window_of_another_size_is_read_anew() {
    let scene = Scene::of_size(SIZE);
    let tmux = scene.session.tmux();
    for at in 0..STEPS {
        let asked = long(&scene);
        let (columns, rows) = if at % 2 == 0 { (61, 17) } else { (90, 30) };
        let typed = scene.type_in(&asked, &asked.answers(answers()), &|step| {
            if step == at {
                tmux.resize(columns, rows);
            }
        });
        match typed {
            Ok(typed) => {
                let outcome = asked.outcome().unwrap();
                assert!(typed.was_taken(&asked.ask, &outcome.result), "{:#}", outcome.result);
                scene.model.wait_result(&asked.tag);
                composer_is_empty(&scene);
            }
            Err(stopped) => {
                assert!(asked.outcome().is_none(), "{stopped:?}");
                leave(&scene, &asked);
            }
        }
    }
}

#[test]
fn the_end_of_the_session_stops_it_between_any_two_keys() {
    for at in [0, 1, 3, 6] {
        let scene = Scene::of_size(SIZE);
        let asked = long(&scene);
        let stopped = interrupted(&scene, &asked, at, || scene.session.kill());
        let said = ["the pane", "the session's process", "its dialog"];
        assert!(said.iter().any(|said| stopped.why.starts_with(said)), "{stopped:?}");
        assert!(asked.outcome().is_none());
    }
}

#[test]
fn an_answer_in_the_dialog_and_the_next_question_stop_it_between_any_two_keys() {
    let scene = Scene::of_size(SIZE);
    // The next question looks just like the first, or different.
    for next in [auth(), database()] {
        for at in 0..3 {
            let turns =
                vec![vec![Block::ask(&json!([database()]))], vec![Block::ask(&json!([next]))]];
            let asked = scene.play(turns);
            let person = || {
                // Before the text is open a digit answers; then what is written is sent.
                let keys: &[&str] = if at == 0 { &["2"] } else { &["y", "Enter"] };
                for key in keys {
                    press(&scene, key);
                }
                scene.session.wait_dialog(next["question"].as_str().unwrap());
            };
            let words = asked.answers(json!([{"words": "use DuckDB"}]));
            let stopped = scene.type_in(&asked, &words, &|step| {
                if step == at {
                    person();
                }
            });
            let stopped = stopped.unwrap_err();
            assert_eq!(stopped.why, "the session no longer waits for it");
            let second = scene.pending(&asked.tag);
            // Nothing was chosen, nothing written there.
            let screen = scene.session.screen();
            assert!(screen.contains("❯ 1. ") && screen.contains(". Type something."), "{screen}");
            leave(&scene, &second);
        }
    }
}

#[test]
fn panes_that_share_their_keys_are_not_typed_into() {
    let scene = Scene::of_size(SIZE);
    let asked = long(&scene);
    let tmux = scene.session.tmux();
    let stopped = interrupted(&scene, &asked, 3, || tmux.synchronize(true));
    assert_eq!(stopped.why, "its pane is synchronised with others, or takes no keys");
    tmux.synchronize(false);
    leave(&scene, &asked);
}

#[test]
fn somebody_at_that_terminal_is_waited_for_and_then_comes_first() {
    let scene = Scene::of_size(SIZE);
    let person = scene.session.tmux().attach();
    let asked = long(&scene);
    scene.session.wait_dialog("Which database should we use?");
    // They look around before anything is typed: it waits until they rest.
    person.type_text("j");
    scene.session.wait_for("❯ 2. SQLite");
    let text = scene.answer(&asked, answers());
    assert!(text.contains(r#"="use DuckDB""#), "{text}");
    // They press a key that does nothing between two of ours: they are there.
    let asked = long(&scene);
    let stopped = interrupted(&scene, &asked, 4, || person.type_text("9"));
    assert_eq!(stopped.why, "somebody is at work in that terminal");
    leave(&scene, &asked);
}

/// The document's way: the text of the label, then Enter.
#[test]
fn the_label_and_enter_would_choose_what_nobody_meant() {
    let scene = Scene::of_size(SIZE);
    let asked = scene.ask(&[database()]);
    scene.session.wait_dialog("Which database should we use?");
    scene.session.type_text("MySQL");
    scene.session.press("Enter");
    // Nobody wanted Postgres, and no error says so.
    let result = scene.model.wait_result(&asked.tag);
    assert!(result.text.contains(r#""Which database should we use?"="Postgres""#), "{result:?}");
    assert!(!result.is_error);
    scene.wait_outcome(&asked);
    // Where several can be chosen it ticks the first, and the dialog stays.
    let asked = scene.ask(&[features()]);
    scene.session.wait_dialog("Which features do you want?");
    scene.session.type_text("Search");
    scene.session.press("Enter");
    scene.session.wait_for("[✔] Auth");
    assert!(asked.outcome().is_none());
    leave(&scene, &asked);
}

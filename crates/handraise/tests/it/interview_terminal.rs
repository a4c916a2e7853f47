//! `handraise interview` as a person sees it: in tmux, with and without a hub.

use handraise_broker::{Reply, State};
use handraise_testkit::{Block, Tmux};
use serde_json::json;

use crate::interview_scene::{InterviewScene, KEY, asks, closes, method, providers, storage, task};

/// Types the command into a shell that has no agent among its ancestors.
fn type_command(scene: &InterviewScene, tmux: &Tmux, args: &str) {
    let program = env!("CARGO_BIN_EXE_handraise");
    let data = scene.hub.data();
    let url = scene.model.url();
    tmux.type_line(&format!(
        "clear; ANTHROPIC_API_KEY={KEY} ANTHROPIC_BASE_URL={url} {program} interview --data {data} \
         {args}; echo code=$?"
    ));
}

#[test]
fn questions_are_answered_at_the_terminal_alone() {
    let mut scene = InterviewScene::new(vec![
        asks(&[method()]),
        vec![Block::text("Now the providers."), Block::ask(&json!([providers()]))],
        closes(),
    ]);
    scene.hub.kill();
    let tmux = Tmux::start(scene.directory.path(), (90, 40));
    type_command(&scene, &tmux, &format!("'{}'", task()));
    let screen = tmux.wait_for("Which authentication method?");
    assert!(screen.contains("A word before."), "{screen}");
    assert!(screen.contains("Ask 1 of at most 12"), "{screen}");
    tmux.press(&["Down", "Enter"]);
    let screen = tmux.wait_for("Which providers?");
    assert!(screen.contains("Now the providers."), "{screen}");
    assert!(screen.contains("Ask 2 of at most 12, 1 decision so far"), "{screen}");
    tmux.press(&["Space", "Down", "Space", "Enter"]);
    tmux.wait_for("code=0");
    let text = scene.specification();
    assert!(text.contains("- Decided: **JWT**"), "{text}");
    assert!(text.contains("- Decided: **Google**, **GitHub**"), "{text}");
    assert_eq!(text.matches("Decided by: whoever was there, at the terminal").count(), 2, "{text}");
    assert!(!tmux.screen().contains("thinking"), "{}", tmux.screen());
}

#[test]
fn left_by_ctrl_c_it_goes_on_at_the_same_question() {
    for hub in [true, false] {
        let mut scene = InterviewScene::new(vec![asks(&[method()]), asks(&[storage()]), closes()]);
        if !hub {
            scene.hub.kill();
        }
        let tmux = Tmux::start(scene.directory.path(), (90, 40));
        type_command(&scene, &tmux, &format!("'{}'", task()));
        tmux.wait_for("Which authentication method?");
        tmux.press(&["Down", "Enter"]);
        tmux.wait_for("Where are sessions kept?");
        tmux.press(&["C-c"]);
        let screen = tmux.wait_for("code=130");
        assert!(
            screen.contains("Nothing is lost. Go on with: handraise interview --resume"),
            "{screen}"
        );
        if hub {
            assert!(scene.asks(&[State::Open]).is_empty(), "nobody would hear an answer");
        }
        type_command(&scene, &tmux, "--resume");
        let screen = tmux.wait_for("Where are sessions kept?");
        assert!(!screen.contains("Which authentication method?"), "{screen}");
        // What was decided and what the model said before it asked are there again.
        assert!(screen.contains("✔ Auth Method: JWT"), "{screen}");
        assert!(screen.contains("A word before."), "{screen}");
        tmux.press(&["Down", "Enter"]);
        tmux.wait_for("code=0");
        let text = scene.specification();
        assert_eq!(text.matches("- Decided: **JWT**").count(), 1, "{text}");
        assert_eq!(text.matches("- Decided: **Cookie**").count(), 1, "{text}");
        assert_eq!(scene.model.tool_results().len(), 2);
    }
}

#[test]
fn the_browser_may_be_faster_than_the_terminal() {
    let scene = InterviewScene::new(vec![asks(&[method()]), asks(&[storage()]), closes()]);
    let tmux = Tmux::start(scene.directory.path(), (90, 40));
    type_command(&scene, &tmux, &format!("'{}'", task()));
    tmux.wait_for("Which authentication method?");
    scene.answer(json!([{"selected": ["JWT"]}]));
    tmux.wait_for("Where are sessions kept?");
    let open = scene.wait_open();
    scene.reply(&open, Reply::Decline(None));
    tmux.wait_for("code=0");
    let text = scene.specification();
    assert!(text.contains("Decided by: ann, by the API"), "{text}");
    assert!(text.contains("- Where are sessions kept? (declined by ann)"), "{text}");
}

//! The real Claude Code asks, and no hub runs yet.

use handraise_broker::State;
use serde_json::json;

use crate::autostart::end_hub;
use crate::claude_scene::{DEFAULT, Scene, chosen, database};
use crate::service_scene::wait;

#[test]
fn the_first_question_of_claude_code_starts_a_hub_that_stays_when_it_leaves() {
    let scene = Scene::without_hub();
    let home = scene.hub.home();
    home.create().unwrap();
    std::fs::write(home.config(), "person = \"ann\"\nhub.autostart = true\n").unwrap();
    let session = scene.session(DEFAULT);
    scene.greet(&session);
    assert!(home.hub().is_none(), "nothing was asked yet");
    scene.put(&session, "one", &[database()]);
    let hub = wait("hub", || home.hub());
    let ask = scene.wait_open(1).remove(0);
    assert!(ask.opened.key.as_ref().unwrap().contains("toolu_"), "the call was noted: {ask:?}");
    scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    assert_eq!(scene.model.wait_result("one").text, chosen(&[(&database(), "SQLite")]));
    assert_eq!(scene.wait_seen(ask.id).state(), State::Delivered);
    session.close_terminal();
    session.wait_ended();
    drop(session);
    assert_eq!(home.hub(), Some(hub));
    end_hub(&scene.hub);
}

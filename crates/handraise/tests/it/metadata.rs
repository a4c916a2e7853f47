//! What an agent sends beside its questions, from the agent to the store and back.

use std::fs;

use handraise_testkit::Program;
use serde_json::json;

use crate::http::Call;
use crate::run_scene::RunScene;
use crate::watched_hub::WatchedHub;

const QUESTIONS: &str =
    r#"[ {"question":"Which auth?", "options":[{"label":"JWT"},{"label":"Sessions"}]} ]"#;
/// Another byte for byte than any JSON writer would write it.
const METADATA: &str = r#"{ "source" :"caf\u00e9", "n":1.50 }"#;

#[test]
fn the_api_keeps_metadata_byte_for_byte_over_a_restart() {
    let hub = WatchedHub::start();
    let body = format!(
        r#"{{"asker":{{"agent":"tester"}},"questions":{QUESTIONS},"metadata":{METADATA}}}"#
    );
    let asked =
        hub.call(&Call::post("/api/v1/asks").token(&hub.agent).body("application/json", body));
    assert_eq!(asked.status, 201, "{}", asked.text);
    let id = asked.json()["id"].as_str().unwrap().to_owned();
    let wanted = format!("\"metadata\":{METADATA}");
    assert!(asked.text.contains(&wanted), "{}", asked.text);
    let hub = hub.restart();
    for path in [format!("/api/v1/asks/{id}"), "/api/v1/asks".to_owned()] {
        let found = hub.call(&Call::get(&path).token(&hub.person));
        assert!(found.text.contains(&wanted), "{path}: {}", found.text);
    }
    hub.end();
}

#[test]
fn ask_prints_metadata_as_it_was_sent_and_odd_metadata_stops_nothing() {
    let run = RunScene::without_run("");
    let file = run.project.join("questions.json");
    let long = format!(r#"{{"source":"{}"}}"#, "x".repeat(20_000));
    for (metadata, is_kept, is_echoed) in
        [(METADATA, true, true), (&long, false, true), ("7", false, false)]
    {
        fs::write(&file, format!(r#"{{"questions":{QUESTIONS},"metadata":{metadata}}}"#)).unwrap();
        let mut line = run.scene.hub.command();
        line.args(["ask", "--via", "hub", "--format", "claude"]).arg(&file);
        let asking = Program::spawn(&mut line, "");
        let open = run.scene.wait_open(1).remove(0);
        let kept = open.matter().metadata().map(|raw| raw.get().to_owned());
        assert_eq!(kept, is_kept.then(|| metadata.to_owned()));
        run.scene.answer(open.id, json!([{"selected": ["JWT"]}]));
        let ended = asking.wait_exit();
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
        let echo = format!("\"metadata\":{metadata}");
        assert_eq!(ended.stdout.contains(&echo), is_echoed, "{}", ended.stdout);
        assert!(ended.stdout.contains(QUESTIONS), "{}", ended.stdout);
    }
}

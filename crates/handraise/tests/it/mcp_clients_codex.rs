//! The real Codex asks through `handraise mcp`.

use handraise_broker::Reply;
use handraise_testkit::{Block, McpClient, database_question as database, one_of};
use serde_json::{Value, json};

use crate::mcp_clients_scene::{Scene, TAG, read};

const CODEX: McpClient = McpClient::Codex;

#[test]
fn codex_lists_the_server() {
    let scene = Scene::new(CODEX);
    let listed = handraise_testkit::Program::run(&mut scene.agent.command(&["mcp", "list"]));
    assert!(listed.stdout.contains("handraise"), "{}{}", listed.stdout, listed.stderr);
}

#[test]
fn the_model_reads_exactly_what_was_chosen() {
    let scene = Scene::new(CODEX);
    let codex = scene.ask(&[database()]);
    let ask = scene.wait_open();
    assert_eq!(ask.asker().agent, "codex");
    scene.answer(ask.id, json!([{ "selected": ["SQLite"] }]));
    let result = scene.model.wait_result(TAG);
    println!("{}", read(CODEX, &result));
    scene.wait_delivered(ask.id);
    assert!(codex.wait_exit().status.success());
}

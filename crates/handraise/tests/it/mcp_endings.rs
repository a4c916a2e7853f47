//! Whatever ends, nothing stays open that nobody waits for; a hub that comes back is waited for.

use std::time::Duration;

use handraise_broker::State;
use handraise_testkit::pause;
use rustix::process::Signal;
use serde_json::json;

use crate::mcp_scene::{Scene, failure, one, structured, text};

#[test]
fn a_client_that_leaves_takes_its_questions_back_and_the_server_ends_well() {
    let scene = Scene::new();
    let mut client = scene.client(&["--patience", "1s"]);
    // One that a call waits for, and one that has a ticket.
    client.called("ask_user", &one("First?"));
    client.ask("Second?");
    let asks = scene.wait_open(2);
    client.hang_up();
    let ended = client.ended();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    assert!(ended.after < Duration::from_secs(2), "it took {:?}", ended.after);
    assert_eq!(ended.stderr, "");
    for ask in asks {
        assert_eq!(scene.wait_withdrawn(ask.id), "the agent's client closed the connection");
    }
}

#[test]
fn signals_end_it_as_well() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let scene = Scene::new();
        let mut client = scene.client(&[]);
        client.ask("Go?");
        let ask = scene.the_ask();
        client.signal(signal);
        let ended = client.ended();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
        assert_eq!(scene.wait_withdrawn(ask.id), "the MCP server was ended");
    }
}

#[test]
fn an_answer_nobody_came_for_is_undelivered_when_the_client_leaves() {
    let scene = Scene::new();
    let mut client = scene.client(&["--patience", "1s"]);
    client.called("ask_user", &one("Go?"));
    let ask = scene.the_ask();
    scene.answer(ask.id, json!([{"selected": ["yes"]}]));
    client.hang_up();
    assert_eq!(client.ended().status.code(), Some(0));
    scene.wait_state(ask.id, State::Undelivered);
}

#[test]
fn a_hub_that_is_killed_and_comes_back_brings_the_answer() {
    let mut scene = Scene::new();
    let mut client = scene.client(&["--patience", "30s"]);
    let call = client.ask("Go?");
    let ask = scene.the_ask();
    scene.hub.kill();
    client.settle();
    scene.hub.restart();
    scene.answer(ask.id, json!([{"selected": ["yes"]}]));
    let result = client.result(&call);
    assert_eq!(structured(&result)["answers"][0]["selected"], json!(["yes"]));
    scene.wait_state(ask.id, State::Delivered);
}

#[test]
fn a_ticket_survives_a_hub_that_is_killed() {
    let mut scene = Scene::new();
    let mut client = scene.client(&["--patience", "1s"]);
    let result = client.called("ask_user", &one("Go?"));
    let ticket = structured(&result)["ticket"].clone();
    scene.hub.kill();
    // Whether or not the hub is there, the question is.
    let result = client.called("wait_answer", &json!({"ticket": ticket}));
    assert_eq!(structured(&result)["status"], "pending");
    scene.hub.restart();
    let ask = scene.the_ask();
    scene.answer(ask.id, json!([{"selected": ["no"]}]));
    let result = client.called("wait_answer", &json!({"ticket": ticket}));
    assert_eq!(structured(&result)["answers"][0]["selected"], json!(["no"]));
    scene.wait_state(ask.id, State::Delivered);
}

#[test]
fn without_a_hub_there_are_tools_and_the_model_is_told_that_nobody_can_be_asked() {
    let mut scene = Scene::without_hub("");
    let mut client = scene.client(&[]);
    client.say(&json!({"jsonrpc": "2.0", "id": "list", "method": "tools/list"}));
    assert_eq!(client.result(&json!("list"))["tools"].as_array().unwrap().len(), 2);
    let result = client.called("ask_user", &one("Go?"));
    let said = failure(&result);
    assert!(said.contains("Nobody chose anything"), "{said}");
    let home = scene.hub.home().directory().display();
    assert!(said.contains(&format!("handraise serve --data {home}")), "{said}");
    // As soon as there is one, it is used.
    scene.hub.restart();
    let call = client.ask("Go?");
    scene.answer(scene.the_ask().id, json!([{"selected": ["yes"]}]));
    assert!(text(&client.result(&call)).contains("Chosen: yes"));
}

#[test]
fn a_hub_that_hangs_keeps_no_server_from_ending() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    client.ask("Go?");
    scene.the_ask();
    let hub = rustix::process::Pid::from_raw(i32::try_from(scene.hub.pid()).unwrap()).unwrap();
    pause(scene.hub.pid());
    client.hang_up();
    let ended = client.ended();
    rustix::process::kill_process(hub, Signal::CONT).unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert!(ended.after < Duration::from_secs(5), "it took {:?}", ended.after);
}

//! A client that cannot wait as long as a person takes gets a ticket, and with it the answer.

use std::thread;

use handraise_broker::{Hub, Power, Resolved, State};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::mcp_scene::{Client, Scene, failure, one, structured, text, wait};

/// Asks, and returns the ticket that comes of it.
fn ticket(client: &mut Client, question: &str) -> String {
    let result = client.called("ask_user", &one(question));
    let pending = structured(&result);
    assert_eq!(pending["status"], "pending");
    let ticket = pending["ticket"].as_str().unwrap().to_owned();
    assert!(text(&result).contains(&ticket), "{result}");
    assert!(text(&result).contains("Do not choose for the person"), "{result}");
    ticket
}

#[test]
fn a_ticket_brings_the_answer_as_often_as_it_is_asked_for() {
    let scene = Scene::new();
    let mut client = scene.client(&["--patience", "1s"]);
    let ticket = ticket(&mut client, "Go?");
    let again = client.called("wait_answer", &json!({"ticket": ticket}));
    assert_eq!(structured(&again)["status"], "pending");
    assert_eq!(structured(&again)["ticket"], ticket.as_str());
    let ask = scene.the_ask();
    assert_eq!(ask.id.to_string(), ticket);
    let call = client.call("wait_answer", &json!({"ticket": ticket}));
    scene.answer(ask.id, json!([{"selected": ["yes"]}]));
    let first = client.result(&call);
    assert_eq!(structured(&first)["answers"][0]["selected"], json!(["yes"]));
    scene.wait_state(ask.id, State::Delivered);
    assert_eq!(client.called("wait_answer", &json!({"ticket": ticket})), first);
    assert_eq!(client.called("wait_answer", &json!({"ticket": ticket})), first);
}

#[test]
fn an_answer_given_while_nobody_waited_is_there_for_the_ticket() {
    let scene = Scene::new();
    let mut client = scene.client(&["--patience", "1s"]);
    let ticket = ticket(&mut client, "Go?");
    let ask = scene.the_ask();
    scene.answer(ask.id, json!([{"words": "later"}]));
    // Nobody has taken it to the agent yet.
    assert_eq!(scene.get(ask.id).state(), State::Resolved);
    let result = client.called("wait_answer", &json!({"ticket": ticket}));
    assert_eq!(structured(&result)["answers"][0]["words"], "later");
    scene.wait_state(ask.id, State::Delivered);
}

#[test]
fn a_ticket_outlives_the_server_that_gave_it() {
    let scene = Scene::new();
    let mut client = scene.client(&["--patience", "1s"]);
    let ticket = ticket(&mut client, "Go?");
    client.signal(Signal::KILL);
    client.ended();
    let ask = scene.the_ask();
    let mut next = scene.client(&["--patience", "1s"]);
    let result = next.called("wait_answer", &json!({"ticket": ticket}));
    assert_eq!(structured(&result)["status"], "pending");
    scene.answer(ask.id, json!([{"selected": ["no"]}]));
    let result = next.called("wait_answer", &json!({"ticket": ticket}));
    assert_eq!(structured(&result)["answers"][0]["selected"], json!(["no"]));
    scene.wait_state(ask.id, State::Delivered);
    // And one that was answered long ago, from yet another server.
    let mut third = scene.client(&[]);
    assert_eq!(third.called("wait_answer", &json!({"ticket": ticket})), result);
}

#[test]
fn tickets_of_others_and_of_nobody_lead_nowhere() {
    let scene = Scene::new();
    let mut other = scene.silent_client(&["--patience", "1s"]);
    other.hello("2025-06-18", "codex-mcp-client");
    let theirs = ticket(&mut other, "Go?");
    let mut client = scene.client(&[]);
    for ticket in [theirs.as_str(), "01a1e5eb-d496-7520-9192-ee9373012da7"] {
        let result = client.called("wait_answer", &json!({"ticket": ticket}));
        assert!(failure(&result).contains("There is no question with this ticket"), "{result}");
    }
    for wrong in [json!({"ticket": "x"}), json!({"ticket": 1}), json!({}), json!([])] {
        let result = client.called("wait_answer", &wrong);
        assert!(failure(&result).contains("needed"), "{result}");
    }
    // One that somebody else waits for, of the same kind of agent.
    let mut rival = scene.silent_client(&[]);
    rival.hello("2025-06-18", "codex-mcp-client");
    let result = rival.called("wait_answer", &json!({"ticket": theirs}));
    assert!(failure(&result).contains("Another process waits"), "{result}");
}

#[test]
fn progress_goes_up_while_it_is_waited() {
    let scene = Scene::new();
    let mut client = scene.client(&["--patience", "2s"]);
    let call = client.call_with("ask_user", &one("Go?"), &json!({"progressToken": "p-1"}));
    let result = client.result(&call);
    assert_eq!(structured(&result)["status"], "pending");
    let told = client.rest();
    assert!(told.len() >= 2, "{told:#?}");
    let mut last = 0.0;
    for message in told {
        assert_eq!(message["method"], "notifications/progress");
        let params = &message["params"];
        assert_eq!(params["progressToken"], "p-1");
        assert!(params["message"].as_str().unwrap().starts_with("Waiting for the person ("));
        let progress = params["progress"].as_f64().unwrap();
        assert!(progress > last, "{params}");
        last = progress;
    }
    // Without a token there is none.
    let ticket = structured(&result)["ticket"].clone();
    client.called("wait_answer", &json!({"ticket": ticket}));
    assert_eq!(client.rest(), Vec::<Value>::new());
}

#[test]
fn a_call_that_is_taken_back_takes_the_question_back() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    let call = client.ask("Go?");
    let ask = scene.the_ask();
    client.cancel(&call, "the person pressed Esc");
    let why = scene.wait_withdrawn(ask.id);
    assert!(why.contains("took the call back"), "{why}");
    client.settle();
    assert_eq!(client.rest(), Vec::<Value>::new(), "a call that was taken back has no answer");
    assert!(scene.get(ask.id).last_receipt().is_none());
    // The server goes on.
    let call = client.ask("And now?");
    scene.answer(scene.the_ask().id, json!([{"selected": ["yes"]}]));
    assert_eq!(structured(&client.result(&call))["status"], "answered");
}

#[test]
fn a_wait_that_is_taken_back_takes_the_question_back() {
    let scene = Scene::new();
    let mut client = scene.client(&["--patience", "1s"]);
    let ticket = ticket(&mut client, "Go?");
    let ask = scene.the_ask();
    let call = client.call("wait_answer", &json!({"ticket": ticket}));
    client.cancel(&call, "");
    scene.wait_withdrawn(ask.id);
    let result = client.called("wait_answer", &json!({"ticket": ticket}));
    assert_eq!(structured(&result)["status"], "withdrawn");
}

#[test]
fn a_client_that_ran_out_of_time_is_answered_sooner_the_next_time() {
    let scene = Scene::new();
    let mut client = scene.silent_client(&[]);
    client.hello("2025-06-18", "gemini-cli-mcp-client");
    let call = client.ask("Go?");
    scene.the_ask();
    client.cancel(&call, "McpError: MCP error -32001: Request timed out");
    scene.wait_open(0);
    // Ten minutes are waited for this client, had it not shown that it has no such patience.
    let result = client.called("ask_user", &one("And now?"));
    assert_eq!(structured(&result)["status"], "pending");
}

#[test]
fn cancellations_and_answers_in_any_order_leave_no_question_open() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    for round in 0..20 {
        let call = client.ask(&format!("Round {round}?"));
        if round % 2 == 0 {
            let ask = scene.the_ask();
            thread::scope(|threads| {
                threads.spawn(|| {
                    let reply = handraise_testkit::answers(json!([{"selected": ["yes"]}]));
                    let person = scene.hub.client(Power::Person);
                    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
                    // Either of the two may be first.
                    let _ = runtime.block_on(person.reply(ask.id, reply, None));
                });
                client.cancel(&call, "race");
            });
            wait("word of what became of it", || {
                let record = scene.get(ask.id);
                let withdrawn = record.resolved().is_some_and(Resolved::is_withdrawn);
                (withdrawn || [State::Delivered, State::Undelivered].contains(&record.state()))
                    .then_some(())
            });
        } else {
            client.cancel(&call, "at once");
        }
        scene.wait_open(0);
    }
    client.settle();
}

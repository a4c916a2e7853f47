//! An agent that waits at the hub gets its answer, whatever becomes of the hub meanwhile.

use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use handraise_broker::{Hub, Power, Query, Record, Reply, State};
use handraise_client::HubFile;
use handraise_question::AnswerForm;
use handraise_testkit::{HubProcess, Program};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_handraise");
const AWAY: &str = "The hub is away; waiting for it to come back. The question is kept.\n";
const BACK: &str = "The hub is back.\n";

/// `handraise ask --via hub`, as an agent's script runs it.
fn asking(hub: &HubProcess) -> Program {
    let ask = json!({"questions": [{
        "question": "Which database?", "header": "Database",
        "options": [{"label": "PostgreSQL"}, {"label": "SQLite"}]}]});
    Program::spawn(hub.command().args(["ask", "--via", "hub", "-"]), &ask.to_string())
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// Waits for the one ask that is open, through the hub that is there.
fn the_ask(hub: &HubProcess) -> Arc<Record> {
    let query = Query { states: vec![State::Open], limit: 10, ..Query::default() };
    let mut open = block_on(hub.client(Power::Person).list(query)).unwrap();
    assert_eq!(open.len(), 1);
    open.remove(0)
}

fn answer(hub: &HubProcess, words: &str) {
    let form = AnswerForm { words: Some(words.into()), ..AnswerForm::default() };
    let (person, id) = (hub.client(Power::Person), the_ask(hub).id);
    block_on(person.reply(id, Reply::Answer(vec![form]), None)).unwrap();
}

/// The first thing the waiting command says.
fn waiting(hub: &HubProcess) -> String {
    let id = the_ask(hub).id.to_string();
    let short = &id[id.len() - 8..];
    let home = hub.home().directory().display();
    format!("Waiting for an answer. To give it: handraise answer --data {home} {short} …\n")
}

#[test]
fn a_waiting_command_rides_out_a_killed_hub_and_prints_the_answer() {
    let mut hub = HubProcess::start(Path::new(PROGRAM));
    let command = asking(&hub);
    command.wait_stderr("Waiting for an answer");
    let waiting = waiting(&hub);
    hub.kill();
    command.wait_stderr(AWAY);
    hub.restart();
    command.wait_stderr(BACK);
    // Once more, to see that it says so every time.
    hub.kill();
    command.wait_stderr(&format!("{BACK}{AWAY}"));
    hub.restart();
    command.wait_stderr(&format!("{BACK}{AWAY}{BACK}"));

    answer(&hub, "neither, \"nor\"\n🙋");
    let ended = command.wait_exit();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    let resolution: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(resolution["kind"], "answered");
    assert_eq!(resolution["answers"][0]["words"], "neither, \"nor\"\n🙋");
    assert_eq!(ended.stderr, format!("{waiting}{AWAY}{BACK}{AWAY}{BACK}"));
}

#[test]
fn an_answer_that_was_given_while_the_command_could_not_hear_it_is_waiting_for_it() {
    let mut hub = HubProcess::start(Path::new(PROGRAM));
    let command = asking(&hub);
    command.wait_stderr("Waiting for an answer");
    let waiting = waiting(&hub);
    command.signal(rustix::process::Signal::STOP);
    answer(&hub, "given");
    hub.kill();
    hub.restart();
    command.signal(rustix::process::Signal::CONT);
    let ended = command.wait_exit();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    let resolution: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(resolution["answers"][0]["words"], "given");
    assert!(ended.stderr.starts_with(&waiting), "{}", ended.stderr);
}

#[test]
fn a_hub_that_goes_away_in_the_middle_of_asking_is_asked_again() {
    let mut hub = HubProcess::start(Path::new(PROGRAM));
    hub.kill();
    // Whoever answers here takes the question and is gone, as a hub is that is killed just then.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    hub.home().announce(&HubFile::here(url)).unwrap();
    let command = asking(&hub);
    let (mut connection, _) = listener.accept().unwrap();
    let mut head = [0; 4];
    connection.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"POST");
    drop(listener);
    hub.restart();
    drop(connection);

    command.wait_stderr("Waiting for an answer");
    let waiting = waiting(&hub);
    answer(&hub, "once");
    let ended = command.wait_exit();
    assert_eq!((ended.status.code(), ended.stderr), (Some(0), waiting));
}

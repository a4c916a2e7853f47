//! At the terminal and at the hub at once: the first answer counts, and the other place says so.

use handraise_broker::{Hub, Query, Record, Reply, State};
use handraise_question::AnswerForm;
use handraise_testkit::Tmux;
use serde_json::Value;
use std::sync::Arc;
use tempfile::TempDir;

use crate::asking::database;
use crate::hub_at_work::HubAtWork;

struct Race {
    hub: HubAtWork,
    tmux: Tmux,
    directory: TempDir,
    runtime: tokio::runtime::Runtime,
}

impl Race {
    /// A prompt that is open in tmux: what runs there has no agent among its ancestors.
    fn start(args: &str) -> Self {
        let hub = HubAtWork::start();
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("ask.json"), database().to_string()).unwrap();
        let tmux = Tmux::start(directory.path(), (90, 30));
        let program = env!("CARGO_BIN_EXE_handraise");
        let data = hub.data();
        tmux.type_line(&format!(
            "clear; {program} ask --data {data} {args} ask.json > stdout; echo code=$?"
        ));
        tmux.wait_for("╰");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { hub, tmux, directory, runtime }
    }

    fn asks(&self, states: &[State]) -> Vec<Arc<Record>> {
        let query = Query { states: states.to_vec(), limit: 10, ..Query::default() };
        self.runtime.block_on(self.hub.agent().list(query)).unwrap()
    }

    fn only(&self, states: &[State]) -> Arc<Record> {
        let mut asks = self.asks(states);
        assert_eq!(asks.len(), 1);
        asks.remove(0)
    }

    fn stdout(&self) -> Value {
        let text = std::fs::read_to_string(self.directory.path().join("stdout")).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

#[test]
fn an_answer_at_the_terminal_is_the_hubs_answer() {
    let race = Race::start("");
    race.tmux.press(&["Down", "Enter"]);
    race.tmux.wait_for("code=0");
    let record = race.only(&[State::Delivered]);
    let resolved = record.resolved().unwrap();
    assert_eq!(resolved.resolution["answers"][0]["selected"][0], "MongoDB");
    let responder = resolved.responder.as_ref().unwrap();
    assert_eq!(responder.person.as_deref(), Some("ann"));
    assert_eq!(responder.proof.as_deref(), Some("tty"));
    assert_eq!(race.stdout()["answers"], resolved.resolution["answers"]);
    assert_eq!(race.stdout()["responder"]["surface"], "terminal");
}

#[test]
fn an_answer_from_elsewhere_closes_the_prompt_and_keeps_the_words_typed_there() {
    let race = Race::start("");
    race.tmux.press(&["4"]);
    race.tmux.wait_for("Please specify:");
    race.tmux.type_text("half a thou");
    race.tmux.wait_for("half a thou");
    let record = race.only(&[State::Open]);
    // What is typed is kept at the hub as well, as a draft of that person's.
    race.tmux.wait_until("the draft at the hub", |_| {
        let draft = race.runtime.block_on(race.hub.person().draft(record.id)).unwrap();
        draft.is_some_and(|draft| draft.answers[0].words.as_deref() == Some("half a thou"))
    });
    let form = AnswerForm { selected: vec!["SQLite".into()], ..AnswerForm::default() };
    let reply = Reply::Answer(vec![form]);
    race.runtime.block_on(race.hub.person().reply(record.id, reply, None)).unwrap();
    let screen = race.tmux.wait_for("code=0");
    assert!(screen.contains("● Answered elsewhere by ann"), "{screen}");
    assert!(screen.contains("✔ Database: SQLite"), "{screen}");
    assert!(screen.contains("You had typed: half a thou"), "{screen}");
    assert_eq!(race.stdout()["answers"][0]["selected"][0], "SQLite");
}

#[test]
fn ctrl_c_takes_the_ask_back_from_the_hub() {
    let race = Race::start("");
    race.tmux.press(&["C-c"]);
    race.tmux.wait_for("code=130");
    let record = race.only(&[State::Resolved]);
    assert_eq!(record.resolved().unwrap().kind(), "withdrawn");
}

#[test]
fn declining_at_the_terminal_declines_at_the_hub() {
    let race = Race::start("");
    race.tmux.press(&["Escape"]);
    race.tmux.wait_for("code=3");
    assert_eq!(race.only(&[State::Delivered]).resolved().unwrap().kind(), "declined");
}

#[test]
fn the_hubs_deadline_ends_both() {
    let race = Race::start("--timeout 1s");
    race.tmux.wait_for("code=4");
    let record = race.only(&[State::Delivered]);
    assert_eq!(record.resolved().unwrap().kind(), "no_answer");
    assert_eq!(race.stdout()["kind"], "no_answer");
}

//! A hub in one pane, ten asks in others, answered by a script.

use handraise_testkit::Tmux;
use serde_json::{Value, json};

use crate::asking::database;

const PROGRAM: &str = env!("CARGO_BIN_EXE_handraise");
const ASKS: usize = 10;

#[test]
fn ten_asks_in_ten_panes_are_answered_from_a_script() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().join("home").display().to_string();
    std::fs::write(directory.path().join("ask.json"), database().to_string()).unwrap();
    // Answers every ask that waits with its own id: each asker must get its own.
    let script = format!(
        "#!/bin/bash\nset -e\nfor id in $({PROGRAM} list --json | grep -o '\"id\":\"[^\"]*\"' | \
         cut -d'\"' -f4); do\n  {PROGRAM} answer $id --words \"for $id\"\ndone\necho all answered\n"
    );
    std::fs::write(directory.path().join("answer-all"), script).unwrap();

    let tmux = Tmux::start(directory.path(), (100, 40));
    tmux.type_line(&format!("export HANDRAISE_HOME={home} USER=ann"));
    tmux.type_line(&format!("{PROGRAM} serve --listen 127.0.0.1:0"));
    let screen = tmux.wait_for("Nothing is lost.");
    assert!(screen.contains("address  http://127.0.0.1:"), "{screen}");
    assert_eq!(screen.contains("/#login="), handraise_server::has_dashboard(), "{screen}");

    for n in 0..ASKS {
        tmux.new_window(directory.path(), &format!(
            "HANDRAISE_HOME={home} {PROGRAM} ask --via hub --title 'pane {n}' ask.json > got.{n}.tmp \
             && mv got.{n}.tmp got.{n}"
        ));
    }
    tmux.new_window(
        directory.path(),
        &format!("env HANDRAISE_HOME={home} bash --norc --noprofile"),
    );
    tmux.wait_until("all ten asks in the list", |_| waiting(&home) == ASKS);
    tmux.type_line("clear; bash answer-all");
    tmux.wait_for("all answered");
    let got = |n: usize| std::fs::read_to_string(directory.path().join(format!("got.{n}"))).ok();
    tmux.wait_until("ten answers", |_| (0..ASKS).all(|n| got(n).is_some()));

    let history = listed(&home, "history");
    assert_eq!(history.len(), ASKS);
    for n in 0..ASKS {
        let got: Value = serde_json::from_str(&got(n).unwrap()).unwrap();
        let title = format!("pane {n}");
        let ask = history.iter().find(|ask| ask["asker"]["title"] == *title).unwrap();
        let words = format!("for {}", ask["id"].as_str().unwrap());
        let answer = json!([{"selected": [], "words": words, "notes": null, "leftOpen": false}]);
        assert_eq!(got["answers"], answer);
        assert_eq!(got["responder"]["person"], "ann");
        assert_eq!(ask["state"], "delivered");
    }
    assert_eq!(waiting(&home), 0);
}

fn waiting(home: &str) -> usize {
    listed(home, "list").len()
}

fn listed(home: &str, command: &str) -> Vec<Value> {
    let mut program = std::process::Command::new(PROGRAM);
    let output = program.env_clear().args([command, "--json", "--data", home]).output().unwrap();
    assert!(output.status.success());
    let mut all: Value = serde_json::from_slice(&output.stdout).unwrap();
    serde_json::from_value(all["asks"].take()).unwrap()
}

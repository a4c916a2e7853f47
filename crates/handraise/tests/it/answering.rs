//! Answering from a script: `answer`, `decline`, `discuss`, `extend`.

use std::sync::Arc;

use handraise_broker::{AskId, Asker, Hub, Matter, NewAsk, Policy, Record};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::asking::{database, two_questions};
use crate::hub_at_work::{HubAtWork, new_ask};
use crate::shell::{Said, Shell};

/// A hub, and somebody who answers.
struct Desk {
    hub: HubAtWork,
    shell: Shell,
    runtime: Runtime,
}

impl Desk {
    fn new() -> Self {
        let hub = HubAtWork::start();
        let shell = Shell::at(&hub.data());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { hub, shell, runtime }
    }

    fn ask(&self, new: NewAsk) -> AskId {
        self.runtime.block_on(self.hub.agent().ask(new)).unwrap().record.id
    }

    fn get(&self, id: AskId) -> Arc<Record> {
        self.runtime.block_on(self.hub.agent().get(id)).unwrap()
    }

    fn answers(&self, id: AskId) -> Value {
        self.get(id).resolved().unwrap().resolution["answers"].clone()
    }

    fn run(&self, line: &str) -> Said {
        self.shell.run(line)
    }
}

#[test]
fn options_words_notes_and_questions_left_open_arrive_as_written() {
    let desk = Desk::new();
    let id = desk.ask(new_ask(&two_questions()));
    let said = desk.run(&format!(
        "handraise answer {id} --choose Database=PostgreSQL --note '1=a=b' \
         --choose 'Features=TypeScript' --choose '2=Tailwind CSS' --words 'Features=and, \"more\"'"
    ));
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert_eq!(
        said.stdout,
        "✔ Database: PostgreSQL (note: a=b)\n✔ Features: TypeScript, Tailwind CSS, and, \"more\"\n"
    );
    assert_eq!(
        desk.answers(id),
        json!([
            {"selected": ["PostgreSQL (Recommended)"], "words": null, "notes": "a=b", "leftOpen": false},
            {"selected": ["TypeScript", "Tailwind CSS"], "words": "and, \"more\"", "notes": null, "leftOpen": false}])
    );

    let id = desk.ask(new_ask(&two_questions()));
    let end = &id.to_string()[28..];
    let said =
        desk.run(&format!("handraise answer {end} --leave Features --choose Database=SQLite"));
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(desk.answers(id)[1]["leftOpen"], true);
}

#[test]
fn the_lossless_form_goes_in_and_comes_out() {
    let desk = Desk::new();
    let id = desk.ask(new_ask(&database()));
    let answers =
        json!({"answers": [{"words": "two\nlines, \"quoted\" 👨‍👩‍👧"}], "idempotencyKey": "k"});
    std::fs::write(desk.shell.directory().join("a.json"), answers.to_string()).unwrap();
    let said = desk.run(&format!("handraise answer {id} --json a.json"));
    assert_eq!(said.code, 0, "{}", said.stderr);
    let printed: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(printed["resolution"]["answers"][0]["words"], "two\nlines, \"quoted\" 👨‍👩‍👧");
    // The same once more is the same; other content under the same key is refused.
    assert_eq!(desk.run(&format!("handraise answer {id} --json a.json")).code, 0);
    let other = json!({"answers": [{"words": "other"}], "idempotencyKey": "k"});
    std::fs::write(desk.shell.directory().join("b.json"), other.to_string()).unwrap();
    let said = desk.run(&format!("handraise answer {id} --json b.json"));
    assert_eq!(said.code, 2, "{}", said.stderr);
}

#[test]
fn who_comes_second_is_told_what_stands() {
    let desk = Desk::new();
    let id = desk.ask(new_ask(&database()));
    assert_eq!(desk.run(&format!("handraise answer {id} --choose MongoDB")).code, 0);
    let said = desk.run(&format!("handraise answer {id} --choose SQLite"));
    assert_eq!(said.code, 5);
    assert!(said.stderr.contains("already answered by ann at"), "{}", said.stderr);
    assert!(said.stderr.contains("✔ Database: MongoDB"), "{}", said.stderr);
}

#[test]
fn what_does_not_fit_is_named_and_nothing_is_sent() {
    let desk = Desk::new();
    let id = desk.ask(new_ask(&two_questions()));
    for (arguments, problem) in [
        ("--choose Database=Oracle --leave Features", "answers[0].selected[0]: no such option"),
        ("--choose Database=SQLite", "answers[1]: nothing chosen"),
        ("--choose SQLite", "`SQLite` names no question"),
        ("--leave Database --leave Features", "every question left open"),
        ("--choose Colour=red", "`Colour=red` names no question"),
        ("--words 1=x --words Database=y", "--words was given twice"),
        ("--allow", "these are questions"),
    ] {
        let said = desk.run(&format!("handraise answer {id} {arguments}"));
        assert_eq!(said.code, 2, "{arguments}: {}", said.stderr);
        assert!(said.stderr.contains(problem), "{arguments}: {}", said.stderr);
    }
    let said = desk.run("handraise answer 00000000 --choose x");
    assert!(said.code == 2 && said.stderr.contains("no ask has an id"), "{}", said.stderr);
    assert!(desk.get(id).is_open());
}

#[test]
fn one_can_decline_talk_first_take_more_time_and_decide() {
    let desk = Desk::new();
    let id = desk.ask(new_ask(&database()));
    let said = desk.run(&format!("handraise decline {id} --reason 'too early'"));
    assert_eq!(said.stdout, "✘ Declined: too early\n");
    assert_eq!(desk.get(id).resolved().unwrap().kind(), "declined");

    let id = desk.ask(new_ask(&database()));
    assert_eq!(desk.run(&format!("handraise discuss {id} 'what does it cost?'")).code, 0);
    assert_eq!(desk.get(id).resolved().unwrap().kind(), "discuss");

    let policy = Policy { deadline_seconds: Some(3600), ..Policy::default() };
    let id = desk.ask(NewAsk { policy, ..new_ask(&database()) });
    let before = desk.get(id).deadline_at.unwrap();
    assert_eq!(desk.run(&format!("handraise extend {id} 30m")).code, 0);
    let more = desk.get(id).deadline_at.unwrap().duration_since(before);
    assert_eq!(more.as_mins(), 30);

    let call = json!({"tool": "Bash", "input": {"command": "make"}});
    let matter = Matter::approval(serde_json::value::to_raw_value(&call).unwrap()).unwrap();
    let id = desk.ask(NewAsk { matter, ..new_ask(&database()) });
    let listed = desk.run("handraise list");
    assert!(listed.stdout.contains("May it use Bash?"), "{}", listed.stdout);
    let said = desk.run(&format!("handraise answer {id} --deny --message 'not here'"));
    assert_eq!((said.code, said.stdout.as_str()), (0, "✘ Denied Bash\ncommand: make\n"));
    assert_eq!(desk.get(id).resolved().unwrap().resolution["message"], "not here");
}

#[test]
fn history_shows_the_last_decision_first_whatever_was_asked_first() {
    let desk = Desk::new();
    let [first, second] = [(); 2].map(|()| desk.ask(new_ask(&database())));
    for (id, label) in [(second, "MongoDB"), (first, "SQLite")] {
        assert_eq!(desk.run(&format!("handraise answer {id} --choose {label}")).code, 0);
    }
    for (limit, expected) in [(50, vec![first, second]), (1, vec![first])] {
        let said = desk.run(&format!("handraise history --json --limit {limit}"));
        let history: Value = serde_json::from_str(&said.stdout).unwrap();
        let ids: Vec<_> =
            history["asks"].as_array().unwrap().iter().map(|ask| &ask["id"]).collect();
        let expected: Vec<_> = expected.into_iter().map(|id| json!(id)).collect();
        assert_eq!(ids, expected.iter().collect::<Vec<_>>());
    }
}

#[test]
fn history_finds_what_is_sought_however_many_others_there_are() {
    let desk = Desk::new();
    let at = |directory: &str| NewAsk {
        asker: Asker { directory: Some(directory.into()), ..new_ask(&database()).asker },
        ..new_ask(&database())
    };
    let [shop, other] = ["/src/Shop", "/src/other"].map(|directory| desk.ask(at(directory)));
    for (id, label) in [(shop, "MongoDB"), (other, "SQLite")] {
        assert_eq!(desk.run(&format!("handraise answer {id} --choose {label}")).code, 0);
    }
    for (options, expected) in [
        ("--project shop", vec![shop]),
        ("--text mongodb --limit 1", vec![other]),
        ("--text nosuchthing", vec![]),
        ("--project src --text 'which database'", vec![other, shop]),
        ("--project other --text 'which database' --limit 1", vec![other]),
        ("--person nobody", vec![]),
    ] {
        let said = desk.run(&format!("handraise history --json {options}"));
        let history: Value = serde_json::from_str(&said.stdout).unwrap();
        let ids: Vec<_> =
            history["asks"].as_array().unwrap().iter().map(|ask| ask["id"].clone()).collect();
        let expected: Vec<_> = expected.into_iter().map(|id| json!(id)).collect();
        assert_eq!(ids, expected, "{options}");
    }
    let said = desk.run("handraise history --text nosuchthing");
    assert_eq!(said.stdout, "Nothing like that.\n");
}

#[test]
fn without_a_hub_it_says_how_to_start_one() {
    let empty = tempfile::tempdir().unwrap();
    for command in [&["list"][..], &["history"], &["status"], &["ask", "--via", "hub", "-"]] {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_handraise"));
        let program = program.env_clear().env("HANDRAISE_HOME", empty.path()).args(command);
        let questions = std::fs::File::open(
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ask/example.json"),
        );
        let output = program.stdin(questions.unwrap()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(6), "{command:?}: {said}");
        assert!(said.contains("handraise serve"), "{command:?}: {said}");
    }
}

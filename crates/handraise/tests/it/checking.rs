//! `handraise check`: what transcripts say, counted.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::check_corpus::{Corpus, QUESTION};

const PERSON: &str = "user_temporary";

/// Every way a question can end, in two projects.
fn every_end() -> Corpus {
    let corpus = Corpus::new();
    let mut shop = corpus.session("/w/shop", "one");
    for number in 0..200_u32 {
        shop.honest(2.0 + f64::from(number % 10));
    }
    let two = [QUESTION, "And where?"];
    shop.answer(&two, &json!({QUESTION: "SQLite", "And where?": "at home"}), 8.0, PERSON);
    shop.answer(&two, &json!({"And where?": "Postgres"}), 8.0, "hook");
    let mut other = corpus.session("/w/other", "two");
    let rejected = json!({"error": true, "toolDenialKind": "user-rejected"});
    let id = other.ask(&two);
    other.end(&id, 0.1, "The user doesn't want to proceed with this tool use.", &rejected);
    let id = other.ask(&[QUESTION]);
    other.end(
        &id,
        90.0,
        "Nobody answered within 90 s. This",
        &json!({"toolDenialKind": "permission-rule", "error": true}),
    );
    let id = other.ask(&[QUESTION]);
    other.end(&id, 0.0, "<tool_use_error>Error: No such tool available", &json!({"error": true}));
    other.ask(&two);
    corpus
}

/// And answers that look wrong.
fn suspicious() -> Corpus {
    let corpus = Corpus::new();
    let mut session = corpus.session("/w/shop", "one");
    session.honest(5.0);
    session.answer(&[QUESTION], &json!({}), 4.0, PERSON);
    session.answer(&[QUESTION], &json!({QUESTION: "SQLite"}), 0.02, PERSON);
    let id = session.ask(&[QUESTION]);
    let result = json!({"toolUseResult": {"answers": {}, "afkTimeoutMs": 60_000},
        "permissionDecision": {"source": PERSON}});
    session.end(&id, 60.0, "No response after 60s — the user may be away", &result);
    session.answer(&[QUESTION], &json!({QUESTION: "Postgres"}), 0.04, "hook");
    corpus
}

fn counts(of: &Value) -> [&Value; 9] {
    [
        "asked",
        "fromOptions",
        "ownWords",
        "leftOpen",
        "declined",
        "noAnswer",
        "waiting",
        "failed",
        "suspicious",
    ]
    .map(|name| &of[name])
}

#[test]
fn the_counts_are_true() {
    let found = every_end().json(&[]);
    assert_eq!(counts(&found["total"]), [210, 202, 1, 1, 2, 1, 2, 1, 0], "{found}");
    let [other, shop] = &found["projects"].as_array().unwrap()[..] else { panic!("{found}") };
    assert_eq!((&shop["directory"], &other["directory"]), (&json!("/w/shop"), &json!("/w/other")));
    assert_eq!(counts(shop), [204, 202, 1, 1, 0, 0, 0, 0, 0]);
    assert_eq!(counts(other), [6, 0, 0, 0, 2, 1, 2, 1, 0]);
    assert_eq!((&shop["calls"], &other["calls"]), (&json!(202), &json!(4)));
    assert_eq!((&shop["throughHook"], &found["total"]["transcripts"]), (&json!(1), &json!(2)));
    assert_eq!(shop["waitedSeconds"], json!({"total": 1316.0, "median": 7.0, "longest": 11.0}));
    assert_eq!(other["waitedSeconds"]["longest"], 90.0);
    assert_eq!(
        (&found["suspicious"], &found["skipped"]),
        (&json!([]), &json!({"files": 0, "lines": 0}))
    );
}

#[test]
fn a_person_reads_a_table() {
    let text = every_end().text(&[]);
    let rows: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let heads =
        "ASKED OPTIONS WORDS OPEN DECLINED NO ANSWER WAITING FAILED WAITED MEDIAN LONGEST PROJECT";
    assert_eq!(rows[0].join(" "), heads, "nothing is suspicious");
    assert_eq!(rows[1].join(" "), "6 – – – 2 1 2 1 1m 1m 1m /w/other");
    assert_eq!(rows[2].join(" "), "204 202 1 1 – – – – 21m 7s 11s /w/shop");
    assert_eq!(rows[3].join(" "), "210 202 1 1 2 1 2 1 23m 7s 1m in all");
    assert!(text.ends_with("in all\n\nNothing looks wrong.\n"), "{text}");
    assert_eq!(Corpus::new().text(&[]), "Nothing was asked. Read 0 transcripts.\n");
}

#[test]
fn what_no_person_can_have_answered_is_listed() {
    let corpus = suspicious();
    let found = corpus.json(&[]);
    assert_eq!(counts(&found["total"]), [5, 3, 0, 0, 0, 2, 0, 0, 4], "{found}");
    let listed = found["suspicious"].as_array().unwrap();
    let kinds: Vec<_> = listed.iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["empty", "too_fast", "timed_out", "from_nowhere"]);
    assert_eq!(listed[1]["questions"], json!([QUESTION]));
    assert_eq!(
        (&listed[1]["session"], &listed[1]["directory"]),
        (&json!("one"), &json!("/w/shop"))
    );
    assert_eq!(listed[1]["at"], "2026-11-15T10:03:00.02Z");
    assert!(listed[1]["why"].as_str().unwrap().contains("20 ms"), "{found}");
    assert!(listed[2]["read"].as_str().unwrap().starts_with("No response after 60s"), "{found}");
    let text = corpus.text(&[]);
    assert!(text.contains("4 answers look wrong:"), "{text}");
    assert!(
        text.contains(&format!("  asked    {QUESTION}\n  read     The user did not answer")),
        "{text}"
    );
}

#[test]
fn a_place_is_taken_for_what_it_is() {
    let corpus = Corpus::new();
    let workspace = corpus.home().join("my app");
    fs::create_dir(&workspace).unwrap();
    let cwd = workspace.canonicalize().unwrap().display().to_string();
    let mut session = corpus.session(&cwd, "one");
    session.honest(5.0);
    // Data of its own, and another directory that shares the place of its transcripts.
    fs::write(workspace.join("data.jsonl"), "{}\n").unwrap();
    corpus.session(&cwd.replace(' ', "_"), "two").honest(5.0);
    corpus.session("/w/shop", "three").honest(5.0);
    let asked = |args: &[&str]| corpus.json(args)["total"]["asked"].clone();
    let path = |path: &Path| path.display().to_string();
    assert_eq!(asked(&[]), 3);
    assert_eq!(asked(&[&path(&corpus.config())]), 3);
    assert_eq!(asked(&[&path(&corpus.config().join("projects"))]), 3);
    assert_eq!(asked(&[&path(&corpus.config().join("projects/-w-shop"))]), 1);
    assert_eq!(asked(&[&path(session.path.parent().unwrap())]), 2);
    assert_eq!(asked(&[&path(&session.path)]), 1);
    assert_eq!(asked(&["my app"]), 1);
    assert_eq!(asked(&["."]), 0);
    // A corpus somebody has put together by hand.
    let by_hand = corpus.home().join("corpus/any name");
    fs::create_dir_all(&by_hand).unwrap();
    fs::copy(&session.path, by_hand.join("x.jsonl")).unwrap();
    assert_eq!(asked(&["corpus"]), 1);
    assert_eq!(asked(&["corpus/any name"]), 1);
    // Another configuration directory.
    let empty = tempfile::tempdir().unwrap();
    let elsewhere = corpus.command(&["--json"]).env("CLAUDE_CONFIG_DIR", empty.path()).output();
    let elsewhere: Value = serde_json::from_slice(&elsewhere.unwrap().stdout).unwrap();
    assert_eq!(elsewhere["total"]["asked"], 0);
}

#[test]
fn an_agent_of_panopticon_is_found_by_its_record() {
    let corpus = Corpus::new();
    corpus.session("/w/feature-pan-1", "one").honest(5.0);
    corpus.session("/w/shop", "two").honest(5.0);
    let record = corpus.home().join(".panopticon/agents/agent-pan-1");
    fs::create_dir_all(&record).unwrap();
    let state = json!({"id": "agent-pan-1", "workspace": "/w/feature-pan-1"});
    fs::write(record.join("state.json"), state.to_string()).unwrap();
    assert_eq!(corpus.json(&["--agent", "agent-pan-1"])["total"]["asked"], 1);
    let unknown = corpus.check(&["--agent", "agent-pan-2"]);
    assert_eq!(unknown.status.code(), Some(2));
    let said = String::from_utf8(unknown.stderr).unwrap();
    assert!(said.contains("there is no agent \"agent-pan-2\""), "{said}");
}

#[test]
fn a_place_that_is_not_there_is_an_error() {
    let corpus = Corpus::new();
    let missing = corpus.check(&["no/such/place"]);
    assert_eq!(missing.status.code(), Some(2));
    let said = String::from_utf8(missing.stderr).unwrap();
    assert!(said.starts_with("error: cannot look at no/such/place: "), "{said}");
    assert_eq!(corpus.check(&["/dev/null"]).status.code(), Some(2));
}

#[test]
fn what_a_forked_session_repeats_counts_once() {
    let corpus = Corpus::new();
    let mut first = corpus.session("/w/shop", "one");
    first.honest(5.0);
    let id = first.ask(&[QUESTION]);
    // The fork got its answer, the first one never did.
    let mut fork = first.fork("fork");
    let result = json!({"toolUseResult": {"answers": {QUESTION: "whatever"}}});
    fork.end(&id, 9.0, "The user answered: …", &result);
    let found = corpus.json(&[]);
    assert_eq!(counts(&found["total"]), [2, 1, 1, 0, 0, 0, 0, 0, 0], "{found}");
}

#[test]
fn words_of_an_agent_steer_no_terminal() {
    let corpus = Corpus::new();
    let mut session = corpus.session("/w/\u{1b}[31mred\nline", "one");
    let question = "Which?\u{1b}]0;owned\u{7}\n\nNothing looks wrong.\u{202e}";
    session.answer(&[question], &json!({question: "SQLite"}), 0.01, PERSON);
    let text = corpus.text(&[]);
    assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    assert!(!text.lines().any(|line| line.starts_with("Nothing looks wrong.")), "{text}");
    assert_eq!(corpus.json(&[])["suspicious"][0]["questions"][0], question);
}

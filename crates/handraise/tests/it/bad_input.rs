//! Bad input gets a list of precise errors on stderr, exit code 2, and nothing on stdout.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::asking::{database, features};

fn refused(args: &[&str], input: &[u8]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_handraise"))
        .arg("ask")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may stop reading before the end.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(output.stdout.is_empty(), "{stderr}");
    stderr
}

fn strict(ask: &Value) -> String {
    refused(&["--strict", "-"], ask.to_string().as_bytes())
}

fn one_problem(problem: &str) -> String {
    format!("error: 1 problem in standard input\n  {problem}\n")
}

#[test]
fn what_is_not_an_ask() {
    assert_eq!(
        refused(&["--strict", "-"], b""),
        one_problem("input: empty, AskUserQuestion JSON needed")
    );
    assert_eq!(
        refused(&["--strict", "-"], b"Which database?"),
        one_problem(
            "input: not JSON (expected value at line 1 column 1), AskUserQuestion JSON needed"
        )
    );
    assert_eq!(
        refused(&["--strict", "-"], &vec![b'x'; 5_000_000]),
        one_problem("input: 5,000,000 bytes, 1,048,576 or fewer needed")
    );
}

#[test]
fn counts_and_lengths() {
    assert_eq!(
        strict(&json!({"questions": []})),
        one_problem("questions: 0 questions, 1–4 needed")
    );
    let five: Vec<Value> = (0..5)
        .map(|n| {
            let mut question = database()["questions"][0].clone();
            question["question"] = format!("Question {n}?").into();
            question
        })
        .collect();
    assert_eq!(
        strict(&json!({"questions": five})),
        one_problem("questions: 5 questions, 1–4 needed")
    );
    let mut one = database();
    one["questions"][0]["options"].as_array_mut().unwrap().truncate(1);
    assert_eq!(strict(&one), one_problem("questions[0].options: 1 option, 2–4 needed"));
    let mut five = features();
    five["questions"][0]["options"]
        .as_array_mut()
        .unwrap()
        .push(json!({"label": "Fifth", "description": "Too many"}));
    assert_eq!(strict(&five), one_problem("questions[0].options: 5 options, 2–4 needed"));
    let mut header = database();
    header["questions"][0]["header"] = "Thirteen char".into();
    assert_eq!(strict(&header), one_problem("questions[0].header: 13 characters, 1–12 needed"));
}

#[test]
fn what_must_be_there_and_what_must_differ() {
    let mut missing = database();
    missing["questions"][0].as_object_mut().unwrap().remove("multiSelect");
    assert_eq!(
        strict(&missing),
        one_problem("questions[0].multiSelect: missing, true or false needed")
    );
    let question = database()["questions"][0].clone();
    assert_eq!(
        strict(&json!({"questions": [question, question]})),
        one_problem(
            "questions[1].question: the same text as questions[0].question, \
             a text of its own needed"
        )
    );
}

#[test]
fn every_problem_is_listed_at_once() {
    let ask =
        json!({"questions": [{"question": "Q?", "header": "Much too long", "options": [{}]}]});
    assert_eq!(
        strict(&ask),
        "error: 5 problems in standard input\n  \
         questions[0].header: 13 characters, 1–12 needed\n  \
         questions[0].options: 1 option, 2–4 needed\n  \
         questions[0].options[0].label: missing, a text needed\n  \
         questions[0].options[0].description: missing, a text needed\n  \
         questions[0].multiSelect: missing, true or false needed\n"
    );
}

#[test]
fn files_that_cannot_be_read() {
    let stderr = refused(&["no-such-\u{1b}[31mfile.json"], b"");
    assert_eq!(
        stderr,
        "error: cannot read no-such-␛[31mfile.json: No such file or directory (os error 2)\n"
    );
    assert!(refused(&["/"], b"").contains("cannot read /: Is a directory"));
}

#[test]
fn a_wrong_command_line() {
    assert!(refused(&["--timeout", "soon", "-"], b"").contains("90s, 5m, 1h30m or 2d"));
    assert!(refused(&["--timeout", "0s", "-"], b"").contains("at least one second"));
    assert!(refused(&["--format", "yaml", "-"], b"").contains("json, text, summary"));
}

#[test]
fn the_wide_limits_hold_without_strict() {
    let many: Vec<Value> = (0..21).map(|n| json!({"question": format!("{n}?")})).collect();
    let stderr = refused(&["-"], json!({"questions": many}).to_string().as_bytes());
    assert_eq!(stderr, one_problem("questions: 21 questions, 1–20 needed"));
}

#[test]
fn the_exit_code_tells_even_if_nobody_can_be_told() {
    let output = Command::new("sh")
        .args(["-c", r#"echo nope | "$0" ask - 2> /dev/full"#, env!("CARGO_BIN_EXE_handraise")])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

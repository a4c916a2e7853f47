//! Lines of the real Claude Code, broken in every way, arriving in pieces: what is found is what the
//! plainest reader finds, which understands every line with nothing left out.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Found, Reading};

/// What happens to a line. Numbers are taken modulo the length of what they are a place in.
#[derive(Debug, Clone)]
enum Harm {
    None,
    Cut(usize),
    Doubled,
    Flipped(usize, u8),
    Spliced(usize, usize),
    Inserted(usize, &'static [u8]),
    Nested(usize),
    /// The line speaks of another call.
    Other(u8),
}

/// What happens to the file.
#[derive(Debug, Clone)]
enum Step {
    Line {
        which: usize,
        harms: Vec<Harm>,
        end: &'static [u8],
        pieces: usize,
    },
    /// It is written anew, with so many of its last bytes.
    Rewritten(usize),
    Replaced(usize),
}

const INSERTED: [&[u8]; 9] = [
    b"\n",
    b"\xff\xfe",
    b"\0",
    b"\"AskUserQuestion\"",
    b"\"tool_use_id\":\"",
    b"\\",
    b"\"",
    b"{",
    b" ",
];
const ENDS: [&[u8]; 5] = [b"\n", b"\n", b"\n", b"\r\n", b""];

fn lines() -> Vec<Vec<u8>> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut lines = vec![];
    for name in ["answered", "denied", "interrupted", "killed"] {
        let text = fs::read_to_string(samples.join(format!("{name}.jsonl"))).unwrap();
        lines.extend(
            text.lines().filter(|line| line.contains("toolu_")).map(|l| l.as_bytes().to_vec()),
        );
    }
    lines.push(br#"{"type":"tools-used","tools":["AskUserQuestion","tool_use"]}"#.to_vec());
    lines.push(br#"{"message":{"content":[{"type":"tool_use","id":"toolu_ask1_0_0_cf69","name":"AskUserQuestion","input":{}},{"type":"tool_result","tool_use_id":"toolu_ask1_0_0_cf69","content":"Selected: x"}]}}"#.to_vec());
    lines
}

fn harm() -> impl Strategy<Value = Harm> {
    let place = any::<usize>;
    prop_oneof![
        6 => Just(Harm::None),
        1 => place().prop_map(Harm::Cut),
        1 => Just(Harm::Doubled),
        2 => (place(), any::<u8>()).prop_map(|(at, bit)| Harm::Flipped(at, bit)),
        1 => (place(), place()).prop_map(|(line, at)| Harm::Spliced(line, at)),
        2 => (place(), prop::sample::select(&INSERTED[..])).prop_map(|(at, what)| Harm::Inserted(at, what)),
        1 => (1_usize..90).prop_map(Harm::Nested),
        4 => (0_u8..6).prop_map(Harm::Other),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let harms = prop::collection::vec(harm(), 0..3);
    let line = (any::<usize>(), harms, prop::sample::select(&ENDS[..]), 1_usize..5)
        .prop_map(|(which, harms, end, pieces)| Step::Line { which, harms, end, pieces });
    prop_oneof![
        20 => line,
        1 => any::<usize>().prop_map(Step::Rewritten),
        1 => any::<usize>().prop_map(Step::Replaced),
    ]
}

fn harmed(lines: &[Vec<u8>], which: usize, harms: &[Harm]) -> Vec<u8> {
    let mut line = lines[which % lines.len()].clone();
    for harm in harms {
        let length = line.len().max(1);
        match harm {
            Harm::None => {}
            Harm::Cut(at) => line.truncate(at % length),
            Harm::Doubled => line = line.repeat(2),
            Harm::Flipped(at, bit) => {
                if let Some(byte) = line.get_mut(at % length) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            Harm::Spliced(other, at) => {
                let other = &lines[other % lines.len()];
                line.truncate(at % length);
                line.extend_from_slice(&other[at % other.len()..]);
            }
            Harm::Inserted(at, what) => {
                let at = at % length;
                let at = at.min(line.len());
                line.splice(at..at, what.iter().copied());
            }
            Harm::Nested(depth) => {
                let (open, close) = ("[".repeat(*depth), "]".repeat(*depth));
                let text = String::from_utf8_lossy(&line);
                line = text
                    .replacen("[{\"question\"", &format!("{open}[{{\"question\""), 1)
                    .replacen("}]}]", &format!("}}]}}]{close}"), 1)
                    .into_bytes();
            }
            Harm::Other(number) => {
                let text = String::from_utf8_lossy(&line).into_owned();
                line = text.replace("toolu_ask1_0_0_", &format!("toolu_{number}_")).into_bytes();
            }
        }
    }
    line
}

/// Lines on which two readers of JSON may differ (too deep, too large a number, half a character) are none
/// that Claude Code writes; they are tried elsewhere.
fn is_disputed(line: &[u8]) -> bool {
    line.split(|byte| *byte == b'\n').any(|line| {
        serde_json::from_slice::<Value>(line).is_ok()
            != serde_json::from_slice::<IgnoredAny>(line).is_ok()
    })
}

/// What the plainest reader finds in the whole lines of a file, and which calls wait.
fn plainly(content: &[u8]) -> (Vec<String>, Vec<String>) {
    let (mut found, mut seen, mut pending) = (vec![], vec![], Vec::<String>::new());
    let whole = content.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    for line in content[..whole].split(|byte| *byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
        if line["type"].as_str().is_some_and(|kind| kind != "assistant" && kind != "user") {
            continue;
        }
        for item in line["message"]["content"].as_array().into_iter().flatten() {
            if item["type"] == "tool_use" && item["name"] == "AskUserQuestion" {
                let Some(id) = item["id"].as_str() else { continue };
                if !seen.iter().any(|known| known == id) {
                    seen.push(id.to_owned());
                    pending.push(id.to_owned());
                    found.push(format!("asked {id} {}", item["input"]["questions"]));
                }
            } else if item["type"] == "tool_result"
                && let Some(at) = pending.iter().position(|id| item["tool_use_id"] == id.as_str())
            {
                let id = pending.remove(at);
                found.push(format!("settled {id} {}", line["toolUseResult"]));
            }
        }
    }
    (found, pending)
}

fn said(found: &Found) -> String {
    match found {
        Found::Asked(call) => {
            let questions: Value = serde_json::from_str(call.questions.get()).unwrap();
            format!("asked {} {questions}", call.id)
        }
        Found::Settled(call, outcome) => format!("settled {} {}", call.id, outcome.result),
        Found::Restarted => "restarted".into(),
    }
}

/// A file, what is in it, and what was found since it was last written anew.
struct Scene {
    directory: tempfile::TempDir,
    reading: Reading,
    content: Vec<u8>,
    found: Vec<String>,
}

impl Scene {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("session.jsonl");
        fs::write(&path, "").unwrap();
        Self { directory, reading: Reading::new(path), content: vec![], found: vec![] }
    }

    fn play(&mut self, lines: &[Vec<u8>], step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Line { which, harms, end, pieces } => {
                let mut line = harmed(lines, *which, harms);
                line.extend_from_slice(end);
                let begun = self.content.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
                if is_disputed(&[begun, &line].concat()) {
                    return Ok(());
                }
                for piece in line.chunks(line.len() / pieces + 1) {
                    let mut file =
                        OpenOptions::new().append(true).open(self.reading.path()).unwrap();
                    file.write_all(piece).unwrap();
                    self.content.extend_from_slice(piece);
                    self.compare()?;
                }
            }
            Step::Rewritten(keep) => {
                self.keep_last(*keep);
                fs::write(self.reading.path(), &self.content).unwrap();
                self.compare()?;
            }
            Step::Replaced(keep) => {
                self.keep_last(*keep);
                let other = self.directory.path().join("other");
                fs::write(&other, &self.content).unwrap();
                fs::rename(&other, self.reading.path()).unwrap();
                self.compare()?;
            }
        }
        Ok(())
    }

    /// From the beginning of a line, so that no line comes to be that was never written.
    fn keep_last(&mut self, keep: usize) {
        let from = self.content.len() - keep % (self.content.len() + 1);
        let begin = self.content[from..].iter().position(|byte| *byte == b'\n');
        let from = begin.map_or(self.content.len(), |end| from + end + 1);
        self.content.drain(..from);
    }

    fn compare(&mut self) -> Result<(), TestCaseError> {
        let found = &mut self.found;
        self.reading
            .catch_up(|what| match said(&what) {
                restarted if restarted == "restarted" => found.clear(),
                what => found.push(what),
            })
            .unwrap();
        let (expected, pending) = plainly(&self.content);
        prop_assert_eq!(&self.found, &expected);
        let waits: Vec<_> = self.reading.pending().iter().map(|call| call.id.clone()).collect();
        prop_assert_eq!(waits, pending);
        Ok(())
    }
}

fn fuzz(cases: u32) {
    let lines = lines();
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(cases) });
    let steps = prop::collection::vec(step(), 1..25);
    let tried = runner.run(&steps, |steps| {
        let mut scene = Scene::new();
        steps.iter().try_for_each(|step| scene.play(&lines, step))
    });
    if let Err(error) = tried {
        panic!("{error}");
    }
}

#[test]
fn whatever_is_written_the_plainest_reader_finds_the_same() {
    fuzz(200);
}

#[test]
#[ignore = "takes minutes; `cargo xtask torture` runs it"]
fn however_long_it_is_tried_the_plainest_reader_finds_the_same() {
    fuzz(6_000);
}

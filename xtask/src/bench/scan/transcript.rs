//! A long transcript, the same every time.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use handraise_testkit::Chance;
use serde_json::{Value, json};

/// Once in so many turns a question is asked.
const TURNS_PER_QUESTION: usize = 30;
/// And once in so many the tools are listed, among them the one that asks.
const TURNS_PER_LIST: usize = 600;
/// One question in so many is never answered.
const NEVER_ANSWERED: usize = 25;

/// Writes a transcript of about so many bytes, unless it is there: mostly what tools were given and gave
/// back, now and then a question.
pub(super) fn transcript(directory: &Path, bytes: usize) -> Result<PathBuf> {
    let path = directory.join(format!("transcript-v2-{}MB.jsonl", bytes / 1_000_000));
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() >= bytes as u64) {
        return Ok(path);
    }
    fs::create_dir_all(directory)?;
    let unfinished = path.with_extension("unfinished");
    let file = File::create(&unfinished).with_context(|| unfinished.display().to_string())?;
    let mut writing = Writing {
        file: BufWriter::new(file),
        chance: Chance::new(2026),
        seconds: 0,
        written: 0,
        text: source(),
    };
    while writing.written < bytes {
        writing.turn()?;
    }
    writing.file.flush()?;
    fs::rename(&unfinished, &path)?;
    Ok(path)
}

struct Writing {
    file: BufWriter<File>,
    chance: Chance,
    seconds: usize,
    written: usize,
    text: String,
}

impl Writing {
    fn turn(&mut self) -> Result<()> {
        if self.chance.one_in(TURNS_PER_LIST) {
            let tools = json!([{"name": "Bash", "description": self.some(8000)},
                {"name": "AskUserQuestion", "description": self.some(3000), "input_schema": {}}]);
            let blob = json!({"type": "api-request-blob", "sessionId": SESSION, "tools": tools});
            self.line(&blob)?;
        }
        if self.chance.one_in(TURNS_PER_QUESTION) {
            return self.question();
        }
        let id = self.id();
        let tool = self.chance.pick(&["Bash", "Read", "Grep", "Edit", "Write"]);
        let length = self.chance.below(1500);
        let input = json!({"command": self.some(length), "description": "Look around"});
        self.line(&says(&json!([{"type": "tool_use", "id": id, "name": tool, "input": input}])))?;
        self.line(
            &json!({"type": "attachment", "attachment": {"type": "hook"}, "sessionId": SESSION}),
        )?;
        let longest = *self.chance.pick(&[&2_000, &2_000, &12_000, &60_000]);
        let length = self.chance.below(longest);
        let output = self.some(length);
        let given = json!({"stdout": output, "stderr": "", "interrupted": false});
        self.line(&hears(&id, &output, &given))?;
        if self.chance.one_in(3) {
            let length = self.chance.below(3000);
            let text = self.some(length);
            self.line(&says(&json!([{"type": "text", "text": text}])))?;
        }
        Ok(())
    }

    fn question(&mut self) -> Result<()> {
        let id = self.id();
        self.line(&asks(&id))?;
        if self.chance.one_in(NEVER_ANSWERED) {
            return Ok(());
        }
        self.seconds += 5 + self.chance.below(600);
        let answer =
            self.chance.pick(&["Postgres", "SQLite", "MySQL", "whatever is there already"]);
        self.line(&hears_answer(&id, answer))
    }

    fn line(&mut self, line: &Value) -> Result<()> {
        let mut line = line.clone();
        self.seconds += 1;
        let (hours, minutes, seconds) =
            (self.seconds / 3600, self.seconds / 60 % 60, self.seconds % 60);
        let (day, hour) = (1 + hours / 24 % 28, hours % 24);
        let month = 1 + hours / 24 / 28 % 12;
        line["timestamp"] =
            json!(format!("2026-{month:02}-{day:02}T{hour:02}:{minutes:02}:{seconds:02}.000Z"));
        let text = format!("{line}\n");
        self.written += text.len();
        Ok(self.file.write_all(text.as_bytes())?)
    }

    fn id(&mut self) -> String {
        let digit =
            |chance: &mut Chance| char::from(b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"[chance.below(32)]);
        let digits: String = (0..22).map(|_| digit(&mut self.chance)).collect();
        format!("toolu_01{digits}")
    }

    /// So much of what programs print.
    fn some(&mut self, length: usize) -> String {
        let begin = self.chance.below(self.text.len() - length);
        self.text[begin..begin + length].to_owned()
    }
}

/// A line in which a question is asked.
pub(super) fn asked(id: &str, at: &str) -> String {
    dated(asks(id), at)
}

/// A line that tells that it was answered.
pub(super) fn answered(id: &str, at: &str) -> String {
    dated(hears_answer(id, "SQLite"), at)
}

fn dated(mut line: Value, at: &str) -> String {
    line["timestamp"] = at.into();
    format!("{line}\n")
}

const ASKED: &str = "Which database should we use?";

fn questions() -> Value {
    let options = ["Postgres", "SQLite", "MySQL"];
    let options = options.map(|label| json!({"label": label, "description": label}));
    json!([{"question": ASKED, "header": "Database", "multiSelect": false, "options": options}])
}

fn asks(id: &str) -> Value {
    says(&json!([{"type": "tool_use", "id": id, "name": "AskUserQuestion",
        "input": {"questions": questions()}}]))
}

fn hears_answer(id: &str, answer: &str) -> Value {
    let read = format!(
        "Your questions have been answered: \"{ASKED}\"=\"{answer}\". You can now continue with \
         these answers in mind."
    );
    let given = json!({"questions": questions(), "answers": {ASKED: answer}});
    hears(id, &read, &given)
}

pub(super) const SESSION: &str = "c7a9f022-8f49-49a9-a06c-ed2176657136";

fn around(kind: &str, message: &Value) -> Value {
    json!({"parentUuid": "eadaac6f-d916-440d-8116-deaaaf8f37a7", "isSidechain": false, "type": kind,
        "message": message, "uuid": "46b7658f-9721-46a7-92d6-84f3c6f5c689", "userType": "external",
        "entrypoint": "cli", "cwd": "/home/dev/project", "sessionId": SESSION, "version": "2.1.325",
        "gitBranch": "main"})
}

fn says(content: &Value) -> Value {
    let usage = json!({"input_tokens": 10, "cache_read_input_tokens": 0, "output_tokens": 20});
    around(
        "assistant",
        &json!({"id": "msg_4c067793919e41ac91c4", "type": "message",
        "role": "assistant", "content": content, "stop_reason": "tool_use", "usage": usage}),
    )
}

fn hears(id: &str, text: &str, given: &Value) -> Value {
    let result =
        json!([{"tool_use_id": id, "type": "tool_result", "content": text, "is_error": false}]);
    let mut line = around("user", &json!({"role": "user", "content": result}));
    line["toolUseResult"] = given.clone();
    line
}

/// Text as tools give it back: source code, with quotes, tabs and ends of lines.
fn source() -> String {
    let mut chance = Chance::new(1);
    let words = [
        "let", "fn", "return", "result", "\"text\"", "=>", "match", "{", "}", "(", ");", "tool",
        "user", "question", "// why", "struct", "path", "\\n", "self.", "é", "error", "0x1f",
        "test",
    ];
    let mut text = String::new();
    while text.len() < 300_000 {
        text.push_str(chance.pick(&words));
        text.push_str(chance.pick(&[" ", " ", " ", "\n", "\n\t", "_"]));
    }
    // Cut anywhere without cutting a character.
    text.replace('é', "e")
}

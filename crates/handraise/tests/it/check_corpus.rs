//! Transcripts as Claude Code writes them, of sessions whose every answer is known.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use handraise_testkit::Program;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A home with a configuration directory of Claude Code in it.
pub(crate) struct Corpus {
    home: TempDir,
}

pub(crate) const QUESTION: &str = "Which database should we use?";

impl Corpus {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.home.path().join(".claude")
    }

    /// A session that worked in `cwd`.
    pub(crate) fn session(&self, cwd: &str, session: &str) -> Session {
        let mangled: String =
            cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let path = self.config().join("projects").join(mangled).join(format!("{session}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = File::create(&path).unwrap();
        let (cwd, id) = (cwd.to_owned(), session.to_owned());
        let mut session = Session { path, file, cwd, id, calls: 0 };
        session.line(&json!({"type": "queue-operation"}));
        session
    }

    /// `handraise check` with these arguments, as somebody with this home would run it. It does not mind
    /// to be run by an agent.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_handraise")), args)
    }

    /// The same with the program somewhere else.
    pub(crate) fn command_of(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Program::command(program, self.home());
        command.env("HOME", self.home()).env("CLAUDECODE", "1").env_remove("CLAUDE_CONFIG_DIR");
        command.arg("check").args(args);
        command
    }

    pub(crate) fn check(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// The same as JSON, when all went well.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let output = self.check(&[&["--json"], args].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// And as text.
    pub(crate) fn text(&self, args: &[&str]) -> String {
        let output = self.check(args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The transcript of one session, while it is written.
pub(crate) struct Session {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
    cwd: String,
    id: String,
    calls: u32,
}

impl Session {
    pub(crate) fn line(&mut self, line: &Value) {
        writeln!(self.file, "{line}").unwrap();
    }

    /// The same so far, in a file of its own.
    pub(crate) fn fork(self, session: &str) -> Self {
        let path = self.path.with_file_name(format!("{session}.jsonl"));
        fs::copy(&self.path, &path).unwrap();
        let file = File::options().append(true).open(&path).unwrap();
        Self { path, file, id: session.to_owned(), ..self }
    }

    fn around(&self, kind: &str, seconds: f64, content: &Value) -> Value {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a short time")]
        let thousandths = (seconds * 1000.0).round() as u64;
        let (minutes, rest) = (thousandths / 60_000, thousandths % 60_000);
        let at = format!("2026-11-15T10:{minutes:02}:{:02}.{:03}Z", rest / 1000, rest % 1000);
        json!({"type": kind, "isSidechain": false, "message": {"role": kind, "content": content},
            "timestamp": at, "sessionId": self.id, "cwd": self.cwd, "entrypoint": "cli"})
    }

    /// The agent asks, a minute after each other; the id of the call.
    pub(crate) fn ask(&mut self, questions: &[&str]) -> String {
        self.calls += 1;
        let id = format!("toolu_{}_{}", self.id, self.calls);
        let options =
            ["Postgres", "SQLite"].map(|label| json!({"label": label, "description": ""}));
        let question = |text: &&str| json!({"question": text, "header": "x", "multiSelect": false, "options": options});
        let questions: Vec<_> = questions.iter().map(question).collect();
        let call = json!([{"type": "tool_use", "id": id, "name": "AskUserQuestion",
            "input": {"questions": questions}}]);
        let line = self.around("assistant", f64::from(self.calls % 50 * 60), &call);
        self.line(&line);
        id
    }

    /// What came of it, so many seconds later.
    pub(crate) fn end(&mut self, id: &str, seconds: f64, text: &str, fields: &Value) {
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": text,
            "is_error": fields["error"] == true}]);
        let asked = f64::from(self.calls % 50 * 60);
        let mut line = self.around("user", asked + seconds, &result);
        for (name, value) in fields.as_object().unwrap() {
            line[name] = value.clone();
        }
        self.line(&line);
    }

    pub(crate) fn answer(&mut self, questions: &[&str], answers: &Value, seconds: f64, by: &str) {
        let id = self.ask(questions);
        let result = json!({"toolUseResult": {"questions": [], "answers": answers, "annotations": {}},
            "permissionDecision": {"decision": "accept", "source": by}});
        let text = if answers.as_object().unwrap().is_empty() {
            "The user did not answer the questions.".to_owned()
        } else {
            format!("Your questions have been answered: {answers}.")
        };
        self.end(&id, seconds, &text, &result);
    }

    /// Answered from the options, after some seconds, by a person.
    pub(crate) fn honest(&mut self, seconds: f64) {
        self.answer(&[QUESTION], &json!({QUESTION: "SQLite"}), seconds, "user_temporary");
    }
}

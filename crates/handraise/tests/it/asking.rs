//! One run of `handraise ask` in a pseudo-terminal, and a few questions to put.

use handraise_testkit::{Key, Pty, Screen};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Where a prompt runs.
pub(crate) struct Place<'a> {
    pub(crate) size: (u16, u16),
    pub(crate) env: &'a [(&'a str, &'a str)],
}

impl Default for Place<'_> {
    fn default() -> Self {
        // A known background: the terminal need not be asked for it.
        Self { size: (80, 24), env: &[("COLORFGBG", "15;0")] }
    }
}

/// A prompt that is open.
pub(crate) struct Asking {
    pub(crate) pty: Pty,
    directory: TempDir,
}

/// A prompt that has ended.
pub(crate) struct Asked {
    pub(crate) code: u32,
    pub(crate) signal: Option<String>,
    pub(crate) stdout: String,
    pub(crate) screen: Screen,
}

impl Asked {
    /// The answers, as `--format json` prints them.
    pub(crate) fn answers(&self) -> Value {
        assert_eq!(self.code, 0, "{}\n{}", self.stdout, self.screen);
        let mut resolution: Value = serde_json::from_str(&self.stdout).unwrap();
        assert_eq!(resolution["kind"], "answered");
        resolution["answers"].take()
    }

    /// Labels and words of each answer: `[[["JWT"], null], …]`.
    pub(crate) fn chosen(&self) -> Value {
        let answers = self.answers();
        answers.as_array().unwrap().iter().map(|a| json!([a["selected"], a["words"]])).collect()
    }
}

impl Asking {
    pub(crate) fn start(ask: &Value) -> Self {
        Self::with(ask, &[], &Place::default())
    }

    /// Starts a prompt and waits until it is there.
    pub(crate) fn with(ask: &Value, args: &[&str], place: &Place<'_>) -> Self {
        let asking = Self::launch("", ask, args, place);
        asking.pty.wait_for(if args.contains(&"--plain") { "help." } else { "╰" });
        asking
    }

    /// Starts a prompt after `before` has run in the same shell; does not wait for it.
    pub(crate) fn launch(before: &str, ask: &Value, args: &[&str], place: &Place<'_>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("ask.json"), ask.to_string()).unwrap();
        let script = format!(r#"{before} exec "$0" "$@" > stdout"#);
        let mut program =
            vec!["sh", "-c", &script, env!("CARGO_BIN_EXE_handraise"), "ask", "ask.json"];
        program.extend(args);
        let pty = Pty::spawn(&program, directory.path(), place.env, place.size);
        Self { pty, directory }
    }

    /// Presses one key after another, each after `then` shows that the one before was taken.
    pub(crate) fn press(&mut self, keys: &[Key<'_>]) -> &mut Self {
        self.pty.press(keys);
        self
    }

    /// Waits until `text` is on the screen.
    pub(crate) fn see(&mut self, text: &str) -> &mut Self {
        self.pty.wait_for(text);
        self
    }

    /// Waits until `text` is no longer on the screen.
    pub(crate) fn see_no(&mut self, text: &str) -> &mut Self {
        self.pty.wait_until(&format!("screen without {text:?}"), |screen| !screen.has(text));
        self
    }

    /// Waits for the end.
    pub(crate) fn end(mut self) -> Asked {
        let status = self.pty.wait_exit();
        Asked {
            code: status.exit_code(),
            signal: status.signal().map(str::to_owned),
            stdout: std::fs::read_to_string(self.directory.path().join("stdout")).unwrap(),
            screen: self.pty.screen(),
        }
    }
}

pub(crate) fn database() -> Value {
    json!({"questions": [{
        "question": "Which database should we use for this project?", "header": "Database",
        "multiSelect": false, "options": [
            {"label": "PostgreSQL (Recommended)", "description": "Robust relational DB, great for complex queries"},
            {"label": "MongoDB", "description": "Document DB, flexible schema for rapid development"},
            {"label": "SQLite", "description": "Embedded DB, zero configuration, good for small apps"}]}]})
}

pub(crate) fn features() -> Value {
    json!({"questions": [{
        "question": "Which features should we enable?", "header": "Features",
        "multiSelect": true, "options": [
            {"label": "TypeScript", "description": "Type safety and better IDE support"},
            {"label": "ESLint + Prettier", "description": "Code linting and formatting"},
            {"label": "Testing (Vitest)", "description": "Unit and component testing"},
            {"label": "Tailwind CSS", "description": "Utility-first CSS framework"}]}]})
}

/// A single-select, then a multi-select.
pub(crate) fn two_questions() -> Value {
    let mut both = database();
    both["questions"].as_array_mut().unwrap().push(features()["questions"][0].clone());
    both
}

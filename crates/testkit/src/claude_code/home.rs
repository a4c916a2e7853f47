//! A place of its own for Claude Code.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::session::ClaudeSession;
use crate::ScriptedModel;

/// A home with a configuration of its own, projects that are trusted, and a scripted model. All of it
/// is deleted when this is dropped.
#[derive(Debug)]
pub struct ClaudeHome {
    directory: TempDir,
    config: PathBuf,
    model: String,
    variables: Vec<(String, String)>,
}

impl ClaudeHome {
    /// Makes a home in which nothing is asked before the first prompt.
    #[must_use]
    pub fn new(model: &ScriptedModel) -> Self {
        let directory = tempfile::tempdir().expect("a place for the home");
        let config = directory.path().join(".claude");
        fs::create_dir(&config).expect("the home can be written to");
        fs::create_dir(directory.path().join("tmp")).expect("the home can be written to");
        let home =
            Self { directory, config, model: model.url().to_owned(), variables: Vec::default() };
        home.write_state(&json!({
            "hasCompletedOnboarding": true,
            "theme": "dark",
            // It keeps the last twenty characters of a key, and of this one that is all.
            "customApiKeyResponses": { "approved": [KEY], "rejected": [] },
            "projects": {},
        }));
        // Without it, a warning whose default is "No, exit" comes before the mode without permissions.
        let settings = json!({ "skipDangerousModePermissionPrompt": true });
        fs::write(home.settings(), settings.to_string()).expect("the home can be written to");
        home
    }

    /// Sets a variable in the environment of every session, in place of one that is there already.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// What it takes for the home directory.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.directory.path()
    }

    /// The directory of the configuration, `CLAUDE_CONFIG_DIR`.
    #[must_use]
    pub fn config(&self) -> &Path {
        &self.config
    }

    /// The settings of the user. They must keep what they hold when hooks are added.
    #[must_use]
    pub fn settings(&self) -> PathBuf {
        self.config.join("settings.json")
    }

    /// A project directory that is trusted. To be made before a session starts: a running one writes
    /// the same file.
    #[must_use]
    pub fn project(&self, name: &str) -> PathBuf {
        let project = self.directory.path().join("projects").join(name);
        fs::create_dir_all(&project).expect("the home can be written to");
        // Trust goes by the real path.
        let project = project.canonicalize().expect("the project has a path");
        let state = fs::read_to_string(self.state()).expect("the home has a state");
        let mut state: Value = serde_json::from_str(&state).expect("the state is JSON");
        state["projects"][project.display().to_string()] =
            json!({ "hasTrustDialogAccepted": true });
        self.write_state(&state);
        project
    }

    /// The program in a project, with nothing but its own environment, for a use without a terminal.
    #[must_use]
    pub fn command(&self, project: &Path) -> Command {
        let mut command = Command::new(Self::program());
        command.env_clear().envs(self.environment()).current_dir(project);
        command
    }

    /// The whole environment it runs in, apart from `TERM`.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
        let home = self.directory.path().display().to_string();
        let config = self.config.display().to_string();
        let temporary = self.directory.path().join("tmp").display().to_string();
        let own = [
            ("PATH", path),
            ("LANG", "C.UTF-8"),
            ("HOME", &home),
            // It leaves sockets behind where temporary files go.
            ("TMPDIR", &temporary),
            ("CLAUDE_CONFIG_DIR", &config),
            ("ANTHROPIC_API_KEY", KEY),
            ("ANTHROPIC_BASE_URL", &self.model),
            ("DISABLE_AUTOUPDATER", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            // The renderer of a fresh home, which it would give up after sessions that were killed.
            ("CLAUDE_CODE_NO_FLICKER", "1"),
            // Tests in a container run as root, where skipping permissions is refused otherwise.
            ("IS_SANDBOX", "1"),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        own.into_iter().chain(self.variables.clone()).collect()
    }

    /// Starts it in a terminal of 120 × 50, and waits until it takes a prompt.
    #[must_use]
    pub fn session(&self, project: &Path, args: &[&str]) -> ClaudeSession {
        self.session_of(project, args, (120, 50))
    }

    /// Starts it in a terminal of so many columns and rows, and waits until it takes a prompt.
    #[must_use]
    pub fn session_of(&self, project: &Path, args: &[&str], size: (u16, u16)) -> ClaudeSession {
        ClaudeSession::start(&Self::program(), &self.environment(), project, args, size)
    }

    /// The pinned program.
    #[must_use]
    pub fn program() -> PathBuf {
        let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
        let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        let packages =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/node_modules/@anthropic-ai");
        let program = packages.join(format!("claude-code-{system}-{machine}/claude"));
        assert!(
            program.exists(),
            "there is no {}: run `cargo xtask test`, which installs it",
            program.display()
        );
        program
    }

    fn state(&self) -> PathBuf {
        self.config.join(".claude.json")
    }

    fn write_state(&self, state: &Value) {
        fs::write(self.state(), state.to_string()).expect("the home can be written to");
    }
}

/// No key at all: the model is scripted.
const KEY: &str = "dummy";

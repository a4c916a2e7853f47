//! A place of its own for an agent.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::McpClient;
use super::programs::program;
use super::session::McpSession;
use crate::claude_code::leftovers::end_all_with;
use crate::{Chance, ScriptedModel};

/// A home with settings, a project, and a scripted model. When this is dropped all of it is deleted, and
/// everything that was started in it has ended.
#[derive(Debug)]
pub struct McpHome {
    client: McpClient,
    directory: TempDir,
    model: String,
    /// In the environment of all that is started here, and nowhere else.
    mark: (String, String),
}

impl McpHome {
    /// Makes a home in which nothing is asked before the first prompt.
    #[must_use]
    pub fn new(client: McpClient, model: &ScriptedModel) -> Self {
        let directory = tempfile::tempdir().expect("a place for the home");
        let mark = format!("{:x}_{:x}", Chance::any_seed(), Chance::any_seed());
        let mark = ("TESTKIT_HOME".to_owned(), mark);
        let home = Self { client, directory, model: model.url().to_owned(), mark };
        let settings = home.settings();
        let above = settings.parent().expect("settings are in a directory");
        for made in [above, &home.home().join("tmp"), &home.home().join("project")] {
            fs::create_dir_all(made).expect("the home can be written to");
        }
        fs::write(&settings, home.first_settings()).expect("the home can be written to");
        home
    }

    /// Which agent it is for.
    #[must_use]
    pub fn client(&self) -> McpClient {
        self.client
    }

    /// What it takes for the home directory.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.directory.path()
    }

    /// The directory it works in.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        let project = self.home().join("project");
        project.canonicalize().expect("the project has a path")
    }

    /// The settings of the user. They must keep what they hold when a server is added.
    #[must_use]
    pub fn settings(&self) -> PathBuf {
        self.home().join(match self.client {
            McpClient::Codex => ".codex/config.toml",
            McpClient::Opencode => ".config/opencode/opencode.jsonc",
            McpClient::Gemini => ".gemini/settings.json",
        })
    }

    /// Settings with remarks, as people have them, that lead to the model.
    fn first_settings(&self) -> String {
        let model = &self.model;
        match self.client {
            McpClient::Codex => format!(
                "# Mine.\nmodel = \"gpt-scripted\"\nmodel_provider = \"scripted\" # not a real one\n\
                 check_for_update_on_startup = false\n\n[model_providers.scripted]\n\
                 name = \"scripted\"\nbase_url = \"{model}/v1\"\nenv_key = \"SCRIPTED_KEY\"\n\
                 wire_api = \"responses\"\n\n[analytics]\nenabled = false\n\n\
                 [features]\nplugins = false # they come from elsewhere\napps = false\n\n\
                 [projects.\"{}\"]\ntrust_level = \"trusted\"\n",
                self.project().display()
            ),
            McpClient::Opencode => format!(
                "// Mine.\n{{\n  \"autoupdate\": false,\n  \"share\": \"disabled\", // never\n  \
                 \"enabled_providers\": [\"anthropic\"],\n  \"provider\": {{\n    \"anthropic\": {{\n      \
                 \"options\": {{ \"baseURL\": \"{model}/v1\", \"apiKey\": \"dummy\" }},\n    }},\n  }},\n  \
                 \"model\": \"anthropic/claude-sonnet-4-5\",\n  \
                 \"small_model\": \"anthropic/claude-sonnet-4-5\",\n}}\n"
            ),
            McpClient::Gemini => "{\n  // Mine.\n  \"security\": { \"auth\": { \"selectedType\": \
                 \"gemini-api-key\" } },\n  \"privacy\": { \"usageStatisticsEnabled\": false },\n  \
                 \"general\": { \"enableAutoUpdate\": false, \"enableAutoUpdateNotification\": false },\n  \
                 \"model\": { \"name\": \"gemini-2.5-flash\" } // no router\n}\n"
                .to_owned(),
        }
    }

    /// The whole environment it runs in, apart from `TERM`.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        let home = self.home().display().to_string();
        let temporary = self.home().join("tmp").display().to_string();
        let codex = self.home().join(".codex").display().to_string();
        let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
        let shared = [
            ("PATH", path),
            ("LANG", "C.UTF-8"),
            ("HOME", &home),
            ("TMPDIR", &temporary),
            // Whatever they want elsewhere, such as packages and news, they find nobody to bring it.
            ("HTTPS_PROXY", NOBODY),
            ("HTTP_PROXY", NOBODY),
            ("NO_PROXY", "127.0.0.1,localhost"),
        ];
        let own: &[(&str, &str)] = match self.client {
            McpClient::Codex => &[("CODEX_HOME", &codex), ("SCRIPTED_KEY", "dummy")],
            McpClient::Opencode => &[
                ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
                ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ],
            McpClient::Gemini => &[
                ("GEMINI_API_KEY", "dummy"),
                ("GOOGLE_GEMINI_BASE_URL", &self.model),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
                // One process, so that whoever ends it has ended it.
                ("GEMINI_CLI_NO_RELAUNCH", "true"),
            ],
        };
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        shared.iter().chain(own).map(owned).chain([self.mark.clone()]).collect()
    }

    /// The program in the project, with nothing but its own environment.
    #[must_use]
    pub fn command(&self, args: &[&str]) -> Command {
        let words = program(self.client);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(args).env_clear().envs(self.environment());
        command.current_dir(self.project());
        command
    }

    /// The program with a prompt, without a terminal.
    #[must_use]
    pub fn headless(&self, prompt: &str) -> Command {
        match self.client {
            McpClient::Codex => self.command(&["exec", "--skip-git-repo-check", prompt]),
            McpClient::Opencode => self.command(&["run", prompt]),
            McpClient::Gemini => self.command(&["-p", prompt]),
        }
    }

    /// The program at a terminal of 120 × 50.
    #[must_use]
    pub fn session(&self) -> McpSession {
        let words = program(self.client);
        McpSession::start(self.client, &words, &self.environment(), &self.project())
    }
}

impl Drop for McpHome {
    fn drop(&mut self) {
        let (name, value) = &self.mark;
        end_all_with(&format!("{name}={value}"));
    }
}

/// Where nothing listens.
const NOBODY: &str = "http://127.0.0.1:1";

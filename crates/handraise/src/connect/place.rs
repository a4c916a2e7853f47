//! Which settings are meant.

use std::path::PathBuf;

use handraise_client::Home;

use super::file::SettingsFile;
use super::record::Record;
use crate::cli::{Agent, SettingsArgs};
use crate::environment;
use crate::failure::{Exit, Failure};

/// The settings that the arguments name, by an absolute path.
pub(crate) fn settings_file(
    home: &Home,
    agent: Agent,
    args: &SettingsArgs,
) -> Result<PathBuf, Failure> {
    let file = match &args.settings {
        Some(file) => Some(file.clone()),
        None if args.project => chosen(home, &project_settings(agent)),
        None => chosen(home, &user_settings(agent)),
    };
    let file = file.ok_or_else(|| {
        let error = anyhow::anyhow!("no home directory is known");
        Failure::new(Exit::BadInput, error).hint("name the settings with --settings FILE")
    })?;
    std::path::absolute(&file).map_err(|error| {
        let error = anyhow::Error::new(error).context(format!("cannot use {:?}", file.display()));
        Failure::new(Exit::BadInput, error)
    })
}

/// A person's own settings of an agent. Where it reads several files, the one it would write comes first.
pub(crate) fn user_settings(agent: Agent) -> Vec<PathBuf> {
    let (directory, files): (_, &[&str]) = match agent {
        Agent::Claude => (environment::claude_directory(), &["settings.json"]),
        Agent::Codex => (environment::codex_directory(), &["config.toml"]),
        Agent::Opencode => {
            (environment::opencode_directory(), &["opencode.jsonc", "opencode.json", "config.json"])
        }
        Agent::Gemini => (environment::gemini_directory(), &["settings.json"]),
        Agent::Qwen => (environment::qwen_directory(), &["settings.json"]),
    };
    let below = |directory: PathBuf| files.iter().map(|file| directory.join(file)).collect();
    directory.map(below).unwrap_or_default()
}

/// The settings of the project in this directory: where an agent has such, those that are nobody else's.
pub(crate) fn project_settings(agent: Agent) -> Vec<PathBuf> {
    let files: &[&str] = match agent {
        Agent::Claude => &[".claude/settings.local.json"],
        Agent::Codex => &[".codex/config.toml"],
        Agent::Opencode => &["opencode.jsonc", "opencode.json"],
        Agent::Gemini => &[".gemini/settings.json"],
        Agent::Qwen => &[".qwen/settings.json"],
    };
    files.iter().map(PathBuf::from).collect()
}

/// Of several files that count: the one we wrote before, else the first that is there, else the first.
fn chosen(home: &Home, files: &[PathBuf]) -> Option<PathBuf> {
    let written = |file: &&PathBuf| {
        let file = SettingsFile::read(file);
        file.is_ok_and(|file| Record::of(home, file.target()).is_some())
    };
    let there = |file: &&PathBuf| file.symlink_metadata().is_ok();
    let found = files.iter().find(written).or_else(|| files.iter().find(there));
    found.or_else(|| files.first()).cloned()
}

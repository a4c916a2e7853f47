//! The directory in which a hub leaves word of itself.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use handraise_broker::{Power, Token};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::process;

/// A hub's home: its database, where it is reached, and the tokens of this account.
#[derive(Debug, Clone)]
pub struct Home(PathBuf);

/// Where a hub is reached, and which process it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubFile {
    /// Its address.
    pub url: String,
    /// Its process; when there is no such process, the hub is down.
    pub pid: u32,
    /// When that process was started, where the system says so: the number of a hub that is gone may be
    /// another process's by now. Older hubs do not write it down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<u64>,
}

impl HubFile {
    /// This process, reached there.
    #[must_use]
    pub fn here(url: impl Into<String>) -> Self {
        let pid = std::process::id();
        Self { url: url.into(), pid, started: process::started(pid) }
    }

    /// The host and port of its address.
    pub(crate) fn authority(&self) -> &str {
        self.url.strip_prefix("http://").unwrap_or(&self.url)
    }

    /// Whether that process still runs.
    pub(crate) fn runs(&self) -> bool {
        process::is_there(self.pid)
            && self.started.is_none_or(|started| match process::started(self.pid) {
                Some(now) => now == started,
                // Nobody's start can be seen here, or only those of others cannot: then it is not ours.
                None => process::started(std::process::id()).is_none(),
            })
    }
}

impl Home {
    /// The file in which a hub that could not start leaves word of why.
    pub const LAST_WORDS: &str = "hub.failed";

    /// Takes a directory, which need not exist yet.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self(directory.into())
    }

    /// The directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.0
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.0.join("handraise.db")
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.0.join("config.toml")
    }

    /// The file that is locked by the one hub of this home.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.0.join("hub.lock")
    }

    /// What a hub that runs by itself has to say.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.0.join("hub.log")
    }

    /// Where a hub that could not start leaves word of why.
    #[must_use]
    pub fn last_words(&self) -> PathBuf {
        self.0.join(Self::LAST_WORDS)
    }

    /// Where the hub writes down where it is.
    #[must_use]
    pub fn hub_file(&self) -> PathBuf {
        self.0.join("hub.json")
    }

    /// Where a token of this power is kept.
    #[must_use]
    pub fn token_file(&self, power: Power) -> PathBuf {
        self.0.join(match power {
            Power::Agent => "agent.token",
            Power::Person => "person.token",
        })
    }

    /// Where the token of the agent of this name is kept.
    #[must_use]
    pub fn agent_token_file(&self, name: &str) -> PathBuf {
        self.agents().join(format!("{name}.token"))
    }

    /// The directory of agents' tokens.
    #[must_use]
    pub fn agents(&self) -> PathBuf {
        self.0.join("agents")
    }

    /// Makes the directory, for its owner's eyes only.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn create(&self) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0)
    }

    /// What the last hub of this home wrote down, be it running or not.
    #[must_use]
    pub fn last_hub(&self) -> Option<HubFile> {
        serde_json::from_slice(&fs::read(self.hub_file()).ok()?).ok()
    }

    /// Where the hub is, if one is running.
    #[must_use]
    pub fn hub(&self) -> Option<HubFile> {
        self.last_hub().filter(HubFile::runs)
    }

    /// Writes down where the hub is.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn announce(&self, hub: &HubFile) -> io::Result<()> {
        write(&self.hub_file(), &serde_json::to_vec(hub)?)
    }

    /// The token of this power, if there is one.
    #[must_use]
    pub fn token(&self, power: Power) -> Option<Token> {
        read_token(&self.token_file(power)).ok()
    }

    /// The token of the agent of this name.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn agent_token(&self, name: &str) -> io::Result<Token> {
        read_token(&self.agent_token_file(name))
    }

    /// Keeps the token of the agent of this name, for its owner's eyes only.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn keep_agent_token(&self, name: &str, token: &Token) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(self.agents())?;
        write(&self.agent_token_file(name), format!("{}\n", token.reveal()).as_bytes())
    }

    /// Removes what a killed process left of agents' tokens in the making.
    ///
    /// # Errors
    ///
    /// When they cannot be listed or removed.
    pub fn remove_token_drafts(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.agents())? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with('.') && name.ends_with(".token.new") {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Keeps a token, for its owner's eyes only.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn keep_token(&self, power: Power, token: &Token) -> io::Result<()> {
        write(&self.token_file(power), format!("{}\n", token.reveal()).as_bytes())
    }

    /// Keeps a file of this name that only its owner can read.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn keep_private(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        write(&self.0.join(name), contents)
    }
}

/// Reads a token. A pipe is not waited for, and of a file without end only the beginning is read.
fn read_token(file: &Path) -> io::Result<Token> {
    const LONGEST: u64 = 1024;
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(file)?;
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text)?;
    let token = Token::presented(&text);
    if token.reveal().is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is empty"));
    }
    Ok(token)
}

/// Writes a file atomically: a reader sees all of it or nothing.
fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.new"));
    let mut file =
        OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&draft)?;
    file.write_all(contents)?;
    file.sync_all()?;
    fs::rename(draft, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn home() -> (tempfile::TempDir, Home) {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::new(directory.path().join("home"));
        home.create().unwrap();
        (directory, home)
    }

    #[test]
    fn secrets_are_for_their_owner_alone() {
        let (_directory, home) = home();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        home.keep_token(Power::Person, &Token::new([3; 32])).unwrap();
        assert_eq!(mode(&home.token_file(Power::Person)), 0o600);
        assert_eq!(mode(home.directory()), 0o700);
        assert_eq!(home.token(Power::Person).unwrap().hash(), Token::new([3; 32]).hash());
        assert!(home.token(Power::Agent).is_none());
    }

    #[test]
    fn what_is_left_of_tokens_in_the_making_is_removed() {
        let (_directory, home) = home();
        home.keep_agent_token("bot", &Token::new([3; 32])).unwrap();
        let draft = home.agents().join(".bot.token.new");
        fs::write(&draft, "half").unwrap();
        home.remove_token_drafts().unwrap();
        assert!(!draft.exists());
        assert!(home.agent_token("bot").is_ok());
    }

    #[test]
    fn a_hub_whose_process_is_gone_is_down() {
        let (_directory, home) = home();
        assert_eq!(home.hub(), None);
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let url = "http://127.0.0.1:1".to_owned();
        let gone = HubFile { url: url.clone(), pid: child.id(), started: None };
        home.announce(&gone).unwrap();
        assert_eq!(home.last_hub(), Some(gone));
        assert_eq!(home.hub(), None);
        let here = HubFile::here(url);
        home.announce(&here).unwrap();
        assert_eq!(home.hub(), Some(here));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_hub_whose_number_another_process_has_now_is_down() {
        let (_directory, home) = home();
        let here = HubFile::here("http://127.0.0.1:1");
        let before = HubFile { started: here.started.map(|started| started + 1), ..here };
        assert!(before.started.is_some());
        home.announce(&before).unwrap();
        assert_eq!(home.hub(), None);
        assert_eq!(home.last_hub(), Some(before));
    }

    #[test]
    fn a_hub_of_an_older_version_counts() {
        let (_directory, home) = home();
        let pid = std::process::id();
        let written = format!(r#"{{"url":"http://127.0.0.1:1","pid":{pid}}}"#);
        fs::write(home.hub_file(), &written).unwrap();
        let hub = home.hub().unwrap();
        assert_eq!(hub, HubFile { url: "http://127.0.0.1:1".into(), pid, started: None });
        home.announce(&hub).unwrap();
        assert_eq!(fs::read_to_string(home.hub_file()).unwrap(), written);
    }
}

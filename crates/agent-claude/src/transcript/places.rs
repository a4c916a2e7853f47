//! Where Claude Code keeps what sessions wrote down.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::running::Running;
use super::{index, line, opened};

/// Claude Code's configuration directory, and what is found in it.
#[derive(Debug, Clone)]
pub struct Places(PathBuf);

/// The transcript of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// The session.
    pub session: String,
    /// Its file.
    pub path: PathBuf,
    /// When it was last written to.
    pub modified: Option<SystemTime>,
}

/// A name longer than this is cut, and the hash of the whole follows (measured).
const LONGEST_NAME: usize = 200;
/// Where a session works it says in one of its first lines.
const HEAD: u64 = 1024 * 1024;

impl Places {
    /// The places below this configuration directory: `$CLAUDE_CONFIG_DIR`, or `~/.claude`.
    #[must_use]
    pub fn new(config: PathBuf) -> Self {
        Self(config)
    }

    /// Where each directory that sessions worked in has its own.
    #[must_use]
    pub fn projects(&self) -> PathBuf {
        self.0.join("projects")
    }

    /// Where each process that runs a session has its own file.
    #[must_use]
    pub fn sessions(&self) -> PathBuf {
        self.0.join("sessions")
    }

    /// The directory of every project, sorted.
    #[must_use]
    pub fn directories(&self) -> Vec<PathBuf> {
        let mut found = children(&self.projects());
        found.retain(|path| path.is_dir());
        found.sort();
        found
    }

    /// Where the transcripts of sessions are that work in this directory. Others may be there, too: `a.b`
    /// and `a b` share one. There may be no such directory.
    #[must_use]
    pub fn directory_of(&self, cwd: &Path) -> PathBuf {
        let name = mangled(cwd);
        if name.len() <= LONGEST_NAME {
            return self.projects().join(name);
        }
        let candidates = self.candidates(cwd);
        let its_own = candidates.iter().find(|directory| {
            Self::transcripts_in(directory).iter().any(|file| works_in(&file.path, cwd))
        });
        let fallback = || self.projects().join(&name[..LONGEST_NAME]);
        its_own.or(candidates.first()).cloned().unwrap_or_else(fallback)
    }

    /// The directories in which its transcripts may be: one, or all that begin alike.
    fn candidates(&self, cwd: &Path) -> Vec<PathBuf> {
        let name = mangled(cwd);
        if name.len() <= LONGEST_NAME {
            return vec![self.projects().join(name)];
        }
        let begin = format!("{}-", &name[..LONGEST_NAME]);
        let mut found = self.directories();
        found.retain(|path| path.file_name().is_some_and(|name| begins(name, &begin)));
        found
    }

    /// The transcripts in a project's directory, the newest first.
    ///
    /// Regular files with the right ending; of one that Claude Code's own list knows, the later of the two
    /// times counts.
    #[must_use]
    pub fn transcripts_in(directory: &Path) -> Vec<SessionFile> {
        let listed = index::modified(directory);
        let files = children(directory).into_iter().filter_map(|path| {
            let session = path.file_name()?.to_str()?.strip_suffix(".jsonl")?.to_owned();
            let metadata = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
            let modified = metadata.modified().ok().max(listed.get(&path).copied());
            Some(SessionFile { session, path, modified })
        });
        let mut files: Vec<_> = files.collect();
        files.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
        files
    }

    /// The transcripts of sessions that began in this directory, the newest first: several directories may
    /// share one place, so what counts is what a session says itself.
    #[must_use]
    pub fn transcripts_of(&self, cwd: &Path) -> Vec<SessionFile> {
        let directories = self.candidates(cwd);
        let mut files: Vec<_> =
            directories.iter().flat_map(|directory| Self::transcripts_in(directory)).collect();
        files.retain(|file| works_in(&file.path, cwd));
        files
    }

    /// The transcript of a session: where sessions of `cwd` have theirs, else anywhere.
    #[must_use]
    pub fn transcript(&self, session: &str, cwd: Option<&Path>) -> Option<PathBuf> {
        let name = format!("{session}.jsonl");
        // A session's id names a file, and no other place.
        if Path::new(&name).file_name() != Some(OsStr::new(&name)) {
            return None;
        }
        let near = cwd.map(|cwd| self.candidates(cwd)).unwrap_or_default();
        let found = |directories: Vec<PathBuf>| {
            directories.into_iter().map(|place| place.join(&name)).find(|path| path.is_file())
        };
        found(near).or_else(|| found(self.directories()))
    }

    /// What is said of sessions that run, whether or not their process still lives.
    #[must_use]
    pub fn running(&self) -> Vec<Running> {
        let mut found: Vec<_> =
            children(&self.sessions()).iter().filter_map(|path| Running::read(path)).collect();
        found.sort_by_key(|running| running.pid);
        found
    }
}

impl SessionFile {
    /// Where the session began to work, as it says itself.
    #[must_use]
    pub fn cwd(&self) -> Option<PathBuf> {
        cwd_in(&self.path)
    }
}

/// What Claude Code makes of a path: one `-` for each UTF-16 unit that is no ASCII letter or digit
/// (measured: `日本` becomes `--`, an emoji too).
fn mangled(cwd: &Path) -> String {
    let unit = |unit: u16| {
        let plain = char::from_u32(unit.into()).filter(char::is_ascii_alphanumeric);
        plain.unwrap_or('-')
    };
    cwd.to_string_lossy().encode_utf16().map(unit).collect()
}

fn begins(name: &OsStr, with: &str) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(with))
}

fn works_in(transcript: &Path, cwd: &Path) -> bool {
    cwd_in(transcript).is_some_and(|found| found == cwd)
}

fn cwd_in(transcript: &Path) -> Option<PathBuf> {
    // The first lines are short; most transcripts are not.
    [HEAD / 64, HEAD].into_iter().find_map(|most| {
        let head = opened::beginning(transcript, most)?;
        head.split(|byte| *byte == b'\n')
            .filter_map(|line| str::from_utf8(line).ok())
            .find_map(line::cwd)
    })
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    entries.flatten().map(|entry| entry.path()).collect()
}

#[cfg(test)]
#[path = "places_tests.rs"]
mod tests;

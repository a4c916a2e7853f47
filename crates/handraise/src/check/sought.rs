//! Which transcripts are meant.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use handraise_agent_claude::transcript::{Places, SessionFile, workspace_of};

use crate::cli::CheckArgs;
use crate::environment;
use crate::failure::{Exit, Failure};

/// What was found, the newest first.
#[derive(Debug, Default)]
pub(super) struct Sought {
    pub(super) files: Vec<SessionFile>,
    pub(super) unreadable: Vec<(PathBuf, io::Error)>,
}

pub(super) fn transcripts(args: &CheckArgs) -> Result<Sought, Failure> {
    let own = environment::claude_directory().map(Places::new);
    let none = || Failure::new(Exit::BadInput, anyhow!("there is no home directory to look in"));
    let mut sought = match (&args.agent, &args.place) {
        (Some(agent), _) => {
            let agents = environment::panopticon_agents().ok_or_else(none)?;
            let workspace = workspace_of(&agents, agent).ok_or_else(|| no_agent(agent, &agents))?;
            Sought { files: own.ok_or_else(none)?.transcripts_of(&workspace), ..Sought::default() }
        }
        (None, Some(place)) => in_place(place, own.as_ref())?,
        (None, None) => below(&own.ok_or_else(none)?.projects()),
    };
    sought.files.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
    Ok(sought)
}

fn no_agent(agent: &str, agents: &Path) -> Failure {
    let error = anyhow!("there is no agent \"{agent}\" with a workspace in {}", agents.display());
    Failure::new(Exit::BadInput, error)
}

/// What a path that somebody typed means. A directory may be several things at once: one that holds
/// directories named as Claude Code names them is one of its own, else the sessions that worked there are
/// meant, if there are any.
fn in_place(place: &Path, own: Option<&Places>) -> Result<Sought, Failure> {
    let looked = fs::metadata(place).and_then(|metadata| Ok((metadata, place.canonicalize()?)));
    let (metadata, whole) = looked.map_err(|error| {
        let error =
            anyhow::Error::new(error).context(format!("cannot look at {}", place.display()));
        Failure::new(Exit::BadInput, error)
    })?;
    if metadata.is_file() {
        return Ok(one(&whole, metadata.modified().ok()));
    }
    if !metadata.is_dir() {
        let error = anyhow!("{} is neither a directory nor a file", place.display());
        return Err(Failure::new(Exit::BadInput, error));
    }
    let worked_there = || Sought {
        files: own.map(|places| places.transcripts_of(&whole)).unwrap_or_default(),
        ..Sought::default()
    };
    let found = as_kept(&whole, is_mangled).or_else(|| Some(worked_there()).filter(Sought::is_any));
    Ok(found.or_else(|| as_kept(&whole, |_| true)).unwrap_or_default())
}

fn one(path: &Path, modified: Option<std::time::SystemTime>) -> Sought {
    let session = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Sought {
        files: vec![SessionFile { session, path: path.to_owned(), modified }],
        unreadable: vec![],
    }
}

/// The transcripts of a configuration directory, of its `projects`, or of one of those.
fn as_kept(place: &Path, named: impl Fn(&Path) -> bool) -> Option<Sought> {
    let projects = place.join("projects");
    for directory in [projects.as_path(), place] {
        if directories(directory).iter().any(|path| named(path)) {
            let found = below(directory);
            if found.is_any() {
                return Some(found);
            }
        }
    }
    named(place).then(|| inside(place)).filter(Sought::is_any)
}

/// The working directory is absolute, so its name begins with what becomes of a slash.
fn is_mangled(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"-"))
}

fn directories(place: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let mut found: Vec<_> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// The transcripts of every project in here.
fn below(projects: &Path) -> Sought {
    let mut all = Sought::default();
    for directory in directories(projects) {
        let Sought { files, unreadable } = inside(&directory);
        all.files.extend(files);
        all.unreadable.extend(unreadable);
    }
    all
}

/// The transcripts of one project.
fn inside(directory: &Path) -> Sought {
    let unreadable = fs::read_dir(directory).err().map(|error| (directory.to_owned(), error));
    Sought {
        files: Places::transcripts_in(directory),
        unreadable: unreadable.into_iter().collect(),
    }
}

impl Sought {
    fn is_any(&self) -> bool {
        !self.files.is_empty() || !self.unreadable.is_empty()
    }
}

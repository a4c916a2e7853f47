//! The decision log: one Markdown document for each project, in the order in which things ended.
//!
//! The order is the log's own, not that of a clock that may be set: what is decided later stands further
//! down, so that a log that is exported again only grows at its end.

mod document;
mod entry;
mod guard;
mod names;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use handraise_broker::{AskId, AskStore, Record, State, StoreError};
use handraise_store_sqlite::SqliteStore;

use super::sink::Sink;
use super::wanted::Wanted;
use super::{ELSEWHERE, is_directory};
use crate::failure::{self, Exit, Failure};
use crate::{output, whole_file};
use document::Document;
use names::Names;

const PAGE: u32 = 500;
/// For a team: as readable as the account makes its files.
const MODE: u32 = 0o666;

/// What was decided, by project.
#[derive(Default)]
pub(super) struct Decisions {
    /// They stand as they first decided something that is wanted.
    projects: Vec<Project>,
    /// All directories, wanted or not, as they first decided something: names are given in this order, so
    /// that a project is called the same whatever is wanted.
    directories: Vec<Directory>,
}

/// Where agents work; some name none.
type Directory = Option<String>;

/// What was decided in one directory.
struct Project {
    directory: Directory,
    document: Document,
}

/// Everything that was decided and is wanted.
pub(super) async fn gather(store: &SqliteStore, wanted: &Wanted) -> Result<Decisions, StoreError> {
    let mut decisions = Decisions::default();
    let mut places: HashMap<Directory, usize> = HashMap::new();
    let mut known: HashSet<Directory> = HashSet::new();
    let mut after = 0;
    loop {
        let page = store.log(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        let ends = page.iter().filter(|entry| entry.name == "ask.resolved");
        let ended: Vec<AskId> = ends.filter_map(|entry| entry.ask).collect();
        let records = store.load(&ended).await?.into_iter();
        let records: HashMap<AskId, Record> = records.map(|record| (record.id, record)).collect();
        for record in ended.iter().filter_map(|id| records.get(id)) {
            let directory = record.asker().directory.as_deref();
            let directory = directory.map(|path| path.trim_end_matches('/').to_owned());
            if is_decision(record) && known.insert(directory.clone()) {
                decisions.directories.push(directory.clone());
            }
            if !is_wanted(record, wanted) {
                continue;
            }
            let place = *places.entry(directory.clone()).or_insert_with(|| {
                decisions.projects.push(Project { directory, document: Document::default() });
                decisions.projects.len() - 1
            });
            decisions.projects[place].document.add(record);
        }
    }
    // Where nothing was decided, but what was withdrawn is wanted.
    let others = decisions.projects.iter().map(|project| project.directory.clone());
    let others: Vec<_> = others.filter(|directory| !known.contains(directory)).collect();
    decisions.directories.extend(others);
    decisions.entitle();
    Ok(decisions)
}

impl Decisions {
    fn entitle(&mut self) {
        let mut names = Names::default();
        let titles = self.directories.iter();
        let titles: HashMap<_, _> =
            titles.map(|directory| (directory, names.title(directory.as_deref()))).collect();
        for Project { directory, document } in &mut self.projects {
            document.call(titles.get(directory).map_or("", String::as_str));
        }
    }
}

/// Where an agent took its question back nothing was decided, unless it went on with something all the
/// same.
fn is_decision(record: &Record) -> bool {
    let went_on = record.state() == State::Overruled || record.doubt().is_some();
    record.resolved().is_some_and(|resolved| !resolved.is_withdrawn() || went_on)
}

fn is_wanted(record: &Record, wanted: &Wanted) -> bool {
    let is_meant = is_decision(record) || wanted.kind.is_some();
    record.resolved().is_some_and(|resolved| is_meant && wanted.has(record, resolved.at))
}

/// Writes the documents where they are wanted.
pub(super) fn write(decisions: Decisions, to: Option<&Path>, force: bool) -> Result<(), Failure> {
    let Decisions { projects, directories } = decisions;
    if projects.is_empty() {
        failure::say("Nothing like that was decided; nothing was written.");
        return Ok(());
    }
    match to {
        None => print(&projects),
        Some(to) if is_directory(to) => write_each(projects, &directories, to, force),
        Some(to) => write_one(projects, to, force),
    }
}

fn print(projects: &[Project]) -> Result<(), Failure> {
    let mut sink = Sink::open(None)?;
    for (at, project) in projects.iter().enumerate() {
        let gap = if at > 0 { "\n" } else { "" };
        let text = project.document.text();
        if sink.line(&format!("{gap}{}", text.trim_end()))?.is_break() {
            break;
        }
    }
    sink.close()
}

fn write_one(projects: Vec<Project>, to: &Path, force: bool) -> Result<(), Failure> {
    if projects.len() > 1 {
        let error = anyhow::anyhow!("{} projects do not go into one file", projects.len());
        let failure = Failure::new(Exit::BadInput, error)
            .hint("name one with --project PART, or a directory for all of them with -o DIR/");
        let directories = projects.iter().take(10).filter_map(|one| one.directory.as_deref());
        return Err(directories.fold(failure, Failure::detail));
    }
    for project in projects {
        keep(&project, to, &guard::text(to, &project.document, force)?)?;
    }
    Ok(())
}

/// A file for each. Whatever else is in the directory stays, also where everything may be replaced.
fn write_each(
    projects: Vec<Project>,
    directories: &[Directory],
    to: &Path,
    force: bool,
) -> Result<(), Failure> {
    std::fs::create_dir_all(to).map_err(|error| Failure::unwritten(to, error, ELSEWHERE))?;
    let mut names = Names::default();
    let anothers = |file: &str| guard::is_anothers(&to.join(file));
    let mut files: HashMap<_, _> = directories
        .iter()
        .map(|directory| (directory, to.join(names.file(directory.as_deref(), anothers))))
        .collect();
    let files: Vec<_> = projects
        .into_iter()
        .filter_map(|project| Some((files.remove(&project.directory)?, project)))
        .collect();
    // All of them before the first is written.
    let texts = files.iter().map(|(path, project)| guard::text(path, &project.document, force));
    let texts: Vec<_> = texts.collect::<Result<_, _>>()?;
    files.iter().zip(texts).try_for_each(|((path, project), text)| keep(project, path, &text))
}

fn keep(project: &Project, path: &Path, text: &str) -> Result<(), Failure> {
    let decisions = match project.document.decisions() {
        1 => "1 decision".to_owned(),
        decisions => format!("{decisions} decisions"),
    };
    let written = whole_file::write(path, text, MODE);
    written.map_err(|error| Failure::unwritten(path, error, ELSEWHERE))?;
    output::print(&format!("{}: {decisions}", path.display()))
}

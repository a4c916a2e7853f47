//! The decision log: one Markdown document for each project, in the order in which things ended.
//!
//! The order is the log's own, not that of a clock that may be set: what is decided later stands further
//! down, so that a log that is exported again only grows at its end.

mod document;
mod entry;
mod guard;
mod names;

use std::collections::HashMap;
use std::path::Path;

use handraise_broker::{AskId, AskStore, Record, State, StoreError};
use handraise_store_sqlite::SqliteStore;

use super::sink::Sink;
use super::wanted::Wanted;
use crate::failure::{self, Exit, Failure};
use crate::{output, whole_file};
use document::Document;
use names::Names;

const PAGE: u32 = 500;
/// For a team: as readable as the account makes its files.
const MODE: u32 = 0o666;

/// What was decided in one directory.
pub(super) struct Project {
    directory: Option<String>,
    document: Document,
}

/// Everything that was decided and is wanted, by project; they stand as they first decided something.
pub(super) async fn gather(
    store: &SqliteStore,
    wanted: &Wanted,
) -> Result<Vec<Project>, StoreError> {
    let mut projects: Vec<Project> = vec![];
    let mut places: HashMap<Option<String>, usize> = HashMap::new();
    let mut after = 0;
    loop {
        let page = store.log(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(projects) };
        after = last.seq;
        let ends = page.iter().filter(|entry| entry.name == "ask.resolved");
        let ended: Vec<AskId> = ends.filter_map(|entry| entry.ask).collect();
        let records = store.load(&ended).await?.into_iter();
        let records: HashMap<AskId, Record> = records.map(|record| (record.id, record)).collect();
        for record in ended.iter().filter_map(|id| records.get(id)) {
            if !is_decision(record, wanted) {
                continue;
            }
            let directory = record.asker().directory.as_deref();
            let directory = directory.map(|path| path.trim_end_matches('/').to_owned());
            let place = *places.entry(directory.clone()).or_insert_with(|| {
                let document = Document::new(&names::title(directory.as_deref()));
                projects.push(Project { directory, document });
                projects.len() - 1
            });
            projects[place].document.add(record);
        }
    }
}

/// Where an agent took its question back nothing was decided, unless it went on with something all the
/// same.
fn is_decision(record: &Record, wanted: &Wanted) -> bool {
    let Some(resolved) = record.resolved() else { return false };
    let went_on = record.state() == State::Overruled || record.doubt().is_some();
    (!resolved.is_withdrawn() || went_on || wanted.kind.is_some())
        && wanted.has(record, resolved.at)
}

/// Writes the documents where they are wanted.
pub(super) fn write(projects: Vec<Project>, to: Option<&Path>, force: bool) -> Result<(), Failure> {
    if projects.is_empty() {
        failure::say("Nothing like that was decided; nothing was written.");
        return Ok(());
    }
    match to.filter(|to| *to != Path::new("-")) {
        None => print(projects),
        Some(to) if is_directory(to) => write_each(projects, to, force),
        Some(to) => write_one(projects, to, force),
    }
}

fn is_directory(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir()
}

fn print(projects: Vec<Project>) -> Result<(), Failure> {
    let mut sink = Sink::open(None)?;
    for (at, project) in projects.into_iter().enumerate() {
        let gap = if at > 0 { "\n" } else { "" };
        let text = project.document.into_text();
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
        guard::check(to, project.document.text(), force)?;
        keep(project, to)?;
    }
    Ok(())
}

fn write_each(projects: Vec<Project>, to: &Path, force: bool) -> Result<(), Failure> {
    std::fs::create_dir_all(to).map_err(|error| Failure::unwritable(to, error))?;
    let mut names = Names::default();
    let files: Vec<_> = projects
        .into_iter()
        .map(|project| (to.join(names.file(project.directory.as_deref())), project))
        .collect();
    // All of them before the first is written.
    for (path, project) in &files {
        guard::check(path, project.document.text(), force)?;
    }
    files.into_iter().try_for_each(|(path, project)| keep(project, &path))
}

fn keep(project: Project, path: &Path) -> Result<(), Failure> {
    let decisions = match project.document.decisions() {
        1 => "1 decision".to_owned(),
        decisions => format!("{decisions} decisions"),
    };
    let text = project.document.into_text();
    whole_file::write(path, &text, MODE).map_err(|error| Failure::unwritable(path, error))?;
    output::print(&format!("{}: {decisions}", path.display()))
}

//! `handraise export`: the record of what was asked and decided, for others.
//!
//! It reads the database and not through the hub: so it is the same whether one is running or not, and a
//! backup can be read as well.

mod decisions;
mod lines;
mod sink;
mod wanted;
mod when;

use std::path::Path;

use handraise_broker::StoreError;
use handraise_client::Home;
use handraise_store_sqlite::SqliteStore;

use crate::cli::{ExportArgs, ExportFormat};
use crate::failure::{self, Exit, Failure};
use crate::home::log_file;
use crate::{environment, own_files, runtime, whole_file};
use sink::Sink;
use wanted::Wanted;

pub(crate) use when::When;

const ELSEWHERE: &str = "name another place with -o PATH";

pub(crate) fn run(home: &Home, args: &ExportArgs) -> Result<Exit, Failure> {
    let runtime = runtime::single().map_err(|error| Failure::new(Exit::Internal, error))?;
    let file = log_file(home, args.file.as_deref())?;
    let wanted = Wanted::new(args, environment::time());
    let output = args.output.as_deref().filter(|output| *output != Path::new("-"));
    if let Some(output) = output.filter(|output| !is_directory(output)) {
        own_files::refuse(home, &file, output)?;
    }
    let done = runtime.block_on(async {
        let store = SqliteStore::open_to_read(&file).map_err(unreadable)?;
        match args.format {
            ExportFormat::Jsonl => {
                if let Some(path) = output {
                    refuse_directory(path)?;
                    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
                    whole_file::check(&path, args.force, " with -o FILE")?;
                }
                let mut sink = Sink::open(output)?;
                let asks = lines::write(&store, &wanted, &mut sink).await?;
                sink.close()?;
                if let Some(path) = output {
                    let asks = if asks == 1 { "1 ask".into() } else { format!("{asks} asks") };
                    failure::say(&format!("{asks} written to {}", path.display()));
                }
            }
            ExportFormat::Decisions => {
                let found = decisions::gather(&store, &wanted).await.map_err(unreadable)?;
                decisions::write(found, output, args.force)?;
            }
        }
        Ok(())
    });
    match done {
        Ok(()) => Ok(Exit::Answered),
        Err(Trouble::Failed(failure)) => Err(failure),
        Err(Trouble::Unreadable(error)) => {
            let context = format!("cannot read {}", file.display());
            Err(Failure::new(Exit::Internal, anyhow::Error::new(error).context(context)))
        }
    }
}

/// Whether a directory is meant, be it there or not.
fn is_directory(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir()
}

fn refuse_directory(path: &Path) -> Result<(), Failure> {
    if !is_directory(path) {
        return Ok(());
    }
    let error =
        anyhow::anyhow!("{} is a directory, and JSON Lines go into one file", path.display());
    Err(Failure::new(Exit::BadInput, error).hint(format!(
        "write -o {}; a directory is for --format decisions",
        path.join("asks.jsonl").display()
    )))
}

/// What can go wrong on the way.
enum Trouble {
    Unreadable(StoreError),
    Failed(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

fn unreadable(error: StoreError) -> Trouble {
    Trouble::Unreadable(error)
}

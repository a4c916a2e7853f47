//! `handraise export`: the record of what was asked and decided, for others.
//!
//! It reads the database and not through the hub: so it is the same whether one is running or not, and a
//! backup can be read as well.

mod decisions;
mod lines;
mod sink;
mod wanted;
mod when;

use handraise_broker::StoreError;
use handraise_client::Home;
use handraise_store_sqlite::SqliteStore;

use crate::cli::{ExportArgs, ExportFormat};
use crate::failure::{self, Exit, Failure};
use crate::home::log_file;
use crate::{environment, runtime, whole_file};
use sink::Sink;
use wanted::Wanted;

pub(crate) use when::When;

pub(crate) fn run(home: &Home, args: &ExportArgs) -> Result<Exit, Failure> {
    let runtime = runtime::single().map_err(|error| Failure::new(Exit::Internal, error))?;
    let file = log_file(home, args.file.as_deref())?;
    let wanted = Wanted::new(args, environment::time());
    let output = args.output.as_deref();
    let done = runtime.block_on(async {
        let store = SqliteStore::open_to_read(&file).map_err(unreadable)?;
        match args.format {
            ExportFormat::Jsonl => {
                if let Some(path) = output {
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
                let projects = decisions::gather(&store, &wanted).await.map_err(unreadable)?;
                decisions::write(projects, output, args.force)?;
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

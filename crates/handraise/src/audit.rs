//! `handraise audit verify`: whether the log is what was written.

use std::path::Path;

use handraise_broker::{AskStore, Audit, Broken, Head, Sound, StoreError};
use handraise_client::Home;
use handraise_store_sqlite::SqliteStore;
use serde_json::json;

use crate::cli::VerifyArgs;
use crate::failure::{Exit, Failure};
use crate::home::log_file;
use crate::{output, runtime};

const PAGE: u32 = 1000;

pub(crate) fn verify(home: &Home, args: &VerifyArgs) -> Result<Exit, Failure> {
    let runtime = runtime::single().map_err(|error| Failure::new(Exit::Internal, error))?;
    let file = log_file(home, args.file.as_deref())?;
    let audited = runtime.block_on(audit(&file, args.head)).map_err(|error| {
        let context = format!("cannot read {}", file.display());
        Failure::new(Exit::Internal, anyhow::Error::new(error).context(context))
    })?;
    match audited {
        Ok(sound) => {
            if args.json {
                let Sound { head, pruned } = sound;
                output::print_json(&json!({
                    "sound": true, "events": head.seq, "head": head.to_string(), "pruned": pruned,
                }))?;
            } else {
                output::print(&good(&sound))?;
            }
            Ok(Exit::Answered)
        }
        Err(broken) => {
            if args.json {
                output::print_json(&json!({"sound": false, "problem": broken.to_string()}))?;
            }
            let error = anyhow::Error::new(broken).context("the log does not add up");
            Err(Failure::new(Exit::Internal, error))
        }
    }
}

/// Reads the whole log, page by page.
pub(crate) async fn audit(
    file: &Path,
    head: Option<Head>,
) -> Result<Result<Sound, Broken>, StoreError> {
    let store = SqliteStore::open_to_read(file)?;
    let mut audit = Audit::new(head);
    let mut limit = PAGE;
    loop {
        let last = audit.head().seq;
        let page = match store.log(last, limit).await {
            // One by one from here on, to find out which it is and whether those before it are sound.
            Err(StoreError::Damaged(_)) if limit > 1 => {
                limit = 1;
                continue;
            }
            Err(StoreError::Damaged(why)) => {
                return Ok(Err(Broken::Unreadable { seq: last + 1, why }));
            }
            page => page?,
        };
        if page.is_empty() {
            return Ok(audit.finish());
        }
        for entry in &page {
            if let Err(broken) = audit.next(entry) {
                return Ok(Err(broken));
            }
        }
    }
}

pub(crate) fn good(sound: &Sound) -> String {
    let events = match sound.head.seq {
        1 => "1 event adds up".to_owned(),
        events => format!("{events} events add up"),
    };
    let dropped = match sound.pruned {
        0 => String::new(),
        1 => ", 1 old ask was dropped by retention".to_owned(),
        asks => format!(", {asks} old asks were dropped by retention"),
    };
    format!("✔ {events}{dropped}\n  head {}", sound.head)
}

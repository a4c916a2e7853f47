//! JSON Lines: one ask a line, in the form of the API.

use std::ops::ControlFlow;

use handraise_broker::{AskStore, Query, Record};
use handraise_store_sqlite::SqliteStore;
use handraise_wire::v1::AskResponse;

use super::sink::Sink;
use super::wanted::Wanted;
use super::{Trouble, unreadable};
use crate::failure::{Exit, Failure};

const PAGE: u32 = 200;

/// Writes every ask that is wanted, page by page; returns how many.
pub(super) async fn write(
    store: &SqliteStore,
    wanted: &Wanted,
    sink: &mut Sink,
) -> Result<usize, Trouble> {
    let mut after = None;
    let mut written = 0;
    loop {
        let query = Query { after, limit: PAGE, ..wanted.query() };
        let page = store.list(&query).await.map_err(unreadable)?;
        let Some(last) = page.last() else { return Ok(written) };
        after = Some(last.id);
        for record in page.iter().filter(|record| wanted.has(record, record.asked_at)) {
            match sink.line(&line(record)?)? {
                ControlFlow::Continue(()) => written += 1,
                ControlFlow::Break(()) => return Ok(written),
            }
        }
    }
}

/// An ask on one line. Agents may send JSON of several lines: then its line ends, which are between its
/// parts and mean nothing, become spaces, and `asSent` has every byte of it.
fn line(record: &Record) -> Result<String, Failure> {
    let text = serde_json::to_string(&AskResponse::from(record));
    let text = text.map_err(|error| Failure::new(Exit::Internal, error))?;
    let one_line = text.replace(['\n', '\r'], " ");
    let as_sent = record.matter().as_sent().get();
    if !as_sent.contains(['\n', '\r']) {
        return Ok(one_line);
    }
    let as_sent = serde_json::to_string(as_sent);
    let as_sent = as_sent.map_err(|error| Failure::new(Exit::Internal, error))?;
    let open = one_line.strip_suffix('}').unwrap_or(&one_line);
    Ok(format!("{open},\"asSent\":{as_sent}}}"))
}

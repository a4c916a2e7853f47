//! Keeping things.

use std::sync::Arc;

use handraise_broker::{
    AskId, Batch, DeviceWrite, DraftChange, Entry, Record, Resolved, Sealed, StoreError, hex,
};
use serde::Serialize;
use sqlx::{Connection, SqliteConnection};

use crate::error::store_error;
use crate::rows;

const LONGEST_PORTION: usize = 4 * 1024 * 1024;

/// Keeps all of a batch or nothing of it.
pub(crate) async fn commit(
    connection: &mut SqliteConnection,
    batch: &Batch,
) -> Result<(), StoreError> {
    let follows = |two: &[Sealed]| two[0].entry.seq + 1 == two[1].entry.seq;
    if !batch.events.windows(2).all(follows) {
        return Err(StoreError::Conflict);
    }
    keep(connection, batch).await.map_err(store_error)
}

async fn keep(connection: &mut SqliteConnection, batch: &Batch) -> sqlx::Result<()> {
    let Batch { events, asks, drafts, devices, pruned } = batch;
    let portions = portions(events);
    if portions.len() <= 1 && drafts.is_empty() && devices.is_empty() && pruned.is_empty() {
        // One statement is a transaction of its own.
        return log_and_index(connection, events, asks).await;
    }
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    for portion in portions {
        log_and_index(&mut transaction, portion, &[]).await?;
    }
    log_and_index(&mut transaction, &[], asks).await?;
    for change in drafts {
        draft(&mut transaction, change).await?;
    }
    for write in devices {
        device(&mut transaction, write).await?;
    }
    for id in pruned {
        prune(&mut transaction, *id).await?;
    }
    transaction.commit().await
}

/// Events in portions that fit into one statement: SQLite takes no text of more than a gigabyte, and a
/// batch of the largest asks there can be would come near it.
fn portions(events: &[Sealed]) -> Vec<&[Sealed]> {
    let mut length = 0;
    let fits = |_: &Sealed, next: &Sealed| {
        length += next.body.len();
        let fits = length <= LONGEST_PORTION;
        if !fits {
            length = next.body.len();
        }
        fits
    };
    events.chunk_by(fits).collect()
}

/// Keeps events and what they say about asks, by way of `keep.sql`.
async fn log_and_index(
    connection: &mut SqliteConnection,
    events: &[Sealed],
    asks: &[Arc<Record>],
) -> sqlx::Result<()> {
    let first = events.first().map(|sealed| rows::number(sealed.entry.seq));
    sqlx::query("INSERT INTO log_and_index (first, events, asks) VALUES (?1, ?2, ?3)")
        .bind(first)
        .bind(list(events.iter().map(event))?)
        .bind(list(asks.iter().map(|record| ask(record)))?)
        .execute(connection)
        .await?;
    Ok(())
}

/// Rows as one JSON list.
fn list(rows: impl Iterator<Item = impl Serialize>) -> sqlx::Result<String> {
    let rows: Vec<_> = rows.collect();
    serde_json::to_string(&rows).map_err(|error| sqlx::Error::Encode(error.into()))
}

fn event(sealed: &Sealed) -> impl Serialize {
    let Entry { at, ask, event, .. } = &sealed.entry;
    let ask = ask.map(|ask| hex(ask.as_bytes()));
    let (digest, hash) = (hex(&sealed.digest), hex(&sealed.hash));
    (at.as_microsecond(), event.name(), ask, &sealed.body, digest, hash)
}

fn ask(record: &Record) -> impl Serialize {
    let resolved = record.resolved();
    (
        hex(record.id.as_bytes()),
        &record.asker().agent,
        &record.opened.key,
        &record.asker().session,
        record.state().name(),
        resolved.map(Resolved::kind),
        record.is_open() || record.awaits_receipt(),
        resolved.map(|resolved| resolved.at.as_microsecond()),
    )
}

async fn draft(connection: &mut SqliteConnection, change: &DraftChange) -> sqlx::Result<()> {
    let query = match &change.draft {
        Some(draft) => sqlx::query(
            "INSERT INTO draft (ask, person, version, answers, at) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (ask, person) DO UPDATE SET version = ?3, answers = ?4, at = ?5",
        )
        .bind(change.ask.as_bytes().as_slice())
        .bind(&change.person)
        .bind(rows::number(draft.version))
        .bind(serde_json::json!(draft.answers).to_string())
        .bind(change.at.as_microsecond()),
        None => sqlx::query("DELETE FROM draft WHERE ask = ?1 AND person = ?2")
            .bind(change.ask.as_bytes().as_slice())
            .bind(&change.person),
    };
    query.execute(connection).await?;
    Ok(())
}

async fn device(connection: &mut SqliteConnection, write: &DeviceWrite) -> sqlx::Result<()> {
    let query = match write {
        DeviceWrite::Add(device, token) => sqlx::query(
            "INSERT INTO device (id, name, power, person, token, added_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )
        .bind(device.id.as_bytes().as_slice())
        .bind(&device.name)
        .bind(rows::power(device.power))
        .bind(&device.person)
        .bind(token.as_bytes().as_slice())
        .bind(device.added_at.as_microsecond()),
        DeviceWrite::Revoke(id, at) => {
            sqlx::query("UPDATE device SET revoked_at = ?2 WHERE id = ?1")
                .bind(id.as_bytes().as_slice())
                .bind(at.as_microsecond())
        }
    };
    query.execute(connection).await?;
    Ok(())
}

/// Drops what an ask held. Its events keep place and hash, so the chain still holds.
async fn prune(connection: &mut SqliteConnection, id: AskId) -> sqlx::Result<()> {
    for sql in [
        "UPDATE event SET body = NULL WHERE ask = ?1",
        "DELETE FROM draft WHERE ask = ?1",
        "DELETE FROM ask WHERE id = ?1",
    ] {
        sqlx::query(sql).bind(id.as_bytes().as_slice()).execute(&mut *connection).await?;
    }
    Ok(())
}

//! Keeping things.

use handraise_broker::{AskId, Batch, DeviceWrite, DraftChange, Record, Sealed, StoreError};
use sqlx::{Connection, SqliteConnection, SqlitePool};

use crate::error::store_error;
use crate::rows;

/// Keeps all of a batch or nothing of it.
pub(crate) async fn commit(pool: &SqlitePool, batch: &Batch) -> Result<(), StoreError> {
    let mut connection = pool.acquire().await.map_err(store_error)?;
    let kept = keep(&mut connection, batch).await;
    if kept.is_err() {
        // On a full disk SQLite takes the transaction back by itself, and sqlx does not hear of it: it
        // would wait for the end of a transaction that is over, and never begin another. Whatever the
        // connection believes, a new one starts from what is in the file. That the old one cannot be
        // closed well is no news.
        let _ = connection.close().await;
    }
    kept.map_err(|error| {
        // A place in the log that is taken, or that leaves a gap: this is another hub's log now.
        let elsewhere = matches!(error, sqlx::Error::RowNotFound);
        if elsewhere { StoreError::Conflict } else { store_error(error) }
    })
}

async fn keep(connection: &mut SqliteConnection, batch: &Batch) -> sqlx::Result<()> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    for sealed in &batch.events {
        event(&mut transaction, sealed).await?;
    }
    for record in &batch.asks {
        ask(&mut transaction, record).await?;
    }
    for change in &batch.drafts {
        draft(&mut transaction, change).await?;
    }
    for write in &batch.devices {
        device(&mut transaction, write).await?;
    }
    for id in &batch.pruned {
        prune(&mut transaction, *id).await?;
    }
    transaction.commit().await
}

async fn event(connection: &mut SqliteConnection, sealed: &Sealed) -> sqlx::Result<()> {
    let entry = &sealed.entry;
    let kept = sqlx::query(
        "INSERT INTO event (seq, at, name, ask, body, digest, hash) \
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 \
         WHERE ?1 = 1 OR EXISTS (SELECT 1 FROM event WHERE seq = ?1 - 1)",
    )
    .bind(rows::number(entry.seq))
    .bind(entry.at.as_microsecond())
    .bind(entry.event.name())
    .bind(entry.ask.as_ref().map(|ask| ask.as_bytes().as_slice()))
    .bind(&sealed.body)
    .bind(sealed.digest.as_slice())
    .bind(sealed.hash.as_slice())
    .execute(connection)
    .await?;
    if kept.rows_affected() == 1 { Ok(()) } else { Err(sqlx::Error::RowNotFound) }
}

async fn ask(connection: &mut SqliteConnection, record: &Record) -> sqlx::Result<()> {
    let resolved = record.resolved();
    sqlx::query(
        "INSERT INTO ask (id, agent, key, session, state, kind, unfinished, ended_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO UPDATE SET \
         state = ?5, kind = ?6, unfinished = ?7, ended_at = ?8",
    )
    .bind(record.id.as_bytes().as_slice())
    .bind(&record.asker().agent)
    .bind(&record.opened.key)
    .bind(&record.asker().session)
    .bind(record.state().name())
    .bind(resolved.map(|resolved| resolved.kind().to_owned()))
    .bind(record.is_open() || record.awaits_receipt())
    .bind(resolved.map(|resolved| resolved.at.as_microsecond()))
    .execute(connection)
    .await?;
    Ok(())
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

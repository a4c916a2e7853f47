//! Finding what was kept.

use std::time::Duration;

use handraise_broker::{
    Anchor, AskId, Device, DeviceId, Head, Order, Query, Span, StoredDraft, StoredEntry, TokenHash,
    hex,
};
use jiff::Timestamp;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqlitePool};

use crate::rows;

pub(crate) async fn head(pool: &SqlitePool) -> sqlx::Result<Head> {
    let last = sqlx::query("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1");
    last.fetch_optional(pool).await?.map_or(Ok(Head::EMPTY), |row| {
        Ok(Head { seq: rows::seq(row.try_get("seq")?)?, hash: rows::hash(row.try_get("hash")?)? })
    })
}

pub(crate) async fn log(
    pool: &SqlitePool,
    after: u64,
    limit: u32,
) -> sqlx::Result<Vec<StoredEntry>> {
    sqlx::query(
        "SELECT seq, at, name, ask, body, digest, hash FROM event WHERE seq > ?1 ORDER BY seq \
         LIMIT ?2",
    )
    .bind(rows::number(after))
    .bind(limit)
    .try_map(|row: SqliteRow| rows::entry(&row))
    .fetch_all(pool)
    .await
}

pub(crate) async fn log_of(
    pool: &SqlitePool,
    asks: &[AskId],
    through: u64,
) -> sqlx::Result<Vec<StoredEntry>> {
    sqlx::query(
        "SELECT seq, at, name, ask, body, digest, hash FROM event \
         WHERE ask IN (SELECT unhex(value) FROM json_each(?1)) AND seq <= ?2 ORDER BY seq",
    )
    .bind(ids(asks))
    .bind(rows::number(through))
    .try_map(|row: SqliteRow| rows::entry(&row))
    .fetch_all(pool)
    .await
}

pub(crate) async fn unfinished(pool: &SqlitePool) -> sqlx::Result<Vec<StoredEntry>> {
    // CROSS JOIN keeps SQLite from walking through the whole log, which is in the right order but
    // long: few asks are unfinished.
    sqlx::query(
        "SELECT seq, at, name, event.ask, body, digest, hash FROM ask CROSS JOIN event \
         ON event.ask = ask.id WHERE unfinished = 1 ORDER BY seq",
    )
    .try_map(|row: SqliteRow| rows::entry(&row))
    .fetch_all(pool)
    .await
}

pub(crate) async fn newest(pool: &SqlitePool) -> sqlx::Result<Option<AskId>> {
    sqlx::query("SELECT id FROM ask ORDER BY id DESC LIMIT 1")
        .try_map(|row: SqliteRow| rows::ask_id(row.try_get("id")?))
        .fetch_optional(pool)
        .await
}

/// A page of asks begins at a key that an index is sought by: one that were only filtered by it would
/// walk through all pages before it.
pub(crate) const OLDEST_FIRST: &str = "SELECT id FROM ask WHERE id > ?5 \
    AND (?1 IS NULL OR state IN (SELECT value FROM json_each(?1))) \
    AND (?2 IS NULL OR agent = ?2) AND (?3 IS NULL OR session = ?3) \
    AND (?4 IS NULL OR kind = ?4) AND (?7 = 0 OR doubted = 1) ORDER BY id LIMIT ?6";
// The usual one has a plan of its own: one state, straight through the index.
pub(crate) const ONE_STATE: &str = "SELECT id FROM ask WHERE state = ?1 AND id > ?5 \
    AND (?2 IS NULL OR agent = ?2) AND (?3 IS NULL OR session = ?3) \
    AND (?4 IS NULL OR kind = ?4) AND (?7 = 0 OR doubted = 1) ORDER BY id LIMIT ?6";
pub(crate) const LAST_ENDED_FIRST: &str = "SELECT id FROM ask WHERE ended_at IS NOT NULL \
    AND (ended_at, id) < (?8, ?5) AND (?1 IS NULL OR state IN (SELECT value FROM json_each(?1))) \
    AND (?2 IS NULL OR agent = ?2) AND (?3 IS NULL OR session = ?3) \
    AND (?4 IS NULL OR kind = ?4) AND ?7 = 0 ORDER BY ended_at DESC, id DESC LIMIT ?6";
// So do those in doubt: every page that is opened asks for them, and they are few.
pub(crate) const DOUBTED_LAST_ENDED_FIRST: &str = "SELECT id FROM ask WHERE doubted = 1 \
    AND (ended_at, id) < (?8, ?5) AND (?1 IS NULL OR state IN (SELECT value FROM json_each(?1))) \
    AND (?2 IS NULL OR agent = ?2) AND (?3 IS NULL OR session = ?3) \
    AND (?4 IS NULL OR kind = ?4) AND ?7 = 1 ORDER BY ended_at DESC, id DESC LIMIT ?6";

pub(crate) async fn list(pool: &SqlitePool, query: &Query) -> sqlx::Result<Vec<AskId>> {
    let states: Vec<_> = query.states.iter().map(|state| state.name()).collect();
    let several = (!states.is_empty()).then(|| serde_json::json!(states).to_string());
    let (sql, states) = match (query.order, states.as_slice()) {
        (Order::OldestFirst, [one]) => (ONE_STATE, Some((*one).to_owned())),
        (Order::OldestFirst, _) => (OLDEST_FIRST, several),
        (Order::LastEndedFirst, _) if query.doubted => (DOUBTED_LAST_ENDED_FIRST, several),
        (Order::LastEndedFirst, _) => (LAST_ENDED_FIRST, several),
    };
    // Ids are longer than nothing, and every end is before the last moment there is.
    let (id, ended_at) = match (query.after, query.order) {
        (None, _) => (vec![], i64::MAX),
        (Some(id), Order::OldestFirst) => (id.as_bytes().to_vec(), i64::MAX),
        (Some(id), Order::LastEndedFirst) => match end_of(pool, id).await? {
            Some(ended_at) => (id.as_bytes().to_vec(), ended_at),
            None => return Ok(vec![]),
        },
    };
    sqlx::query(sql)
        .bind(states)
        .bind(&query.agent)
        .bind(&query.session)
        .bind(&query.kind)
        .bind(id)
        .bind(query.limit)
        .bind(query.doubted)
        .bind(ended_at)
        .try_map(|row: SqliteRow| rows::ask_id(row.try_get("id")?))
        .fetch_all(pool)
        .await
}

async fn end_of(pool: &SqlitePool, ask: AskId) -> sqlx::Result<Option<i64>> {
    let end = sqlx::query_scalar("SELECT ended_at FROM ask WHERE id = ?1");
    Ok(end.bind(ask.as_bytes().as_slice()).fetch_optional(pool).await?.flatten())
}

pub(crate) async fn spans(pool: &SqlitePool, since: Timestamp) -> sqlx::Result<Vec<Span>> {
    // Each half goes straight through an index. All of it in one row: each row is handed from thread to
    // thread, and a hundred thousand of them took seconds.
    // That nobody gave an answer may turn out after somebody seemed to have.
    sqlx::query(
        "SELECT json_group_array(json_array(directory, host, asked_at, ended_at, by_person)) AS spans FROM \
         (SELECT directory, host, asked_at, ended_at, \
          by_person AND NOT (doubted AND state <> 'overruled') AS by_person \
          FROM ask WHERE ended_at >= ?1 \
          UNION ALL SELECT directory, host, asked_at, NULL, 0 FROM ask WHERE state = 'open')",
    )
    .bind(since.as_microsecond())
    .try_map(|row: SqliteRow| rows::spans(row.try_get("spans")?))
    .fetch_one(pool)
    .await
}

pub(crate) async fn draft(
    pool: &SqlitePool,
    ask: AskId,
    person: &str,
) -> sqlx::Result<Option<StoredDraft>> {
    sqlx::query(
        "SELECT version, answers, message, input, at FROM draft WHERE ask = ?1 AND person = ?2",
    )
    .bind(ask.as_bytes().as_slice())
    .bind(person)
    .try_map(|row: SqliteRow| rows::draft(&row))
    .fetch_optional(pool)
    .await
}

pub(crate) async fn anchors(pool: &SqlitePool) -> sqlx::Result<Vec<(AskId, Anchor)>> {
    sqlx::query("SELECT ask, boot, wall, elapsed FROM anchor")
        .try_map(|row: SqliteRow| {
            let anchor = Anchor {
                boot: Some(rows::fixed(row.try_get("boot")?)?),
                wall: rows::time(row.try_get("wall")?)?,
                elapsed: Duration::from_micros(rows::seq(row.try_get("elapsed")?)?),
            };
            Ok((rows::ask_id(row.try_get("ask")?)?, anchor))
        })
        .fetch_all(pool)
        .await
}

pub(crate) async fn last_typed(pool: &SqlitePool) -> sqlx::Result<Vec<(AskId, Timestamp)>> {
    sqlx::query(
        "SELECT draft.ask, max(draft.at) AS at FROM ask CROSS JOIN draft ON ask.id = draft.ask \
         WHERE unfinished = 1 GROUP BY draft.ask",
    )
    .try_map(|row: SqliteRow| {
        Ok((rows::ask_id(row.try_get("ask")?)?, rows::time(row.try_get("at")?)?))
    })
    .fetch_all(pool)
    .await
}

pub(crate) async fn devices(pool: &SqlitePool) -> sqlx::Result<Vec<(Device, TokenHash)>> {
    sqlx::query(
        "SELECT id, name, power, person, token, added_at FROM device WHERE revoked_at IS NULL \
         ORDER BY id",
    )
    .try_map(|row: SqliteRow| rows::device(&row))
    .fetch_all(pool)
    .await
}

pub(crate) async fn revoked_devices(pool: &SqlitePool) -> sqlx::Result<Vec<DeviceId>> {
    sqlx::query("SELECT id FROM device WHERE revoked_at IS NOT NULL ORDER BY id")
        .try_map(|row: SqliteRow| rows::fixed(row.try_get("id")?).map(DeviceId::from_bytes))
        .fetch_all(pool)
        .await
}

pub(crate) async fn ended_before(
    pool: &SqlitePool,
    before: Timestamp,
    limit: u32,
) -> sqlx::Result<Vec<AskId>> {
    sqlx::query(
        "SELECT id FROM ask WHERE ended_at < ?1 AND unfinished = 0 ORDER BY ended_at LIMIT ?2",
    )
    .bind(before.as_microsecond())
    .bind(limit)
    .try_map(|row: SqliteRow| rows::ask_id(row.try_get("id")?))
    .fetch_all(pool)
    .await
}

/// Ids as a JSON list: one statement for any number of them.
fn ids(asks: &[AskId]) -> String {
    let asks: Vec<_> = asks.iter().map(|ask| hex(ask.as_bytes())).collect();
    serde_json::json!(asks).to_string()
}

//! Finding sessions and what was said in them. Both are read from the log.

use handraise_broker::{
    Message, MessageKey, Seq, Session, SessionChanged, SessionId, SessionQuery,
};
use jiff::Timestamp;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqlitePool};

use crate::error::damaged;
use crate::rows;

pub(crate) async fn live(pool: &SqlitePool) -> sqlx::Result<Vec<Session>> {
    sqlx::query(
        "SELECT body FROM session CROSS JOIN event ON event.seq = session.seq \
         WHERE state <> 'ended' ORDER BY session.id",
    )
    .try_map(|row: SqliteRow| Ok(changed(&row)?.session))
    .fetch_all(pool)
    .await
}

pub(crate) async fn one(pool: &SqlitePool, id: SessionId) -> sqlx::Result<Option<Session>> {
    sqlx::query(
        "SELECT body FROM session CROSS JOIN event ON event.seq = session.seq \
         WHERE session.id = ?1",
    )
    .bind(id.as_bytes().as_slice())
    .try_map(|row: SqliteRow| Ok(changed(&row)?.session))
    .fetch_optional(pool)
    .await
}

pub(crate) const ANY: &str = "SELECT body FROM session CROSS JOIN event \
    ON event.seq = session.seq WHERE session.id < ?1 ORDER BY session.id DESC LIMIT ?2";
pub(crate) const LIVE: &str = "SELECT body FROM session CROSS JOIN event \
    ON event.seq = session.seq WHERE state <> 'ended' AND session.id < ?1 \
    ORDER BY session.id DESC LIMIT ?2";

pub(crate) async fn list(pool: &SqlitePool, query: &SessionQuery) -> sqlx::Result<Vec<Session>> {
    // Longer than any id, and so after all of them.
    const END: [u8; 17] = [0xff; 17];
    sqlx::query(if query.live { LIVE } else { ANY })
        .bind(query.after.map_or(END.to_vec(), |id| id.as_bytes().to_vec()))
        .bind(query.limit)
        .try_map(|row: SqliteRow| Ok(changed(&row)?.session))
        .fetch_all(pool)
        .await
}

pub(crate) async fn message(
    pool: &SqlitePool,
    place: &MessageKey,
) -> sqlx::Result<Option<Message>> {
    sqlx::query(
        "SELECT number, body FROM message CROSS JOIN event ON event.seq = message.seq \
         WHERE message.session = ?1 AND key = ?2",
    )
    .bind(place.session.as_bytes().as_slice())
    .bind(&place.key)
    .try_map(|row: SqliteRow| said(&row))
    .fetch_optional(pool)
    .await
}

pub(crate) async fn messages(
    pool: &SqlitePool,
    session: SessionId,
    after: u64,
    limit: u32,
) -> sqlx::Result<Vec<Message>> {
    sqlx::query(
        "SELECT number, body FROM message CROSS JOIN event ON event.seq = message.seq \
         WHERE message.session = ?1 AND number > ?2 ORDER BY number LIMIT ?3",
    )
    .bind(session.as_bytes().as_slice())
    .bind(rows::number(after))
    .bind(limit)
    .try_map(|row: SqliteRow| said(&row))
    .fetch_all(pool)
    .await
}

pub(crate) async fn over_before(
    pool: &SqlitePool,
    before: Timestamp,
) -> sqlx::Result<Option<(SessionId, Vec<Seq>)>> {
    let over = sqlx::query(
        "SELECT session.id FROM session CROSS JOIN event ON event.seq = session.seq \
         WHERE state = 'ended' AND event.at < ?1 ORDER BY session.id LIMIT 1",
    )
    .bind(before.as_microsecond())
    .try_map(|row: SqliteRow| Ok(SessionId::from_bytes(rows::fixed(row.try_get("id")?)?)))
    .fetch_optional(pool)
    .await?;
    let Some(id) = over else { return Ok(None) };
    let events = sqlx::query("SELECT seq FROM session_event WHERE session = ?1 ORDER BY seq")
        .bind(id.as_bytes().as_slice())
        .try_map(|row: SqliteRow| rows::seq(row.try_get("seq")?))
        .fetch_all(pool)
        .await?;
    Ok(Some((id, events)))
}

fn changed(row: &SqliteRow) -> sqlx::Result<SessionChanged> {
    serde_json::from_str(row.try_get("body")?).map_err(|error| damaged(error.to_string()))
}

/// One of the messages an event holds.
fn said(row: &SqliteRow) -> sqlx::Result<Message> {
    let number = rows::seq(row.try_get("number")?)?;
    let found = changed(row)?.messages.into_iter().find(|message| message.number == number);
    found.ok_or_else(|| damaged(format!("message {number} is not where it should be")))
}

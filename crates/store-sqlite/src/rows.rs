//! Rows, and what they stand for.

use handraise_broker::{
    AskId, Device, DeviceId, Draft, Hash, Power, Span, StoredDraft, StoredEntry, TokenHash,
};
use jiff::Timestamp;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::error::damaged;

pub(crate) fn entry(row: &SqliteRow) -> sqlx::Result<StoredEntry> {
    let ask: Option<&[u8]> = row.try_get("ask")?;
    Ok(StoredEntry {
        seq: seq(row.try_get("seq")?)?,
        at: time(row.try_get("at")?)?,
        ask: ask.map(ask_id).transpose()?,
        name: row.try_get("name")?,
        body: row.try_get("body")?,
        digest: hash(row.try_get("digest")?)?,
        hash: hash(row.try_get("hash")?)?,
    })
}

/// Spans from a JSON list of `[directory, host, asked_at, ended_at, by_person]`.
pub(crate) fn spans(list: &str) -> sqlx::Result<Vec<Span>> {
    type Kept = (Option<String>, Option<String>, i64, Option<i64>, u8);
    let list: Vec<Kept> = serde_json::from_str(list).map_err(|error| damaged(error.to_string()))?;
    let spans = list.into_iter().map(|(directory, host, asked_at, ended_at, by_person)| {
        Ok(Span {
            directory,
            host,
            asked_at: time(asked_at)?,
            ended_at: ended_at.map(time).transpose()?,
            by_person: by_person == 1,
        })
    });
    spans.collect()
}

pub(crate) fn draft(row: &SqliteRow) -> sqlx::Result<StoredDraft> {
    let answers: &str = row.try_get("answers")?;
    let answers = serde_json::from_str(answers).map_err(|error| damaged(error.to_string()))?;
    let draft = Draft {
        version: seq(row.try_get("version")?)?,
        answers,
        message: row.try_get("message")?,
        input: row.try_get("input")?,
    };
    Ok(StoredDraft { draft, at: time(row.try_get("at")?)? })
}

pub(crate) fn device(row: &SqliteRow) -> sqlx::Result<(Device, TokenHash)> {
    let power: &str = row.try_get("power")?;
    let power = match power {
        "agent" => Power::Agent,
        "person" => Power::Person,
        other => return Err(damaged(format!("a device of unknown power: {other}"))),
    };
    let device = Device {
        id: DeviceId::from_bytes(fixed(row.try_get("id")?)?),
        name: row.try_get("name")?,
        power,
        person: row.try_get("person")?,
        added_at: time(row.try_get("added_at")?)?,
    };
    Ok((device, TokenHash::from_bytes(fixed(row.try_get("token")?)?)))
}

pub(crate) fn power(power: Power) -> &'static str {
    match power {
        Power::Agent => "agent",
        Power::Person => "person",
    }
}

pub(crate) fn ask_id(bytes: &[u8]) -> sqlx::Result<AskId> {
    fixed(bytes).map(AskId::from_bytes)
}

pub(crate) fn hash(bytes: &[u8]) -> sqlx::Result<Hash> {
    fixed(bytes)
}

pub(crate) fn time(microseconds: i64) -> sqlx::Result<Timestamp> {
    Timestamp::from_microsecond(microseconds).map_err(|error| damaged(error.to_string()))
}

pub(crate) fn seq(number: i64) -> sqlx::Result<u64> {
    u64::try_from(number).map_err(|error| damaged(error.to_string()))
}

/// A number as SQLite keeps it; those beyond its range stand for "no limit".
pub(crate) fn number(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

pub(crate) fn fixed<const N: usize>(bytes: &[u8]) -> sqlx::Result<[u8; N]> {
    bytes.try_into().map_err(|_| damaged(format!("{} bytes where {N} belong", bytes.len())))
}

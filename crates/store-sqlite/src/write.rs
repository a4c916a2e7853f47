//! Keeping things.

use handraise_broker::{
    Anchor, AskId, AskKey, Batch, DeviceWrite, DraftChange, Entry, Record, Resolved, Sealed,
    SessionChanged, SessionId, StoreError,
};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::error::Failure;
use crate::rows;

type Result<T, E = Failure> = std::result::Result<T, E>;

/// Keeps all of a batch or nothing of it.
pub(crate) fn commit(connection: &mut Connection, batch: &Batch) -> Result<()> {
    let Batch { events, asks, drafts, anchors, devices, pruned, pruned_sessions } = batch;
    // What retention drops is overwritten, too: else it could be read in the file until chance reuses its
    // place. Elsewhere it is done as far as it costs no writes (see `connect.rs`).
    let drops = !pruned.is_empty() || !pruned_sessions.is_empty();
    if drops {
        connection.pragma_update(None, "secure_delete", true)?;
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    log(&transaction, events)?;
    for sealed in events {
        if let Some(changed) = sealed.entry.event.session() {
            session(&transaction, sealed.entry.seq, changed)?;
        }
    }
    for (ask, kept) in anchors {
        anchor(&transaction, *ask, kept)?;
    }
    for record in asks {
        index(&transaction, record)?;
    }
    for change in drafts {
        draft(&transaction, change)?;
    }
    for write in devices {
        device(&transaction, write)?;
    }
    for id in pruned {
        prune(&transaction, *id)?;
    }
    for id in pruned_sessions {
        prune_session(&transaction, *id)?;
    }
    transaction.commit()?;
    if drops {
        connection.pragma_update(None, "secure_delete", "fast")?;
        // Until the write-ahead log is written back, what was dropped still stands in the file. Where somebody
        // reads just now a later one does it; the batch is kept in any case.
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }
    Ok(())
}

fn log(connection: &Connection, events: &[Sealed]) -> Result<()> {
    let Some(first) = events.first() else { return Ok(()) };
    let last = "SELECT seq FROM event ORDER BY seq DESC LIMIT 1";
    let last = connection.prepare_cached(last)?.query_row([], |row| row.get::<_, i64>(0));
    let follows = |two: &[Sealed]| two[0].entry.seq + 1 == two[1].entry.seq;
    let before = rows::number(first.entry.seq) - 1;
    if last.optional()?.unwrap_or(0) != before || !events.windows(2).all(follows) {
        // This is another hub's log now.
        return Err(StoreError::Conflict.into());
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO event (seq, at, name, ask, body, digest, hash) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for Sealed { entry: Entry { seq, at, ask, event }, body, digest, hash } in events {
        let ask = ask.as_ref().map(AskId::as_bytes);
        let (seq, at) = (rows::number(*seq), at.as_microsecond());
        insert.execute(params![seq, at, event.name(), ask, body, digest, hash])?;
    }
    Ok(())
}

/// What the events say about an ask.
fn index(connection: &Connection, record: &Record) -> Result<()> {
    let resolved = record.resolved();
    let mut insert = connection.prepare_cached(
        "INSERT INTO ask (id, agent, key, session, state, kind, unfinished, ended_at, doubted, \
         directory, asked_at, by_person, host, owner) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) ON CONFLICT (id) DO UPDATE \
         SET state = ?5, kind = ?6, unfinished = ?7, ended_at = ?8, doubted = ?9, by_person = ?12",
    )?;
    insert.execute(params![
        record.id.as_bytes(),
        record.asker().agent,
        record.opened.key,
        record.asker().session,
        record.state().name(),
        resolved.map(Resolved::kind),
        record.is_open() || record.awaits_receipt(),
        resolved.map(|resolved| resolved.at.as_microsecond()),
        record.doubt().is_some(),
        record.asker().directory,
        record.asked_at.as_microsecond(),
        resolved.is_some_and(Resolved::is_by_person),
        record.asker().host,
        record.opened.owner.as_deref().unwrap_or_default(),
    ])?;
    if record.deadline_at.is_some() && !record.is_open() {
        let forget = "DELETE FROM anchor WHERE ask = ?1";
        connection.prepare_cached(forget)?.execute([record.id.as_bytes()])?;
    }
    Ok(())
}

/// What a deadline is counted by. Without a boot id the boot clock cannot be compared with that of the
/// next hub, and nothing is stored.
fn anchor(connection: &Connection, ask: AskId, anchor: &Anchor) -> Result<()> {
    let Some(boot) = anchor.boot else { return Ok(()) };
    let mut keep = connection.prepare_cached(
        "INSERT INTO anchor (ask, boot, wall, elapsed) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (ask) DO UPDATE SET boot = ?2, wall = ?3, elapsed = ?4",
    )?;
    let elapsed = i64::try_from(anchor.elapsed.as_micros()).unwrap_or(i64::MAX);
    keep.execute(params![ask.as_bytes(), boot, anchor.wall.as_microsecond(), elapsed])?;
    Ok(())
}

/// Where a session and what was said in it are to be found.
fn session(connection: &Connection, seq: u64, changed: &SessionChanged) -> Result<()> {
    let SessionChanged { session, messages } = changed;
    let seq = rows::number(seq);
    let mut keep = connection.prepare_cached(
        "INSERT INTO session (id, state, seq) VALUES (?1, ?2, ?3) \
         ON CONFLICT (id) DO UPDATE SET state = ?2, seq = ?3",
    )?;
    keep.execute(params![session.id.as_bytes(), session.state.name(), seq])?;
    let keep = "INSERT INTO session_event (session, seq) VALUES (?1, ?2)";
    connection.prepare_cached(keep)?.execute(params![session.id.as_bytes(), seq])?;
    let mut keep = connection.prepare_cached(
        "INSERT INTO message (session, number, key, seq) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (session, number) DO UPDATE SET seq = ?4",
    )?;
    for message in messages {
        let number = rows::number(message.number);
        keep.execute(params![session.id.as_bytes(), number, message.key, seq])?;
    }
    Ok(())
}

fn draft(connection: &Connection, change: &DraftChange) -> Result<()> {
    let (ask, person) = (change.ask.as_bytes(), &change.person);
    let Some(draft) = &change.draft else {
        let delete = "DELETE FROM draft WHERE ask = ?1 AND person = ?2";
        connection.prepare_cached(delete)?.execute(params![ask, person])?;
        return Ok(());
    };
    let mut insert = connection.prepare_cached(
        "INSERT INTO draft (ask, person, version, answers, message, input, at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (ask, person) DO UPDATE \
         SET version = ?3, answers = ?4, message = ?5, input = ?6, at = ?7",
    )?;
    let answers = serde_json::json!(draft.answers).to_string();
    let (version, at) = (rows::number(draft.version), change.at.as_microsecond());
    insert.execute(params![ask, person, version, answers, draft.message, draft.input, at])?;
    Ok(())
}

fn device(connection: &Connection, write: &DeviceWrite) -> Result<()> {
    match write {
        DeviceWrite::Add(device, token) => connection.execute(
            "INSERT INTO device (id, name, power, person, token, added_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                device.id.as_bytes(),
                device.name,
                rows::power(device.power),
                device.person,
                token.as_bytes(),
                device.added_at.as_microsecond(),
            ],
        )?,
        DeviceWrite::Revoke(id, at) => connection.execute(
            "UPDATE device SET revoked_at = ?2 WHERE id = ?1",
            params![id.as_bytes(), at.as_microsecond()],
        )?,
    };
    Ok(())
}

/// Drops what an ask held. Its events keep place and hash, so the chain still holds.
fn prune(connection: &Connection, id: AskId) -> Result<()> {
    for sql in [
        "UPDATE event SET body = NULL WHERE ask = ?1",
        "DELETE FROM draft WHERE ask = ?1",
        "DELETE FROM ask WHERE id = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([id.as_bytes()])?;
    }
    Ok(())
}

/// Drops what was said in a session; the chain still holds.
fn prune_session(connection: &Connection, id: SessionId) -> Result<()> {
    for sql in [
        "UPDATE event SET body = NULL \
         WHERE seq IN (SELECT seq FROM session_event WHERE session = ?1)",
        "DELETE FROM session_event WHERE session = ?1",
        "DELETE FROM message WHERE session = ?1",
        "DELETE FROM session WHERE id = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([id.as_bytes()])?;
    }
    Ok(())
}

/// The asks that have these keys already.
pub(crate) fn by_key(connection: &Connection, keys: &[AskKey]) -> Result<Vec<(AskKey, AskId)>> {
    // One without an owner is of a version before owners were kept, and comes last.
    let sql = "SELECT id FROM ask WHERE agent = ?1 AND key = ?2 AND owner IN (?3, '') \
               ORDER BY owner DESC LIMIT 1";
    let mut find = connection.prepare_cached(sql)?;
    let mut found = vec![];
    for key in keys {
        let id =
            find.query_row([&key.agent, &key.key, &key.owner], |row| row.get::<_, [u8; 16]>(0));
        if let Some(id) = id.optional()? {
            found.push((key.clone(), AskId::from_bytes(id)));
        }
    }
    Ok(found)
}

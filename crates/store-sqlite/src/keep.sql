-- What every change consists of, as one statement: `INSERT INTO log_and_index` keeps all it is given
-- or nothing, and takes one trip to SQLite's thread however many events there are.
CREATE TEMP VIEW log_and_index AS SELECT NULL AS first, NULL AS events, NULL AS asks;

CREATE TEMP TRIGGER keep INSTEAD OF INSERT ON log_and_index BEGIN
    INSERT INTO event (seq, at, name, ask, body, digest, hash)
    SELECT new.first + key, value ->> 0, value ->> 1, unhex(value ->> 2), value ->> 3,
        unhex(value ->> 4), unhex(value ->> 5)
    FROM json_each(new.events);

    -- A place in the log that is taken is refused by its primary key, one that leaves a gap here: this
    -- is another hub's log now. Asked for afterwards, because a statement that has read the table
    -- before writes to it through a temporary one.
    SELECT raise(ABORT, 'the log ends elsewhere')
    WHERE new.first > 1 AND NOT EXISTS (SELECT 1 FROM event WHERE seq = new.first - 1);

    INSERT INTO ask (id, agent, key, session, state, kind, unfinished, ended_at)
    SELECT unhex(value ->> 0), value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
        value ->> 6, value ->> 7
    FROM json_each(new.asks) WHERE true
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, kind = excluded.kind,
        unfinished = excluded.unfinished, ended_at = excluded.ended_at;
END;

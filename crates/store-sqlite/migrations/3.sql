-- Conversations with agents: an index into the log, as with asks.
CREATE TABLE session (
    id    BLOB    PRIMARY KEY,
    state TEXT    NOT NULL,
    seq   INTEGER NOT NULL             -- the last event about it, which holds it as it stands
) STRICT, WITHOUT ROWID;

CREATE INDEX session_live ON session (id) WHERE state <> 'ended';

-- Each message is in the last event that said it.
CREATE TABLE message (
    session BLOB    NOT NULL,
    number  INTEGER NOT NULL,
    key     TEXT    NOT NULL,
    seq     INTEGER NOT NULL,
    PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX message_by_key ON message (session, key);

-- All events about a session, to drop them together. The log itself says what each is about, too.
CREATE TABLE session_event (
    session BLOB    NOT NULL,
    seq     INTEGER NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

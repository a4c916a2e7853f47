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

-- Which session an event is about, to find all that was said in it. The log itself says so, too.
ALTER TABLE event ADD COLUMN session BLOB;
CREATE INDEX event_of_session ON event (session, seq) WHERE session IS NOT NULL;

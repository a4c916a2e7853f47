-- The log. It is the truth; `hash` links each event to all before it.
CREATE TABLE event (
    seq    INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,           -- microseconds since 1970
    name   TEXT    NOT NULL,
    ask    BLOB,                       -- NULL when it is not about an ask
    body   TEXT,                       -- JSON; NULL when retention has dropped it
    digest BLOB    NOT NULL,           -- SHA-256 of the body, which stays
    hash   BLOB    NOT NULL
) STRICT;

CREATE INDEX event_of_ask ON event (ask, seq) WHERE ask IS NOT NULL;

-- An index into the log: which asks there are and how far they have come.
CREATE TABLE ask (
    id         BLOB    PRIMARY KEY,
    agent      TEXT    NOT NULL,
    key        TEXT,
    session    TEXT,
    state      TEXT    NOT NULL,
    kind       TEXT,                   -- of the resolution
    unfinished INTEGER NOT NULL,       -- waits for a person or a receipt
    ended_at   INTEGER                 -- microseconds since 1970
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX ask_by_key ON ask (agent, key) WHERE key IS NOT NULL;
CREATE INDEX ask_by_state ON ask (state, id);
CREATE INDEX ask_unfinished ON ask (id) WHERE unfinished = 1;
CREATE INDEX ask_by_end ON ask (ended_at) WHERE ended_at IS NOT NULL;

-- Half-finished answers: private, and in no event.
CREATE TABLE draft (
    ask     BLOB    NOT NULL,
    person  TEXT    NOT NULL,
    version INTEGER NOT NULL,
    answers TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (ask, person)
) STRICT, WITHOUT ROWID;

-- Who holds a token, of which only the hash is kept.
CREATE TABLE device (
    id         BLOB    PRIMARY KEY,
    name       TEXT    NOT NULL,
    power      TEXT    NOT NULL,
    person     TEXT,
    token      BLOB    NOT NULL,
    added_at   INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

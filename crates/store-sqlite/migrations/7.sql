-- When the deadline of an open ask was set, by both clocks of the machine: the one on the wall may be set
-- before the next hub starts.
CREATE TABLE anchor (
    ask     BLOB    PRIMARY KEY,
    boot    BLOB    NOT NULL,           -- which start of the machine the other clock counts from
    wall    INTEGER NOT NULL,           -- microseconds since 1970
    elapsed INTEGER NOT NULL            -- microseconds since that start
) STRICT, WITHOUT ROWID;

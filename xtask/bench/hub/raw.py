"""What SQLite alone needs for what a hub has stored: the same rows, in the same tables, on the same
disk, durable in the same way.

    raw.py replay HUB.db NEW.db   all of it, in the hub's own batches, then one commit for each ask
    raw.py commits HUB.db NEW.db  for each line on standard input the two commits of one exchange
"""

import json
import sqlite3
import sys
import time
from itertools import groupby

EVENT = "INSERT INTO event (seq, at, name, ask, body, digest, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"
ASK = (
    "INSERT INTO ask (id, agent, key, session, state, kind, unfinished, ended_at) "
    "VALUES (?, ?, ?, ?, 'open', NULL, 1, NULL)"
)
END = "UPDATE ask SET state = 'resolved', kind = 'answered', ended_at = ? WHERE id = ?"

how, source, target = sys.argv[1:]
hub = sqlite3.connect(f"file:{source}?mode=ro", uri=True)
events = hub.execute("SELECT * FROM event WHERE ask IS NOT NULL ORDER BY seq").fetchall()
asks = {row[0]: row for row in hub.execute("SELECT id, agent, key, session FROM ask")}
tables = [sql for (sql,) in hub.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")]


def new_file(name):
    database = sqlite3.connect(name, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    for sql in tables:
        database.execute(sql)
    return database


def commit(database, events):
    """One transaction, and the nanoseconds it took."""
    opened = [asks[event[3]] for event in events if event[2] == "ask.opened"]
    ended = [(event[1], event[3]) for event in events if event[2] == "ask.resolved"]
    start = time.perf_counter_ns()
    database.execute("BEGIN IMMEDIATE")
    database.executemany(EVENT, events)
    if opened:
        database.executemany(ASK, opened)
    if ended:
        database.executemany(END, ended)
    database.execute("COMMIT")
    return time.perf_counter_ns() - start


def replay():
    # Everything that shares a moment shared a commit.
    batches = [list(batch) for _, batch in groupby(events, key=lambda event: event[1])]
    database = new_file(target)
    batched = sum(commit(database, batch) for batch in batches)
    some = [event for event in events if event[2] == "ask.opened"][:1000]
    database = new_file(target + ".single")
    single = sum(commit(database, [event]) for event in some)
    result = {
        "asks": len(asks),
        "commits": len(batches),
        "batchedSeconds": batched / 1e9,
        "singleSeconds": single / 1e9 / len(some) * len(asks),
    }
    print(json.dumps(result), flush=True)


def commits():
    database = new_file(target)
    pairs = [
        (opened, ended)
        for opened, ended in zip(events[::2], events[1::2])
        if opened[3] == ended[3] and (opened[2], ended[2]) == ("ask.opened", "ask.resolved")
    ]
    print("ready", flush=True)
    for number, _ in enumerate(sys.stdin):
        opened, ended = pairs[number % len(pairs)]
        # The same bytes under a fresh name.
        id = number.to_bytes(16, "big")
        row = asks[opened[3]]
        asks[id] = (id, row[1], f"{number:0{len(row[2])}}", row[3])
        first = commit(database, [(2 * number + 1, *opened[1:3], id, *opened[4:])])
        second = commit(database, [(2 * number + 2, *ended[1:3], id, *ended[4:])])
        print(first, second, flush=True)


{"replay": replay, "commits": commits}[how]()

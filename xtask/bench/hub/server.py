"""The same exchange as the hub's, the way it is usually written in Python: asyncio, websockets and
sqlite3, with one durable commit for each step. It checks less than the hub does: no tokens, no
limits, no chain of hashes."""

import asyncio
import json
import sqlite3
import sys
import time
import uuid

from websockets.asyncio.server import broadcast, serve

SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE event (seq INTEGER PRIMARY KEY, at INTEGER, name TEXT, ask TEXT, body TEXT);
CREATE TABLE ask (id TEXT PRIMARY KEY, key TEXT UNIQUE, state TEXT) WITHOUT ROWID;
"""

database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.executescript(SCHEMA)
asks = {}
waiting = {}
followers = set()


def store(name, ask, body, state):
    database.execute("BEGIN IMMEDIATE")
    at = time.time_ns() // 1000
    row = (at, name, ask["id"], body)
    event = database.execute("INSERT INTO event (at, name, ask, body) VALUES (?, ?, ?, ?)", row)
    row = (ask["id"], ask["key"], state)
    database.execute("INSERT INTO ask VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state", row)
    database.execute("COMMIT")
    ask["seq"] = event.lastrowid
    ask["state"] = state
    frame = {"type": "event", "seq": ask["seq"], "at": at, "name": name, "ask": ask}
    broadcast(followers, json.dumps(frame))


def post_ask(body):
    ask = {"id": str(uuid.uuid4()), "state": "open", "resolution": None, **json.loads(body)}
    store("ask.opened", ask, body.decode(), "open")
    asks[ask["id"]] = ask
    return 201, ask


def post_answer(id, body):
    ask = asks.get(id)
    if ask is None:
        return 404, {"code": "no_such_ask"}
    if ask["resolution"] is not None:
        return 409, {"code": "already_resolved", "resolution": ask["resolution"]}
    ask["resolution"] = {"kind": "answered", "answers": json.loads(body)["answers"]}
    store("ask.resolved", ask, body.decode(), "resolved")
    for waiter in waiting.pop(id, []):
        if not waiter.done():
            waiter.set_result(None)
    return 200, ask


async def get_resolution(id):
    ask = asks.get(id)
    if ask is None:
        return 404, {"code": "no_such_ask"}
    if ask["resolution"] is None:
        waiter = asyncio.get_running_loop().create_future()
        waiting.setdefault(id, []).append(waiter)
        await asyncio.wait_for(waiter, 30)
    return 200, ask["resolution"]


async def answer(method, path, body):
    parts = path.split("?")[0].split("/")
    match method, parts[3:]:
        case "POST", ["asks"]:
            return post_ask(body)
        case "POST", ["asks", id, "answer"]:
            return post_answer(id, body)
        case "GET", ["asks", id, "resolution"]:
            return await get_resolution(id)
    return 404, {"code": "no_such_address"}


async def talk(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, path, _ = head[0].split(" ", 2)
            headers = dict(line.split(": ", 1) for line in head[1:] if line)
            length = int(headers.get("content-length", 0))
            body = await reader.readexactly(length) if length else b""
            status, result = await answer(method, path, body)
            payload = json.dumps(result).encode()
            writer.write(
                b"HTTP/1.1 %d OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
                % (status, len(payload), payload)
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def follow(socket):
    followers.add(socket)
    await socket.send(json.dumps({"type": "live", "seq": 0}))
    try:
        await socket.wait_closed()
    finally:
        followers.discard(socket)


async def main():
    http = await asyncio.start_server(talk, "127.0.0.1", 0)
    events = await serve(follow, "127.0.0.1", 0, compression=None)
    address = lambda server: "127.0.0.1:%d" % server.sockets[0].getsockname()[1]
    print(json.dumps({"http": address(http), "events": address(events)}), flush=True)
    await http.serve_forever()


asyncio.run(main())

"""Whatever a hub answers, the call ends: in a deny, unless it is an answer."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, ToolPermissionContext
from stand_in import ASK, StandIn, stand_in

from handraise import Handraise, HandraiseError, hub

MIB = 1024 * 1024
POST = "POST /api/v1/asks"
RESOLUTION = "GET /api/v1/asks/1/resolution"
PERSON = {"surface": "web", "person": "ann"}
QUESTIONS = {"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]}
CHOSEN = {"selected": ["A"], "words": None, "notes": None, "leftOpen": False}
ALLOW = {"kind": "answered", "decision": "allow", "responder": PERSON}
DEEP = b"[" * 200_000
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("Bash", {"command": "ls"}),
    ("AskUserQuestion", QUESTIONS),
]


def body(value: Any) -> bytes:
    return json.dumps(value).encode()


def call(hub: StandIn, tool: str = "Bash", tool_input: Any = None) -> Any:
    hand = Handraise(url=hub.url, token="t", on_disconnect="decline")
    context = ToolPermissionContext(tool_use_id="t")
    return hand.can_use_tool(tool, tool_input or {"command": "ls"}, context)


def denied_with(bodies: dict[str, tuple[int, bytes]]) -> list[str]:
    """What is said to each kind of call; each must be denied."""

    async def main() -> list[str]:
        messages = []
        for tool, tool_input in CALLS:
            async with stand_in() as hub:
                hub.bodies = bodies
                result = await call(hub, tool, tool_input)
                assert isinstance(result, PermissionResultDeny), (tool, result)
                messages.append(result.message)
        return messages

    return asyncio.run(main())


MALFORMED = [
    b"",
    b"<html>",
    b"\xff\xfe\xff",
    b"null",
    b"true",
    b"7",
    b'"allow"',
    b"[]",
    b"{}",
    DEEP,
    b'{"a":' * 200_000,
    b"9" * 10_000,
]


@pytest.mark.parametrize(
    "answer",
    [
        *MALFORMED,
        body({**ASK, "id": None}),
        body({**ASK, "id": 1}),
        body({**ASK, "state": "allowed"}),
        body({**ASK, "state": []}),
        body({**ASK, "policy": None}),
        body({**ASK, "policy": {"deadlineSeconds": "60"}}),
        body({**ASK, "state": "resolved", "resolution": "allow"}),
    ],
)
def test_an_ask_of_another_shape_is_a_deny(answer: bytes) -> None:
    for message in denied_with({POST: (200, answer), RESOLUTION: (200, body(ALLOW))}):
        assert "the hub's answer makes no sense" in message


@pytest.mark.parametrize(
    "answer",
    [
        *MALFORMED,
        body({"kind": "allow", "responder": PERSON}),
        body({"kind": ["answered"], "responder": PERSON}),
        body({"kind": "answered", "responder": PERSON}),
        body({**ALLOW, "decision": True}),
        body({**ALLOW, "responder": "ann"}),
        body({**ALLOW, "input": "rm -rf /"}),
        body({**ALLOW, "input": []}),
        body({**ALLOW, "remember": 1}),
        body({**ALLOW, "message": {}}),
        body({"kind": "answered", "answers": None, "responder": PERSON}),
        body({"kind": "answered", "answers": [], "responder": PERSON}),
        body({"kind": "answered", "answers": ["A"], "responder": PERSON}),
        body({"kind": "answered", "answers": [CHOSEN, CHOSEN], "responder": PERSON}),
        body({"kind": "answered", "answers": [{**CHOSEN, "selected": "A"}], "responder": PERSON}),
        body({"kind": "answered", "answers": [{**CHOSEN, "selected": [1]}], "responder": PERSON}),
        body({"kind": "answered", "answers": [{**CHOSEN, "words": 1}], "responder": PERSON}),
        body({"kind": "answered", "answers": [{**CHOSEN, "leftOpen": 0}], "responder": PERSON}),
        body({"kind": "declined", "reason": 1, "responder": PERSON}),
        body({"kind": "discuss", "words": [], "responder": PERSON}),
        body({"kind": "no_answer", "afterSeconds": "many"}),
    ],
)
def test_a_resolution_of_another_shape_is_a_deny(answer: bytes) -> None:
    for message in denied_with({RESOLUTION: (200, answer)}):
        assert "the hub's answer makes no sense" in message


@pytest.mark.parametrize(
    "answer",
    [
        *MALFORMED,
        body({"code": "x", "title": "no", "violations": 1}),
        body({"code": "x", "title": "no", "violations": ["path"]}),
        body({"code": "x", "title": "no", "violations": [{"path": "p"}]}),
    ],
)
@pytest.mark.parametrize("status", [301, 403, 422, 500, 503])
def test_a_refusal_of_another_shape_is_a_deny(status: int, answer: bytes) -> None:
    for request in (POST, RESOLUTION):
        for message in denied_with({request: (status, answer)}):
            assert message.startswith("Nobody could be reached: ")


def test_an_answer_of_the_right_shape_counts() -> None:
    edited = {"command": "pwd"}

    async def main(tool: str, tool_input: dict[str, Any], end: dict[str, Any]) -> Any:
        async with stand_in() as hub:
            hub.resolution = {"kind": "answered", "responder": PERSON, **end}
            return await call(hub, tool, tool_input)

    allowed = asyncio.run(main("Bash", {"command": "ls"}, {"decision": "allow", "input": edited}))
    assert allowed == PermissionResultAllow(updated_input=edited)
    answered = asyncio.run(main("AskUserQuestion", QUESTIONS, {"answers": [CHOSEN]}))
    assert answered.updated_input["answers"] == {"Which?": "A"}


@pytest.mark.parametrize("answer", [*MALFORMED, body({"questions": 1}), body({"questions": [{}]})])
def test_a_front_end_is_told_what_makes_no_sense(answer: bytes) -> None:
    async def main() -> None:
        async with stand_in() as hub:
            hub.bodies["GET /api/v1/asks/1"] = (200, answer)
            hand = Handraise(url=hub.url, person_token="t")
            if answer == b"{}":
                answer_to = "answers: found for an approval"
            else:
                answer_to = "the hub's answer makes no sense"
            with pytest.raises(HandraiseError, match=answer_to):
                await hand.answer("1", {"Which?": "A"})

    asyncio.run(main())


def test_a_call_nested_too_deeply_is_a_deny() -> None:
    deep: Any = []
    for _ in range(200_000):
        deep = [deep]

    async def main() -> None:
        async with stand_in() as hub:
            denied = await call(hub, "Bash", {"command": deep})
            assert isinstance(denied, PermissionResultDeny)
            assert "nested too deeply" in denied.message

    asyncio.run(main())


@pytest.mark.parametrize("url", ["http://[", "http://127.0.0.1:port", "http://\x00"])
def test_an_address_that_is_none_is_a_deny(url: str) -> None:
    async def main() -> None:
        hand = Handraise(url=url, token="t", on_disconnect="decline")
        denied = await hand.can_use_tool("Bash", {}, ToolPermissionContext(tool_use_id="t"))
        assert isinstance(denied, PermissionResultDeny)

    asyncio.run(main())


Write = Callable[[asyncio.StreamWriter], Awaitable[None]]


async def endless_body(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n")
    while True:
        writer.write(b"x" * MIB)
        await writer.drain()


async def endless_chunks(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"%x\r\n%b\r\n" % (MIB, b"x" * MIB))
        await writer.drain()


async def endless_headers(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"x: %b\r\n" % (b"x" * 1000))
        await writer.drain()


@pytest.mark.parametrize("request_", [POST, RESOLUTION])
@pytest.mark.parametrize("write", [endless_body, endless_chunks, endless_headers])
def test_no_more_than_32_mib_of_an_answer_are_read(write: Write, request_: str) -> None:
    async def main() -> None:
        async with stand_in() as hub:
            hub.writers[request_] = write
            denied = await call(hub)
            assert isinstance(denied, PermissionResultDeny)
            assert f"the hub at {hub.url} does not answer: " in denied.message
            if write is not endless_headers:
                assert "it sends more than 32 MiB" in denied.message
            # The connection is closed, or the hub would write on.
            await hub.until_alone()

    asyncio.run(asyncio.wait_for(main(), 20))


def test_an_answer_of_32_mib_is_read() -> None:
    padded = body(ALLOW).ljust(32 * MIB)

    async def main() -> None:
        async with stand_in() as hub:
            hub.bodies[RESOLUTION] = (200, padded)
            assert isinstance(await call(hub), PermissionResultAllow)
        async with stand_in() as hub:
            hub.bodies[RESOLUTION] = (200, padded + b" ")
            assert isinstance(await call(hub), PermissionResultDeny)

    asyncio.run(main())


def test_what_is_packed_is_not_unpacked() -> None:
    import gzip

    packed = gzip.compress(body(ALLOW))

    async def main() -> None:
        async with stand_in() as hub:

            async def write(writer: asyncio.StreamWriter) -> None:
                head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n"
                writer.write(head % len(packed) + packed)

            hub.writers[RESOLUTION] = write
            assert isinstance(await call(hub), PermissionResultDeny)

    asyncio.run(main())


async def slow_body(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
    await drip(writer, b"x")


async def slow_headers(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    await drip(writer, b"x: y\r\n")


async def interim_responses(writer: asyncio.StreamWriter) -> None:
    await drip(writer, b"HTTP/1.1 102 Processing\r\n\r\n")


async def drip(writer: asyncio.StreamWriter, drop: bytes) -> None:
    while True:
        writer.write(drop)
        await writer.drain()
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("request_", [POST, RESOLUTION])
@pytest.mark.parametrize("write", [slow_body, slow_headers, interim_responses])
def test_a_slow_answer_is_waited_for_no_longer_than_the_limit(
    write: Write, request_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "_OVERHEAD_SECONDS", 0.5)
    monkeypatch.setattr(hub, "_WAIT_SECONDS", 0)

    async def main() -> None:
        async with stand_in() as hub:
            hub.writers[request_] = write
            began = time.monotonic()
            denied = await call(hub)
            assert isinstance(denied, PermissionResultDeny)
            assert "it takes too long" in denied.message
            assert time.monotonic() - began < 5
            await hub.until_alone()

    asyncio.run(asyncio.wait_for(main(), 20))

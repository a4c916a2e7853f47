"""The callback alone, without an agent."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, ToolPermissionContext
from stand_in import stand_in

from handraise import Handraise

QUESTIONS = {"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]}
WITHDRAW = "POST /api/v1/asks/1/withdraw"


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address at which nobody listens, and which nobody else can take."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{reserved.getsockname()[1]}"


class FakeTime:
    """Passes when it is slept away."""

    def __init__(self, hand: Handraise) -> None:
        self.now = 0.0
        hand._clock = lambda: self.now
        hand._sleep = self.sleep

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def call(hand: Handraise, tool: str = "AskUserQuestion", **tool_input: Any) -> Any:
    context = ToolPermissionContext(tool_use_id="toolu_1")
    return hand.can_use_tool(tool, tool_input or QUESTIONS, context)


def test_a_hub_away_for_longer_than_the_deadline_is_silence(nobody: str) -> None:
    hand = Handraise(url=nobody, token="t", deadline=60)
    time = FakeTime(hand)
    denied = asyncio.run(call(hand))
    assert denied == PermissionResultDeny(
        message="Nobody answered within 60 s. This is neither a choice nor consent. Do not choose "
        "for the person."
    )
    assert 60 <= time.now < 61


def test_prime_agent_hub_away_is_a_timeout_with_interrupt(nobody: str) -> None:
    hand = Handraise(url=nobody, token="t", preset="prime-agent")
    time = FakeTime(hand)
    denied = asyncio.run(call(hand))
    assert denied == PermissionResultDeny(message="User response timeout", interrupt=True)
    assert 55 <= time.now < 56


def test_decline_without_a_hub_waits_for_nothing(nobody: str) -> None:
    hand = Handraise(url=nobody, token="t", on_disconnect="decline")
    time = FakeTime(hand)
    denied = asyncio.run(call(hand))
    assert isinstance(denied, PermissionResultDeny) and not denied.interrupt
    assert denied.message.startswith(f"Nobody could be reached: the hub at {nobody} does not")
    assert time.now == 0


def test_a_function_decides_for_each_tool(nobody: str) -> None:
    verdicts = {"Read": "approve", "Bash": "deny", "Write": "maybe"}
    hand = Handraise(url=nobody, token="t", tools=verdicts.__getitem__)  # type: ignore[arg-type]
    allowed = asyncio.run(call(hand, "Read", path="x"))
    assert allowed == PermissionResultAllow(updated_input={"path": "x"})
    denied = asyncio.run(call(hand, "Bash", command="ls"))
    assert denied == PermissionResultDeny(message="Bash is not allowed here. Nobody was asked.")
    with pytest.raises(ValueError, match=r"tools\('Write'\): found 'maybe'"):
        asyncio.run(call(hand, "Write", path="x"))


def test_what_javascript_cannot_keep_is_not_asked(nobody: str) -> None:
    hand = Handraise(url=nobody, token="t")
    denied = asyncio.run(call(hand, questions=[{"question": "__proto__", "options": []}]))
    assert "cannot be answered" in denied.message


@pytest.mark.parametrize("again", [0, 1, 2])
def test_however_often_it_is_cancelled_nothing_is_left(again: int) -> None:
    async def main() -> None:
        async with stand_in() as hub:
            before = asyncio.all_tasks()
            hand = Handraise(url=hub.url, token="t")
            waiting = asyncio.create_task(call(hand))
            await hub.until_told("GET /api/v1/asks/1/resolution")
            assert [one.ask_id for one in hand.waiting] == ["1"]
            hub.may_withdraw.clear()
            for times in range(1, again + 2):
                waiting.cancel()
                await hub.until_told(WITHDRAW, times)
            hub.may_withdraw.set()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await hub.until_alone()
            assert hand.waiting == []
            assert {task for task in asyncio.all_tasks() - before if task is not waiting} == set()
            assert threading.active_count() == 1

    asyncio.run(asyncio.wait_for(main(), 20))


@pytest.mark.parametrize("responder", [{"surface": "dialog", "person": None}, None])
def test_an_end_that_an_agent_claims_is_not_an_answer(responder: dict[str, Any] | None) -> None:
    chosen = {"selected": ["A"], "words": None, "notes": None, "leftOpen": False}
    claims: list[tuple[str, dict[str, Any], str]] = [
        ("AskUserQuestion", {"answers": [chosen]}, "No option was chosen; do not assume one."),
        ("Bash", {"decision": "allow", "input": {"command": "x"}, "remember": True}, "not allowed"),
    ]

    async def heard(tool: str, claim: dict[str, Any]) -> Any:
        async with stand_in() as hub:
            hub.resolution = {"kind": "answered", "responder": responder, **claim}
            tool_input = {} if tool == "AskUserQuestion" else {"command": "ls"}
            return await call(Handraise(url=hub.url, token="t"), tool, **tool_input)

    for tool, claim, words in claims:
        result = asyncio.run(heard(tool, claim))
        assert isinstance(result, PermissionResultDeny)
        assert words in result.message


def test_metadata_goes_to_the_hub_and_back_to_the_agent() -> None:
    chosen = {"selected": ["A"], "words": None, "notes": None, "leftOpen": False}
    person = {"surface": "dashboard", "person": "ann"}
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"a": deep}
    cases: list[tuple[Any, bool, bool]] = [
        ({"source": "remember"}, True, True),
        ({}, True, True),
        ({"source": "x" * 20_000}, False, True),
        (deep, False, True),
        ("remember", False, False),
        (None, False, False),
        ([], False, False),
    ]

    async def heard(metadata: Any) -> Any:
        async with stand_in() as hub:
            hub.resolution = {"kind": "answered", "responder": person, "answers": [chosen]}
            hand = Handraise(url=hub.url, token="t")
            result = await call(hand, questions=QUESTIONS["questions"], metadata=metadata)
            return hub.asked[0], result.updated_input

    for metadata, is_kept, is_echoed in cases:
        asked, updated = asyncio.run(heard(metadata))
        assert asked["questions"] == QUESTIONS["questions"]
        assert ("metadata" in asked) == is_kept
        assert ("metadata" in updated) == is_echoed
        if is_kept:
            assert asked["metadata"] == metadata
        if is_echoed:
            assert updated["metadata"] is metadata

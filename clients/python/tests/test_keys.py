"""Each call is asked about with a key of its own: an answer counts for one call."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, ToolPermissionContext
from stand_in import StandIn, stand_in

from handraise import Handraise

POST = "POST /api/v1/asks"
RESOLUTION = "GET /api/v1/asks/1/resolution"
ALLOW = {
    "kind": "answered",
    "decision": "allow",
    "message": None,
    "input": None,
    "remember": None,
    "responder": {"surface": "web", "person": "ann"},
}
KEY_REUSED = {"status": 409, "code": "key_reused", "title": "the key names another ask"}


def call(hand: Handraise, tool_use_id: str = "t", command: str = "ls") -> Any:
    context = ToolPermissionContext(tool_use_id=tool_use_id)
    return hand.can_use_tool("Bash", {"command": command}, context)


def hand_for(hub: StandIn) -> Handraise:
    return Handraise(url=hub.url, token="t", session="s")


def test_a_tool_use_id_that_comes_twice_is_asked_about_twice() -> None:
    async def main() -> list[str]:
        async with stand_in() as hub:
            hub.resolution = ALLOW
            hand = hand_for(hub)
            for tool_use_id in ("t#3", "t", "t", "t", "u"):
                assert isinstance(await call(hand, tool_use_id), PermissionResultAllow)
            return hub.keys

    assert asyncio.run(main()) == ["s/t#3", "s/t", "s/t#2", "s/t#4", "s/u"]


def test_calls_of_one_id_wait_beside_one_another() -> None:
    async def main() -> None:
        async with stand_in() as hub:
            hand = hand_for(hub)
            calls = [asyncio.create_task(call(hand)) for _ in range(3)]
            await hub.until_told(RESOLUTION, 3)
            assert sorted(hub.keys) == ["s/t", "s/t#2", "s/t#3"]
            assert len(hand.waiting) == 3
            for one in calls:
                one.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            assert hand.waiting == []
            # Each takes back what it has asked itself.
            assert sorted(hub.keys[3:]) == ["s/t", "s/t#2", "s/t#3"]

    asyncio.run(asyncio.wait_for(main(), 20))


@pytest.mark.parametrize(
    "known",
    [
        {"state": "delivered", "resolution": ALLOW, "delivery": {"level": "handed"}},
        {"state": "overruled", "resolution": ALLOW, "delivery": {"level": "seen"}},
        {"state": "undelivered", "resolution": ALLOW, "delivery": {"level": None}},
        {"state": "resolved", "resolution": ALLOW, "delivery": {"level": "handed"}},
        {"state": "resolved", "resolution": {"kind": "withdrawn", "reason": None}},
        {"state": "open", "deliverer": "another"},
        KEY_REUSED,
    ],
)
def test_an_ask_of_an_earlier_call_is_not_taken(known: dict[str, Any]) -> None:
    async def main() -> list[str]:
        async with stand_in() as hub:
            hub.resolution = ALLOW
            hub.known = {"s/t": known, "s/t#2": known}
            assert isinstance(await call(hand_for(hub)), PermissionResultAllow)
            return hub.keys

    assert asyncio.run(main()) == ["s/t", "s/t#2", "s/t#3"]


@pytest.mark.parametrize(
    "known", [{"state": "open", "deliverer": "you"}, {"state": "resolved", "resolution": ALLOW}]
)
def test_an_answer_that_no_program_was_handed_is_taken(known: dict[str, Any]) -> None:
    async def main() -> list[str]:
        async with stand_in() as hub:
            hub.resolution = ALLOW
            hub.known = {"s/t": known}
            assert isinstance(await call(hand_for(hub)), PermissionResultAllow)
            return hub.keys

    assert asyncio.run(main()) == ["s/t"]


def test_a_retry_of_one_call_keeps_its_key() -> None:
    async def main() -> list[str]:
        async with stand_in() as hub:
            hub.resolution = ALLOW
            hand = hand_for(hub)
            await call(hand)

            async def lose(writer: Any) -> None:
                hub.writers.clear()
                writer.close()

            hub.writers[POST] = lose
            assert isinstance(await call(hand), PermissionResultAllow)
            return hub.keys

    assert asyncio.run(main()) == ["s/t", "s/t#2", "s/t#2"]


def test_a_cancelled_call_leaves_the_ask_of_another_process_alone() -> None:
    async def main() -> None:
        async with stand_in() as hub:
            arrived, over = asyncio.Event(), asyncio.Event()

            async def hold(writer: Any) -> None:
                hub.writers.clear()
                arrived.set()
                await over.wait()

            hub.writers[POST] = hold
            hub.known = {"s/t": {"deliverer": "another"}}
            waiting = asyncio.create_task(call(hand_for(hub)))
            await arrived.wait()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            over.set()
            assert hub.told == [POST, POST]

    asyncio.run(asyncio.wait_for(main(), 20))


def test_a_hub_with_an_old_ask_for_every_key_ends_in_a_deny() -> None:
    async def main() -> None:
        async with stand_in() as hub:
            hub.resolution = ALLOW
            hub.bodies[POST] = (409, b'{"code": "key_reused", "title": "it was"}')
            denied = await call(hand_for(hub))
            assert isinstance(denied, PermissionResultDeny)
            assert "old ask for every new key" in denied.message
            assert len(set(hub.keys)) == len(hub.keys) == 101

    asyncio.run(main())

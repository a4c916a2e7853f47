"""One session of the real SDK, told by JSON what to do: what the end-to-end tests run.

``{"options": {}, "prompt": "", "mode": "default", "cancel": true, "front_end": [{}]}`` on the
command line; one line of JSON for each thing that happens.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage
from handraise import Handraise, HandraiseError


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def left_behind(threads_before: list[threading.Thread]) -> dict[str, Any]:
    """Whatever is there that was not there before."""
    threads = [one.name for one in threading.enumerate() if one not in threads_before]
    sockets = []
    for fd in os.listdir("/proc/self/fd"):
        try:
            sockets.append(os.readlink(f"/proc/self/fd/{fd}"))
        except OSError:
            continue
    # One pair of sockets wakes the event loop.
    sockets = [link for link in sockets if link.startswith("socket:")]
    return {"threads": threads, "sockets": len(sockets) - 2}


async def until_it_waits(hand: Handraise) -> None:
    while not hand.waiting:
        await asyncio.sleep(0.01)


async def answer_here(hand: Handraise, answers: list[dict[str, Any]]) -> None:
    """A front end of the program's own, which tries one answer after the other."""
    await until_it_waits(hand)
    for answer in answers:
        try:
            await hand.answer(hand.waiting[0].ask_id, answer)
            say(front_end="answered")
        except HandraiseError as error:
            say(front_end=error.code, message=str(error))


async def main() -> None:
    told = json.loads(sys.argv[1])
    hand = Handraise(**told.get("options", {}))
    options = ClaudeAgentOptions(
        can_use_tool=hand.can_use_tool,
        env=hand.environment,
        permission_mode=told.get("mode", "default"),
    )
    before = asyncio.all_tasks()
    async with ClaudeSDKClient(options=options) as client:
        # The SDK looks for Claude Code in a thread, which anyio keeps for the next time.
        threads = threading.enumerate()
        await client.query(told["prompt"])
        front_end = asyncio.create_task(answer_here(hand, told.get("front_end", [])))
        if told.get("cancel"):
            await until_it_waits(hand)
            await client.interrupt()
        async for message in client.receive_response():
            if isinstance(message, ResultMessage):
                say(result=message.result, subtype=message.subtype)
        front_end.cancel()
        await asyncio.gather(front_end, return_exceptions=True)
    # The SDK cancels what waits and does not stay for its end.
    while asyncio.all_tasks() - before:
        await asyncio.sleep(0.01)
    say(waiting=len(hand.waiting), left=left_behind(threads))


asyncio.run(main())

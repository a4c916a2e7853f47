"""The callback for the Claude Agent SDK, and what a front end of your own needs beside it."""

from __future__ import annotations

import logging
import os
import socket
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from . import metadata, wording
from .answers import Said, to_api
from .errors import HandraiseError, HubUnreachable
from .home import Home, Named
from .hub import Hub
from .responses import is_reusable
from .rules import OnDeadline, OnDisconnect, OwnWords, Preset, Rules, Tools, checked

if TYPE_CHECKING:
    from claude_agent_sdk import (
        PermissionResult,
        PermissionResultAllow,
        PermissionResultDeny,
        ToolPermissionContext,
    )

_T = TypeVar("_T")
_QUESTION = "AskUserQuestion"
_PLAN = "ExitPlanMode"
#: Under this name JavaScript keeps nothing: the model would read that nobody answered.
_UNANSWERABLE = "__proto__"
_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.5
#: How long a hub may take to note that the answer is handed over, or that nobody waits any more.
_PARTING_SECONDS = 2.0
#: The last key with a number that a call tries, before one with a random end.
_MAX_KEY_NUMBER = 100
#: Why an ask is taken back, as people read it.
_GONE = "the agent no longer waits for it"

_log = logging.getLogger("handraise")


@dataclass(frozen=True)
class Waiting:
    """A call that waits for a person."""

    ask_id: str
    tool_use_id: str | None
    tool: str
    input: dict[str, Any]


class Handraise:
    """Carries what an agent asks to a hub, and what a person says back.

    ``home``, or else ``$HANDRAISE_HOME``, or else the platform's data directory says where the
    hub is; or ``url`` and ``token``. The rules override those of the ``preset``; the hub keeps
    them, and its configuration bounds them.
    """

    def __init__(
        self,
        *,
        preset: Preset | None = None,
        tools: Tools | None = None,
        deadline: int | None = None,
        on_deadline: OnDeadline | None = None,
        on_disconnect: OnDisconnect | None = None,
        own_words: OwnWords | None = None,
        title: str | None = None,
        directory: str | os.PathLike[str] | None = None,
        session: str | None = None,
        home: str | os.PathLike[str] | None = None,
        url: str | None = None,
        token: str | None = None,
        person_token: str | None = None,
    ) -> None:
        if url is None and (token or person_token):
            raise ValueError("url: missing; allowed with token and person_token only")
        if url is not None and home is not None:
            raise ValueError("home: found beside url, allowed one of the two")
        self._rules = checked(preset, tools, deadline, on_deadline, on_disconnect, own_words)
        self._place = Home(home) if url is None else Named(url, token, person_token)
        self._session = session or uuid.uuid4().hex
        self._asker = {
            "agent": "claude-agent-sdk",
            "session": self._session,
            "directory": os.path.abspath(directory or os.getcwd()),
            "host": socket.gethostname(),
            "title": title,
        }
        self._deliverer = uuid.uuid4().hex
        #: The keys of all calls: a model may use the id of a call twice.
        self._used_keys: set[str] = set()
        self._waiting: dict[str, Waiting] = {}
        #: Asks that were given up while the hub was away: it hears of it when it is back.
        self._given_up: set[str] = set()
        self._clock: Callable[[], float] = time.monotonic
        self._sleep: Callable[[float], Awaitable[None]] = anyio.sleep

    @property
    def environment(self) -> dict[str, str]:
        """For ``ClaudeAgentOptions(env=…)``: hooks of Handraise then keep out of it."""
        return {"HANDRAISE_OWNER": "1"}

    @property
    def waiting(self) -> list[Waiting]:
        """What waits for a person now, oldest first."""
        return list(self._waiting.values())

    async def can_use_tool(
        self, tool_name: str, tool_input: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        """For ``ClaudeAgentOptions(can_use_tool=…)``."""
        if tool_name == _QUESTION:
            return await self._put_questions(tool_input, context)
        verdict = self._rules.for_tool(tool_name)
        if verdict == "approve":
            return _allow(tool_input)
        if verdict == "deny":
            return _deny(f"{tool_name} is not allowed here. Nobody was asked.")
        return await self._put_approval(tool_name, tool_input, context)

    async def answer(self, ask_id: str, answers: Mapping[str, Said]) -> None:
        """Answers as the person: each question's exact text to a label, labels or own words."""
        async with Hub.line(self._place, self._deliverer) as hub:
            questions = await hub.questions(ask_id)
            if questions is None:
                raise HandraiseError("invalid", "answers: found for an approval, not for questions")
            await hub.reply(ask_id, "answer", {"answers": to_api(questions, answers)})

    async def decline(self, ask_id: str, reason: str | None = None) -> None:
        """Declines to answer, as the person."""
        async with Hub.line(self._place, self._deliverer) as hub:
            await hub.reply(ask_id, "decline", {"reason": reason})

    async def _put_questions(
        self, tool_input: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        questions = tool_input["questions"]
        if any(question.get("question") == _UNANSWERABLE for question in questions):
            why = f"a question with the text {_UNANSWERABLE} cannot be answered"
            return _deny(wording.not_asked(why, question=True))

        def told(resolution: dict[str, Any], interrupts: bool) -> PermissionResult:
            kind = resolution["kind"]
            if kind == "answered":
                echo = metadata.echoed(tool_input)
                return _allow({**wording.answered(questions, resolution["answers"]), **echo})
            message = wording.not_answered(resolution)
            if kind in ("declined", "no_answer") and self._rules.unanswered is not None:
                return _deny(self._rules.unanswered, interrupts)
            return _deny(message, interrupts and kind == "no_answer")

        matter = {"kind": "question", "questions": questions, **metadata.kept(tool_input)}
        return await self._carry(_QUESTION, tool_input, context.tool_use_id, matter, told)

    async def _put_approval(
        self, tool_name: str, tool_input: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        suggestions = context.suggestions

        def told(resolution: dict[str, Any], interrupts: bool) -> PermissionResult:
            if resolution["kind"] == "answered" and resolution["decision"] == "allow":
                edited = resolution["input"]
                allowed = _allow(tool_input if edited is None else edited)
                if resolution["remember"]:
                    allowed.updated_permissions = suggestions
                return allowed
            interrupts = interrupts and resolution["kind"] == "no_answer"
            return _deny(wording.not_allowed(resolution), interrupts)

        plan = tool_input.get("plan") if tool_name == _PLAN else None
        approval = {
            "tool": tool_name,
            "input": tool_input,
            "description": context.description or _text(tool_input.get("description")),
            "suggestions": [suggestion.to_dict() for suggestion in suggestions] or None,
            "plan": _text(plan),
        }
        matter = {"kind": "approval", "approval": approval}
        return await self._carry(tool_name, tool_input, context.tool_use_id, matter, told)

    async def _carry(
        self,
        tool: str,
        tool_input: dict[str, Any],
        tool_use_id: str | None,
        matter: dict[str, Any],
        told: Callable[[dict[str, Any], bool], PermissionResult],
    ) -> PermissionResult:
        """Has the hub ask, waits for the end, and says that it is handed over."""
        body = {"asker": self._asker, "key": None, "policy": self._rules.policy(), **matter}
        questions = len(matter["questions"]) if "questions" in matter else None
        patience = _Patience(self._rules, self._clock, self._sleep)
        interrupts = self._rules.on_deadline == "interrupt"
        ask_id: str | None = None
        async with Hub.line(self._place, self._deliverer) as hub:
            try:
                ask = await self._ask(hub, patience, body, tool_use_id)
                ask_id = ask["id"]
                await self._withdraw_given_up(hub)
                # What the hub grants counts, not what was wished for.
                patience.deadline = ask["policy"]["deadlineSeconds"]
                interrupts = ask["policy"].get("onDeadline") == "interrupt"
                self._waiting[body["key"]] = Waiting(ask["id"], tool_use_id, tool, tool_input)
                resolution = None
                while resolution is None:
                    resolution = await patience.insist(
                        lambda: hub.resolution(ask["id"], questions)
                    )
            except _Silence as silence:
                self._give_up(ask_id)
                return told({"kind": "no_answer", "afterSeconds": silence.seconds}, interrupts)
            except HandraiseError as error:
                if isinstance(error, HubUnreachable):
                    self._give_up(ask_id)
                _log.warning("%s was not put to a person: %s", tool, error)
                return _deny(wording.not_asked(str(error), question=tool == _QUESTION))
            except anyio.get_cancelled_exc_class():
                self._waiting.pop(body["key"], None)
                await _take_back(hub, body)
                raise
            finally:
                self._waiting.pop(body["key"], None)
            result = told(resolution, interrupts)
            with anyio.move_on_after(_PARTING_SECONDS), suppress(HandraiseError):
                message = result.message if result.behavior == "deny" else None
                await hub.receipt(ask["id"], message)
            return result

    async def _ask(
        self, hub: Hub, patience: _Patience, body: dict[str, Any], tool_use_id: str | None
    ) -> dict[str, Any]:
        """Asks with a key that no other call has used: programs and models may use an id twice.

        The hub may know the key from a process that has ended. An answer which that process did not
        hand over is taken; otherwise the call is asked with another key.
        """
        for key in self._new_keys(tool_use_id):
            body["key"] = key
            try:
                ask = await patience.insist(lambda: hub.ask(body))
            except HandraiseError as error:
                if error.code != "key_reused":
                    raise
                continue
            if is_reusable(ask):
                return ask
        raise HandraiseError("unreadable", "the hub gives an old ask for every new key")

    def _new_keys(self, tool_use_id: str | None) -> Iterator[str]:
        first = f"{self._session}/{tool_use_id or uuid.uuid4().hex}"
        numbered = [f"{first}#{number}" for number in range(2, _MAX_KEY_NUMBER + 1)]
        for key in [first, *numbered, f"{first}#{uuid.uuid4().hex}"]:
            if key not in self._used_keys:
                self._used_keys.add(key)
                yield key

    def _give_up(self, ask_id: str | None) -> None:
        if ask_id is not None:
            self._given_up.add(ask_id)

    async def _withdraw_given_up(self, hub: Hub) -> None:
        for ask_id in list(self._given_up):
            # The first try may go over a connection to the hub that is gone.
            for _ in range(2):
                with anyio.move_on_after(_PARTING_SECONDS):
                    try:
                        await hub.withdraw(ask_id, _GONE)
                    except HubUnreachable:
                        continue
                    except HandraiseError:
                        # It has ended, or is not ours.
                        pass
                    self._given_up.discard(ask_id)
                    break


async def _take_back(hub: Hub, body: dict[str, Any]) -> None:
    """Withdraws an ask, although its caller was cancelled.

    The SDK cancels again when it closes, and ``asyncio.run`` when it ends: neither may leave the
    question standing, so it is begun again then.
    """
    with anyio.move_on_after(_PARTING_SECONDS, shield=True):
        for _ in range(3):
            with suppress(anyio.get_cancelled_exc_class()):
                with suppress(HandraiseError):
                    # What was on its way when this was cancelled is found again by its key.
                    ask = await hub.ask(body)
                    if is_reusable(ask):
                        await hub.withdraw(ask["id"], _GONE)
                return


class _Silence(Exception):
    """No hub for as long as a person may be silent."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds


class _Patience:
    """Tries again for as long as the rules want while the hub is away."""

    def __init__(
        self, rules: Rules, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self.deadline = rules.deadline
        self._keeps = rules.on_disconnect == "keep"
        self._clock = clock
        self._sleep = sleep

    async def insist(self, call: Callable[[], Awaitable[_T]]) -> _T:
        away_since: float | None = None
        pause = _FIRST_PAUSE
        while True:
            try:
                return await call()
            except HubUnreachable:
                if not self._keeps:
                    raise
            now = self._clock()
            away_since = now if away_since is None else away_since
            if self.deadline is not None and now - away_since >= self.deadline:
                raise _Silence(self.deadline)
            await self._sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)


def _allow(updated_input: dict[str, Any]) -> PermissionResultAllow:
    from claude_agent_sdk import PermissionResultAllow

    return PermissionResultAllow(updated_input=updated_input)


def _deny(message: str, interrupt: bool = False) -> PermissionResultDeny:
    from claude_agent_sdk import PermissionResultDeny

    return PermissionResultDeny(message=message, interrupt=interrupt)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None

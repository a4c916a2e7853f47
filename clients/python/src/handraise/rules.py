"""How asks are to be treated: presets, and what a program says itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

Verdict = Literal["approve", "ask", "deny"]
Tools = Literal["approve", "ask"] | Callable[[str], Verdict]
Preset = Literal["gobby", "prime-agent"]
OnDeadline = Literal["tell", "interrupt"]
OnDisconnect = Literal["keep", "decline"]
OwnWords = Literal["allow", "refuse"]


@dataclass(frozen=True)
class Rules:
    """What one program wishes for. The default is patience."""

    tools: Tools = "ask"
    deadline: int | None = None
    on_deadline: OnDeadline = "tell"
    on_disconnect: OnDisconnect = "keep"
    own_words: OwnWords = "allow"
    pause_while_typing: bool = True
    #: Said in place of our words when questions are declined or nobody answers.
    unanswered: str | None = None

    def for_tool(self, name: str) -> Verdict:
        """What to do about a call of this tool."""
        if not callable(self.tools):
            return self.tools
        verdict = self.tools(name)
        _one_of(f"tools({name!r})", verdict, Verdict)
        return verdict

    def policy(self) -> dict[str, Any]:
        """The rules that the hub keeps."""
        return {
            "deadlineSeconds": self.deadline,
            "onDeadline": self.on_deadline,
            "onDisconnect": self.on_disconnect,
            "ownWords": self.own_words,
            "pauseWhileTyping": self.pause_while_typing,
        }


PRESETS: dict[Preset | None, Rules] = {
    None: Rules(),
    "gobby": Rules(
        tools="approve", deadline=300, on_disconnect="decline", pause_while_typing=False
    ),
    "prime-agent": Rules(
        deadline=55,
        on_deadline="interrupt",
        pause_while_typing=False,
        unanswered="User response timeout",
    ),
}


def checked(
    preset: Preset | None,
    tools: Tools | None,
    deadline: int | None,
    on_deadline: OnDeadline | None,
    on_disconnect: OnDisconnect | None,
    own_words: OwnWords | None,
) -> Rules:
    """A preset, and what is said beside it. Whatever makes no sense is refused by its name."""
    if preset is not None:
        _one_of("preset", preset, Preset)
    base = PRESETS[preset]
    if tools is not None and not callable(tools):
        _one_of("tools", tools, Literal["approve", "ask"], " or a function")
    if deadline is not None and (type(deadline) is not int or deadline < 1):
        raise ValueError(f"deadline: found {deadline!r}, allowed whole seconds from 1")
    for field, value, allowed in (
        ("on_deadline", on_deadline, OnDeadline),
        ("on_disconnect", on_disconnect, OnDisconnect),
        ("own_words", own_words, OwnWords),
    ):
        if value is not None:
            _one_of(field, value, allowed)
    return Rules(
        tools=base.tools if tools is None else tools,
        deadline=base.deadline if deadline is None else deadline,
        on_deadline=on_deadline or base.on_deadline,
        on_disconnect=on_disconnect or base.on_disconnect,
        own_words=own_words or base.own_words,
        pause_while_typing=base.pause_while_typing,
        unanswered=base.unanswered,
    )


def _one_of(field: str, value: object, allowed: Any, also: str = "") -> None:
    words = get_args(allowed)
    if value not in words:
        names = ", ".join(repr(word) for word in words)
        raise ValueError(f"{field}: found {value!r}, allowed {names}{also}")

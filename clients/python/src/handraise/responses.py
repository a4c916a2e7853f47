"""Checks the JSON of a hub: another shape is an error, and never an allow."""

from __future__ import annotations

import json
from typing import Any

from .errors import HandraiseError

#: The states of an ask.
_STATES = ("open", "resolved", "delivered", "overruled", "undelivered")


def parse(body: bytes) -> Any:
    """The value of a JSON text; ``null`` is none."""
    try:
        value = json.loads(body)
    # JSON that is nested too deeply is a RecursionError.
    except (ValueError, RecursionError):
        raise _unreadable("it is not JSON") from None
    _require(value is not None, "null")
    return value


def read_ask(value: Any) -> dict[str, Any]:
    """An ask, as far as whoever asked needs it."""
    ask = _object(value, "an ask")
    _require(isinstance(ask.get("id"), str) and ask["id"] != "", "id")
    _require(ask.get("state") in _STATES, "state")
    policy = _object(ask.get("policy"), "policy")
    deadline = policy.get("deadlineSeconds")
    _require(deadline is None or _is_number(deadline), "policy.deadlineSeconds")
    if ask.get("resolution") is not None:
        _object(ask["resolution"], "resolution")
    return ask


def is_reusable(ask: dict[str, Any]) -> bool:
    """Whether a call may wait for this ask, or take its answer.

    It may not when the answer was handed to an agent, when no answer can come any more, or when
    another process waits for it.
    """
    if ask.get("deliverer") == "another":
        return False
    if ask["state"] == "open":
        return True
    is_withdrawn = (ask.get("resolution") or {}).get("kind") == "withdrawn"
    return ask["state"] == "resolved" and ask.get("delivery") is None and not is_withdrawn


def read_questions(value: Any) -> list[dict[str, Any]] | None:
    """The questions of an ask; ``None`` for an approval."""
    questions = _object(value, "an ask").get("questions")
    if questions is None:
        return None
    _require(isinstance(questions, list), "questions")
    for question in questions:
        _require(isinstance(question, dict), "questions")
        _require(isinstance(question.get("question"), str), "questions")
        options = question.get("options") or []
        _require(isinstance(options, list), "questions")
        for option in options:
            _require(isinstance(option, dict), "questions")
            _require(isinstance(option.get("label"), str), "questions")
    return questions  # type: ignore[no-any-return]


def read_resolution(value: Any, questions: int | None) -> dict[str, Any]:
    """How an ask of so many questions ended, or an approval if ``questions`` is ``None``."""
    end = _object(value, "a resolution")
    if _is_claimed(end):
        return {"kind": "withdrawn", "reason": "it ended outside the hub"}
    kind = end.get("kind")
    match kind:
        case "answered" if questions is None:
            return {"kind": kind, **_decision(end)}
        case "answered":
            answers = end.get("answers")
            _require(isinstance(answers, list) and len(answers) == questions, "answers")
            return {"kind": kind, "answers": [_answer(answer) for answer in answers or []]}
        case "declined" | "withdrawn":
            return {"kind": kind, "reason": _text(end, "reason")}
        case "discuss":
            return {"kind": kind, "words": _text(end, "words")}
        case "no_answer":
            _require(_is_number(end.get("afterSeconds")), "afterSeconds")
            return {"kind": kind, "afterSeconds": end["afterSeconds"]}
        case _:
            raise _unreadable("kind")


def _is_claimed(end: dict[str, Any]) -> bool:
    """Whether only an agent's receipt says that it ended so: that counts as withdrawn."""
    if end.get("responder") is None:
        return end.get("kind") in ("answered", "declined", "discuss")
    return bool(_object(end["responder"], "responder").get("surface") == "dialog")


def _decision(end: dict[str, Any]) -> dict[str, Any]:
    decision, edited, remember = end.get("decision"), end.get("input"), end.get("remember")
    _require(decision in ("allow", "deny"), "decision")
    _require(edited is None or isinstance(edited, dict), "input")
    _require(remember is None or isinstance(remember, bool), "remember")
    message = _text(end, "message")
    return {"decision": decision, "message": message, "input": edited, "remember": remember}


def _answer(value: Any) -> dict[str, Any]:
    answer = _object(value, "answers")
    selected, left_open = answer.get("selected"), answer.get("leftOpen")
    _require(isinstance(selected, list), "selected")
    _require(all(isinstance(label, str) for label in selected or []), "selected")
    _require(isinstance(left_open, bool), "leftOpen")
    words, notes = _text(answer, "words"), _text(answer, "notes")
    return {"selected": selected, "words": words, "notes": notes, "leftOpen": left_open}


def _text(value: dict[str, Any], field: str) -> str | None:
    text = value.get(field)
    _require(text is None or isinstance(text, str), field)
    return text


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _object(value: Any, name: str) -> dict[str, Any]:
    _require(isinstance(value, dict), name)
    return value  # type: ignore[no-any-return]


def _require(is_right: bool, name: str) -> None:
    if not is_right:
        raise _unreadable(name)


def _unreadable(why: str) -> HandraiseError:
    return HandraiseError("unreadable", f"the hub's answer makes no sense: {why}")

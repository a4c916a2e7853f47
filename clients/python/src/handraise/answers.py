"""Answers as front ends give them: question text to label, labels or words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import parts
from .errors import HandraiseError

#: A label, own words or both as one string; several of them; or nothing, for a question left open.
Said = str | Sequence[str] | None


def to_api(questions: list[dict[str, Any]], said: Mapping[str, Said]) -> list[dict[str, Any]]:
    """The answers in the order of the questions. Each has one, and nothing else may have."""
    texts = [question["question"] for question in questions]
    for key in said:
        if key not in texts:
            raise _wrong(f"{key!r} names no question; allowed: {', '.join(map(repr, texts))}")
    for text in texts:
        if text not in said:
            raise _wrong(f"{text!r} has no answer; None leaves it open")
    return [_one(question, said[question["question"]]) for question in questions]


def _one(question: dict[str, Any], said: Said) -> dict[str, Any]:
    if said is None:
        return {"leftOpen": True}
    if isinstance(said, str):
        selected, words = parts.read(question, said)
    else:
        labels = [option["label"] for option in parts.choices(question)]
        selected = [one for one in said if one in labels]
        words = ", ".join(one for one in said if one not in labels) or None
    if not selected and not parts.trim(words or ""):
        raise _wrong(f"{question['question']!r} is answered with nothing; None leaves it open")
    return {"selected": selected, "words": words}


def _wrong(message: str) -> HandraiseError:
    return HandraiseError("invalid", f"answers: {message}")

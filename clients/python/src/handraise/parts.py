"""Several choices in one string, and back: the form Claude Code writes and recognises.

Claude Code compares encoded labels and decodes nothing: a label that holds a comma followed by a
space, or a double quote, must be a JSON string; every other label must stand exactly as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .hub import to_json

_SEPARATOR = ", "
#: What Unicode calls white space; ``str.strip`` alone takes more.
_WHITE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_ASKS_FOR_WORDS = ("specify", "recommended", "type", "describe")


def choices(question: dict[str, Any]) -> list[dict[str, Any]]:
    """The options a person chooses from: all but the agent's own "Other"."""
    return [option for option in question.get("options") or [] if not _is_other(option["label"])]


def trim(text: str) -> str:
    """Without white space at either end."""
    return text.strip(_WHITE)


def write(question: dict[str, Any], selected: Sequence[str], words: str | None) -> str:
    """The answer to one question as one string."""
    if not question.get("multiSelect"):
        return selected[0] if selected else words or ""
    # One label alone stays raw, unless that reads as several others.
    if len(selected) == 1 and words is None and not _labels_only(question, selected[0]):
        return selected[0]
    parts = [_encode_label(label) for label in selected]
    if words is not None:
        parts.append(_encode_words(words))
    return _SEPARATOR.join(parts)


def read(question: dict[str, Any], text: str) -> tuple[list[str], str | None]:
    """The inverse of :func:`write`: the chosen labels and the own words in ``text``."""
    multi = bool(question.get("multiSelect"))
    labels = _labels_only(question, text) if multi else []
    if not labels and any(option["label"] == text for option in choices(question)):
        labels = [text]
    if labels:
        return labels, None
    if not multi:
        return [], text
    labels, rest = _leading_labels(question, text)
    return labels, _decode_words(rest)


def _is_other(label: str) -> bool:
    label = trim(trim(label).rstrip(".…:"))
    head, bracket, rest = label.partition("(")
    # "Other (please specify)" asks for words; "Other (MySQL)" is an option like any.
    if bracket and any(word in _ascii_lower(rest) for word in _ASKS_FOR_WORDS):
        label = trim(head)
    return _ascii_lower(label) == "other"


def _ascii_lower(text: str) -> str:
    return re.sub("[A-Z]", lambda letter: letter.group().lower(), text)


def _needs_quotes(part: str) -> bool:
    return _SEPARATOR in part or '"' in part


def _encode_label(label: str) -> str:
    return to_json(label) if _needs_quotes(label) else label


def _encode_words(words: str) -> str:
    """Own words keep their newlines, and are quoted only to mark their end."""
    if not _needs_quotes(words):
        return words
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _decode_words(text: str) -> str:
    quoted = re.fullmatch(r'"((?:[^"\\]|\\["\\])*)"', text)
    if quoted is None:
        return text
    words = re.sub(r'\\(["\\])', r"\1", quoted.group(1))
    # Quotes that were not needed were not ours: they belong to the words.
    return words if _needs_quotes(words) else text


def _labels_only(question: dict[str, Any], text: str) -> list[str]:
    """The labels, if ``text`` is made of encoded labels and nothing else."""
    labels, rest = _leading_labels(question, text)
    return [] if rest else labels


def _leading_labels(question: dict[str, Any], text: str) -> tuple[list[str], str]:
    """The encoded labels ``text`` starts with, and what follows them."""
    labels: list[str] = []
    while text:
        for option in choices(question):
            encoded = _encode_label(option["label"])
            after = text[len(encoded) :]
            # A separator with nothing behind it is text, not an end.
            goes_on = after.startswith(_SEPARATOR) and after != _SEPARATOR
            if text.startswith(encoded) and (not after or goes_on):
                labels.append(option["label"])
                text = after[len(_SEPARATOR) :]
                break
        else:
            break
    return labels, text

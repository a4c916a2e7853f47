"""Options that make no sense are refused by their names; so are answers."""

from __future__ import annotations

from typing import Any

import pytest

from handraise import Handraise, HandraiseError
from handraise.answers import to_api
from handraise.rules import PRESETS

QUESTIONS: list[dict[str, Any]] = [
    {"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]},
    {"question": "Several?", "multiSelect": True, "options": [{"label": "C"}, {"label": "D, E"}]},
]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tools": "allow"}, "tools: found 'allow', allowed 'approve', 'ask' or a function"),
        ({"preset": "gobbi"}, "preset: found 'gobbi', allowed 'gobby', 'prime-agent'"),
        ({"deadline": 0}, "deadline: found 0, allowed whole seconds from 1"),
        ({"deadline": 1.5}, "deadline: found 1.5, allowed whole seconds from 1"),
        ({"deadline": True}, "deadline: found True, allowed whole seconds from 1"),
        ({"on_deadline": "die"}, "on_deadline: found 'die', allowed 'tell', 'interrupt'"),
        ({"on_disconnect": ""}, "on_disconnect: found '', allowed 'keep', 'decline'"),
        ({"own_words": "no"}, "own_words: found 'no', allowed 'allow', 'refuse'"),
        ({"token": "t"}, "url: missing"),
        ({"url": "http://x", "home": "/y"}, "home: found beside url"),
    ],
)
def test_what_makes_no_sense_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as refused:
        Handraise(**options)
    assert message in str(refused.value)


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(TypeError, match="dead_line"):
        Handraise(dead_line=5)  # type: ignore[call-arg]


def test_presets_are_what_their_documents_say() -> None:
    assert PRESETS["gobby"].policy() == {
        "deadlineSeconds": 300,
        "onDeadline": "tell",
        "onDisconnect": "decline",
        "ownWords": "allow",
        "pauseWhileTyping": False,
    }
    assert PRESETS["gobby"].tools == "approve"
    assert PRESETS["prime-agent"].policy() == {
        "deadlineSeconds": 55,
        "onDeadline": "interrupt",
        "onDisconnect": "keep",
        "ownWords": "allow",
        "pauseWhileTyping": False,
    }


@pytest.mark.parametrize(
    ("said", "answers"),
    [
        (
            {"Which?": "A", "Several?": 'C, "D, E"'},
            [{"selected": ["A"], "words": None}, {"selected": ["C", "D, E"], "words": None}],
        ),
        (
            {"Which?": "neither", "Several?": ["D, E", "x", "y"]},
            [{"selected": [], "words": "neither"}, {"selected": ["D, E"], "words": "x, y"}],
        ),
        (
            {"Which?": None, "Several?": "C, and z"},
            [{"leftOpen": True}, {"selected": ["C"], "words": "and z"}],
        ),
    ],
)
def test_answers_are_read(said: dict[str, Any], answers: list[dict[str, Any]]) -> None:
    assert to_api(QUESTIONS, said) == answers


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"Which?": "A", "Several?": "C", "which?": "A"}, "'which?' names no question"),
        ({"Which?": "A"}, "'Several?' has no answer"),
        ({"Which?": " ", "Several?": "C"}, "'Which?' is answered with nothing"),
        ({"Which?": "A", "Several?": []}, "'Several?' is answered with nothing"),
    ],
)
def test_gobby_invalid_or_extra_keys_are_refused(said: dict[str, Any], message: str) -> None:
    with pytest.raises(HandraiseError, match="answers: ") as refused:
        to_api(QUESTIONS, said)
    assert message in str(refused.value) and refused.value.code == "invalid"

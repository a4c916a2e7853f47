"""What is said here is what the hub's own program says: ``clients/wording.json`` comes from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from handraise import parts, wording

SAMPLES = json.loads((Path(__file__).parents[2] / "wording.json").read_text())


@pytest.mark.parametrize("sample", SAMPLES["permissions"])
def test_claude_code_is_given_the_same(sample: dict[str, Any]) -> None:
    questions, resolution = sample["questions"], sample["resolution"]
    if resolution["kind"] == "answered":
        updated = wording.answered(questions, resolution["answers"])
        assert {"behavior": "allow", "updatedInput": updated} == sample["permission"]
    else:
        message = wording.not_answered(resolution)
        assert {"behavior": "deny", "message": message} == sample["permission"]


@pytest.mark.parametrize("sample", SAMPLES["refusals"])
def test_what_is_not_allowed_is_said_in_the_same_words(sample: dict[str, Any]) -> None:
    assert wording.not_allowed(sample["resolution"]) == sample["message"]


@pytest.mark.parametrize("sample", SAMPLES["readings"])
def test_strings_are_read_alike(sample: dict[str, Any]) -> None:
    read = parts.read(sample["question"], sample["text"])
    assert read == (sample["selected"], sample["words"])

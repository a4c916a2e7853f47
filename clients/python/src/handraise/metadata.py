"""The ``metadata`` an agent may send beside its questions."""

from __future__ import annotations

import json
from typing import Any

#: What a hub keeps, in bytes of JSON.
_MAX_BYTES = 16 * 1024
_MAX_NESTING = 100


def echoed(tool_input: dict[str, Any]) -> dict[str, Any]:
    """The metadata of a call, as a part of what goes back to the agent."""
    metadata = tool_input.get("metadata")
    return {"metadata": metadata} if isinstance(metadata, dict) else {}


def kept(tool_input: dict[str, Any]) -> dict[str, Any]:
    """The metadata of a call, as a part of what a hub is asked.

    A hub refuses an ask with metadata it does not keep, and the question matters more.
    """
    beside = echoed(tool_input)
    return beside if beside and _is_small(beside["metadata"]) else {}


def _is_small(metadata: dict[str, Any]) -> bool:
    # Before the text is made: making it goes as deep as the value does.
    return _nesting(metadata) <= _MAX_NESTING and len(json.dumps(metadata)) <= _MAX_BYTES


def _nesting(value: object) -> int:
    """How deep a value is nested, counted no further than is allowed."""
    depth, level = 0, [value]
    while depth <= _MAX_NESTING and (
        level := [one for one in level if isinstance(one, (dict, list))]
    ):
        depth += 1
        level = [
            inner for one in level for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return depth

"""What the model reads: one resolution, as the SDK takes it. Nothing but an answer is an allow."""

from __future__ import annotations

from typing import Any

from . import parts

_LEFT_OPEN = "The person left this question open on purpose."
_THEIR_NOTE = " Their note: "


def answered(questions: list[dict[str, Any]], answers: list[dict[str, Any]]) -> dict[str, Any]:
    """The input of the call, with the person's answers keyed by the exact question text."""
    said: dict[str, str] = {}
    annotations: dict[str, dict[str, str]] = {}
    for question, answer in zip(questions, answers, strict=True):
        text = question["question"]
        if not answer["leftOpen"]:
            said[text] = parts.write(question, answer["selected"], answer["words"])
        if annotation := _annotation(question, answer):
            annotations[text] = annotation
    updated: dict[str, Any] = {"questions": questions, "answers": said}
    if annotations:
        updated["annotations"] = annotations
    return updated


def not_answered(resolution: dict[str, Any]) -> str:
    """The words for questions without an answer."""
    match resolution["kind"]:
        case "declined":
            said = _after_colon(resolution["reason"])
            return (
                f"The person declined to answer{said}. No option was chosen; do not assume one."
            )
        case "discuss":
            said = _after_colon(resolution["words"])
            return (
                f"The person wants to talk first{said}. No option was chosen. Answer them, then "
                "ask again if you still need it."
            )
        case "no_answer":
            return (
                f"Nobody answered within {resolution['afterSeconds']} s. This is neither a choice "
                "nor consent. Do not choose for the person."
            )
        case _:
            said = _after_colon(resolution.get("reason"))
            return (
                f"The question was withdrawn before anybody answered{said}. No option was chosen; "
                "do not assume one."
            )


def not_allowed(resolution: dict[str, Any]) -> str:
    """The words for a tool call or a plan that was not allowed."""
    match resolution["kind"]:
        case "answered":
            return f"The person did not allow this{_after_colon(resolution['message'])}."
        case "declined":
            said = _after_colon(resolution["reason"])
            return (
                f"The person declined to decide{said}. It is not allowed; do not do it in another "
                "way."
            )
        case "discuss":
            said = _after_colon(resolution["words"])
            return (
                f"The person wants to talk first{said}. It is not allowed yet. Answer them, then "
                "ask again if you still need it."
            )
        case "no_answer":
            seconds = resolution["afterSeconds"]
            return f"Nobody answered within {seconds} s. This is not consent. Do not do it."
        case _:
            said = _after_colon(resolution.get("reason"))
            return f"It was withdrawn before anybody decided{said}. It is not allowed."


def not_asked(why: str, *, question: bool) -> str:
    """The words for what no person could be asked."""
    end = "No option was chosen; do not assume one." if question else "It is not allowed."
    return f"Nobody could be reached{_after_colon(why)}. {end}"


def _annotation(question: dict[str, Any], answer: dict[str, Any]) -> dict[str, str]:
    notes: str | None = answer["notes"]
    if answer["leftOpen"]:
        return {"notes": _LEFT_OPEN + (_THEIR_NOTE + notes if notes else "")}
    chosen = [option for option in parts.choices(question) if option["label"] in answer["selected"]]
    previews = [option["preview"] for option in chosen if parts.trim(option.get("preview") or "")]
    annotation = {"preview": "\n\n".join(previews)} if previews else {}
    if notes is not None:
        annotation["notes"] = notes
    return annotation


def _after_colon(text: str | None) -> str:
    """``: text``, without a full stop at its end: the sentence brings its own."""
    return "" if text is None else f": {parts.trim(text).removesuffix('.')}"

"""What can go wrong between a program and its hub."""

from __future__ import annotations


class HandraiseError(Exception):
    """The hub refused something, or would have: ``code`` is stable, the message is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class HubUnreachable(HandraiseError):
    """No hub answers. Whoever can wait may try again."""

    def __init__(self, why: str) -> None:
        super().__init__("unreachable", why)

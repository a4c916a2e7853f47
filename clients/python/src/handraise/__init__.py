"""Carries the questions of a Claude agent to a person, and the answer back.

``Handraise().can_use_tool`` is what the Claude Agent SDK wants for ``can_use_tool``.
"""

from .errors import HandraiseError, HubUnreachable
from .hand import Handraise, Waiting

__all__ = ["Handraise", "HandraiseError", "HubUnreachable", "Waiting"]

"""Where a hub is, and with which token it is spoken to."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Literal, Protocol

from .errors import HandraiseError, HubUnreachable

Power = Literal["agent", "person"]

#: The agent whose token is used unless ``$HANDRAISE_AGENT`` names another: what one agent asked,
#: no other agent can withdraw.
_AGENT = "sdk-python"
_AGENT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")
#: What reading a file of another form can raise; JSON that is nested too deeply a RecursionError.
_MALFORMED = (
    OSError,
    AttributeError,
    KeyError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)


class Place(Protocol):
    """Something that knows where the hub is now: it may come back at another port."""

    def address(self, power: Power) -> tuple[str, str]:
        """The hub's URL and a token of this power."""
        ...


class Home:
    """The directory in which a hub of this account leaves word of itself."""

    def __init__(self, directory: str | os.PathLike[str] | None) -> None:
        self._directory = Path(directory) if directory is not None else _usual_directory()

    def address(self, power: Power) -> tuple[str, str]:
        try:
            hub = json.loads((self._directory / "hub.json").read_bytes())
            url, pid, started = str(hub["url"]), int(hub["pid"]), hub.get("started")
        except _MALFORMED:
            raise HubUnreachable(f"no hub has been started in {self._directory}") from None
        # The port of a hub that is gone may be somebody else's by now: it gets no token.
        if not _runs(pid, started):
            raise HubUnreachable(f"the hub of {self._directory} is not running")
        return url, self._token(power)

    def _token(self, power: Power) -> str:
        if power == "person":
            return _read_token(self._directory / "person.token")
        agent = os.environ.get("HANDRAISE_AGENT")
        if agent and not _AGENT_NAME.fullmatch(agent):
            raise HandraiseError("no_token", f"HANDRAISE_AGENT: {agent!r} is not an agent's name")
        file = self._directory / "agents" / f"{agent or _AGENT}.token"
        # A hub of an older version has made none; the token that all agents share is good there.
        if not agent and not file.exists():
            file = self._directory / "agent.token"
        return _read_token(file)


def _read_token(file: Path) -> str:
    try:
        token = file.read_text().strip()
    except OSError as error:
        raise HandraiseError("no_token", f"{file} cannot be read: {error.strerror}") from None
    except UnicodeError:
        raise HandraiseError("no_token", f"{file} is not text") from None
    if not token:
        raise HandraiseError("no_token", f"{file} is empty")
    return token


class Named:
    """A hub whose URL and tokens were given."""

    def __init__(self, url: str, token: str | None, person_token: str | None) -> None:
        self._url = url.rstrip("/")
        self._tokens: dict[Power, str | None] = {"agent": token, "person": person_token}

    def address(self, power: Power) -> tuple[str, str]:
        token = self._tokens[power]
        if token is None:
            field = "token" if power == "agent" else "person_token"
            raise HandraiseError("no_token", f"{field}: missing; needed with url")
        return self._url, token


def _usual_directory() -> Path:
    if home := os.environ.get("HANDRAISE_HOME"):
        return Path(home).absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/handraise"
    data = os.environ.get("XDG_DATA_HOME", "")
    # A relative path there is to be passed over, says the specification.
    base = Path(data) if os.path.isabs(data) else Path.home() / ".local/share"
    return base / "handraise"


def _runs(pid: int, started: int | None) -> bool:
    if not _is_there(pid):
        return False
    if started is None:
        return True
    # The number of a hub that is gone may be another process's by now.
    now = _start_of(pid)
    return _start_of(os.getpid()) is None if now is None else now == started


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        # A process of another account is a process all the same.
        return True
    return True


def _start_of(pid: int) -> int | None:
    """When a process was started, in ticks since the machine was; None for a zombie, and without /proc."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The name can hold anything, and ends with the last parenthesis.
    state, *fields = stat[stat.rindex(b")") + 1 :].split()
    return None if state in (b"Z", b"X") else int(fields[18])

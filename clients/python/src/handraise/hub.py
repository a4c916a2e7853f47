"""Requests to a hub, and what comes back."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import httpx

from .errors import HandraiseError, HubUnreachable
from .home import Place, Power
from .responses import parse, read_ask, read_questions, read_resolution

#: The longest wait for the end of an ask in one request; then the hub is asked again.
_WAIT_SECONDS = 30
#: How long a request may take in all, beside what it waits for.
_OVERHEAD_SECONDS = 30
#: More than a hub has to say about one ask.
_MAX_RESPONSE_BYTES = 32 * 1024 * 1024


class Hub:
    """One line to the hub, for as long as one call lasts.

    ``deliverer`` is the caller's name to the hub: the one that brings answers to the agent.
    """

    def __init__(self, place: Place, deliverer: str, http: httpx.AsyncClient) -> None:
        self._place = place
        self._deliverer = deliverer
        self._http = http

    @classmethod
    @asynccontextmanager
    async def line(cls, place: Place, deliverer: str) -> AsyncIterator[Hub]:
        """Opens a line. Nothing outlives it: no pool, no socket, no tie to an event loop."""
        # Proxies have no business with these tokens. Certificates are not loaded before an address
        # needs them: it takes longer than everything else here.
        async with httpx.AsyncClient(trust_env=False, verify=_needs_certificates(place)) as http:
            yield cls(place, deliverer, http)

    async def ask(self, body: dict[str, Any]) -> dict[str, Any]:
        """Asks, or finds what was asked before with the same key."""
        return read_ask(await self._call("POST", "/asks", body))

    async def resolution(self, ask_id: str, questions: int | None) -> dict[str, Any] | None:
        """Waits for the end of an ask of so many questions, or of an approval; nothing while open.

        An end that an agent's receipt claims is not an answer, and counts as withdrawn.
        """
        path = f"/asks/{ask_id}/resolution?wait={_WAIT_SECONDS}"
        answer = await self._call("GET", path, wait=_WAIT_SECONDS)
        return None if answer is None else read_resolution(answer, questions)

    async def receipt(self, ask_id: str, text: str | None) -> None:
        """Says that the agent is being handed its answer."""
        await self._call("POST", f"/asks/{ask_id}/receipt", {"level": "handed", "text": text})

    async def withdraw(self, ask_id: str, reason: str) -> None:
        """Takes an ask back."""
        await self._call("POST", f"/asks/{ask_id}/withdraw", {"reason": reason})

    async def questions(self, ask_id: str) -> list[dict[str, Any]] | None:
        """The questions of an ask, as a person sees them; ``None`` for an approval."""
        return read_questions(await self._call("GET", f"/asks/{ask_id}", power="person"))

    async def reply(self, ask_id: str, verb: str, body: dict[str, Any]) -> None:
        """What a person says to an ask."""
        body = {**body, "idempotencyKey": uuid.uuid4().hex}
        await self._call("POST", f"/asks/{ask_id}/{verb}", body, power="person")

    async def _call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        power: Power = "agent",
        wait: int = 0,
    ) -> Any:
        url, token = self._place.address(power)
        headers = {
            "authorization": f"Bearer {token}",
            "handraise-deliverer": self._deliverer,
            # What is unpacked could be a thousand times as large.
            "accept-encoding": "identity",
        }
        content = None
        if body is not None:
            headers["content-type"] = "application/json"
            content = _encoded(body)
        seconds = wait + _OVERHEAD_SECONDS
        try:
            # httpx limits each read alone: a byte now and then would hold it without end.
            with anyio.fail_after(seconds):
                async with self._http.stream(
                    method,
                    f"{url}/api/v1{path}",
                    content=content,
                    headers=headers,
                    timeout=httpx.Timeout(seconds, connect=5),
                ) as response:
                    text = await _read(response)
        except httpx.TransportError as error:
            raise HubUnreachable(f"the hub at {url} does not answer: {error}") from None
        except TimeoutError:
            raise HubUnreachable(f"the hub at {url} does not answer: it takes too long") from None
        except _TooLarge:
            why = f"it sends more than {_MAX_RESPONSE_BYTES // 1024 // 1024} MiB"
            raise HubUnreachable(f"the hub at {url} does not answer: {why}") from None
        except (httpx.InvalidURL, UnicodeError) as error:
            raise HandraiseError("invalid", f"{url} cannot be asked: {error}") from None
        if response.status_code == 204:
            return None
        if response.is_success:
            return parse(text)
        raise _problem(response.status_code, text)


class _TooLarge(Exception):
    """A response is longer than what is read of it."""


async def _read(response: httpx.Response) -> bytes:
    """The body. Whoever leaves before its end closes the connection."""
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > _MAX_RESPONSE_BYTES:
            raise _TooLarge
    return bytes(body)


def _encoded(body: dict[str, Any]) -> bytes:
    try:
        return to_json(body).encode("utf-8", "backslashreplace")
    except RecursionError:
        raise HandraiseError("invalid", "what is asked is nested too deeply") from None


def to_json(value: Any) -> str:
    """JSON as JavaScript writes it: what the agent sent goes back as it was."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _problem(status: int, body: bytes) -> HandraiseError:
    code, title = "unreadable", f"the hub answered with status {status}"
    wrong: list[str] = []
    # It may be a proxy's text, and no problem of the hub.
    with suppress(HandraiseError, KeyError, TypeError):
        problem = parse(body)
        code, title = str(problem["code"]), str(problem["title"])
        wrong = [
            f"{one['path']}: found {one['found']}, allowed {one['allowed']}"
            for one in problem.get("violations") or []
        ]
    # A hub that is busy, or a proxy whose hub is away, is worth another try.
    if status in (429, 502, 503, 504) and code != "too_many_open":
        return HubUnreachable(title)
    return HandraiseError(code, "; ".join([title, *wrong]))


def _needs_certificates(place: Place) -> bool:
    try:
        return place.address("agent")[0].startswith("https:")
    except HandraiseError:
        # Only a home can be without a hub, and hubs of this machine do not speak TLS.
        return False

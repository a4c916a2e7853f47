"""Requests to a hub, and what comes back."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from .errors import HandraiseError, HubUnreachable
from .home import Place, Power

#: The name of this process to the hub: the one that brings answers to the agent.
_DELIVERER = uuid.uuid4().hex
#: The longest wait for the end of an ask in one request; then the hub is asked again.
_WAIT_SECONDS = 30
#: How long a request may take beside what it waits for.
_OVERHEAD_SECONDS = 30


class Hub:
    """One line to the hub, for as long as one call lasts."""

    def __init__(self, place: Place, http: httpx.AsyncClient) -> None:
        self._place = place
        self._http = http

    @classmethod
    @asynccontextmanager
    async def line(cls, place: Place) -> AsyncIterator[Hub]:
        """Opens a line. Nothing outlives it: no pool, no socket, no tie to an event loop."""
        # Proxies have no business with these tokens. Certificates are not loaded before an address
        # needs them: it takes longer than everything else here.
        async with httpx.AsyncClient(trust_env=False, verify=_needs_certificates(place)) as http:
            yield cls(place, http)

    async def ask(self, body: dict[str, Any]) -> dict[str, Any]:
        """Asks, or finds what was asked before with the same key."""
        return _object(await self._call("POST", "/asks", body))

    async def resolution(self, ask_id: str) -> dict[str, Any] | None:
        """Waits for the end of an ask, as far as it is an answer; nothing while it is open."""
        path = f"/asks/{ask_id}/resolution?wait={_WAIT_SECONDS}"
        answer = await self._call("GET", path, wait=_WAIT_SECONDS)
        return None if answer is None else _given_at_the_hub(_object(answer))

    async def receipt(self, ask_id: str, text: str | None) -> None:
        """Says that the agent is being handed its answer."""
        await self._call("POST", f"/asks/{ask_id}/receipt", {"level": "handed", "text": text})

    async def withdraw(self, ask_id: str, reason: str) -> None:
        """Takes an ask back."""
        await self._call("POST", f"/asks/{ask_id}/withdraw", {"reason": reason})

    async def get(self, ask_id: str) -> dict[str, Any]:
        """One ask as it stands, as a person sees it."""
        return _object(await self._call("GET", f"/asks/{ask_id}", power="person"))

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
        headers = {"authorization": f"Bearer {token}", "handraise-deliverer": _DELIVERER}
        content = None
        if body is not None:
            headers["content-type"] = "application/json"
            content = to_json(body).encode("utf-8", "backslashreplace")
        try:
            response = await self._http.request(
                method,
                f"{url}/api/v1{path}",
                content=content,
                headers=headers,
                timeout=httpx.Timeout(wait + _OVERHEAD_SECONDS, connect=5),
            )
        except httpx.TransportError as error:
            raise HubUnreachable(f"the hub at {url} does not answer: {error}") from None
        if response.status_code == 204:
            return None
        if response.is_success:
            return response.json()
        raise _problem(response)


def _given_at_the_hub(resolution: dict[str, Any]) -> dict[str, Any]:
    """The resolution; one that an agent's receipt claims is not an answer, and counts as withdrawn."""
    responder = resolution.get("responder")
    if responder is None:
        claimed = resolution["kind"] in ("answered", "declined", "discuss")
    else:
        claimed = responder["surface"] == "dialog"
    return {"kind": "withdrawn", "reason": "it ended outside the hub"} if claimed else resolution


def to_json(value: Any) -> str:
    """JSON as JavaScript writes it: what the agent sent goes back as it was."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _problem(response: httpx.Response) -> HandraiseError:
    try:
        problem = response.json()
        code, title = str(problem["code"]), str(problem["title"])
    except (ValueError, KeyError, TypeError):
        code, title = "unreadable", f"the hub answered with status {response.status_code}"
        problem = {}
    # A hub that is busy, or a proxy whose hub is away, is worth another try.
    if response.status_code in (429, 502, 503, 504) and code != "too_many_open":
        return HubUnreachable(title)
    wrong = [
        f"{one['path']}: found {one['found']}, allowed {one['allowed']}"
        for one in problem.get("violations", [])
    ]
    return HandraiseError(code, "; ".join([title, *wrong]))


def _object(answer: Any) -> dict[str, Any]:
    if not isinstance(answer, dict):
        raise HandraiseError("unreadable", "the hub's answer makes no sense")
    return answer


def _needs_certificates(place: Place) -> bool:
    try:
        return place.address("agent")[0].startswith("https:")
    except HandraiseError:
        # Only a home can be without a hub, and hubs of this machine do not speak TLS.
        return False

"""A hub that takes every ask and answers none by itself, and notes what it is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

ASK = {
    "id": "1",
    "state": "open",
    "policy": {"deadlineSeconds": None, "onDeadline": "tell"},
    "resolution": None,
    "delivery": None,
}


class StandIn:
    def __init__(self) -> None:
        self.url = ""
        #: Each request, as ``POST /api/v1/asks``.
        self.told: list[str] = []
        #: What was asked.
        self.asked: list[dict[str, Any]] = []
        #: Asks of before, by their keys; each as what differs from an open one.
        self.known: dict[str, dict[str, Any]] = {}
        #: Status and body of what is not answered as usual, by the request.
        self.bodies: dict[str, tuple[int, bytes]] = {}
        #: What writes the whole response instead.
        self.writers: dict[str, Callable[[asyncio.StreamWriter], Awaitable[None]]] = {}
        self.connections = 0
        self._changed = asyncio.Condition()
        #: How long it takes over a withdrawal.
        self.may_withdraw = asyncio.Event()
        self.may_withdraw.set()
        #: How every ask ends, if it does.
        self.resolution: dict[str, Any] | None = None

    async def until_told(self, request: str, times: int = 1) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self.told.count(request) >= times)

    @property
    def keys(self) -> list[str]:
        return [ask["key"] for ask in self.asked]

    async def until_alone(self) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self.connections == 0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._answer(head.decode(), reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
            async with self._changed:
                self.connections -= 1
                self._changed.notify_all()

    async def _answer(
        self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        lines = head.lower().splitlines()
        lengths = [line.split(":")[1] for line in lines if line.startswith("content-length:")]
        sent = await reader.readexactly(int(lengths[0]) if lengths else 0)
        async with self._changed:
            self.told.append(head.split(" HTTP/")[0].split("?")[0])
            if self.told[-1] == "POST /api/v1/asks":
                self.asked.append(json.loads(sent))
            self._changed.notify_all()
        request = self.told[-1]
        if request in self.writers:
            await self.writers[request](writer)
            return
        is_end = request.endswith("/resolution")
        if is_end and self.resolution is None and request not in self.bodies:
            # Until whoever asks has gone.
            await reader.read()
            return
        if request.endswith("/withdraw"):
            await self.may_withdraw.wait()
        known = self.known.get(self.keys[-1], {}) if self.asked else {}
        ask = {**ASK, **known}
        usual = json.dumps(self.resolution if is_end else ask).encode()
        status, body = self.bodies.get(request, (200, usual))
        if "status" in ask and request == "POST /api/v1/asks":
            status = ask["status"]
        head = "HTTP/1.1 %d It\r\ncontent-length: %d\r\n\r\n" % (status, len(body))
        writer.write(head.encode() + body)
        await writer.drain()


@asynccontextmanager
async def stand_in() -> AsyncIterator[StandIn]:
    hub = StandIn()
    server = await asyncio.start_server(hub._serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        hub.url = f"http://127.0.0.1:{port}"
        yield hub

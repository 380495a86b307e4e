"""A bare realtime socket: what arrives is seen as it came, nothing of a client in between."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

SECONDS = 60  # for a frame that must come; nothing waits longer than it takes
ALL_ACTIVITIES = {"event": "*", "schema": "public", "table": "actividades"}


@dataclass(frozen=True)
class Frame:
    """One frame of serializer 2.0.0."""

    join_ref: str | None
    ref: str | None
    topic: str
    event: str
    payload: Any


@dataclass
class Live:
    """An open socket; `kept` are the frames that arrived while another was awaited."""

    socket: ClientConnection
    kept: list[Frame] = field(default_factory=list)
    _refs: itertools.count[int] = field(default_factory=lambda: itertools.count(1000))

    async def push(self, topic: str, event: str, payload: Any) -> str:
        """Send a frame with a fresh ref, and give the ref."""
        ref = str(next(self._refs))
        await self.socket.send(json.dumps([ref, ref, topic, event, payload]))
        return ref

    async def reply(self, topic: str, event: str, payload: Any) -> dict[str, Any]:
        """Send a frame and wait for its reply's payload."""
        ref = await self.push(topic, event, payload)
        return (await self.await_frame(lambda f: f.event == "phx_reply" and f.ref == ref)).payload

    async def await_frame(self, fits: Callable[[Frame], bool]) -> Frame:
        """The next frame that fits; the others are kept."""
        async with asyncio.timeout(SECONDS):
            while True:
                frame = Frame(*json.loads(await self.socket.recv()))
                if fits(frame):
                    return frame
                self.kept.append(frame)

    async def take_frame(self, fits: Callable[[Frame], bool]) -> Frame:
        """The first frame that fits: one of the kept ones, else the next."""
        for number, kept in enumerate(self.kept):
            if fits(kept):
                return self.kept.pop(number)
        return await self.await_frame(fits)

    async def subscribe(self, topic: str, token: str | None, *changes: dict[str, Any]) -> None:
        """Join a topic for changes and wait until they flow."""
        payload: dict[str, Any] = {"config": {"postgres_changes": list(changes)}}
        if token is not None:
            payload["access_token"] = token
        answer = await self.reply(f"realtime:{topic}", "phx_join", payload)
        assert answer["status"] == "ok", answer
        frame = await self.await_frame(lambda f: f.event == "system")
        assert frame.payload["status"] == "ok", frame

    async def await_change(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next change that fits; the others are kept."""
        frame = await self.await_frame(
            lambda f: f.event == "postgres_changes" and fits(f.payload["data"])
        )
        return frame.payload["data"]

    async def settle(self) -> None:
        """A heartbeat there and back: whatever was written to the socket before has arrived."""
        await self.reply("phoenix", "heartbeat", {})

    @property
    def changes(self) -> list[dict[str, Any]]:
        """The kept frames' changes, whatever is in them."""
        return [f.payload["data"] for f in self.kept if f.event == "postgres_changes"]


@asynccontextmanager
async def open_socket(url: str, key: str, prefix: str = "/realtime/v1") -> AsyncIterator[Live]:
    """Open a socket of the stack at an address with an API key; `prefix` is the service's."""
    address = f"{url.replace('http', 'ws', 1)}{prefix}/websocket?apikey={key}&vsn=2.0.0"
    async with connect(address, max_size=None) as socket:
        yield Live(socket)

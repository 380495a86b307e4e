"""Heartbeats: signs of life, members and load of a node, published periodically."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Never

from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
from realtime_compat.cluster.messages import Alive, Body, Load, member_parts, sum_of
from realtime_compat.cluster.peers import Peers
from realtime_compat.cluster.signing import Signer
from realtime_compat.hub import HubPort

ALIVE_SECONDS = 5.0
LOAD_SECONDS = 1.0
ASK_SECONDS = 1.0  # at least between two requests for members
ANNOUNCE_DELAY = 0.05  # that a sign of life to unknown nodes waits for more of them


@dataclass(slots=True)
class Heartbeats:
    """Sends this node's signs of life, members and load, and forgets nodes that send none.

    `load` gives this node's counters for the project's limits, `loaded` takes those of all others.
    """

    hub: HubPort
    peers: Peers
    signer: Signer
    send: Callable[[Body], None]
    load: Callable[[], Load]
    loaded: Callable[[Load], None]
    clock: Clock
    observer: Observer
    _peer_found: asyncio.Event = field(default_factory=asyncio.Event)
    _requested_at: float = 0.0

    def send_alive(self, *, asks: bool = False) -> None:
        """Publish a heartbeat with the nodes that this one knows."""
        knows = (*self.peers.nodes(), *self.signer.unknown_nodes)
        self.signer.unknown_nodes.clear()
        self.send(Alive(asks, knows))

    def request_members(self) -> None:
        """Ask the others for their members."""
        now = self.clock.monotonic()
        if now - self._requested_at >= ASK_SECONDS:
            self._requested_at = now
            self.send_alive(asks=True)

    def send_members(self) -> None:
        """Publish all members of this node."""
        for part in member_parts(self.hub.local_presence()):
            self.send(part)

    def found_peer(self) -> None:
        """Announce this node to another one soon."""
        self._peer_found.set()

    async def keep_alive(self) -> Never:
        """Send heartbeats, for ever."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(ALIVE_SECONDS):
                    await self._peer_found.wait()
                    await asyncio.sleep(ANNOUNCE_DELAY)
            self._peer_found.clear()
            self.send_alive()
            for node in self.peers.forget_silent(self.clock.monotonic()):
                self.observer(Observation("node_lost", Severity.WARNING, {"node": node}))

    async def share_load(self) -> Never:
        """Share the counters for ever: limits hold over all nodes, a second late."""
        while True:
            if len(self.peers):
                self.send(self.load())
            self.loaded(sum_of(self.peers.loads.values()))
            await asyncio.sleep(LOAD_SECONDS)

"""The broker's sockets: frames read, routed and written in batches; slow readers closed."""

from __future__ import annotations

import asyncio
import itertools
import socket
from collections.abc import Iterable
from typing import cast

from compat_base.broker.frames import BrokenFrameError, Kind, Splitter
from compat_base.broker.switch import Outgoing, Switch
from compat_base.values.world import Clock

MAX_BEHIND = 8_000_000  # bytes that wait for one line
BEHIND_SECONDS = 10.0
TICK_SECONDS = 0.05  # after a frame, until acknowledgements are sent and slow lines are checked
ACKNOWLEDGED_BYTES = 262_144  # received ones, after which acknowledgements leave at once


class Broker:
    """Serves lines on a listening Unix socket."""

    def __init__(self, switch: Switch, clock: Clock) -> None:
        self._switch = switch
        self._clock = clock
        self._peers: dict[int, _Peer] = {}
        self._numbers = itertools.count(1)
        self._is_flushing = False
        self._unflushed: dict[int, list[bytes]] = {}
        self._unacknowledged = 0  # bytes
        self._tick_timer: asyncio.TimerHandle | None = None
        self._published: list[tuple[int, Kind, bytes]] = []  # messages of this turn of the loop
        self.cut = 0  # lines that were too slow

    async def serve(self, bound: socket.socket) -> None:
        """Serve for ever."""
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(lambda: _Peer(self), sock=bound)
        try:
            await loop.create_future()
        finally:
            server.close()
            if self._tick_timer is not None:
                self._tick_timer.cancel()

    def enter(self, peer: _Peer) -> int:
        """Register a new line; its number."""
        number = next(self._numbers)
        self._peers[number] = peer
        return number

    def left(self, number: int) -> None:
        """A line was closed."""
        self._route()
        self._peers.pop(number, None)
        self._deliver(self._switch.gone(number))

    def take(self, number: int, splitter: Splitter, data: bytes) -> None:
        """Handle a frame of a line. Raises BrokenFrameError."""
        for kind, payload in splitter.feed(data):
            if kind in {Kind.PUBLISH, Kind.SEND}:
                self._published.append((number, kind, payload))
            else:
                self._deliver(self._switch.take(number, kind, payload, self._clock.monotonic()))
        self._unacknowledged += len(data)
        self._flush_soon()

    def _route(self) -> None:
        """Route the messages of this turn, after all subscriptions of the turn.

        A subscription made before a message was sent has arrived in this turn too, whichever line
        was read first.
        """
        published, self._published = self._published, []
        now = self._clock.monotonic()
        for number, kind, payload in published:
            try:
                self._deliver(self._switch.take(number, kind, payload, now))
            except BrokenFrameError:
                if number in self._peers:
                    self._peers[number].close()

    def _deliver(self, frames: Iterable[Outgoing]) -> None:
        for number, frame in frames:
            self._unflushed.setdefault(number, []).append(frame)
            self._flush_soon()

    def _flush_soon(self) -> None:
        if not self._is_flushing:
            self._is_flushing = True
            asyncio.get_running_loop().call_soon(self._flush)
            self._tick_later()

    def _flush(self) -> None:
        self._route()
        self._is_flushing = False
        unflushed, self._unflushed = self._unflushed, {}
        for number, frames in unflushed.items():
            peer = self._peers.get(number)
            if peer is not None and not peer.write(b"".join(frames)):
                self.cut += 1
        if self._unacknowledged >= ACKNOWLEDGED_BYTES:
            asyncio.get_running_loop().call_soon(self._acknowledge)

    def _acknowledge(self) -> None:
        """Acknowledge what the kernel has taken: it outlives this process.

        Many messages at once, as each acknowledgement wakes its sender up.
        """
        if all(peer.is_clear for peer in self._peers.values()):
            self._unacknowledged = 0
            for number, frame in self._switch.acknowledge():
                peer = self._peers.get(number)
                if peer is not None:
                    peer.write(frame)

    def _tick(self) -> None:
        """Deliver, acknowledge and cut what is due; again later while anything is waiting."""
        now = self._clock.monotonic()
        self._tick_timer = None
        self._deliver(self._switch.tick(now))
        for peer in tuple(self._peers.values()):
            self.cut += peer.cut_off(now)
        self._acknowledge()
        is_clear = not self._is_flushing and all(peer.is_clear for peer in self._peers.values())
        if not is_clear or self._switch.is_holding:
            self._tick_later()

    def _tick_later(self) -> None:
        if self._tick_timer is None:
            loop = asyncio.get_running_loop()
            self._tick_timer = loop.call_later(TICK_SECONDS, self._tick)


class _Peer(asyncio.Protocol):
    """One line's connection."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._splitter = Splitter()
        self._behind_since: float | None = None
        self._number = 0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._number = self._broker.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 — the protocol's
        self._broker.left(self._number)

    def data_received(self, data: bytes) -> None:
        try:
            self._broker.take(self._number, self._splitter, data)
        except BrokenFrameError:
            self.close()

    @property
    def is_clear(self) -> bool:
        """Whether nothing waits to be written."""
        return self._transport is None or not self._transport.get_write_buffer_size()

    def write(self, data: bytes) -> bool:
        """Write; False where too much waits and the line is closed."""
        if self._transport is None or self._transport.is_closing():
            return True
        self._transport.write(data)
        if self._transport.get_write_buffer_size() <= MAX_BEHIND + len(data):
            return True
        self.close()
        return False

    def cut_off(self, now: float) -> bool:
        """Close a line that has read nothing for too long; whether it was closed."""
        if self.is_clear:
            self._behind_since = None
        elif self._behind_since is None:
            self._behind_since = now
        elif now - self._behind_since > BEHIND_SECONDS:
            self.close()
            return True
        return False

    def close(self) -> None:
        """Cut the connection."""
        if self._transport is not None:
            self._transport.abort()

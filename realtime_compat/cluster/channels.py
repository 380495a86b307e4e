"""The rooms' Redis channels to which this node is subscribed, and is to be; without a connection.

What is opened and closed is gathered: a SUBSCRIBE alone costs Redis and this node 200 µs, one of a
hundred channels 30 each. Subscriptions are confirmed in their order, so that a channel that was
left and entered again counts from its last confirmation.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field


@dataclass(slots=True)
class Channels:
    """The channels of the rooms that have a member here, by their topics."""

    changed: asyncio.Event = field(default_factory=asyncio.Event)
    _open: dict[bytes, asyncio.Event] = field(default_factory=dict[bytes, asyncio.Event])
    _requested: set[bytes] = field(default_factory=set[bytes])
    _unconfirmed: Counter[bytes] = field(default_factory=Counter[bytes])
    _touched: dict[bytes, None] = field(default_factory=dict[bytes, None])

    def open(self, topic: bytes) -> None:
        """A room has its first member."""
        if topic not in self._open:
            self._open[topic] = asyncio.Event()
            self._touch(topic)

    def close(self, topic: bytes) -> None:
        """A room has lost its last member."""
        left = self._open.pop(topic, None)
        if left is not None:
            left.set()
            self._touch(topic)

    async def subscribed(self, topic: bytes, seconds: float) -> None:
        """Wait, at most so many seconds, until messages of others for a room arrive."""
        event = self._open.get(topic)
        if event is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await event.wait()

    def take(self) -> tuple[list[bytes], list[bytes]]:
        """The topics to subscribe to and to unsubscribe from now."""
        touched, self._touched = self._touched, {}
        self.changed.clear()
        more = [each for each in touched if each in self._open and each not in self._requested]
        fewer = [each for each in touched if each not in self._open and each in self._requested]
        self._requested.update(more)
        self._requested.difference_update(fewer)
        self._unconfirmed.update(more)
        return more, fewer

    def confirmed(self, topic: bytes) -> None:
        """Redis has taken a subscription."""
        self._unconfirmed[topic] -= 1
        if self._unconfirmed[topic] > 0:
            return
        del self._unconfirmed[topic]
        if topic in self._requested and topic in self._open:
            self._open[topic].set()

    @property
    def is_confirmed(self) -> bool:
        """Whether nothing that was subscribed to is unconfirmed."""
        return not self._unconfirmed

    def lost(self) -> None:
        """The connection is lost: end all waits; the next connection subscribes to everything."""
        self._requested.clear()
        self._unconfirmed.clear()
        for topic, event in self._open.items():
            event.set()
            self._touch(topic)

    def _touch(self, topic: bytes) -> None:
        self._touched[topic] = None
        self.changed.set()

"""Lingering close, after a response to a request that was not read to its end."""

from __future__ import annotations

import asyncio
from typing import Protocol

_PAUSE = 0.05  # seconds between two reads of what is dropped: with 256 KB a read 5 MB/s


def pause_between_drops(loop: asyncio.AbstractEventLoop, transport: asyncio.Transport) -> None:
    """Pause between reads of discarded data, so that other connections get their turn.

    A refused client may keep sending as fast as it can, on one connection after another.
    """
    if not transport.is_closing():
        transport.pause_reading()
        loop.call_later(_PAUSE, _resume, transport)


def _resume(transport: asyncio.Transport) -> None:
    if not transport.is_closing():
        transport.resume_reading()


class Lingering(Protocol):
    """A protocol that closes once its client has read everything."""

    transport: asyncio.Transport

    def linger(self) -> None:
        """Close once the client has read everything, or had time to."""
        ...


class LingeringTransport:
    """The transport of such a response.

    Closed at once, a connection with unread bytes is reset, and the client may never read why.
    """

    def __init__(self, protocol: Lingering) -> None:
        self._protocol = protocol

    def write(self, data: bytes) -> None:
        """Write to the connection."""
        self._protocol.transport.write(data)

    def is_closing(self) -> bool:
        """Whether the connection is closing."""
        return self._protocol.transport.is_closing()

    def close(self) -> None:
        """Close once the client has read everything, or had time to."""
        self._protocol.linger()

"""Lingering close: after a response whose request was not read to its end."""

from __future__ import annotations

import asyncio
from typing import Protocol


class Lingering(Protocol):
    """A protocol that closes when its client has read all."""

    transport: asyncio.Transport

    def linger(self) -> None:
        """Close when the client has read, or had time to."""
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
        """Close when the client has read, or had time to."""
        self._protocol.linger()

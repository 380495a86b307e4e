"""A light WebSocket client for load: it looks for marks in frames and parses nothing else."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import struct
from collections.abc import Callable
from typing import cast

_MASK = b"\x00\x00\x00\x00"  # a mask of zeros leaves the payload as it is


class LightClient(asyncio.Protocol):
    """One socket; `heard` is called with every frame's payload."""

    def __init__(self, path: str, received: Callable[[bytes], None]) -> None:
        self._path = path
        self._received = received
        self._buffer = b""
        self._is_open = False
        self._transport: asyncio.Transport | None = None
        self.opened = asyncio.get_running_loop().create_future()
        self.closed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        key = base64.b64encode(os.urandom(16)).decode()
        self._transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        data = self._buffer + data
        if not self._is_open:
            head, found, data = data.partition(b"\r\n\r\n")
            if not found:
                self._buffer = head
                return
            if b" 101 " not in head[:20]:
                self.opened.set_exception(ConnectionError(head[:200].decode()))
                return
            self._is_open = True
            self.opened.set_result(self)
        self._buffer = self._frames(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = True
        if not self.opened.done():
            self.opened.set_exception(exc or ConnectionError("closed"))

    @property
    def port(self) -> int:
        """This end's."""
        assert self._transport is not None
        return self._transport.get_extra_info("sockname")[1]

    def send(self, value: object) -> None:
        """Send a JSON text frame."""
        payload = json.dumps(value).encode()
        size = len(payload)
        head = bytes((0x81, 0x80 | size)) if size < 126 else struct.pack("!BBQ", 0x81, 0xFF, size)
        assert self._transport is not None
        self._transport.write(head + _MASK + payload)

    def stop_reading(self) -> None:
        assert self._transport is not None
        self._transport.pause_reading()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _frames(self, data: bytes) -> bytes:
        start = 0
        while len(data) - start >= 2:
            size, head = data[start + 1], 2
            if size == 126:
                if len(data) - start < 4:
                    break
                size, head = int.from_bytes(data[start + 2 : start + 4], "big"), 4
            elif size == 127:
                if len(data) - start < 10:
                    break
                size, head = int.from_bytes(data[start + 2 : start + 10], "big"), 10
            end = start + head + size
            if len(data) < end:
                break
            self._received(data[start + head : end])
            start = end
        return data[start:]


async def connect(
    host: str, port: int, path: str, received: Callable[[bytes], None]
) -> LightClient:
    """Open a socket."""
    loop = asyncio.get_running_loop()
    _, client = await loop.create_connection(lambda: LightClient(path, received), host, port)
    await client.opened
    return client

"""httpcore2's network for servers that users name: an answer is read in pieces, up to a bound.

httpcore2 parses everything between two reads at once. Thousands of interim responses or chunks of
one byte would hold the event loop for a second, and the number of interim responses is not limited.
"""

# ruff: noqa: ASYNC109 — the timeouts are httpcore2's arguments

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable
from typing import Any, cast

import httpcore2

MOST_RECEIVED = 2_097_152  # bytes of an answer, with its head and the frame of its chunks
_PIECE = 2_048


class BoundedNetwork(httpcore2.AsyncNetworkBackend):
    """Connects as httpcore2 does; each connection is for one answer."""

    def __init__(self) -> None:
        self._inner = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """A connection whose answer is bounded."""
        return _BoundedStream(
            await self._inner.connect_tcp(host, port, timeout, local_address, socket_options)
        )


class _BoundedStream(httpcore2.AsyncNetworkStream):
    def __init__(self, inner: httpcore2.AsyncNetworkStream) -> None:
        self._inner = inner
        self._left = MOST_RECEIVED

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        await asyncio.sleep(0)  # what TLS has unpacked already is read without waiting
        piece = await self._inner.read(min(max_bytes, _PIECE), timeout)
        self._left -= len(piece)
        if self._left < 0:
            raise httpcore2.RemoteProtocolError("the answer has no end")
        return piece

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        return _BoundedStream(await self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

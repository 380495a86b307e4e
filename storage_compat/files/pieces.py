"""Streams of bytes cut into even pieces."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator

PIECE = 65_536  # bytes; a transfer keeps a few pieces in memory


async def in_pieces(chunks: AsyncIterator[bytes], size: int = PIECE) -> AsyncGenerator[bytes]:
    """The same bytes in pieces of at least `size`, the last one excepted; at least one piece."""
    gathered = bytearray()
    is_first = True
    async for chunk in chunks:
        if not gathered and len(chunk) >= size:
            is_first = False
            yield chunk
            continue
        gathered += chunk
        if len(gathered) >= size:
            is_first = False
            yield bytes(gathered)
            gathered.clear()
    if gathered or is_first:
        yield bytes(gathered)


async def chained(*streams: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    """One stream after the other."""
    for stream in streams:
        async for chunk in stream:
            yield chunk


async def prepended(beginning: bytes, rest: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    """A stream with its beginning, which was read already."""
    yield beginning
    async for chunk in rest:
        yield chunk

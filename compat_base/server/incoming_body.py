"""The framing of a request's body: what belongs to it, and what its framing costs."""

from __future__ import annotations

from collections.abc import Callable

from compat_base.server.heads import END_OF_HEAD

_SPLIT_COST = 16  # what a parser's call counts for, in bytes of framing
_SLICE = 16_384  # bytes of chunks between checks of their overhead


class IncomingBody:
    """One request's body; `length` is None where it is chunked.

    `wire_bytes` counts all bytes received, `content_bytes` those of the body itself.
    """

    __slots__ = ("_left", "_tail", "content_bytes", "wire_bytes")

    def __init__(self, length: int | None) -> None:
        self._left = length
        self._tail = b""  # the last bytes of chunks
        self.wire_bytes = 0
        self.content_bytes = 0

    def feed(
        self, data: bytes, parse: Callable[[bytes], None], is_open: Callable[[], bool]
    ) -> bytes:
        """Pass the body's bytes to the parser; gives the bytes behind it.

        `is_open` until no more of it is wanted. Raises what the parser raises.
        """
        if self._left is None:
            return self._feed_chunks(data, parse, is_open)
        taken = data[: self._left]
        rest = data[self._left :]
        self._left -= len(taken)
        self.wire_bytes += len(data)
        parse(taken)
        return rest

    def _feed_chunks(
        self, data: bytes, parse: Callable[[bytes], None], is_open: Callable[[], bool]
    ) -> bytes:
        """Pass chunked bytes up to each empty line: the body may end there.

        The parser does not report where in the data a request ended.
        """
        look, at = self._tail + data, len(self._tail)
        while at < len(look) and is_open():
            stop = min(len(look), at + _SLICE)
            end = look.find(END_OF_HEAD, max(0, at - 3), stop) + len(END_OF_HEAD)
            if end >= len(END_OF_HEAD):
                stop = end
                self.wire_bytes += _SPLIT_COST if stop < len(look) else 0
            parse(look[at:stop])
            self.wire_bytes += stop - at
            at = stop
        self._tail = look[-3:]
        return look[at:]

    def has_overhead(self, allowed: int) -> bool:
        """Whether chunk framing exceeds `allowed` bytes and half of the content."""
        framing = self.wire_bytes - self.content_bytes
        return self._left is None and framing > allowed + self.content_bytes // 2

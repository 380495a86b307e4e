"""One request with its response: a response of one piece leaves in one system call."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from http import HTTPStatus

from uvicorn._types import ASGISendEvent, HTTPResponseBodyEvent, HTTPResponseStartEvent
from uvicorn.protocols.http import httptools_impl

_LENGTH = b"content-length"
_FRAMING = frozenset({b"connection", b"content-length", b"transfer-encoding"})
_WITHOUT_BODY = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})
_MOST_LINES = 512
_LONGEST_LINES = 2_048  # bytes of headers that are kept

Pairs = tuple[tuple[bytes, bytes], ...]


class Exchange(httptools_impl.RequestResponseCycle):
    """uvicorn's request/response cycle, which holds the response's head until the body comes.

    Unusual responses are left to uvicorn.
    """

    _start: HTTPResponseStartEvent | None = None

    async def send(self, message: ASGISendEvent) -> None:
        """Take the head, or send it together with the body."""
        if message["type"] == "http.response.start" and not self.response_started:
            self._start = message
            return
        if self._start is not None:
            start, self._start = self._start, None
            if message["type"] == "http.response.body":
                head = self._usual_head(start, message)
                if head is not None:
                    self._finish(head + message["body"])
                    return
            await super().send(start)
        await super().send(message)

    def _usual_head(
        self, start: HTTPResponseStartEvent, message: HTTPResponseBodyEvent
    ) -> bytes | None:
        """The head of a response that is all there and may leave now; None where in any doubt."""
        if message.get("more_body") or self.flow.write_paused or self.disconnected:
            return None
        if self.scope["method"] == "HEAD" or not self.keep_alive:
            return None
        status, length = start["status"], None
        pairs: list[tuple[bytes, bytes]] = []
        for name, value in start.get("headers", ()):
            if name != _LENGTH:
                pairs.append((name, value))
            elif length is None:
                length = value
            else:
                return None
        counted = b"" if length is None else b"content-length: %b\r\n" % length
        if length is None and status in _WITHOUT_BODY:
            length = b"0"
        if length != b"%d" % len(message["body"]):
            return None
        lines, common = response_lines(pairs), header_lines(tuple(self.default_headers))
        if lines is None or common is None:
            return None
        return b"".join((httptools_impl.STATUS_LINE[status], lines, counted, common, b"\r\n"))

    def _finish(self, response: bytes) -> None:
        self.response_started = self.response_complete = True
        self.waiting_for_100_continue = False
        self.transport.write(response)
        self.message_event.set()
        self.on_response()


_lines: dict[Pairs, bytes] = {}


def response_lines(pairs: list[tuple[bytes, bytes]]) -> bytes | None:
    """A response's headers as they are sent, like `header_lines`.

    The last is the request's own id, where requests have one: the lines of the others are kept.
    """
    lines, own = header_lines(tuple(pairs[:-1])), _lines_of(pairs[-1:])
    return None if lines is None or own is None else lines + own


def header_lines(pairs: Pairs) -> bytes | None:
    """Headers as they are sent; None where one may not be sent, or not like this.

    What frames the response is uvicorn's to judge. Most responses have the headers of others.
    """
    lines = _lines.get(pairs)
    if lines is None:
        lines = _lines_of(pairs)
        if lines is not None and len(lines) <= _LONGEST_LINES:
            if len(_lines) >= _MOST_LINES:
                del _lines[next(iter(_lines))]
            _lines[pairs] = lines
    return lines


def _lines_of(pairs: Iterable[tuple[bytes, bytes]]) -> bytes | None:
    made: list[bytes] = []
    for name, value in pairs:
        start = line_start(name)
        if start is None or httptools_impl.HEADER_VALUE_RE.search(value):
            return None
        made.append(b"%b%b\r\n" % (start, value))
    return b"".join(made)


@lru_cache(maxsize=512)
def line_start(name: bytes) -> bytes | None:
    """The beginning of a header's line; None for a header that may not be sent, or not like this.

    What frames the response otherwise is uvicorn's to judge.
    """
    name = name.lower()
    if name in _FRAMING or httptools_impl.HEADER_RE.search(name):
        return None
    return name + b": "

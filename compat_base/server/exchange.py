"""One request with its response: a response of one piece leaves in one system call."""

from __future__ import annotations

from functools import lru_cache
from http import HTTPStatus

from uvicorn._types import ASGISendEvent, HTTPResponseBodyEvent, HTTPResponseStartEvent
from uvicorn.protocols.http import httptools_impl

_LENGTH = b"content-length: "
_OTHER_FRAMING = frozenset({b"connection", b"transfer-encoding"})
_WITHOUT_BODY = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})


class Exchange(httptools_impl.RequestResponseCycle):
    """uvicorn's request with its response, whose head is held until the body comes.

    What is not of the usual kind is left to uvicorn.
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
        pairs = [*start.get("headers", ()), *self.default_headers]
        starts = [line_start(name) for name, _ in pairs]
        if None in starts:
            return None
        values = [value for _, value in pairs]
        length = next(
            (value for name, value in zip(starts, values, strict=True) if name == _LENGTH), None
        )
        if length is None and start["status"] in _WITHOUT_BODY:
            length = b"0"
        if length != b"%d" % len(message["body"]):
            return None
        if httptools_impl.HEADER_VALUE_RE.search(b"".join(values)):
            return None
        lines = [b"%b%b\r\n" % line for line in zip(starts, values, strict=True)]
        return b"".join((httptools_impl.STATUS_LINE[start["status"]], *lines, b"\r\n"))

    def _finish(self, response: bytes) -> None:
        self.response_started = self.response_complete = True
        self.waiting_for_100_continue = False
        self.transport.write(response)
        self.message_event.set()
        self.on_response()


@lru_cache(maxsize=512)
def line_start(name: bytes) -> bytes | None:
    """The beginning of a header's line; None for a header that may not be sent, or not like this.

    What frames the response otherwise is uvicorn's to judge.
    """
    name = name.lower()
    if name in _OTHER_FRAMING or httptools_impl.HEADER_RE.search(name):
        return None
    return name + b": "

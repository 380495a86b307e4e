"""Run an ASGI application on sockets with uvicorn until told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import math
import re
import signal
import socket
from collections.abc import Callable, Generator, Sequence
from http import HTTPStatus
from typing import cast

import httptools
import uvicorn
from starlette.types import ASGIApp
from uvicorn._types import ASGISendEvent, HTTPResponseBodyEvent, HTTPResponseStartEvent
from uvicorn.protocols.http import httptools_impl
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from compat_base.asgi import ReasonedStatus

_ECHO_SECONDS = 0.1  # uvloop may hand one signal on twice, where another came just before it
WEBSOCKET_FRAME_LIMIT = 5_000_000  # bytes; the realtime reference, section 1


class _StatusLines(dict[int, bytes]):
    """uvicorn's status lines, with phrases of one's own and statuses beyond 599."""

    def __getitem__(self, status: int) -> bytes:
        """The line of a status, which may carry its own phrase."""
        if isinstance(status, ReasonedStatus):
            phrase = " ".join(status.reason.split()).encode("latin-1", "replace")
            return b"HTTP/1.1 %d %s\r\n" % (status, phrase)
        return super().__getitem__(status)

    def __missing__(self, status: int) -> bytes:
        """Statuses without a name."""
        return b"HTTP/1.1 %d \r\n" % status


# uvicorn has no other place for a reason phrase: it looks every status up in this table.
httptools_impl.STATUS_LINE = _StatusLines(httptools_impl.STATUS_LINE)


WRITE_EXTENSION = "compat.websocket.write"


def websocket_frame(message: str | bytes) -> bytes:
    """A server's whole frame for a message: unmasked and in one piece (RFC 6455, section 5.2)."""
    payload = message.encode() if isinstance(message, str) else message
    kind = 0x81 if isinstance(message, str) else 0x82
    size = len(payload)
    if size < 126:  # noqa: PLR2004 — beyond it the size has bytes of its own
        return bytes((kind, size)) + payload
    if size < 1 << 16:
        return bytes((kind, 126)) + size.to_bytes(2, "big") + payload
    return bytes((kind, 127)) + size.to_bytes(8, "big") + payload


class SocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol with two things of our own.

    Its close also reaches a client that has stopped reading: uvicorn's own waits until the client
    has read everything before it, and so for ever. And an application may write a whole frame at
    once, by the scope's extension `compat.websocket.write`: the frame that goes to a thousand
    sockets is then made once, and no coroutine is run for each.
    """

    def handle_connect(self, event: Request) -> None:
        """Take the upgrade request, and offer the extension."""
        super().handle_connect(event)
        if self.response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            extensions = cast("dict[str, dict[str, object]]", self.scope.get("extensions", {}))
            extensions[WRITE_EXTENSION] = {"write": self.write_frame}

    def write_frame(self, frame: bytes) -> bool:
        """Write a whole frame; False where the socket takes none now, or none any more."""
        if not self.writable.is_set() or self.close_sent or self.disconnected:
            return False
        self.transport.write(frame)
        return True

    async def send(self, message: ASGISendEvent) -> None:
        """Send a message; after a close the client has `close_timeout` seconds to take it."""
        if message["type"] != "websocket.close" or not self.handshake_complete:
            await super().send(message)
            return
        self.writable.set()
        await super().send(message)
        if self.close_timer is not None:
            self.close_timer.cancel()
            self.close_timer = self.loop.call_later(self.close_timeout, self.transport.abort)


_OTHER_FRAMING = frozenset({b"connection", b"transfer-encoding"})
_WITHOUT_BODY = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})


class _Exchange(httptools_impl.RequestResponseCycle):
    """uvicorn's request with its response; a response of one piece leaves in one system call.

    The head is held until the body comes. What is not of the usual kind is left to uvicorn.
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
        pairs = [(name.lower(), value) for name, value in start.get("headers", ())]
        pairs += self.default_headers
        names = [name for name, _ in pairs]
        length = dict(pairs).get(b"content-length")
        if length is None and start["status"] in _WITHOUT_BODY:
            length = b"0"
        if length != b"%d" % len(message["body"]) or not _OTHER_FRAMING.isdisjoint(names):
            return None
        if httptools_impl.HEADER_RE.search(b"".join(names)):
            return None
        if httptools_impl.HEADER_VALUE_RE.search(b"".join([value for _, value in pairs])):
            return None
        lines = [b"%b: %b\r\n" % pair for pair in pairs]
        return b"".join((httptools_impl.STATUS_LINE[start["status"]], *lines, b"\r\n"))

    def _finish(self, response: bytes) -> None:
        self.response_started = self.response_complete = True
        self.waiting_for_100_continue = False
        self.transport.write(response)
        self.message_event.set()
        self.on_response()


# uvicorn has no other place for a class of one's own.
httptools_impl.RequestResponseCycle = _Exchange


_USUAL_METHODS = (b"GET ", b"POST ", b"PATCH ", b"DELETE ", b"PUT ", b"HEAD ", b"OPTIONS ")
_REQUEST_LINE = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+) [^ \r\n]+ HTTP/1\.[01]\r\n")
_STAND_IN = b"REPORT"  # like any method without a meaning of its own to the parser


def _is_known(request_line: bytes) -> bool:
    try:
        httptools.HttpRequestParser(object()).feed_data(request_line)
    except httptools.HttpParserInvalidMethodError:
        return False
    except httptools.HttpParserError:
        pass  # another fault, which the connection's own parser will find
    return True


class HttpProtocol(httptools_impl.HttpToolsProtocol):
    """uvicorn's HTTP protocol, whose requests may have any method.

    Where the parser does not know it, the application is asked; only one that came in the same
    packet as the request before it is refused.
    """

    _method: str | None = None
    _is_between_requests = True

    def data_received(self, data: bytes) -> None:
        """Parse what came; the parser sees a method it knows in place of one it would refuse."""
        if self._is_between_requests:
            found = None if data.startswith(_USUAL_METHODS) else _REQUEST_LINE.match(data)
            if found is not None and not _is_known(found.group()):
                self._method = found.group(1).decode()
                data = _STAND_IN + data[found.end(1) :]
        super().data_received(data)

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._is_between_requests = False
        super().on_message_begin()

    def on_message_complete(self) -> None:
        """End a request: what comes next begins another."""
        self._is_between_requests = True
        super().on_message_complete()

    def on_headers_complete(self) -> None:
        """Give the application the request, with the method that the client sent."""
        super().on_headers_complete()
        if self._method is not None:
            self.scope["method"], self._method = self._method, None


class Server(uvicorn.Server):
    """uvicorn's server, stopped by `stop` or SIGINT and SIGTERM with exit status 0.

    `started` and `signalled` hear that it listens, and which signal will stop it.

    One that runs beside another leaves the signals to that (`handles_signals=False`).

    uvicorn itself raises the signal again after its shutdown, which would end the process before
    what was started beside it (a database) has stopped.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        started: Callable[[], None] = lambda: None,
        signalled: Callable[[signal.Signals], None] = lambda _: None,
        handles_signals: bool = True,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                loop="uvloop",
                http=HttpProtocol,
                ws=SocketProtocol,
                ws_max_size=WEBSOCKET_FRAME_LIMIT,
                # Compression would cost every socket some 40 KB and every frame its own encoding.
                ws_per_message_deflate=False,
                ws_ping_interval=None,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                lifespan="on",
                timeout_graceful_shutdown=10,
            )
        )
        self._tell_started = started
        self._tell_signalled = signalled
        self._handles_signals = handles_signals
        self._signalled_at = -math.inf

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, then say so."""
        gc.freeze()  # what was made by now stays: no collection need look at it
        await super().startup(sockets)
        if self.started:
            self._tell_started()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Stop on SIGINT and SIGTERM; a second one does not wait for open requests."""
        if not self._handles_signals:
            yield
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop_on, number)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    def _stop_on(self, number: signal.Signals) -> None:
        now = asyncio.get_running_loop().time()
        is_echo = now < self._signalled_at + _ECHO_SECONDS
        self._signalled_at = now
        if not is_echo:
            self._tell_signalled(number)
            self.stop()

    def stop(self) -> None:
        """Close the sockets, let running requests finish, and end."""
        self.force_exit = self.should_exit
        self.should_exit = True


async def serve(server: Server, sockets: Sequence[socket.socket]) -> None:
    """Serve on the sockets until the server is stopped."""
    await server.serve(sockets=list(sockets))

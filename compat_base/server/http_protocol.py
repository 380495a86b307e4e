"""HTTP/1 on one connection: requests in turn, each within the limits.

A subclass of uvicorn's protocol: a head is validated whole before the parser sees it, pipelined
requests are handled one by one, and refused or slow clients get an answer before the close.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

import httptools
from uvicorn import Config
from uvicorn.protocols.http import httptools_impl
from uvicorn.server import ServerState

from compat_base.server import heads
from compat_base.server.connections import Phase
from compat_base.server.heads import END_OF_HEAD, Refusal
from compat_base.server.incoming_body import IncomingBody
from compat_base.server.limited_connection import LimitedConnection
from compat_base.server.lingering import LingeringTransport, pause_between_drops
from compat_base.server.websocket_protocol import SocketProtocol

_HELD_BYTES = 65_536  # of later requests, kept while one is answered


class HttpProtocol(LimitedConnection):
    """uvicorn's HTTP protocol, a request at a time; a request may have any method."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._part: bytearray | None = None  # of a head whose end has not come
        self._held = b""  # of later requests, while one is answered
        self._method: str | None = None  # the client's, where the parser is shown another
        self._refusal: Refusal | None = None  # of the headers that were parsed last
        self._is_upgrade_ignored = False  # in the head that is parsed
        self._body = IncomingBody(0)

    # Receiving

    def data_received(self, data: bytes) -> None:
        """Dispatch bytes: to a head, a body, or the queue of pipelined requests."""
        if self.phase == Phase.LINGERING:
            self._dropped_bytes += len(data)
            if self._dropped_bytes > self._limits.linger_bytes:
                self.evict()
            else:
                pause_between_drops(self.loop, self.transport)
        elif self._is_open:
            self._take_body(data)
        elif self._held or self._is_answering():
            self._hold(data)
        else:
            self._take_head(data)

    def _is_answering(self) -> bool:
        cycle = cast("httptools_impl.RequestResponseCycle | None", self.cycle)
        return cycle is not None and not cycle.response_complete

    def _hold(self, data: bytes) -> None:
        self._held += data
        if len(self._held) > _HELD_BYTES:
            self.flow.pause_reading()

    def _take_head(self, data: bytes) -> None:
        start = 0
        if self._part is not None:
            start = len(self._part)
            self._part += data
        elif data[0] in b"\r\n":
            data = data.lstrip(b"\r\n")  # empty lines before a request (RFC 9112, section 2.2)
            if not data:
                return
        end = (self._part or data).find(END_OF_HEAD, max(0, start - 3)) + len(END_OF_HEAD)
        if end < len(END_OF_HEAD):
            self._await_head(self._part or bytearray(data), start)
            return
        if self._part is not None:
            data, self._part = bytes(self._part), None
        judged = heads.judge_head(data[:end], self._limits)
        if isinstance(judged, Refusal):
            self._refuse(judged)
        else:
            head, self._method = judged
            self._begin(head, data[end:])

    def _await_head(self, part: bytearray, start: int) -> None:
        refusal = heads.judge_part(part, start, self._limits)
        if refusal is not None:
            self._refuse(refusal)
            return
        self._part = part
        if self.phase != Phase.HEAD:
            self._all.enter(self, Phase.HEAD)

    def _begin(self, head: bytes, rest: bytes) -> None:
        try:
            self._parse(head)
        except httptools.HttpParserUpgrade:
            self._upgrade(head, rest)
            return
        except httptools.HttpParserError:
            self._begin_anew(head, rest)
            return
        if self._is_open:
            self._begin_body(rest)
            return
        self._all.enter(self, Phase.ACTIVE)
        if rest:
            self._hold(rest)

    def _begin_anew(self, head: bytes, rest: bytes) -> None:
        """After a parser error: refuse, or parse the head without its ignored Upgrade."""
        if not self._is_upgrade_ignored:
            self._refuse(self._refusal or heads.BAD_REQUEST)
            return
        self._is_upgrade_ignored = False
        self.parser = httptools.HttpRequestParser(self)
        self._begin(heads.without_upgrade(head), rest)

    def _parse(self, data: bytes) -> None:
        if self.parser is not None:  # pyright: ignore[reportUnnecessaryComparison]
            self.parser.feed_data(data)

    def _upgrade(self, head: bytes, rest: bytes) -> None:
        refusal = heads.judge_handshake(head)
        if refusal is not None:
            self._refuse(refusal)
            return
        self._all.enter(self, Phase.CLOSED)
        self.handle_websocket_upgrade()
        if rest:
            cast("SocketProtocol", self.transport.get_protocol()).data_received(rest)

    # A body

    def _begin_body(self, rest: bytes) -> None:
        """Await the body; where much of it may stay unread, the response closes the connection.

        So does the response to a client that awaits 100 Continue and was not asked for its body: it
        sends none, and its next request would be taken for the body (RFC 9110, section 10.1.1).
        """
        given = dict(self.headers).get(b"content-length")
        length = None if given is None else int(given)
        self.headers = []  # trailers go there, out of the application's sight
        if len(rest) == length:  # it is all there, as with most requests
            self._all.enter(self, Phase.ACTIVE)
            self._parse(rest)
            return
        self._body = IncomingBody(length)
        self._is_kept = self.cycle.keep_alive
        is_large = length is None or length > self._limits.drain_bytes
        if is_large or self.cycle.waiting_for_100_continue:
            self.cycle.keep_alive = False
        self.cycle.transport = cast("asyncio.Transport", LingeringTransport(self))
        self._await_body()
        if rest:
            self._take_body(rest)

    def _take_body(self, data: bytes) -> None:
        self._step_bytes += len(data)
        try:
            rest = self._body.feed(data, self._parse, self._is_body_wanted)
        except httptools.HttpParserError:
            self._refuse(heads.BAD_REQUEST)
            return
        if not self._is_open:
            self._end_body(rest)
        elif not self._is_body_wanted():
            self._refuse(heads.BAD_CHUNKS)
        elif self.cycle.response_complete and self._body.wire_bytes > self._limits.drain_bytes:
            self.linger()

    def _is_body_wanted(self) -> bool:
        return self._is_open and not self._body.has_overhead(self._limits.chunk_overhead)

    def _end_body(self, rest: bytes) -> None:
        if not self.cycle.response_started:
            self.cycle.keep_alive = self._is_kept
        if self.cycle.response_complete:
            self._next(rest)
            return
        self._all.enter(self, Phase.ACTIVE)
        if self.flow.write_paused:
            self._await_sending()
        if rest:
            self._hold(rest)

    # The parser's and the response's calls

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._is_open = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header, whose value ends before blanks (RFC 9110, section 5.5).

        As uvicorn's, which is not called: twice the time for each header.
        """
        name, value = name.lower(), value.rstrip(b" \t")
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Pass the request to the application, with the client's own method.

        An exception here is the parser's error to `data_received`.
        """
        version = self.parser.get_http_version()
        self._refusal = heads.judge_fields(self.headers, version, self._limits)
        if self._refusal is not None:
            raise ValueError(self._refusal.text)
        if self.parser.should_upgrade():
            method = self.parser.get_method()
            self._is_upgrade_ignored = not heads.is_handshake(method, version, self.headers)
            if self._is_upgrade_ignored:
                raise ValueError(method)
        super().on_headers_complete()
        if self._method is not None:
            self.scope["method"], self._method = self._method, None

    def on_body(self, body: bytes) -> None:
        """Receive a piece of the body."""
        self._body.content_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request: further bytes begin the next one."""
        self._is_open = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Handle the next pipelined request, or wait for one."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            self._await_sending()
        elif self.phase != Phase.LINGERING:
            self.flow.resume_reading()
            if not self._is_open:
                self._next(b"")

    def _next(self, rest: bytes) -> None:
        self._held += rest
        if self._held:
            self._all.enter(self, Phase.ACTIVE)
            self.loop.call_soon(self._take_held)
        else:
            self._all.enter(self, Phase.IDLE)

    def _take_held(self) -> None:
        data, self._held = self._held, b""
        if data and not self.transport.is_closing() and self.phase != Phase.LINGERING:
            self._take_head(data)

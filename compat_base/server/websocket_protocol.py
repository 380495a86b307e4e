"""The WebSocket protocol: frames parsed round robin over all sockets, memory bounded."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any, cast

from uvicorn import Config
from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.http11 import Request

from compat_base.server.connections import Connections, Phase
from compat_base.server.control_frames import Allowance, spend
from compat_base.server.frames import frame_size
from compat_base.server.lingering import pause_between_drops

WRITE_EXTENSION = "compat.websocket.write"
FRAMES_AT_ONCE = 8
SMALL_BYTES = 65_536  # of unfinished messages that a socket may always have
_TRY_AGAIN_LATER, _TOO_BIG, _POLICY_VIOLATION = 1013, 1009, 1008
_OPCODE, _CONTROL, _CLOSE = 0x0F, 0x08, 0x08  # of a frame's first byte; control is a bit
_DROPPED_FRAMES = 4_096  # in one read
_EMPTY = 6  # bytes of a client's frame without a payload
_BAD_REQUEST = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class SocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol with four things of our own.

    At most `FRAMES_AT_ONCE` frames are parsed before other sockets get a turn, and none while the
    application has messages to take; meanwhile the client is not read.

    What is unfinished is bounded over all sockets together.

    Its close also reaches a client that has stopped reading: uvicorn's own waits until the client
    has read everything before it, and so for ever.

    An application may write a whole frame at once, by the scope's extension
    `compat.websocket.write`: the frame that goes to a thousand sockets is then made once, and no
    coroutine is run for each.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.phase: int = Phase.ACTIVE
        self.is_queued = False
        self._all = cast("Connections", server_state)
        self._limits = self._all.limits
        self._inbox = bytearray()  # what came and is not parsed yet
        self._left = 0  # bytes to come of a frame whose beginning is parsed
        self._part_bytes = 0  # parsed of that frame
        self._pending_bytes = 0  # all that is no message yet, as counted with the other sockets'
        self._dropped_bytes: int | None = None  # after our close: bytes that were read and dropped
        self._allowance = Allowance(float(self._limits.control_frames), self.loop.time())

    # The connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take over a connection from HTTP; its request follows as data."""
        super().connection_made(transport)
        self._all.enter(self, Phase.HANDSHAKE)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._all.enter(self, Phase.CLOSED)
        self._all.leave(self.client[0] if self.client else "")
        self._inbox.clear()
        self._count(0)
        # These refer to one another and wait for the garbage collector: not with their messages.
        self.frames.clear()
        self.conn.parser.close()
        self.conn.reader.discard()
        super().connection_lost(exc)

    def on_timeout(self) -> None:
        """Refuse a handshake that the application did not answer in time."""
        if self.transport.is_closing():
            self.evict()
            return
        self.send_500_response()
        self.transport.close()
        self._all.enter(self, Phase.HANDSHAKE)

    def has_moved(self) -> bool:
        """Whether the handshake is complete, so that the application is to answer."""
        return True

    def evict(self) -> None:
        """Close the socket at once, without its handshake."""
        self._all.enter(self, Phase.CLOSED)
        self.transport.abort()

    # Receiving

    def data_received(self, data: bytes) -> None:
        """Handle the request, then frames, some at a time."""
        if self._dropped_bytes is not None:
            self._inbox += data
            self._dropped_bytes += len(data)
            self._drop_frames()
            pause_between_drops(self.loop, self.transport)
        elif self.handshake_initiated:
            self._inbox += data
            self.take_turn()
        else:
            super().data_received(data)
            if not self.handshake_initiated:
                self._reject_request()

    def take_turn(self) -> None:
        """Parse some frames, then read on or ask for another turn."""
        if self._dropped_bytes is not None:
            return
        is_ready = self.handshake_complete and self.queue.empty()
        if is_ready and not self.transport.is_closing():
            for _ in range(FRAMES_AT_ONCE):
                if not self._inbox or not self._take_frame():
                    break
        if self._dropped_bytes is None:
            self._count(self._part_bytes + (self.conn.cur_size or 0) + len(self._inbox))
            self._go_on()

    def _take_frame(self) -> bool:
        """Parse one frame as far as it arrived; whether it is complete."""
        if not self._left:
            size = frame_size(self._inbox)
            if size is None:
                return False
            if self._is_excess_control_frame(size):
                self._fail(_POLICY_VIOLATION, "too many control frames")
                return False
            self._left = size
        piece = bytes(self._inbox[: self._left])
        del self._inbox[: len(piece)]
        self._left -= len(piece)
        self._part_bytes = self._part_bytes + len(piece) if self._left else 0
        super().data_received(piece)
        if len(self.frames) > self._limits.socket_fragments:
            self._fail(_TOO_BIG, "too many fragments")
        return not self._left

    def _is_excess_control_frame(self, size: int) -> bool:
        """Whether a control or empty frame exceeds the allowance."""
        is_idle = self._inbox[0] & _CONTROL or size <= _EMPTY
        if not is_idle:
            return False
        limits = self._limits
        self._allowance = spend(
            self._allowance,
            self.loop.time(),
            limits.control_frames,
            limits.control_frames_per_second,
        )
        return self._allowance.left < 0

    def _go_on(self) -> None:
        """Read on when all is parsed and taken; take a turn when the rest can be parsed."""
        has_more = bool(self._inbox) and bool(self._left or frame_size(self._inbox))
        is_waiting = not self.handshake_complete or not self.queue.empty()
        if has_more and not is_waiting:
            self._all.round_robin.add(self)
        if (has_more or is_waiting) == self.read_paused or self.transport.is_closing():
            return
        self.read_paused = not self.read_paused
        if self.read_paused:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def _count(self, pending: int) -> None:
        """Add to the unfinished bytes of all sockets; beyond the limit the larger ones fail."""
        self._all.pending_bytes += pending - self._pending_bytes
        self._pending_bytes = pending
        if pending > SMALL_BYTES and self._all.pending_bytes > self._limits.socket_pending_bytes:
            self._fail(_TRY_AGAIN_LATER, "too many unfinished messages")

    def _reject_request(self) -> None:
        """Answer a request that the WebSocket library cannot parse."""
        self.handshake_complete = self.close_sent = True
        self.transport.write(_BAD_REQUEST)
        self.transport.close()

    # Failure

    def _fail(self, code: int, reason: str) -> None:
        self.conn.fail(code, reason)
        self.handle_parser_exception()

    def handle_parser_exception(self) -> None:
        """Send the close frame, and close once the client has read it or had time to."""
        if self._dropped_bytes is not None:
            return
        sent = self.conn.close_sent
        code, reason = (1006, "") if sent is None else (sent.code, sent.reason)
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.close_timer = self.loop.call_later(self._limits.linger_seconds, self.transport.abort)
        self._start_dropping()

    def _start_dropping(self) -> None:
        """Keep nothing of what comes from now on: our close is sent, the client's is to come."""
        self._dropped_bytes = 0
        self.frames.clear()
        self._count(0)
        if self.read_paused and not self.transport.is_closing():
            self.read_paused = False
            self.transport.resume_reading()
        self._drop_frames()

    def _drop_frames(self) -> None:
        """After a failure: skip frames up to the client's close frame, within bounds."""
        for _ in range(_DROPPED_FRAMES):
            dropped = min(self._left, len(self._inbox))
            del self._inbox[:dropped]
            self._left -= dropped
            size = None if self._left else frame_size(self._inbox)
            if size is None:
                break
            if self._inbox[0] & _OPCODE == _CLOSE:
                self.transport.close()
                return
            self._left = size
        else:
            self.transport.abort()
        if (self._dropped_bytes or 0) > self._limits.linger_bytes:
            self.transport.abort()

    def handle_ping(self) -> None:
        """Write the pong, unless the client reads nothing: it would pile up in memory."""
        pong = b"".join(self.conn.data_to_send())
        if self.writable.is_set():
            self.transport.write(pong)

    # The application's side

    def handle_connect(self, event: Request) -> None:
        """Handle the upgrade request, and offer the extension."""
        super().handle_connect(event)
        if self.response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            extensions = cast("dict[str, dict[str, object]]", self.scope.get("extensions", {}))
            extensions[WRITE_EXTENSION] = {"write": self.write_frame}

    def write_frame(self, frame: bytes) -> bool:
        """Write a whole frame; False where the socket is full or closed."""
        if not self.writable.is_set() or self.close_sent or self.disconnected:
            return False
        self.transport.write(frame)
        return True

    async def receive(self) -> ASGIReceiveEvent:
        """The next message; once none is queued, the client is read on."""
        message = await self.queue.get()
        if self.queue.empty() and self.read_paused:
            self._go_on()
        return message

    async def send(self, message: ASGISendEvent) -> None:
        """Send a message; after a close the client has `close_timeout` seconds to read it."""
        if message["type"] == "websocket.accept":
            await super().send(message)
            if self.phase == Phase.HANDSHAKE:
                self._all.enter(self, Phase.ACTIVE)
            self._go_on()
            return
        if not self.handshake_complete:
            await self._send_refusal(message)
            return
        if message["type"] != "websocket.close":
            await super().send(message)
            return
        self.writable.set()
        await super().send(message)
        if self.close_sent and self._dropped_bytes is None:
            self._start_dropping()
        if self.close_timer is not None:
            self.close_timer.cancel()
            self.close_timer = self.loop.call_later(self.close_timeout, self.transport.abort)

    async def _send_refusal(self, message: ASGISendEvent) -> None:
        """Send the response to a handshake, also an application's plain HTTP response."""
        if message["type"].startswith("http.response."):
            message = cast("ASGISendEvent", {**message, "type": f"websocket.{message['type']}"})
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and self.close_sent:
            self.handshake_complete = True  # else uvicorn takes it for unanswered, and logs that

"""The long-poll transport of Phoenix's client: a socket over plain HTTP.

Source: realtime reference 1.

A session is a socket whose frames wait to be fetched. A GET without its token opens one, a GET with
it waits for frames, a POST brings the client's. The client reads the status in the body: 410 is a
new session, or an unknown one. Sessions live in one process: any other worker, of this machine or
of another, relays a request to it.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Awaitable, Callable, Generator, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast
from urllib.parse import parse_qs

from compat_base.server import WEBSOCKET_FRAME_LIMIT
from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from compat_base.values.http import HttpRequest, HttpResponse, bearer
from realtime_compat.protocol.codec import V2, V2_TEXT, codec_for
from realtime_compat.transports.frame_writer import Frames
from realtime_compat.transports.handshake import Handshake, admit
from realtime_compat.transports.relay import (
    RANDOM_BYTES,
    Tokens,
    pack_answer,
    pack_request,
    unpack_answer,
    unpack_request,
)
from realtime_compat.transports.service import Service
from realtime_compat.transports.websocket import Socket

PATHS = frozenset({"/longpoll", "/socket/longpoll"})
METHODS = frozenset({"GET", "POST"})

POLL_SECONDS = 10.0  # that a GET waits; stock clients wait for 20
LIFE_SECONDS = 30.0  # of a session that is not polled
MAX_UNREAD = 1000  # frames of a client that were not read yet
MAX_UNREAD_BYTES = 10_000_000
MAX_FRAME = WEBSOCKET_FRAME_LIMIT
NDJSON = "application/x-ndjson"

Message: TypeAlias = MutableMapping[str, Any]  # of ASGI
Relay: TypeAlias = Callable[[bytes, bytes], Awaitable[bytes | None]]
"""Relays a request to a worker; the reply, None or empty where that worker is gone."""


class LongPollSession:
    """One client: its unread frames, and the frames for it."""

    def __init__(self, handshake: Handshake, service: Service) -> None:
        self._unread: asyncio.Queue[Message] = asyncio.Queue(MAX_UNREAD)
        self._unread_bytes = 0
        self._frames: list[str] = []
        self._size = 0
        self._most = service.rules.limits.queue_bytes
        self._changed = asyncio.Event()
        self._socket = Socket(handshake, self._send, self._keep, service)
        self._running = service.supervisor.start(
            self._socket.run(self._next_message), "long-poll-session"
        )
        self._polls = 0  # that wait now
        self._expiry = self._expire_later()
        self.is_over = False

    def receive(self, frame: str | bytes) -> None:
        """Add a frame of the client; one that sends more than is read is cut off."""
        kind = "text" if isinstance(frame, str) else "bytes"
        self._unread_bytes += len(frame)
        is_full = self._unread.full() or self._unread_bytes > MAX_UNREAD_BYTES
        if is_full or len(frame) > MAX_FRAME:
            self.end()
        else:
            self._unread.put_nowait({"type": "websocket.receive", kind: frame})

    async def _next_message(self) -> Message:
        message = await self._unread.get()
        self._unread_bytes -= len(message.get("text") or message.get("bytes") or b"")
        return message

    async def fetch(self) -> list[str]:
        """Frames for the client, as soon as there is one or the session is over."""
        self._socket.touch()
        with self._polling(), suppress(TimeoutError):
            async with asyncio.timeout(POLL_SECONDS):
                await self._changed.wait()
        if not self.is_over:
            self._changed.clear()
        frames, self._frames, self._size = self._frames, [], 0
        return frames

    def end(self) -> None:
        """End the session."""
        self.is_over = True
        self._expiry.cancel()
        self._running.cancel()
        self._changed.set()

    @contextmanager
    def _polling(self) -> Generator[None]:
        """The session does not expire within the block."""
        self._expiry.cancel()
        self._polls += 1
        try:
            yield
        finally:
            self._polls -= 1
            if not self._polls and not self.is_over:
                self._expiry = self._expire_later()

    def _expire_later(self) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(LIFE_SECONDS, self.end)

    def _keep(self, frames: Frames) -> bool:
        """Queue frames until they are fetched; a client that leaves too many is cut off."""
        for frame in frames if isinstance(frames, tuple) else (frames,):
            self._frames.append(cast("str", frame))  # its codec writes nothing but text
            self._size += len(frame)
        self._changed.set()
        if self._size > self._most:
            self.end()
        return True

    async def _send(self, message: Message) -> None:
        if message["type"] == "websocket.close":
            self.end()


@dataclass(slots=True)
class LongPoll:
    """The endpoint, and its sessions by their tokens."""

    service: Service
    tokens: Tokens
    relay: Relay | None = None  # where there are several workers
    _sessions: dict[str, LongPollSession] = field(default_factory=dict[str, LongPollSession])

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer a GET or POST."""
        query = parse_qs(request.query)
        token = query.get("token", [""])[0]
        session = self._sessions.get(token)
        owner = self.tokens.owner_of(token) if session is None else None
        if self.relay is not None and owner is not None and owner.hex() != self.service.hub.node:
            # Where the session's worker is gone, so is the session.
            answer = await self.relay(owner, pack_request(request))
            return unpack_answer(answer) if answer else _status(410)
        if request.method == "POST":
            return (
                _status(410) if session is None or session.is_over else _received(session, request)
            )
        if session is None:
            return self._open(request, query)
        frames = await session.fetch()
        if not frames and session.is_over:
            return _status(410)
        return _status(200 if frames else 204, token=token, messages=frames)

    async def answer(self, question: bytes) -> bytes:
        """Handle a request that another worker relayed."""
        return pack_answer(await self.handle(unpack_request(question)))

    def _open(self, request: HttpRequest, query: dict[str, list[str]]) -> HttpResponse:
        """Open a session, unless key or version are refused."""
        self._forget_the_ended()
        codec = codec_for(query.get("vsn", [None])[0])
        if codec is None:
            return _status(403)
        headers = {name: value for name, value in request.headers if name.startswith("x-")}
        key = bearer(request.headers)
        if key:  # as a gateway hands it on
            headers.setdefault("x-api-key", key)
        codec = V2_TEXT if codec is V2 else codec
        try:
            handshake = admit(tuple(headers.items()), query, codec, self.service)
        except ApiError as error:
            return _status(403, error=error.problem.message)
        node = bytes.fromhex(self.service.hub.node)
        token = self.tokens.make(node, self.service.world.entropy.bytes(RANDOM_BYTES))
        self._sessions[token] = LongPollSession(handshake, self.service)
        return _status(410, token=token, messages=[])

    def _forget_the_ended(self) -> None:
        for token in [token for token, session in self._sessions.items() if session.is_over]:
            del self._sessions[token]


def _received(session: LongPollSession, request: HttpRequest) -> HttpResponse:
    for frame in _frames(request):
        session.receive(frame)
        if session.is_over:
            return _status(410)
    return _status(200)


def _frames(request: HttpRequest) -> Iterator[str | bytes]:
    """The frames of a POST: one, or one a line, where what is no JSON is base64."""
    body = request.body.decode("utf-8", "replace")
    if request.header("content-type") != NDJSON:
        yield body
        return
    for line in filter(None, body.split("\n", MAX_UNREAD)):
        if line.startswith(("[", "{")):
            yield line
        else:
            with suppress(binascii.Error, ValueError):
                yield base64.b64decode(line, validate=True)


def _status(status: int, **members: object) -> HttpResponse:
    """The answer with its status in the body, where this transport looks for it."""
    headers = (("content-type", "application/json; charset=utf-8"),)
    return HttpResponse(200, headers, jsontext.encode_bytes({"status": status} | members))

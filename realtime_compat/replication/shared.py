"""One reader of the log for all workers of a machine: two slots, however many workers there are.

The reader's process streams and hands raw transactions on by the broker; each worker decodes them,
and decides for its own subscribers. Back-pressure goes the other way: a worker that is behind stops
reading its line, the broker keeps at most 8 MB or 10 s for it, and meanwhile the reader stops.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from compat_base.broker.frames import EVERYBODY
from compat_base.broker.line import Line
from compat_base.tasks import Supervisor
from compat_base.values import jsontext
from compat_base.values.events import Observation, Observer, Severity
from realtime_compat.changes.decode import DecodeError, Decoder
from realtime_compat.changes.model import Transaction
from realtime_compat.replication.raw import (
    RawPart,
    pack_messages,
    unpack_messages,
    unpack_part,
)
from realtime_compat.replication.stream import (
    MAX_IN_FLIGHT,
    Down,
    Received,
    Stream,
    StreamEvent,
    TakenOver,
    Up,
)

GROUP = 4  # of the broker's lines
MAX_WAITING = 8_000_000  # bytes that are not with the workers yet
_UP, _DOWN, _OVER, _PART, _AGAIN = b"U", b"D", b"O", b"T", b"R"
_HALF = MAX_IN_FLIGHT // 2


@dataclass(slots=True)
class LogReader:
    """Streams the log for the workers."""

    path: str
    node: bytes
    supervisor: Supervisor
    observer: Observer
    _line: Line = field(init=False)
    _stream: Stream | None = None
    _publications: tuple[str, ...] = ()
    _relations: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    _workers: frozenset[bytes] = frozenset()
    _events: deque[StreamEvent] = field(default_factory=deque[StreamEvent])
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._line = Line(self.path, GROUP, self.node, self)

    def start(self, make_stream: Callable[[Callable[[StreamEvent], None]], Stream]) -> None:
        """Stream, and stay connected to the workers."""
        loop = asyncio.get_running_loop()

        def tell(event: StreamEvent) -> None:
            self._events.append(event)
            loop.call_soon_threadsafe(self._arrived.set)

        self._stream = make_stream(tell)
        self._stream.start()
        self.supervisor.keep_running(self._line.keep, "broker line")
        self.supervisor.keep_running(self._pass_on, "log reader")

    async def stop(self) -> None:
        """End the stream; its slots go with their connections."""
        if self._stream is not None:
            await asyncio.to_thread(self._stream.stop)

    def heard(self, node: bytes, body: bytes) -> None:  # noqa: ARG002 — whoever asks
        """A worker asks for another stream, because the publications have changed."""
        if body == _AGAIN and self._stream is not None and self._publications:
            self._publications = ()  # asked once for all of them
            self._stream.restart()

    def here(self, nodes: Sequence[bytes]) -> None:
        """These are the workers now: new ones are told what the others know."""
        now = frozenset(nodes)
        for node in now - self._workers:
            if self._publications:
                self._line.tell(node, self._up())
        self._workers = now

    def lost(self) -> None:
        """Only what workers ask was dropped: they ask again."""

    def _up(self) -> bytes:
        head = jsontext.encode_bytes(list(self._publications))
        return _UP + head + b"\n" + pack_messages(tuple(self._relations.values()))

    async def _pass_on(self) -> None:
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            while self._events:
                match self._events.popleft():
                    case Up(publications):
                        self._publications, self._relations = publications, {}
                        self._observe("replication_up", Severity.INFO)
                        self._line.send(EVERYBODY, self._up())
                    case Down(reason):
                        self._publications = ()
                        self._observe("replication_down", Severity.WARNING, reason=reason)
                        self._line.send(EVERYBODY, _DOWN + reason.encode())
                    case TakenOver():
                        self._observe("replication_taken_over", Severity.WARNING)
                        self._line.send(EVERYBODY, _OVER)
                    case Received(transactions):
                        await self._send(cast("tuple[RawPart, ...]", transactions))

    async def _send(self, parts: tuple[RawPart, ...]) -> None:
        for part in parts:
            for message in part.messages:
                if message[:1] == b"R":
                    self._relations[message[1:5]] = message
            await self._line.room(MAX_WAITING)
            if not self._line.send(EVERYBODY, _PART + part.pack()):
                # Larger than what may wait at all: whoever follows the log is told.
                self._line.send(EVERYBODY, _DOWN + b"a transaction is too large")
                self._line.send(EVERYBODY, self._up())
        if self._stream is not None:
            self._stream.done(sum(len(part.changes) for part in parts))

    def _observe(self, name: str, severity: Severity, **facts: object) -> None:
        self.observer(Observation(name, severity, facts))


@dataclass(slots=True)
class RemoteStream:
    """A worker's stream: what the machine's reader hands on; used as `Stream` is."""

    path: str
    node: bytes
    supervisor: Supervisor
    tell: Callable[[StreamEvent], None]
    _line: Line = field(init=False)
    _decoder: Decoder | None = None  # None while the reader is not heard
    _reader: bytes = b""
    _publications: tuple[str, ...] = ()
    _in_flight: int = 0

    def __post_init__(self) -> None:
        self._line = Line(self.path, GROUP, self.node, self)

    def start(self) -> None:
        """Begin to hear."""
        self.supervisor.keep_running(self._line.keep, "log line")

    def stop(self) -> None:
        """Nothing: the line ends with its task."""

    def restart(self) -> None:
        """Have the stream opened anew, because the publications have changed."""
        if self._reader:
            self._line.tell(self._reader, _AGAIN)

    def done(self, changes: int) -> None:
        """So many changes handed over before have been dealt with."""
        self._in_flight -= changes
        if self._in_flight < _HALF:
            self._line.resume()

    def heard(self, node: bytes, body: bytes) -> None:
        """The reader says something."""
        kind, rest = body[:1], body[1:]
        try:
            if kind == _UP:
                self._up(node, rest)
            elif kind == _PART and self._decoder is not None and node == self._reader:
                self._part(self._decoder, rest)
            elif kind == _DOWN and self._decoder is not None:
                self._down(rest.decode("utf-8", "replace"))
            elif kind == _OVER:
                self.tell(TakenOver())
        except (DecodeError, jsontext.InvalidJsonError) as error:
            self._down(str(error))

    def here(self, nodes: Sequence[bytes]) -> None:
        """Where the reader is gone, so is its stream."""
        if self._reader and self._reader not in nodes:
            self._down("the reader of the log has ended")

    def lost(self) -> None:
        """This worker was too slow: what it missed is lost, and the stream goes on."""
        if self._decoder is not None:
            self.tell(Down("this worker was behind for too long"))
            self.tell(Up(self._publications))

    def _up(self, node: bytes, said: bytes) -> None:
        head, _, relations = said.partition(b"\n")
        self._reader, self._decoder = node, Decoder()
        for message in unpack_messages(relations):
            self._decoder.feed(message)
        self._publications = tuple(map(str, jsontext.decode(head)))
        self.tell(Up(self._publications))

    def _down(self, reason: str) -> None:
        self._reader, self._decoder = b"", None
        self.tell(Down(reason))

    def _part(self, decoder: Decoder, data: bytes) -> None:
        _, _, messages = unpack_part(data)
        found: list[Transaction] = []
        for message in messages:
            transaction = decoder.feed(message)
            if transaction is not None:
                found.append(transaction)
        if found:
            self._in_flight += sum(len(each.changes) for each in found)
            self.tell(Received(tuple(found)))
        if self._in_flight >= MAX_IN_FLIGHT:
            self._line.pause()

"""One reader of the log for all workers of a machine: two slots, however many workers there are.

The reader's process streams and hands raw transactions on by the broker; each worker decodes them,
and decides for its own subscribers. A second process is the reader's heir (`led`): it goes on from
what the broker has passed on, and workers skip what they had. Back-pressure goes the other way: a
worker that is behind stops reading its line, the broker keeps at most 8 MB or 10 s for it, and
meanwhile the reader stops. A transaction of one table goes to the workers that have a subscriber to
it (`follow`); one of several tables, or with a table's description, goes to all.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from compat_base.broker.frames import EVERYBODY, EVERYTHING, TOPIC
from compat_base.broker.line import Line
from compat_base.tasks import Supervisor
from compat_base.values import jsontext
from compat_base.values.events import Observation, Observer, Severity
from compat_base.workers.leadership import Leadership
from realtime_compat.changes.decode import DecodeError, Decoder
from realtime_compat.changes.model import Transaction
from realtime_compat.replication.led import LedEvent, LedStream, Paused
from realtime_compat.replication.raw import (
    RawPart,
    count_changes,
    is_change,
    pack_messages,
    unpack_messages,
    unpack_part,
    weight,
)
from realtime_compat.replication.stream import (
    MAX_IN_FLIGHT,
    Down,
    Received,
    StreamEvent,
    TakenOver,
    Up,
)
from realtime_compat.replication.tables import TableName, table_of, table_topic

GROUP = 4  # of the broker's lines
READERS = 2  # processes of a machine: the one that streams, and its heir
FOLLOW_SECONDS = 5.0  # that a subscription waits for the broker
MAX_WAITING = 8_000_000  # bytes that are not with the workers yet
_WORKERS = b"log".ljust(TOPIC, b".")  # what every worker is told
_OWN_SCHEMA = "realtime"  # of stored messages, which any worker may have a room for
# A stream from now on; how one stands, for who asked; one that goes on; the end; a part of it
_UP, _STANDS, _OVER, _DOWN, _PART = b"U", b"S", b"O", b"D", b"T"
_AGAIN, _ASK = b"R", b"?"  # what workers say: open it anew; how does it stand?
_HALF = MAX_IN_FLIGHT // 2

LogPosition = tuple[int, int]
"""Where a transaction's commit stands, and how many of its changes are meant."""


@dataclass(frozen=True, slots=True)
class _Sent:
    number: int  # of the message
    stream: int
    lsn: int
    weight: int


@dataclass(slots=True)
class LogReader:
    """Streams the log for the workers, or stands by for the process that does."""

    path: str
    node: bytes
    leadership: Leadership
    supervisor: Supervisor
    observer: Observer
    _line: Line = field(init=False)
    _stream: LedStream | None = None
    _publications: tuple[str, ...] = ()  # none where this process does not stream
    _relations: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    _topics: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])  # of tables, by oid
    _last: LogPosition = (0, 0)  # what was handed on
    _streams: int = 0
    _sent: deque[_Sent] = field(default_factory=deque[_Sent])
    _workers: frozenset[bytes] = frozenset()
    _events: deque[LedEvent] = field(default_factory=deque[LedEvent])
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._line = Line(self.path, GROUP, self.node, self, self._passed_on)

    def start(self, make_stream: Callable[[Callable[[LedEvent], None]], LedStream]) -> None:
        """Stream, and stay connected to the workers."""
        loop = asyncio.get_running_loop()

        def tell(event: LedEvent) -> None:
            self._events.append(event)
            loop.call_soon_threadsafe(self._arrived.set)

        self._stream = make_stream(tell)
        self._stream.start()
        self.supervisor.keep_running(self._line.keep, "broker line")
        self.supervisor.keep_running(self._pass_on, "log reader")

    async def stop(self) -> None:
        """End the stream; its slot goes with its connection."""
        if self._stream is not None:
            await asyncio.to_thread(self._stream.stop)

    def received(self, node: bytes, body: bytes) -> None:
        """A worker asks how the stream stands, or for another, as the publications have changed."""
        if not self._publications or self._stream is None:
            return
        if body == _ASK:
            self._line.send(node, _STANDS + self._state())
        elif body == _AGAIN:
            self._publications = ()  # asked once for all of them
            self._stream.restart()

    def peers_changed(self, nodes: Sequence[bytes]) -> None:
        """These are the workers now: new ones are told what the others know."""
        now = frozenset(nodes)
        for node in now - self._workers:
            if self._publications:
                self._line.send(node, _STANDS + self._state())
        self._workers = now

    def messages_lost(self) -> None:
        """Only what workers ask was dropped: they ask again."""

    def _state(self) -> bytes:
        head = jsontext.encode_bytes([list(self._publications), *self._last])
        return head + b"\n" + pack_messages(tuple(self._relations.values()))

    async def _pass_on(self) -> None:
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            while self._events:
                match self._events.popleft():
                    case Up(publications):
                        self._begin(publications, (0, 0))
                        self._observe("replication_up", Severity.INFO)
                        self._say(_UP + self._state())
                    case TakenOver(publications):
                        self._begin(publications, (self.leadership.position, 0))
                        self._observe("replication_taken_over", Severity.WARNING)
                        self._say(_OVER + self._state())
                    case Paused(reason):
                        self._publications = ()
                        self._observe("replication_paused", Severity.WARNING, reason=reason)
                    case Down(reason):
                        self._publications = ()
                        self._observe("replication_down", Severity.WARNING, reason=reason)
                        self._say(_DOWN + reason.encode())
                    case Received(transactions):
                        await self._send(cast("tuple[RawPart, ...]", transactions))

    def _begin(self, publications: tuple[str, ...], last: LogPosition) -> None:
        self._publications, self._last = publications, last
        self._relations, self._topics = {}, {}
        self._streams += 1

    def _say(self, said: bytes, topic: bytes = _WORKERS) -> bool:
        return self._line.publish(topic, said)

    def _topic_of(self, part: RawPart) -> bytes:
        """Who is given a part: all, where it describes a table or is of several."""
        is_described, tables = False, set[bytes]()
        for message in part.messages:
            kind = message[:1]
            if kind == b"R":
                is_described = True
                self._relations[message[1:5]] = message
                self._topics[message[1:5]] = _topic_of_table(message)
            elif is_change(message):
                tables.add(message[1:5])
        if is_described or len(tables) != 1:
            return _WORKERS
        return self._topics.get(tables.pop(), _WORKERS)

    async def _send(self, parts: tuple[RawPart, ...]) -> None:
        for part in parts:
            topic = self._topic_of(part)
            await self._line.room(MAX_WAITING)
            self._last = part.lsn, part.offset + len(part.changes)
            if not self._say(_PART + part.pack(), topic):
                # Larger than what may wait at all: whoever follows the log is told.
                self._say(_DOWN + b"a transaction is too large")
                self._say(_UP + self._state())
            weighs = weight(len(part.changes), part.size)
            self._sent.append(_Sent(self._line.number, self._streams, part.lsn, weighs))

    def _passed_on(self, number: int) -> None:
        """The broker has passed on so many messages: the heir would begin behind them."""
        weighed = lsn = 0
        while self._sent and self._sent[0].number <= number:
            sent = self._sent.popleft()
            weighed += sent.weight
            lsn = sent.lsn if sent.stream == self._streams else lsn
        self.leadership.advance(lsn)
        if weighed and self._stream is not None:
            self._stream.done(weighed)

    def _observe(self, name: str, severity: Severity, **facts: object) -> None:
        self.observer(Observation(name, severity, facts))


def _topic_of_table(relation: bytes) -> bytes:
    schema, name = table_of(relation)
    return _WORKERS if schema == _OWN_SCHEMA else table_topic(schema, name)


@dataclass(slots=True)
class RemoteStream:
    """A worker's stream: what the machine's reader hands on; used as `Stream` is."""

    path: str
    node: bytes
    supervisor: Supervisor
    tell: Callable[[StreamEvent], None]
    _line: Line = field(init=False)
    _followed: set[bytes] = field(default_factory=set[bytes])
    _decoder: Decoder | None = None  # None where nothing can be decoded until the reader says more
    _reader: bytes = b""
    _publications: tuple[str, ...] = ()
    _had: LogPosition = (0, 0)
    _nodes: Sequence[bytes] = ()
    _parts: deque[tuple[int, int]] = field(default_factory=deque[tuple[int, int]])
    _changes: int = 0
    _in_flight: int = 0  # by `weight`

    def __post_init__(self) -> None:
        self._line = Line(self.path, GROUP, self.node, self)
        self._line.subscribe(_WORKERS)

    def start(self) -> None:
        """Begin to hear."""
        self.supervisor.keep_running(self._line.keep, "log line")

    def stop(self) -> None:
        """Nothing: the line ends with its task."""

    async def follow(self, tables: frozenset[TableName] | None) -> bool:
        """Be given the changes of these tables alone from now on, of all for None.

        False where no broker has heard of that in time: some may be missing.
        """
        wanted = {EVERYTHING} if tables is None else {table_topic(*each) for each in tables}
        for topic in wanted - self._followed:
            self._line.subscribe(topic)
        for topic in self._followed - wanted:
            self._line.unsubscribe(topic)
        self._followed = wanted
        known = [await self._line.subscribed(topic, FOLLOW_SECONDS) for topic in wanted]
        return all(known)

    def restart(self) -> None:
        """Have the stream opened anew, because the publications have changed."""
        if self._reader:
            self._line.send(self._reader, _AGAIN)

    def done(self, changes: int) -> None:
        """So many changes handed over before have been dealt with."""
        self._changes += changes
        while self._parts and self._parts[0][0] <= self._changes:
            count, weighed = self._parts.popleft()
            self._changes -= count
            self._in_flight -= weighed
        if self._in_flight < _HALF:
            self._line.resume()

    def received(self, node: bytes, body: bytes) -> None:
        """The reader says something."""
        kind, rest = body[:1], body[1:]
        try:
            if kind == _PART:
                if self._decoder is not None and node == self._reader:
                    self._part(self._decoder, rest)
            elif kind == _UP or (kind == _STANDS and self._decoder is None):
                self._up(node, rest)
            elif kind == _OVER:
                self._over(node, rest)
            elif kind == _DOWN and (node == self._reader or self._reader not in self._nodes):
                self._down(rest.decode("utf-8", "replace"))
        except (DecodeError, jsontext.InvalidJsonError, ValueError, TypeError) as error:
            self._lose(str(error))

    def peers_changed(self, nodes: Sequence[bytes]) -> None:
        """These are the others now; where the reader is gone, its heir will say what comes."""
        self._nodes = nodes

    def messages_lost(self) -> None:
        """This worker was too slow: what it missed is lost, and the stream goes on."""
        self._lose("this worker was behind for too long")

    def _lose(self, reason: str) -> None:
        if self._decoder is not None:
            self._down(reason)
        self._line.publish(EVERYBODY, _ASK)

    def _down(self, reason: str) -> None:
        if self._decoder is not None:
            self._decoder = None
            self.tell(Down(reason))

    def _up(self, node: bytes, said: bytes) -> None:
        publications, lsn, changes = self._learn(node, said)
        self._publications, self._had = publications, (lsn, changes)
        self.tell(Up(publications))

    def _over(self, node: bytes, said: bytes) -> None:
        """Another process streams on, from what every worker had or sooner."""
        was_down = self._decoder is None
        publications, lsn, changes = self._learn(node, said)
        if was_down or publications != self._publications:
            self._publications, self._had = publications, max(self._had, (lsn, changes))
            self.tell(Down("the publications have changed"))
            self.tell(Up(publications))
        else:
            self.tell(TakenOver(publications))

    def _learn(self, node: bytes, said: bytes) -> tuple[tuple[str, ...], int, int]:
        head, _, relations = said.partition(b"\n")
        publications, lsn, changes = cast("list[Any]", jsontext.decode(head))
        decoder = Decoder()
        for message in unpack_messages(relations):
            decoder.feed(message)
        self._reader, self._decoder = node, decoder
        return tuple(map(str, publications)), int(lsn), int(changes)

    def _part(self, decoder: Decoder, data: bytes) -> None:
        lsn, offset, messages = unpack_part(data)
        is_known = (lsn, offset) < self._had
        found: list[Transaction] = []
        for message in messages:
            if is_known and message[:1] != b"R":
                continue
            transaction = decoder.feed(message)
            if transaction is not None:
                found.append(transaction)
        self._had = max(self._had, (lsn, offset + count_changes(messages)))
        if found:
            count = sum(len(each.changes) for each in found)
            self._parts.append((count, weight(count, len(data))))
            self._in_flight += self._parts[-1][1]
            self.tell(Received(tuple(found)))
        if self._in_flight >= MAX_IN_FLIGHT:
            self._line.pause()

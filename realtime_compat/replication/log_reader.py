"""The one reader of the log for all workers of a machine: two slots, however many workers.

It streams, and hands raw transactions to the workers over the broker. A second process is its
standby (`led`): it goes on from what the broker has passed on, and workers skip what they had.
Back-pressure goes the other way: a worker that is behind stops reading its line, the broker keeps
at most 8 MB or 10 s for it, and meanwhile the reader stops. A transaction of one table goes to the
workers that have a subscriber to it; one of several tables, or with a table's description, to all.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from compat_base.broker.line import Line
from compat_base.tasks import Supervisor
from compat_base.values import jsontext
from compat_base.values.events import Observation, Observer, Severity
from compat_base.workers.leadership import Leadership
from realtime_compat.replication.led import LedEvent, LedStream, Paused
from realtime_compat.replication.log_protocol import (
    DOWN,
    GROUP,
    PART,
    REQUEST_STATE,
    RESTART,
    SKIPPED,
    STANDBY,
    STATE,
    TAKEN_OVER,
    UP,
    WORKERS,
    LogPosition,
    topic_of,
)
from realtime_compat.replication.raw import RawPart, is_change, pack_messages, weight
from realtime_compat.replication.stream import (
    Down,
    Received,
    Skipped,
    StandbyState,
    TakenOver,
    Up,
)
from realtime_compat.replication.thread_events import event_sink

MAX_WAITING = 8_000_000  # bytes that are not with the workers yet


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
    _standby: StandbyState | None = None  # None where this process is not the standby
    _events: deque[LedEvent] = field(default_factory=deque[LedEvent])
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._line = Line(self.path, GROUP, self.node, self, self._passed_on)

    def start(self, make_stream: Callable[[Callable[[LedEvent], None]], LedStream]) -> None:
        """Stream, and stay connected to the workers."""
        self._stream = make_stream(event_sink(self._events, self._arrived))
        self._stream.start()
        self.supervisor.keep_running(self._line.keep, "broker line")
        self.supervisor.keep_running(self._pass_on, "log reader")

    async def stop(self) -> None:
        """End the stream; its slot goes with its connection."""
        if self._stream is not None:
            await asyncio.to_thread(self._stream.stop)

    def received(self, node: bytes, body: bytes) -> None:
        """Handle a worker's REQUEST_STATE or RESTART (the publications have changed)."""
        if not self._publications or self._stream is None:
            return
        if body == REQUEST_STATE:
            self._line.send(node, STATE + self._state())
        elif body == RESTART:
            self._publications = ()  # asked once for all of them
            self._stream.restart()

    def peers_changed(self, nodes: Sequence[bytes]) -> None:
        """Send new workers the state of the stream."""
        now = frozenset(nodes)
        for node in now - self._workers:
            if self._publications:
                self._line.send(node, STATE + self._state())
            if self._standby is not None:
                self._line.send(node, STANDBY + self._standby.reason.encode())
        self._workers = now

    def messages_lost(self) -> None:
        """Nothing: workers repeat their requests."""

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
                        self._publish(UP + self._state())
                    case TakenOver(publications):
                        self._begin(publications, (self.leadership.position, 0))
                        self._observe("replication_taken_over", Severity.WARNING)
                        self._publish(TAKEN_OVER + self._state())
                    case Paused(reason):
                        self._publications = ()
                        self._observe("replication_paused", Severity.WARNING, reason=reason)
                    case Down(reason):
                        self._publications = ()
                        self._observe("replication_down", Severity.WARNING, reason=reason)
                        self._publish(DOWN + reason.encode())
                    case StandbyState(reason):
                        self._standby = StandbyState(reason)
                        self._publish(STANDBY + reason.encode())
                    case Skipped():  # said to workers, by `_skip`
                        pass
                    case Received(transactions):
                        await self._send(cast("tuple[RawPart, ...]", transactions))

    def _begin(self, publications: tuple[str, ...], last: LogPosition) -> None:
        self._publications, self._last, self._standby = publications, last, None
        self._relations, self._topics = {}, {}
        self._streams += 1

    def _publish(self, content: bytes, topic: bytes = WORKERS) -> bool:
        return self._line.publish(topic, content)

    def _topic_of(self, part: RawPart) -> bytes:
        """The topic of a part: that of all workers where it describes a table or has several."""
        is_described, tables = False, set[bytes]()
        for message in part.messages:
            kind = message[:1]
            if kind == b"R":
                is_described = True
                self._relations[message[1:5]] = message
                self._topics[message[1:5]] = topic_of(message)
            elif is_change(message):
                tables.add(message[1:5])
        if is_described or len(tables) != 1:
            return WORKERS
        return self._topics.get(tables.pop(), WORKERS)

    async def _send(self, parts: tuple[RawPart, ...]) -> None:
        for part in parts:
            topic = self._topic_of(part)
            await self._line.room(MAX_WAITING)
            self._last = part.lsn, part.offset + len(part.changes)
            if not self._publish(PART + part.pack(), topic):
                self._skip(part, topic)
            weighs = weight(len(part.changes), part.size)
            self._sent.append(_Sent(self._line.number, self._streams, part.lsn, weighs))

    def _skip(self, part: RawPart, topic: bytes) -> None:
        """Pass on that a part is larger than what may wait at all, and the tables it describes."""
        described = tuple(each for each in part.messages if not is_change(each))
        tables = {each[1:5] for each in part.messages if is_change(each)}
        self._publish(PART + replace(part, messages=described).pack(), topic)
        self._publish(SKIPPED + b"".join(tables), topic)

    def _passed_on(self, number: int) -> None:
        """Advance the standby's position: the broker has passed on messages up to this number."""
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

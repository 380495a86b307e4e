"""A worker's stream of the log: what the machine's reader hands on, decoded here."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from compat_base.broker.frames import EVERYBODY, EVERYTHING
from compat_base.broker.line import Line
from compat_base.tasks import Supervisor
from compat_base.values import jsontext
from realtime_compat.changes.decode import DecodeError, Decoder
from realtime_compat.changes.model import Transaction
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
)
from realtime_compat.replication.raw import count_changes, unpack_messages, unpack_part, weight
from realtime_compat.replication.stream import (
    MAX_IN_FLIGHT,
    Down,
    Received,
    Skipped,
    StandbyState,
    StreamEvent,
    TakenOver,
    Up,
)
from realtime_compat.replication.tables import TableName, table_topic

FOLLOW_SECONDS = 5.0  # that a subscription waits for the broker
_HALF = MAX_IN_FLIGHT // 2


@dataclass(slots=True)
class RemoteStream:
    """A worker's stream: what the machine's reader hands on; has the methods of `Stream`."""

    path: str
    node: bytes
    supervisor: Supervisor
    emit: Callable[[StreamEvent], None]
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
        self._line.subscribe(WORKERS)

    def start(self) -> None:
        """Connect to the broker."""
        self.supervisor.keep_running(self._line.keep, "log line")

    def stop(self) -> None:
        """Nothing: the line ends with its task."""

    async def follow(self, tables: frozenset[TableName] | None) -> bool:
        """Subscribe to the changes of these tables alone, of all tables for None.

        False where no broker has confirmed that in time: some changes may be missing.
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
        """Ask for a new stream, because the publications have changed."""
        if self._reader:
            self._line.send(self._reader, RESTART)

    def done(self, changes: int) -> None:
        """Acknowledge so many changes; reading goes on once half of the bound is free."""
        self._changes += changes
        while self._parts and self._parts[0][0] <= self._changes:
            count, weighed = self._parts.popleft()
            self._changes -= count
            self._in_flight -= weighed
        if self._in_flight < _HALF:
            self._line.resume()

    def received(self, node: bytes, body: bytes) -> None:
        """Handle a message of the reader."""
        kind, rest = body[:1], body[1:]
        try:
            if kind == PART:
                if self._decoder is not None and node == self._reader:
                    self._part(self._decoder, rest)
            elif kind == SKIPPED:
                if self._decoder is not None and node == self._reader:
                    oids = (rest[at : at + 4] for at in range(0, len(rest), 4))
                    self.emit(Skipped(frozenset(map(int.from_bytes, oids))))
            elif kind == UP or (kind == STATE and self._decoder is None):
                self._up(node, rest)
            elif kind == TAKEN_OVER:
                self._over(node, rest)
            elif kind == STANDBY:
                self.emit(StandbyState(rest.decode("utf-8", "replace")))
            elif kind == DOWN and (node == self._reader or self._reader not in self._nodes):
                self._down(rest.decode("utf-8", "replace"))
        except (DecodeError, jsontext.InvalidJsonError, ValueError, TypeError) as error:
            self._lose(str(error))

    def peers_changed(self, nodes: Sequence[bytes]) -> None:
        """Note who is connected: where the reader is gone, its standby will report next.

        Requests that were made while there was no reader have reached none: they are repeated.
        """
        self._nodes = nodes
        if nodes and self._decoder is None:
            self._line.publish(EVERYBODY, REQUEST_STATE)

    def messages_lost(self) -> None:
        """Report a gap, because this worker was too slow; the stream goes on."""
        self._lose("this worker was behind for too long")

    def _lose(self, reason: str) -> None:
        if self._decoder is not None:
            self._down(reason)
        self._line.publish(EVERYBODY, REQUEST_STATE)

    def _down(self, reason: str) -> None:
        if self._decoder is not None:
            self._decoder = None
            self.emit(Down(reason))

    def _up(self, node: bytes, content: bytes) -> None:
        publications, lsn, changes = self._learn(node, content)
        self._publications, self._had = publications, (lsn, changes)
        self.emit(Up(publications))

    def _over(self, node: bytes, content: bytes) -> None:
        """Go on with another process's stream, which begins at or before what this worker had."""
        was_down = self._decoder is None
        publications, lsn, changes = self._learn(node, content)
        if was_down or publications != self._publications:
            self._publications, self._had = publications, max(self._had, (lsn, changes))
            self.emit(Down("the publications have changed"))
            self.emit(Up(publications))
        else:
            self.emit(TakenOver(publications))

    def _learn(self, node: bytes, content: bytes) -> tuple[tuple[str, ...], int, int]:
        head, _, relations = content.partition(b"\n")
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
            self.emit(Received(tuple(found)))
        if self._in_flight >= MAX_IN_FLIGHT:
            self._line.pause()

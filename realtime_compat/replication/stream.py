"""The thread that reads the stream, reopens it with backoff, and hands transactions over.

All events go to one callback, in order: `Up`, then `Received`, then `Down`. A standby slot, a copy
on a connection of its own, keeps the last seconds of the log. If only the stream is cut, it takes
over and nothing is lost (`TakenOver`). If both are cut, as by a restart, changes committed between
`Down` and the next `Up` are lost. That can be as long as the longest transaction of the cluster,
because PostgreSQL waits for running transactions before a new slot begins.
Where the server has no slot free, the stream waits in a queue for standby slots (`SlotQueue`).
Changes handed over and not yet `done` with are bounded: beyond that the thread stops reading, so
that PostgreSQL holds the log back and memory does not grow.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from compat_base.postgres.replication import (
    ReplicationSlot,
    SlotQueue,
    StreamError,
    connect_slot,
)
from realtime_compat.changes.decode import DecodeError, Decoder
from realtime_compat.changes.model import Transaction
from realtime_compat.replication.standby_slot import StandbySlot
from realtime_compat.replication.tables import TableName

FIRST_BACKOFF = 0.1  # seconds
LAST_BACKOFF = 5.0
STOP_SECONDS = 2.0
QUEUE_SECONDS = 0.5  # between searches for a free slot
CANCEL_SECONDS = 0.2  # between two requests to cancel what a stop waits for
ACKNOWLEDGE_SECONDS = 1.0
MAX_IN_FLIGHT = 10_000  # changes
MAX_BATCH = 200  # transactions handed over at once

NUDGES = 4096  # bytes: as many as can have been written meanwhile

# Values must come in the one form that changes.values reads, whatever the database's own defaults.
_SESSION = (
    "-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c bytea_output=hex "
    "-c extra_float_digits=1 -c statement_timeout=0 -c idle_session_timeout=0"
)


@dataclass(frozen=True, slots=True)
class Up:
    """The stream runs: every change committed from now on is received."""

    publications: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Received:
    """Transactions, in the order of their commits."""

    transactions: tuple[Transaction, ...]


@dataclass(frozen=True, slots=True)
class TakenOver:
    """The stream was cut and goes on by the standby slot: nothing is lost."""

    publications: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """Changes of these tables, by oid, were too large to be passed on to this worker."""

    tables: frozenset[int]


@dataclass(frozen=True, slots=True)
class Down:
    """The stream is lost, or could not be opened."""

    reason: str


@dataclass(frozen=True, slots=True)
class StandbyState:
    """Whether the stream has a standby slot; without one (`reason`), a cut loses changes."""

    reason: str = ""


StreamEvent: TypeAlias = Up | Received | Skipped | TakenOver | Down | StandbyState


class Stream:
    """Reads publications in a thread of its own until `stop`.

    `emit` is called in that thread; `slot_name` names each new slot; `make_decoder` makes the
    consumer of messages.
    """

    def __init__(
        self,
        dsn: str,
        publications: tuple[str, ...],
        slot_name: Callable[[], str],
        emit: Callable[[StreamEvent], None],
        make_decoder: Callable[[tuple[int, int]], Any] = Decoder,
    ) -> None:
        self._dsn = dsn
        self._make_decoder = make_decoder
        self._publications = publications
        self._slot_name = slot_name
        self._emit = emit
        self._was_up = False
        self._in_flight = 0
        self._room = threading.Condition()
        self._stopping = threading.Event()
        self._again = threading.Event()
        self._wake_read, self._wake_write = os.pipe()
        self._is_closed = False
        self._creating: ReplicationSlot | None = None
        self._thread = threading.Thread(target=self._run, name="realtime-wal", daemon=True)

    def start(self) -> None:
        """Begin reading."""
        self._thread.start()

    async def follow(self, tables: frozenset[TableName] | None) -> bool:  # noqa: ARG002
        """Nothing to do: this stream has the changes of all tables."""
        return True

    def restart(self) -> None:
        """Reopen the stream, because the publications have changed."""
        self._again.set()
        self._nudge()

    def done(self, changes: int) -> None:
        """Acknowledge so many changes."""
        with self._room:
            self._in_flight -= changes
            self._room.notify_all()

    def stop(self) -> None:
        """End the thread, and wait for it unless PostgreSQL keeps it waiting."""
        self._stopping.set()
        self._nudge()
        with self._room:
            self._room.notify_all()
        ends_at = time.monotonic() + STOP_SECONDS
        while self._thread.is_alive() and time.monotonic() < ends_at:
            if slot := self._creating:
                slot.cancel(CANCEL_SECONDS)
            self._thread.join(CANCEL_SECONDS)
        with self._room:
            if not self._thread.is_alive() and not self._is_closed:
                self._is_closed = True
                os.close(self._wake_read)
                os.close(self._wake_write)

    def _nudge(self) -> None:
        with self._room:  # a descriptor that was closed may be a socket's by now
            if not self._is_closed:
                os.write(self._wake_write, b"x")

    def _run(self) -> None:
        backoff = FIRST_BACKOFF
        while not self._stopping.is_set():
            try:
                self._live()
                reason = "the publications have changed"
            except (StreamError, DecodeError, OSError, ValueError) as error:
                reason = str(error)
            backoff = FIRST_BACKOFF if self._was_up else min(backoff * 2, LAST_BACKOFF)
            if not self._stopping.is_set():
                self._failed(reason)
                self._stopping.wait(backoff)

    def _failed(self, reason: str) -> None:
        self._emit(Down(reason))

    def _live(self) -> None:
        """Stream, and take over by the standby slot whenever the stream alone is cut."""
        self._was_up = False
        decoder = self._make_decoder((0, 0))
        slot = self._open("replication")
        with closing(_Pair(slot, self._copy, lambda why: self._emit(StandbyState(why)))) as pair:
            publications = pair.slot.existing(self._publications)
            if not publications:
                raise StreamError(f"no publication is there: {', '.join(self._publications)}")
            pair.standby.wait()
            pair.slot.start(publications)
            self._again.clear()
            self._emit(Up(publications))
            self._was_up = True
            while True:
                try:
                    return self._read(pair.slot, decoder)
                except StreamError:
                    self._take_over(pair, publications)
                    decoder = self._make_decoder(decoder.handed)

    def _take_over(self, pair: _Pair, publications: tuple[str, ...]) -> None:
        """Continue by the standby slot where the cut stream ended; another standby is made."""
        position = pair.take_over()
        if pair.slot.existing(self._publications) != publications:
            raise StreamError("the publications have changed")
        pair.slot.set_application_name(application("replication"))
        pair.slot.start(publications, position)
        self._emit(TakenOver())
        pair.renew_standby()

    def _open(self, purpose: str) -> ReplicationSlot:
        """Create a slot, once the server has one free."""
        while True:
            try:
                return self._create(purpose)
            except StreamError as error:
                if not self._await_free_slot(str(error)):
                    raise

    def _await_free_slot(self, reason: str) -> bool:
        """Wait in the queue until a slot is free; False where one was, or where told to stop."""
        with closing(SlotQueue(self._dsn)) as queue:
            if queue.has_free():
                return False
            self._failed(reason)
            while not self._stopping.wait(QUEUE_SECONDS):
                if queue.has_free():
                    return True
        return False

    def _create(self, purpose: str) -> ReplicationSlot:
        """Create a slot; `stop` cancels what it waits for."""
        slot = self._connect(purpose)
        self._creating = slot
        try:
            slot.create()
        except StreamError:
            slot.close()
            raise
        finally:
            self._creating = None
        return slot

    def _copy(self, source: str, purpose: str = "guard") -> ReplicationSlot:
        slot = self._connect(purpose)
        try:
            slot.copy(source)
        except StreamError:
            slot.close()
            raise
        return slot

    def _connect(self, purpose: str) -> ReplicationSlot:
        return connect_slot(self._dsn, self._slot_name(), application(purpose), _SESSION)

    def _is_enough(self, batch: Sequence[Any]) -> bool:
        """Whether to hand the batch over, though more is readable."""
        return len(batch) >= MAX_BATCH

    def _weight(self, batch: Sequence[Any]) -> int:
        """The batch's weight in the bound on what is in flight."""
        return sum(len(transaction.changes) for transaction in batch)

    def _idle(self, slot: ReplicationSlot) -> None:
        """Nothing is in flight and nothing more is readable."""

    def _read(self, slot: ReplicationSlot, decoder: Any) -> None:
        """Read until told to stop or restart; what was read is handed over in any case."""
        batch: list[Transaction] = []
        acknowledged_at = time.monotonic()
        try:
            while not self._stopping.is_set() and not self._again.is_set():
                message = slot.read()
                if message is not None:
                    transaction = decoder.feed(message)
                    if transaction is not None:
                        batch.append(transaction)
                if batch and (message is None or self._is_enough(batch)):
                    batch = self._hand_over(slot, batch)
                if message is None and not self._in_flight:
                    self._idle(slot)
                now = time.monotonic()
                if now - acknowledged_at >= ACKNOWLEDGE_SECONDS:
                    slot.acknowledge(asks=True)  # a standby made since then counts
                    acknowledged_at = now
                if message is None and slot.wait(ACKNOWLEDGE_SECONDS, self._wake_read):
                    os.read(self._wake_read, NUDGES)
        finally:
            self._hand_over(slot, batch)

    def _hand_over(self, slot: ReplicationSlot, batch: list[Transaction]) -> list[Transaction]:
        """Hand transactions over; gives the next, empty batch."""
        with self._room:
            # A server that receives nothing for its wal_sender_timeout would cut the stream.
            while self._in_flight >= MAX_IN_FLIGHT and not self._stopping.is_set():
                self._room.wait(ACKNOWLEDGE_SECONDS)
                with suppress(StreamError):
                    slot.acknowledge()
            self._in_flight += self._weight(batch)
        if batch:
            self._emit(Received(tuple(batch)))
        return []


class _Pair:
    """A streaming slot and its standby slot."""

    def __init__(
        self,
        slot: ReplicationSlot,
        copy: Callable[[str], ReplicationSlot],
        report: Callable[[str], None],
    ) -> None:
        self.slot = slot
        self._copy = copy
        self._report = report
        self.standby = StandbySlot(slot.name, copy, report)

    def take_over(self) -> int:
        """Replace the slot that was cut by the standby; returns where the cut one ended."""
        cut, self.slot = self.slot, self.standby.take()
        cut.close()
        return cut.position

    def renew_standby(self) -> None:
        """Make a standby for the slot that took over."""
        self.standby = StandbySlot(self.slot.name, self._copy, self._report)

    def close(self) -> None:
        """Close the stream and its standby."""
        self.slot.close()
        self.standby.close()


def application(purpose: str) -> str:
    """The name of a session in the server's views and log."""
    return f"realtime_{purpose}"

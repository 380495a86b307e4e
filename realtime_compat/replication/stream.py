"""The thread that reads the stream, reopens it with backoff, and hands transactions over.

All events go to one callback, in order: `Up`, then `Received`, then `Down`. A second slot on a
connection of its own, the guard, keeps a little of the log: where the stream alone is cut, it takes
over and nothing is lost (`TakenOver`). Where both are cut, as by a restart, changes committed
between a `Down` and the next `Up` are lost. Changes handed over and not yet `done` with are
bounded: beyond that the thread stops reading, so that PostgreSQL holds the log back and memory does
not grow.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from compat_base.postgres.replication import ReplicationSlot, StreamError, open_slot
from realtime_compat.changes.decode import DecodeError, Decoder
from realtime_compat.changes.model import Transaction
from realtime_compat.replication.tables import TableName

FIRST_BACKOFF = 0.1  # seconds
LAST_BACKOFF = 5.0
STOP_SECONDS = 2.0
ACKNOWLEDGE_SECONDS = 1.0
ADVANCE_SECONDS = 5.0  # how much log the guard may hold back
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
    """The stream was cut and goes on by the guard's slot: nothing is lost."""

    publications: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Down:
    """The stream is lost, or could not be opened."""

    reason: str


StreamEvent: TypeAlias = Up | Received | TakenOver | Down


class Guarded(Protocol):
    """A streaming slot, and its guard."""

    @property
    def slot(self) -> ReplicationSlot:
        """The slot that streams."""
        ...

    def advance_guard(self) -> None:
        """Advance the guard's slot, so that the log can be recycled."""
        ...


class Stream:
    """Reads publications in a thread of its own until `stop`.

    `tell` is called in that thread; `slot_name` names each new slot; `make_decoder` makes the
    consumer of messages.
    """

    def __init__(
        self,
        dsn: str,
        publications: tuple[str, ...],
        slot_name: Callable[[], str],
        tell: Callable[[StreamEvent], None],
        make_decoder: Callable[[tuple[int, int]], Any] = Decoder,
    ) -> None:
        self._dsn = dsn
        self._make_decoder = make_decoder
        self._publications = publications
        self._slot_name = slot_name
        self._tell = tell
        self._was_up = False
        self._in_flight = 0
        self._room = threading.Condition()
        self._stopping = threading.Event()
        self._again = threading.Event()
        self._wake_read, self._wake_write = os.pipe()
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
        self._thread.join(STOP_SECONDS)
        if not self._thread.is_alive():
            os.close(self._wake_read)
            os.close(self._wake_write)

    def _nudge(self) -> None:
        with suppress(OSError):
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
        self._tell(Down(reason))

    def _live(self) -> None:
        """Stream, and take over by the guard's slot whenever the stream alone is cut."""
        self._was_up = False
        pair = _Pair(self._open)
        decoder = self._make_decoder((0, 0))
        try:
            publications = pair.slot.existing(self._publications)
            if not publications:
                raise StreamError(f"no publication is there: {', '.join(self._publications)}")
            pair.slot.start(publications)
            self._again.clear()
            self._tell(Up(publications))
            self._was_up = True
            while True:
                try:
                    self._read(pair, decoder)
                except StreamError:
                    self._take_over(pair, publications)
                    decoder = self._make_decoder(decoder.handed)
                else:
                    return
        finally:
            pair.close()

    def _take_over(self, pair: _Pair, publications: tuple[str, ...]) -> None:
        """Continue by the guard's slot where the cut stream ended, with a new guard."""
        position = pair.take_over()
        if pair.slot.existing(self._publications) != publications:
            raise StreamError("the publications have changed")
        pair.renew_guard()
        pair.slot.start(publications, position)
        pair.slot.acknowledge(asks=True)  # the new guard counts once the stream is beyond it
        self._tell(TakenOver())

    def _open(self, purpose: str) -> ReplicationSlot:
        return open_slot(self._dsn, self._slot_name(), f"realtime_{purpose}", _SESSION)

    def _is_enough(self, batch: Sequence[Any]) -> bool:
        """Whether to hand the batch over, though more is readable."""
        return len(batch) >= MAX_BATCH

    def _weight(self, batch: Sequence[Any]) -> int:
        """The batch's weight in the bound on what is in flight."""
        return sum(len(transaction.changes) for transaction in batch)

    def _idle(self, slot: ReplicationSlot) -> None:
        """Nothing is in flight, and nothing more has come."""

    def _read(self, pair: Guarded, decoder: Any) -> None:
        """Read until told to stop or restart; what was read is handed over in any case."""
        batch: list[Transaction] = []
        slot = pair.slot
        acknowledged_at = advanced_at = time.monotonic()
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
                    slot.acknowledge(asks=True)  # a guard or standby made since then counts
                    acknowledged_at = now
                if now - advanced_at >= ADVANCE_SECONDS:
                    pair.advance_guard()
                    advanced_at = now
                if message is None and slot.wait(ACKNOWLEDGE_SECONDS, self._wake_read):
                    os.read(self._wake_read, NUDGES)
        finally:
            self._hand_over(slot, batch)

    def _hand_over(self, slot: ReplicationSlot, batch: list[Transaction]) -> list[Transaction]:
        """Hand transactions over; gives the next, empty batch."""
        with self._room:
            # A server that hears nothing for its wal_sender_timeout would cut the stream.
            while self._in_flight >= MAX_IN_FLIGHT and not self._stopping.is_set():
                self._room.wait(ACKNOWLEDGE_SECONDS)
                with suppress(StreamError):
                    slot.acknowledge()
            self._in_flight += self._weight(batch)
        if batch:
            self._tell(Received(tuple(batch)))
        return []


class _Pair:
    """The streaming slot and its guard, which is created first, so that it misses nothing."""

    def __init__(self, open_one: Callable[[str], ReplicationSlot]) -> None:
        self._open = open_one
        self._guard = open_one("guard")
        try:
            self.slot = open_one("replication")
        except StreamError:
            self._guard.close()
            raise

    def take_over(self) -> int:
        """Put the guard in the place of the slot that was cut; where that one ended."""
        cut, self.slot = self.slot, self._guard
        cut.close()
        if self.slot.position > cut.position:
            raise StreamError("the guard is younger than the stream that was cut")
        return cut.position

    def renew_guard(self) -> None:
        """Open another guard."""
        self._guard = self._open("guard")

    def advance_guard(self) -> None:
        """Advance the guard's slot; a lost guard is replaced."""
        try:
            self._guard.advance(self.slot.position)
        except StreamError:
            self._guard.close()
            self.renew_guard()

    def close(self) -> None:
        """Close the stream and its guard."""
        self.slot.close()
        self._guard.close()

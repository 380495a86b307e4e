"""The thread that reads the stream: opens it, opens it anew with back-off, hands over what came.

Everything is told to one callback, in order: `Up`, then `Received`, then `Down`. Between a `Down`
and the next `Up` committed changes are lost to a temporary slot, and whoever cares must say so.
What was handed over and not yet `done` with is bounded: beyond it the thread stops reading, so
that PostgreSQL holds the log back and memory does not grow.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from realtime_compat.changes.decode import DecodeError, Decoder
from realtime_compat.changes.model import Transaction
from realtime_compat.wal.slot import Slot, StreamError, open_slot

FIRST_BACKOFF = 0.1  # seconds
LAST_BACKOFF = 5.0
ACKNOWLEDGE_SECONDS = 1.0
MAX_IN_FLIGHT = 10_000  # changes
MAX_BATCH = 200  # transactions handed over at once


@dataclass(frozen=True, slots=True)
class Up:
    """The stream runs: every change committed from now on comes."""

    publications: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Received:
    """Transactions, in the order of their commits."""

    transactions: tuple[Transaction, ...]


@dataclass(frozen=True, slots=True)
class Down:
    """The stream is lost, or could not be opened."""

    reason: str


StreamEvent: TypeAlias = Up | Received | Down


class Stream:
    """Reads publications in a thread of its own until `stop`.

    `tell` is called in that thread; `slot_name` makes the name of each new slot.
    """

    def __init__(
        self,
        dsn: str,
        publications: tuple[str, ...],
        slot_name: Callable[[], str],
        tell: Callable[[StreamEvent], None],
    ) -> None:
        self._dsn = dsn
        self._publications = publications
        self._slot_name = slot_name
        self._tell = tell
        self._in_flight = 0
        self._room = threading.Condition()
        self._stopping = threading.Event()
        self._again = threading.Event()
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._run, name="realtime-wal", daemon=True)

    def start(self) -> None:
        """Begin reading."""
        self._thread.start()

    def restart(self) -> None:
        """Open the stream anew, because the publications have changed."""
        self._again.set()
        self._nudge()

    def done(self, changes: int) -> None:
        """So many changes handed over before have been dealt with."""
        with self._room:
            self._in_flight -= changes
            self._room.notify_all()

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._stopping.set()
        self._nudge()
        with self._room:
            self._room.notify_all()
        self._thread.join()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _nudge(self) -> None:
        with suppress(OSError):
            os.write(self._wake_write, b"x")

    def _run(self) -> None:
        backoff = FIRST_BACKOFF
        while not self._stopping.is_set():
            try:
                with open_slot(self._dsn, self._slot_name(), self._publications) as slot:
                    self._again.clear()
                    self._tell(Up(slot.publications))
                    backoff = FIRST_BACKOFF
                    self._read(slot)
                    reason = "the publications have changed"
            except (StreamError, DecodeError, OSError, ValueError) as error:
                reason = str(error)
            if not self._stopping.is_set():
                self._tell(Down(reason))
                self._stopping.wait(backoff)
                backoff = min(backoff * 2, LAST_BACKOFF)

    def _read(self, slot: Slot) -> None:
        """Read until told to stop or to start anew."""
        decoder = Decoder()
        batch: list[Transaction] = []
        acknowledged_at = time.monotonic()
        while not self._stopping.is_set() and not self._again.is_set():
            message = slot.read()
            if message is not None:
                transaction = decoder.feed(message)
                if transaction is not None:
                    batch.append(transaction)
            if batch and (message is None or len(batch) >= MAX_BATCH):
                self._hand_over(slot, batch)
                batch = []
            if time.monotonic() - acknowledged_at >= ACKNOWLEDGE_SECONDS:
                slot.acknowledge()
                acknowledged_at = time.monotonic()
            if message is None:
                slot.wait(ACKNOWLEDGE_SECONDS, self._wake_read)

    def _hand_over(self, slot: Slot, batch: list[Transaction]) -> None:
        with self._room:
            # A server that hears nothing for its wal_sender_timeout would cut the stream.
            while self._in_flight >= MAX_IN_FLIGHT and not self._stopping.is_set():
                self._room.wait(ACKNOWLEDGE_SECONDS)
                slot.acknowledge()
            self._in_flight += sum(len(transaction.changes) for transaction in batch)
        self._tell(Received(tuple(batch)))

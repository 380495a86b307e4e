"""Leader election between processes that can stream the log: one streams, another is its standby.

Each has one slot. The standby's is an idle copy of the other, and keeps the log from what every
worker is known to have: where the process that streams ends, or its connection is cut, the standby
streams from there on, and workers skip what they had. A slot that was made too late for that is
reported by `Up`; so is one that is made where the standby had none, as the server has too few.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from compat_base.postgres.replication import ReplicationSlot, StreamError
from compat_base.workers.leadership import Leadership
from realtime_compat.replication.raw import Framer, RawPart, weight
from realtime_compat.replication.stream import (
    MAX_BATCH,
    NUDGES,
    Down,
    StandbyState,
    Stream,
    StreamEvent,
    TakenOver,
    Up,
    application,
)

_LARGE = 65_536  # bytes of a part that is handed over at once
# Between two moves of the standby's slot: what lies between is decoded first when it takes over.
# Each costs PostgreSQL 2 ms, and as much whether the slot can be spared.
STANDBY_SECONDS = 5.0
BUSY_SECONDS = 1.0  # where much of the log lies between
MUCH_LOG = 500_000  # bytes: some thousand changes
REST_FACTOR = 10.0  # seconds for a second of decoding: all the log that an open transaction keeps
POLL_SECONDS = 0.02  # between checks of whether the leader lives


@dataclass(frozen=True, slots=True)
class Paused:
    """The stream has ended here; it goes on elsewhere."""

    reason: str


LedEvent: TypeAlias = StreamEvent | Paused


class LedStream(Stream):
    """Streams where it leads, and stands by where another process does."""

    def __init__(
        self,
        dsn: str,
        publications: tuple[str, ...],
        slot_name: Callable[[], str],
        emit: Callable[[LedEvent], None],
        leadership: Leadership,
    ) -> None:
        super().__init__(dsn, publications, slot_name, emit, Framer)
        self._leadership = leadership
        self._emit_led = emit

    def _live(self) -> None:
        self._was_up = False
        try:
            while not self._leadership.stand_by():
                if self._stopping.wait(POLL_SECONDS):
                    return
            slot = self._open_beside()
            try:
                is_standby = self._await_turn(slot)
                if not self._stopping.is_set():
                    self._stream(slot, is_standby=is_standby)
            finally:
                slot.close()
        finally:
            # Before the next leader reads it, nothing this one knows may change its position.
            self._leadership.step_down()

    def _open_beside(self) -> ReplicationSlot:
        """A copy of the slot that another process streams; a new one where none does."""
        if self._leadership.is_vacant():
            return self._open("log")
        return self._copy(self._leadership.name)

    def _await_turn(self, slot: ReplicationSlot) -> bool:
        """Keep the log for the one that streams until that ends; False where there was none."""
        advanced = checked = time.monotonic()
        rest, waited = 0.0, False
        while not self._stopping.is_set() and not self._leadership.lead():
            if not waited:
                waited = True
                self._emit(StandbyState())
            if slot.wait(POLL_SECONDS, self._wake_read):
                os.read(self._wake_read, NUDGES)
            slot.check()
            now = time.monotonic()
            if now - checked >= STANDBY_SECONDS:
                slot.check_spare()
                checked = now
            behind = self._leadership.position - slot.position
            pause = BUSY_SECONDS if behind >= MUCH_LOG else STANDBY_SECONDS
            if behind > 0 and now - advanced >= max(pause, rest):
                slot.advance(self._leadership.position)
                advanced = time.monotonic()
                rest = REST_FACTOR * (advanced - now)
        self._leadership.set_name(slot.name)
        if waited:
            slot.set_application_name(application("log"))
        return waited

    def _stream(self, slot: ReplicationSlot, *, is_standby: bool) -> None:
        position = self._leadership.position
        goes_on = is_standby and slot.position <= position
        publications = slot.existing(self._publications)
        if not publications:
            raise StreamError(f"no publication is there: {', '.join(self._publications)}")
        if not goes_on:
            self._leadership.begin(slot.position)
        slot.done = lambda: self._leadership.position
        slot.start(publications, position if goes_on else 0)
        self._again.clear()
        self._emit(TakenOver(publications) if goes_on else Up(publications))
        self._was_up = True
        self._read(slot, self._make_decoder((0, 0)))

    def _is_enough(self, batch: Sequence[RawPart]) -> bool:
        return len(batch) >= MAX_BATCH or batch[-1].size >= _LARGE

    def _weight(self, batch: Sequence[RawPart]) -> int:
        return sum(weight(len(part.changes), part.size) for part in batch)

    def _idle(self, slot: ReplicationSlot) -> None:
        """Everything that was received is with the workers: a new standby may begin here."""
        self._leadership.advance(slot.position)

    def _failed(self, reason: str) -> None:
        """Say nothing of a loss where the standby goes on, or where another process streams."""
        is_wanted = self._again.is_set()
        if self._was_up and not is_wanted:
            self._emit_led(Paused(reason))
        elif is_wanted or self._leadership.is_vacant():
            self._emit(Down(reason))
        else:
            self._emit(StandbyState(reason))

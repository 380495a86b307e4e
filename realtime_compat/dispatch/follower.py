"""Follows the replication stream: batches in order, retries, notices of lost changes.

A temporary slot dies with its connection. Where its standby dies too, as in a restart, the changes
committed until the next slot exists are lost, so every channel subscribed to changes is sent
`phx_error`: stock clients join anew and reload. Its membership stays meanwhile, for clients that do
not. Other channels are sent a `system` error, as messages that the database sent are lost too.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol, cast

from compat_base.postgres.database import Database
from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.tasks import Supervisor
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
from realtime_compat import errors
from realtime_compat.access import topics
from realtime_compat.changes.model import Transaction
from realtime_compat.dispatch.router import MAX_CHANGES, Pending, Router
from realtime_compat.hub import Hub
from realtime_compat.protocol.questions import Notice
from realtime_compat.replication.stream import (
    Down,
    Received,
    Skipped,
    StandbyState,
    StreamEvent,
    TakenOver,
    Up,
)
from realtime_compat.replication.tables import TableName
from realtime_compat.replication.thread_events import event_sink
from realtime_compat.subscriptions import Subscriptions

FIRST_PAUSE = 0.05  # seconds between two tries of a batch
LAST_PAUSE = 2.0
TRIES = 20
REST_FACTOR = 2.0  # seconds of rest for each second of queries
REST_SECONDS = 0.025  # at most
PUBLICATION_SECONDS = 3.0  # PostgreSQL 18 goes on without a dropped one, and says nothing
SETTLE_SECONDS = 60.0


class LogStream(Protocol):
    """A source of log events: this process's own stream, or the machine's reader."""

    def start(self) -> None:
        """Start the thread or the connection that reads the log."""
        ...

    async def follow(self, tables: frozenset[TableName] | None) -> bool:
        """Stream the changes of at least these tables, of all for None; False if not in time."""
        ...

    def restart(self) -> None:
        """Open the stream anew, because the publications have changed."""
        ...

    def done(self, changes: int) -> None:
        """Acknowledge so many changes."""
        ...

    def stop(self) -> None:
        """End the stream."""
        ...


@dataclass(slots=True)
class Replication:
    """The state of the stream, and the processing of its events."""

    router: Router
    subscriptions: Subscriptions
    hub: Hub
    database: Database
    supervisor: Supervisor
    observer: Observer
    publications: tuple[str, ...]
    wait_seconds: float
    clock: Clock
    stream: LogStream | None = None
    was_up: bool = False
    standby: StandbyState | None = None  # None where nothing is known of a standby yet
    _events: deque[StreamEvent] = field(default_factory=deque[StreamEvent])
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_up(self) -> bool:
        """Whether changes are streamed now."""
        return self.subscriptions.up.is_set()

    @property
    def has_standby(self) -> bool:
        """Whether there is a standby slot, by which a cut of the stream loses nothing."""
        return self.is_up and self.standby is not None and not self.standby.reason

    def start(self, make_stream: Callable[[Callable[[StreamEvent], None]], LogStream]) -> None:
        """Start the stream's thread and the tasks that follow it."""
        self.stream = make_stream(event_sink(self._events, self._arrived))
        self.subscriptions.follow = self.stream.follow
        self.stream.start()
        self.supervisor.keep_running(self._follow, "replication")
        self.supervisor.keep_running(self._watch_publications, "publications")
        self.supervisor.keep_running(self._settle, "new-tables")

    async def stop(self) -> None:
        """End the thread; its slot is dropped with its connection."""
        if self.stream is not None:
            await asyncio.to_thread(self.stream.stop)

    def notify_when_up(self, channel: int) -> None:
        """Notify a channel when the stream is up, or that it is late."""
        self.supervisor.start(self._notify_when_up(channel), "replication-notice")

    async def _notify_when_up(self, channel: int) -> None:
        try:
            async with asyncio.timeout(self.wait_seconds):
                await self.subscriptions.up.wait()
        except TimeoutError:
            late = Notice("system", errors.REPLICATION_LATE, is_error=True, closes=True)
            self.hub.deliver(channel, late)
        else:
            self.hub.deliver(channel, Notice("system", errors.REPLICATION_READY))

    async def _follow(self) -> None:
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            while self._events:
                match self._events.popleft():
                    case Up(publications):
                        await self._came_up(publications)
                    case Down(reason):
                        self.subscriptions.up.clear()
                        self._observe("replication_down", Severity.WARNING, reason=reason)
                    case TakenOver():
                        self._observe("replication_taken_over", Severity.WARNING)
                    case Skipped(tables):
                        self._lose_changes_of(tables)
                    case StandbyState() as standby:
                        self._on_standby(standby)
                    case Received(transactions):
                        await self._deliver([*transactions, *self._received_since()])

    def _received_since(self) -> Iterable[Transaction]:
        """What else has arrived meanwhile: checked together it costs the database far less."""
        taken = 0
        while taken < MAX_CHANGES and self._events and isinstance(self._events[0], Received):
            for transaction in cast("Received", self._events.popleft()).transactions:
                taken += len(transaction.changes)
                yield transaction

    async def _deliver(self, transactions: Sequence[Transaction]) -> None:
        rest = 0.0
        for batch in self.router.batches(transactions):
            rest = await self._process(batch)
        if self.stream is not None:
            self.stream.done(sum(len(transaction.changes) for transaction in transactions))
        await asyncio.sleep(rest)

    async def _came_up(self, publications: tuple[str, ...]) -> None:
        self.subscriptions.streamed = publications
        self._observe("replication_up", Severity.INFO, publications=list(publications))
        self.router.catalog.clear()
        # At the first stream too: who joined before it may have missed stored messages.
        live, requested = self.subscriptions.index.channels(), self.subscriptions.channels()
        await self.router.fanout.notify_all_lost(live, requested)
        self.subscriptions.up.set()
        if self.was_up:
            self.subscriptions.subscribe_again()
        self.was_up = True

    def _on_standby(self, now: StandbyState) -> None:
        """Log that the standby slot is gone, or back: once each."""
        was_missed = self.standby is not None and bool(self.standby.reason)
        self.standby = now
        if now.reason and not was_missed:
            self._observe("replication_unguarded", Severity.WARNING, reason=now.reason)
        elif was_missed and not now.reason:
            self._observe("replication_guarded", Severity.INFO)

    async def _process(self, batch: list[Pending]) -> float:
        """Deliver a batch, with retries; or report that it was lost.

        Gives the seconds for which the database should rest: longer than it was queried, so that
        changes committed meanwhile are checked together; delivery is part of the rest. A single
        subscriber does not notice.
        """
        pause = FIRST_PAUSE
        for _ in range(TRIES):
            try:
                decided = await self.router.decide(batch)
                began = self.clock.monotonic()
                await self.router.deliver(decided)
            except (PoolTimeout, Unavailable) as error:
                self._observe("batch_delayed", Severity.WARNING, error=str(error))
                await asyncio.sleep(pause)
                pause = min(2 * pause, LAST_PAUSE)
            except PgFault as error:
                return self._lose(error)
            except Exception as error:  # noqa: BLE001 — one batch must never end the router
                return self._lose(error)
            else:
                delivering = self.clock.monotonic() - began
                return max(0.0, min(REST_FACTOR * decided.query_seconds, REST_SECONDS) - delivering)
        return self._lose(TimeoutError("the database did not answer"))

    def _lose(self, error: Exception) -> float:
        self._observe("batch_lost", Severity.ERROR, error=f"{type(error).__name__}: {error}")
        channels = self.subscriptions.index.channels()
        self.router.fanout.notify_lost(channels, errors.CHANGES_SKIPPED)
        return 0.0

    def _lose_changes_of(self, tables: Iterable[int]) -> None:
        """Notify the channels subscribed to these tables alone."""
        self._observe("changes_skipped", Severity.ERROR, tables=sorted(tables))
        indexes = (self.subscriptions.index.table(oid) for oid in tables)
        channels = {channel for index in indexes if index for channel in index.channels()}
        self.router.fanout.notify_lost(channels, errors.CHANGES_SKIPPED)

    async def _watch_publications(self) -> None:
        """Restart the stream when a publication is created or dropped."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(PUBLICATION_SECONDS):
                    await self.subscriptions.unstreamed.wait()
            self.subscriptions.unstreamed.clear()
            if not self.is_up or self.stream is None:
                continue
            try:
                found = await topics.existing_publications(self.database, self.publications)
            except (PgFault, PoolTimeout, Unavailable):
                continue
            if found and found != self.subscriptions.streamed:
                self.stream.restart()

    async def _settle(self) -> None:
        """Subscribe to tables that are new in the publication and have not changed yet."""
        while True:
            await asyncio.sleep(SETTLE_SECONDS)
            if self.is_up:
                try:
                    await self.subscriptions.follow_publication()
                except (PgFault, PoolTimeout, Unavailable) as error:
                    self._observe("publication_unread", Severity.WARNING, error=str(error))

    def _observe(self, name: str, severity: Severity, **facts: object) -> None:
        self.observer(Observation(name, severity, facts))

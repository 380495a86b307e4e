"""From a channel's requested entries to live subscriptions: checked, recorded, announced.

A channel's latest request wins. Checking waits until the stream is up, so that `Subscribed to
PostgreSQL` is true when it is sent. A joining channel is answered once its subscription is live,
unless that takes too long.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import cast
from uuid import UUID

from compat_base.postgres.database import Database
from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.server.round_robin import RoundRobin
from compat_base.slices import Slices
from compat_base.tasks import Supervisor
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import World
from realtime_compat import errors
from realtime_compat.access import catalog, records
from realtime_compat.access.catalog import PublishedTable
from realtime_compat.access.table_patterns import expand, names_of, union
from realtime_compat.auth import Caller
from realtime_compat.changes.audience import Subscription
from realtime_compat.changes.entries import EntryError, Wanted, read_entry
from realtime_compat.changes.subscribers import Subscribers
from realtime_compat.hub import Hub
from realtime_compat.protocol.join_config import Entry
from realtime_compat.protocol.messages import CHANGES
from realtime_compat.protocol.questions import Notice
from realtime_compat.replication.tables import TableName

RETRY_SECONDS = 5.0
JOIN_SECONDS = 2.0  # that a join's reply waits for its subscription; clients wait for it for 10
AT_ONCE = 4  # channels whose subscriptions are checked at the same time
MAX_ENTRIES = 1000  # of one channel
FORGET_SECONDS = 1.0
FORGET_AT_ONCE = 1000


@dataclass(slots=True)
class _Request:
    """A channel's latest request."""

    entries: tuple[Entry, ...]
    caller: Caller
    record: UUID
    wanted: tuple[Wanted, ...] = ()
    is_live: bool = False
    published: Sequence[PublishedTable] = ()  # that its entries were expanded with
    joining: asyncio.Future[Notice | None] | None = None

    def release(self, notice: Notice | None) -> bool:
        """Answer a waiting join; whether there was one."""
        joining, self.joining = self.joining, None
        if joining is None or joining.done():
            return False
        joining.set_result(notice)
        return True


@dataclass(slots=True)
class Parts:
    """The parts of the service that subscriptions use."""

    database: Database
    visibility: Database
    publication: str
    hub: Hub
    world: World
    observer: Observer
    supervisor: Supervisor
    long_work: RoundRobin = field(default_factory=RoundRobin)


@dataclass(slots=True)
class Subscriptions:
    """The requests of all channels, and the index of the live ones."""

    parts: Parts
    index: Subscribers = field(default_factory=Subscribers)
    up: asyncio.Event = field(default_factory=asyncio.Event)
    streamed: tuple[str, ...] = ()  # the publications that the stream carries
    unstreamed: asyncio.Event = field(default_factory=asyncio.Event)  # one is there that it lacks
    tables: frozenset[int] = frozenset()
    follow: Callable[[frozenset[TableName] | None], Awaitable[bool]] | None = None
    _followed: frozenset[TableName] | None = frozenset()  # None: all
    _requests: dict[int, _Request] = field(default_factory=dict[int, _Request])
    _gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    _gone: list[UUID] = field(default_factory=list[UUID])
    _left: deque[int] = field(default_factory=deque[int])  # channels that the index still has

    async def join(self, channel: int, entries: tuple[Entry, ...], caller: Caller) -> Notice | None:
        """Subscribe a joining channel; gives the notice to send after the reply.

        Its changes are delivered from then on. None where it takes too long: the notice follows.
        """
        joining = asyncio.get_running_loop().create_future()
        request = _Request(entries, caller, self._fresh_record(), joining=joining)
        self._begin(channel, request)
        await asyncio.wait([joining], timeout=JOIN_SECONDS)
        if joining.done():
            return joining.result()
        joining.cancel()
        return None

    def subscribe(self, channel: int, entries: tuple[Entry, ...], caller: Caller) -> None:
        """Replace a channel's subscription; the channel is notified of the result."""
        old = self._requests.get(channel)
        if old is None:
            request = _Request(entries, caller, self._fresh_record())
        else:
            request = replace(old, entries=entries, caller=caller)
        self._begin(channel, request)

    def _fresh_record(self) -> UUID:
        """A new id of a channel's records; it begins with the node's, for clean-up."""
        return UUID(bytes=bytes.fromhex(self.parts.hub.node) + self.parts.world.entropy.bytes(8))

    def _begin(self, channel: int, request: _Request) -> None:
        self._requests[channel] = request
        self.parts.supervisor.start(self._work(channel, request), "subscribe")

    def remove(self, channel: int) -> None:
        """Unsubscribe a channel that left its room; index and records forget it soon."""
        request = self._requests.pop(channel, None)
        if request is not None:
            request.release(None)
            self._gone.append(request.record)
            self._left.append(channel)
            if len(self._left) == 1:
                self.parts.long_work.run(self._remove_left())

    def _remove_left(self) -> Generator[None]:
        """Remove one channel at a time: a socket may leave many, each with many entries."""
        while self._left:
            self.index.remove(self._left[0])
            self._left.popleft()  # behind it: an empty queue is what begins another run
            yield

    def cut_off(self, channels: Iterable[Hashable]) -> None:
        """End subscriptions that are too costly, with a notice; the channels stay."""
        for channel in set(channels):
            request = self._requests.get(cast("int", channel))
            if request is not None and request.is_live:
                request.is_live = False
                self._observe("filters_cut_off", errors.FILTERS_TOO_COSTLY)
                self.index.remove(channel)
                notice = Notice(CHANGES, errors.FILTERS_TOO_COSTLY, is_error=True)
                self.parts.hub.deliver(cast("int", channel), notice)

    def channels(self) -> tuple[int, ...]:
        """Every channel that requested changes, live or not."""
        return tuple(self._requests)

    def subscribe_again(self) -> None:
        """Check and announce every subscription anew, on a new stream."""
        for channel, request in list(self._requests.items()):
            self.subscribe(channel, request.entries, request.caller)

    async def follow_publication(self) -> None:
        """Subscribe to tables added to the publication, and to recreated ones."""
        published = await catalog.published_tables(self.parts.database, self.parts.publication)
        self.tables = frozenset(table.oid for table in published)
        before = self._followed
        slices = Slices(self.parts.world.clock)
        followed: frozenset[TableName] | None = frozenset()
        for channel, request in list(self._requests.items()):
            followed = union(followed, names_of(request.wanted, published))
            if request.is_live and request.published != published:
                expanded = await slices.run(expand(request.wanted, published))
                request.published = published
                await slices.run(self._put(channel, request, expanded, since=0))
        if self._followed == before:  # nobody has subscribed meanwhile
            await self._follow(followed)

    async def forget_gone(self) -> None:
        """Delete the records of closed channels, in batches, for ever."""
        while True:
            await asyncio.sleep(FORGET_SECONDS)
            batch = self._gone[:FORGET_AT_ONCE]
            if not batch:
                continue
            try:
                await records.forget(self.parts.database, batch)
            except (PgFault, PoolTimeout, Unavailable) as error:
                self._observe("forget_failed", str(error))
            else:
                del self._gone[: len(batch)]

    async def _work(self, channel: int, request: _Request) -> None:
        while self._requests.get(channel) is request:
            await self.up.wait()
            async with self._gate:
                if self._requests.get(channel) is not request:
                    return
                try:
                    notice = await self._check(channel, request)
                except (PgFault, PoolTimeout, Unavailable) as error:
                    self._observe("subscribe_failed", str(error))
                    notice = None
            if notice is not None:
                if self._requests.get(channel) is request and not request.release(notice):
                    self.parts.hub.deliver(channel, notice)
                return
            request.release(None)
            await asyncio.sleep(RETRY_SECONDS)

    async def _check(self, channel: int, request: _Request) -> Notice:
        """Check, record and index a request; the notice of its success, or of its refusal."""
        if len(request.entries) > MAX_ENTRIES:
            return self._refuse(channel, errors.TOO_MANY_ENTRIES.format(limit=MAX_ENTRIES))
        try:
            request.wanted = await self.parts.long_work.run(_read(request.entries))
        except EntryError as error:
            return self._refuse(channel, str(error))
        published = await catalog.published_tables(self.parts.database, self.parts.publication)
        expanded = await self.parts.long_work.run(expand(request.wanted, published))
        for wanted, tables in expanded:
            if not tables:
                return self._refuse(channel, wanted.not_enabled())
        if self.parts.publication not in self.streamed:
            # It was made a moment ago: the stream that carries it checks every channel anew.
            self.unstreamed.set()
            raise Unavailable("the stream does not carry the publication yet")
        names = names_of(request.wanted, published)
        if not await self._follow(union(self._followed, names)):
            raise Unavailable("the reader of the log was not told in time")
        result = await records.record(self.parts.database, request.record, expanded, request.caller)
        if self._requests.get(channel) is not request:
            self._gone.append(request.record)
            return Notice(CHANGES, errors.SUBSCRIBED)
        if isinstance(result, records.Refused):
            return self._refuse(channel, result.wanted.refused(result.exception))
        # A channel that was live already misses nothing between its old and its new claims.
        since = 0 if request.is_live else result
        if await self.parts.long_work.run(self._put(channel, request, expanded, since=since)):
            request.is_live, request.published = True, published
            self._prepare_checks(published, expanded)
        return Notice(CHANGES, errors.SUBSCRIBED)

    def _prepare_checks(
        self,
        published: Iterable[PublishedTable],
        expanded: Iterable[tuple[Wanted, Sequence[int]]],
    ) -> None:
        """Open the connection that checks row-level security before a change waits for it."""
        guarded = {table.oid for table in published if table.has_policies}
        is_needed = any(not guarded.isdisjoint(tables) for _, tables in expanded)
        if is_needed and not self.parts.visibility.is_open:
            self.parts.supervisor.start(self._open_checks(), "open-checks")

    async def _open_checks(self) -> None:
        with suppress(PoolTimeout, Unavailable):
            async with self.parts.visibility.acquire():
                pass

    async def _follow(self, tables: frozenset[TableName] | None) -> bool:
        """Request the changes of these tables from the reader of the log."""
        self._followed = tables
        return self.follow is None or await self.follow(tables)

    def _put(
        self,
        channel: int,
        request: _Request,
        expanded: Sequence[tuple[Wanted, Sequence[int]]],
        *,
        since: int,
    ) -> Generator[None, None, bool]:
        """Index a channel's subscriptions, where the request is still its latest."""
        made: list[Subscription] = []
        for wanted, tables in expanded:
            made += [
                Subscription(
                    channel=channel,
                    entry=wanted.entry,
                    table=table,
                    event=wanted.event,
                    conditions=wanted.conditions,
                    select=wanted.select,
                    viewer=request.caller,
                    since=since,
                )
                for table in tables
            ]
            yield
        is_latest = self._requests.get(channel) is request
        if is_latest:
            self.index.put(channel, made)
        return is_latest

    def _refuse(self, channel: Hashable, message: str) -> Notice:
        self.index.remove(channel)
        self._observe("subscription_refused", message)
        return Notice(CHANGES, message, is_error=True)

    def _observe(self, name: str, error: str) -> None:
        self.parts.observer(Observation(name, Severity.WARNING, {"error": error}))


def _read(entries: Iterable[Entry]) -> Generator[None, None, tuple[Wanted, ...]]:
    """Parse entries, one a step; raises EntryError."""
    wanted: list[Wanted] = []
    for entry in entries:
        wanted.append(read_entry(entry.id, entry.requested))
        yield
    return tuple(wanted)

"""Garbage collection: bytes that a transaction left without a row, and orphans of a crash."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
from storage_compat.files.port import (
    BEGINNINGS,
    ByteStore,
    Entry,
    NoBytesError,
    StoreError,
    is_version,
)
from storage_compat.store import garbage, resumable
from storage_compat.store.sessions import Sessions

_BATCH = 200
_IDLE_SECONDS = 60.0
_FIRST_PAUSE = 1.0  # after a failure, each time twice as long
_FIRST_SWEEP = 30.0
_DUE = 0.9  # share of the interval after which a sweep is due: clocks and sleeps are not exact
_SETTLED = 60.0  # seconds within which a transaction that refers to new bytes has ended
_LEAST_SETTLED = 5.0  # seconds at least, because uploads go on during a sweep
_MOST_ORPHANS = 50_000  # in one sweep; the next one finds the rest
_KEPT = timedelta(days=1)  # for which an expired upload is known as such
_SAMPLE = 20  # objects whose bytes are looked for at the start
_FEW = 100  # orphans that a cautious sweep removes in any case
_REMEDY = (
    "nodes that share a database share the folder of STORAGE_FILE_BACKEND_PATH too, or a store"
)
_NOT_OURS = "is this another database's folder? `storage_compat orphans` removes them all the same"


@dataclass(frozen=True, slots=True)
class Orphan:
    """Bytes without a row (`path` None), or the row of an object without bytes."""

    version: str
    path: str | None = None
    size: int = 0


class Collector:
    """Removes garbage when woken, and looks for orphans periodically."""

    def __init__(
        self, sessions: Sessions, store: ByteStore, clock: Clock, observer: Observer
    ) -> None:
        self._sessions = sessions
        self._store = store
        self._clock = clock
        self._observer = observer
        self._wanted = asyncio.Event()

    def wake(self) -> None:
        """Start a collection soon."""
        self._wanted.set()

    async def check(self) -> None:
        """Log at the start where the store cannot be used, or is not the database's.

        A remote store by its keys and bucket; a folder by the bytes of some objects, which another
        node's folder, or an empty one, does not have.
        """
        try:
            if not self._store.is_local:
                await self._store.list("check")
            elif missing := await self._without_bytes():
                facts = {"objects": missing, "of": _SAMPLE, "remedy": _REMEDY}
                self._observer(Observation("objects_without_bytes", Severity.ERROR, facts))
        except (StoreError, NoBytesError) as error:
            facts = {"error": str(error)}
            self._observer(Observation("store_not_usable", Severity.ERROR, facts))
        except (PgFault, PoolTimeout, Unavailable):  # the sweep looks again, once there is one
            return

    async def _without_bytes(self) -> int:
        """How many objects of a sample have no bytes; two looks, as one may be just removed."""
        async with self._sessions.own() as connection:
            rows = await garbage.some_objects(connection, _SAMPLE)
        lost = {row["version"] for row in rows if not await self._is_stored(row["version"])}
        named = set[str]()
        for beginning in {version[:2] for version in lost}:
            async with self._sessions.own() as connection:
                named |= {
                    row["version"] for row in await garbage.objects_named(connection, beginning)
                }
        return len(lost & named)

    async def _is_stored(self, version: str) -> bool:
        if not is_version(version):
            return True  # written by SQL, with bytes nowhere
        try:
            async with self._store.as_file(version):
                return True
        except NoBytesError:
            return False

    async def run(self) -> None:
        """Remove garbage of all processes for ever; retry after a failure."""
        pause = _FIRST_PAUSE
        while True:
            self._wanted.clear()  # first, so that garbage left meanwhile starts another round
            try:
                while await self.collect():
                    pass
            except (PgFault, PoolTimeout, Unavailable, StoreError) as error:
                facts = {"error": f"{type(error).__name__}: {error}"}
                self._observer(Observation("garbage_not_removed", Severity.WARNING, facts))
                await asyncio.sleep(pause)
                pause = min(2 * pause, _IDLE_SECONDS)
                continue
            pause = _FIRST_PAUSE
            try:
                await asyncio.wait_for(self._wanted.wait(), _IDLE_SECONDS)
            except TimeoutError:
                continue

    async def collect(self) -> int:
        """Remove some garbage and return how many entries. Bytes are deleted before their rows.

        Nothing is removed while a backup holds it, whose dump names bytes that are garbage by now.
        """
        async with self._sessions.own() as connection, connection.transaction():
            if await garbage.is_held(connection):
                return 0
            await resumable.delete_expired(connection, self._clock.now() - _KEPT)
            versions = await garbage.take(connection, _BATCH)
            if versions:
                await self._store.remove(versions)
        return len(versions)

    async def sweep_forever(self, every: float, age: float) -> None:
        """Look for orphans soon after the start, and then every so many seconds.

        One process of all workers and nodes does it: they share the store.
        """
        await asyncio.sleep(min(_FIRST_SWEEP, every))
        while True:
            async with self._sessions.own() as connection:
                is_due = await garbage.begin_sweep(connection, timedelta(seconds=_DUE * every))
            if is_due:
                await self._sweep(age)
            await asyncio.sleep(every)

    async def _sweep(self, age: float) -> None:
        removed = missing = 0
        async for orphan in self.orphans(age, removes=True, is_cautious=True):
            removed += orphan.path is None
            missing += orphan.path is not None
        if removed or missing:
            facts = {"removed": removed, "rows_without_bytes": missing}
            self._observer(Observation("orphans_found", Severity.WARNING, facts))

    async def orphans(
        self,
        age: float,
        *,
        removes: bool,
        is_cautious: bool = False,
        settle: Callable[[], Awaitable[None]] | None = None,
    ) -> AsyncGenerator[Orphan]:
        """Bytes older than `age` seconds without a row, and objects without bytes.

        Nothing is removed at the first look: after `settle`, by default a minute, the rows are
        asked again. A row may be about to be written, however old a clock that jumped makes its
        bytes. With `is_cautious` nothing is removed if most bytes have no row: they may be those of
        another database, or newer than a backup that was restored.
        """
        before = self._clock.now() - timedelta(seconds=age)
        if removes:
            await self._store.drop_drafts(before)
        lost, kept = list[Entry](), 0
        for beginning in BEGINNINGS:
            found, missing, others = await self._look(beginning, before)
            lost += found[: _MOST_ORPHANS - len(lost)]
            kept += others
            for orphan in missing:
                yield orphan
        if is_cautious and len(lost) > max(_FEW, kept):
            facts = {"orphans": len(lost), "others": kept, "remedy": _NOT_OURS}
            self._observer(Observation("orphans_not_removed", Severity.ERROR, facts))
            return
        if removes and lost:
            pause = max(_LEAST_SETTLED, min(age, _SETTLED))
            await (asyncio.sleep(pause) if settle is None else settle())
        for beginning, entries in groupby(lost, lambda entry: entry.version[:2]):
            gone = list(entries)
            if removes:
                gone = await self._remove_lost(beginning, gone)
            for entry in gone:
                yield Orphan(entry.version, size=entry.size)

    async def _look(
        self, beginning: str, before: datetime
    ) -> tuple[list[Entry], tuple[Orphan, ...], int]:
        """Bytes without a row, objects without bytes, and the number of others, by a prefix."""
        # Rows first, since an upload writes its bytes before its row.
        async with self._sessions.own() as connection:
            objects = await garbage.objects_named(connection, beginning)
        entries = await self._store.list(beginning)
        async with self._sessions.own() as connection:
            named = await garbage.named(connection, beginning)
        lost = [
            entry
            for entry in entries
            if is_version(entry.version) and entry.version not in named and entry.modified < before
        ]
        stored = {entry.version for entry in entries}
        missing = tuple(
            Orphan(row["version"], f"{row['bucket_id']}/{row['name']}")
            for row in objects
            if row["version"] not in stored and row["version"] in named
        )
        return lost, missing, len(stored & named)

    async def _remove_lost(self, beginning: str, lost: list[Entry]) -> list[Entry]:
        """Remove those that still have no row; returns the removed ones."""
        async with self._sessions.own() as connection:
            named = await garbage.named(connection, beginning)
        gone = [entry for entry in lost if entry.version not in named]
        await self._store.remove(entry.version for entry in gone)
        return gone

"""A read replica: which reads it answers, and when the primary answers instead.

GET and HEAD go there, except for a moment after a write of the same client (read your writes), by
whichever worker, and while the replica lags or is down. What it refuses is executed again at the
primary: a replica may lack a table that was just made, and cancels reads that conflict with replay.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.postgres.session_pool import SessionPool, open_pool
from compat_base.values.errors import ApiError
from compat_base.values.http import HttpResponse
from compat_base.values.sqltext import Statement
from compat_base.values.world import Clock
from compat_base.workers.shared_times import SharedTimes
from rest_compat.auth.authenticate import Identity
from rest_compat.execute import Executor
from rest_compat.pipeline import answer
from rest_compat.query.prepared import Prepared, PreparedStatement, Run
from rest_compat.request.shape import Values
from rest_compat.runtime.connection import pool_settings
from rest_compat.settings import Settings

WRITER_SECONDS = 2.0  # after a write, for which its caller is answered by the primary
_LAG_SECONDS = 2.0  # that the query for the lag may take
_POLL_SECONDS = 0.5
_READS = frozenset({"GET", "HEAD"})
_STATEMENT_TIMEOUT = "57014"  # it would take as long again
_LAG = Statement(
    """
    select case
        when not pg_is_in_recovery() then 0
        when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
            and exists (select from pg_stat_wal_receiver) then 0
        else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())
    end::float8 as seconds
    """
)


def fit_seconds(lag: float | None) -> float:
    """For how many seconds from now a replica with this lag may answer.

    So long, it has everything that was written more than WRITER_SECONDS ago. A negative lag means
    that a clock is wrong, so the replica may as well be behind.
    """
    return 0.0 if lag is None else max(0.0, WRITER_SECONDS - abs(lag))


class Replica:
    """The replica's pool, its lag, and the recent writers of all workers."""

    def __init__(self, pool: SessionPool, clock: Clock, writers: SharedTimes) -> None:
        self._pool = pool
        self._database = Executor(pool)
        self._clock = clock
        self._writers = writers
        self._fit_until = 0.0

    def serves(self, prepared: Prepared, method: str, identity: Identity) -> bool:
        """Whether the replica may answer a request."""
        now = self._clock.monotonic()
        return (
            method in _READS
            and isinstance(prepared, PreparedStatement)
            and prepared.script.facts.read_only
            and now < self._fit_until
            and now >= self._writers.get(identity)
        )

    async def answer(self, prepared: Prepared, values: Values, run: Run) -> HttpResponse | None:
        """The replica's answer; None where the primary must answer."""
        try:
            return await answer(prepared, values, run, self._database)
        except ApiError as error:
            if error.problem.code == _STATEMENT_TIMEOUT:
                raise
            return None

    def wrote(self, prepared: Prepared, identity: Identity) -> None:
        """Note a request that was executed at the primary."""
        if isinstance(prepared, PreparedStatement) and not prepared.script.facts.read_only:
            self._writers.put(identity, self._clock.monotonic() + WRITER_SECONDS)

    async def watch(self) -> None:
        """Poll the lag; while it is unknown the replica answers nobody."""
        while True:
            measured_at = self._clock.monotonic()
            self._fit_until = measured_at + fit_seconds(await self._lag())
            await asyncio.sleep(_POLL_SECONDS)

    async def _lag(self) -> float | None:
        """Seconds; None where it is unknown, as with a replica that never replayed anything."""
        try:
            async with asyncio.timeout(_LAG_SECONDS):
                session = await self._pool.borrow()
                try:
                    found = (await session.run((_LAG,)))[0].records()
                finally:
                    self._pool.give_back(session)
        except (PgFault, PoolTimeout, Unavailable, TimeoutError):
            return None
        seconds = found[0]["seconds"]
        return None if seconds is None else float(seconds)


@asynccontextmanager
async def open_replica(
    settings: Settings, clock: Clock, writers: SharedTimes | None
) -> AsyncGenerator[Replica | None]:
    """The replica of `db-read-uri`, whose `watch` is to be run; None where none is set.

    `writers` are those that other workers know too.
    """
    if not settings.read_uri.reveal():
        yield None
        return
    async with open_pool(pool_settings(settings, settings.read_uri)) as pool:
        yield Replica(pool, clock, writers or SharedTimes())

"""Deleting what has expired, now and then (auth reference 5.9)."""

from __future__ import annotations

import asyncio

from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.values.events import Observation, Severity
from gotrue_compat.ports import Deps
from gotrue_compat.store.cleanup import clean

_PAUSE_SECONDS = 60


async def clean_forever(deps: Deps) -> None:
    """Clean up once a minute; a database that is away is tried again."""
    while True:
        try:
            await clean(deps.database, deps.world.clock.now())
            await deps.buckets.sweep()
        except (PgFault, PoolTimeout, Unavailable) as error:
            facts = {"error": str(error)}
            deps.observer(Observation("cleanup_failed", Severity.WARNING, facts))
        await asyncio.sleep(_PAUSE_SECONDS)

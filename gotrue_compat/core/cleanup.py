"""The periodic clean-up: expired rows, and rate limits that are full again (auth reference 5.9)."""

from __future__ import annotations

import asyncio
import hashlib

from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.values.events import Observation, Severity
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.ports import Buckets, Rate
from gotrue_compat.store.cleanup import Retention, clean

_PAUSE_SECONDS = 60
_ROUND = hashlib.blake2b(b"clean-up", digest_size=16).digest()
_ROUNDS = Rate(events=1, seconds=0.9 * _PAUSE_SECONDS, burst=1)


async def clean_forever(deps: Dependencies) -> None:
    """Clean up once a minute, first after a minute, also after a failure."""
    while True:
        await asyncio.sleep(_PAUSE_SECONDS)
        try:
            if await is_due(deps.buckets):
                await clean_once(deps)
        except (PgFault, PoolTimeout, Unavailable) as error:
            facts = {"error": str(error)}
            deps.observer(Observation("cleanup_failed", Severity.WARNING, facts))


async def is_due(buckets: Buckets) -> bool:
    """Whether no other worker or node has cleaned the same database just now."""
    return not await buckets.take(_ROUND, _ROUNDS)


async def clean_once(deps: Dependencies) -> None:
    """Forget full buckets; delete expired rows where GOTRUE_DB_CLEANUP_ENABLED says so."""
    await deps.buckets.sweep()
    settings = deps.settings
    if settings.database.cleanup:
        retention = Retention(
            settings.anonymous and settings.database.cleanup_anonymous_users,
            settings.database.audit_seconds,
            settings.database.unconfirmed_seconds,
        )
        await clean(deps.database, deps.world.clock.now(), retention)

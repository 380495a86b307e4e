"""`orphans`: removes bytes without a row, reports rows without bytes."""

from __future__ import annotations

from collections.abc import Callable

from compat_base.values.events import silent
from compat_base.values.world import World
from storage_compat.app import open_parts
from storage_compat.settings import Settings


async def orphans(
    settings: Settings, world: World, report: Callable[[str], None], *, is_dry: bool
) -> None:
    """Check the whole store; with `is_dry` nothing is removed.

    Raises PgFault, Unavailable or StoreError.
    """
    lost = missing = size = 0
    async with open_parts(settings, world=world, observer=silent) as (_, collector):
        async for orphan in collector.orphans(settings.orphan_seconds, removes=not is_dry):
            if orphan.path is None:
                lost, size = lost + 1, size + orphan.size
                report(f"no row names {orphan.version} ({orphan.size} bytes)")
            else:
                missing += 1
                report(f"no bytes of {orphan.path} ({orphan.version})")
    done = "would be removed" if is_dry else "removed"
    report(f"{lost} orphans of {size} bytes {done}; {missing} objects have no bytes")

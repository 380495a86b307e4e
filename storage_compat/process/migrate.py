"""Apply the service's migrations, where it runs alone."""

from __future__ import annotations

from collections.abc import Callable

from compat_base.postgres.database import connect
from compat_base.postgres.migration_files import read_folder
from compat_base.postgres.migrations import Ledger, apply
from compat_base.postgres.sqlfiles import SQL_FOLDER

_SETS = ("platform", "storage")


async def migrate(url: str, progress: Callable[[str], None]) -> None:
    """Apply what is missing; MigrationError, PgFault or Unavailable."""
    async with connect(url) as connection:
        for name in _SETS:
            await apply(
                connection,
                read_folder(SQL_FOLDER / name),
                Ledger("compat", name),
                progress=lambda migration: progress(f"{migration.version}_{migration.name}"),
            )

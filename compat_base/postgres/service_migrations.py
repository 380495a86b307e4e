"""Apply a service's own migrations where it runs alone, without the composed stack."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from compat_base.postgres.database import connect, fetch_one, run_script
from compat_base.postgres.migration_files import read_folder
from compat_base.postgres.migrations import Ledger, apply, unchanged
from compat_base.postgres.sqlfiles import SQL_FOLDER
from compat_base.values.sqltext import Statement

_SUPERUSER = Statement("select current_setting('is_superuser') = 'on' as yes", ())
# A schema that another role migrates and records, as the composed stack does, is left to that role
_IS_ANOTHERS = (
    "select true as yes from pg_catalog.pg_class c"
    " join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
    " where n.nspname = 'compat' and c.relname = $1 and not"
    " (has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'insert'))"
)


async def migrate_service(
    url: str,
    name: str,
    progress: Callable[[str], None],
    *,
    before: str = "",
    rewritten: Callable[[str], Awaitable[str]] = unchanged,
) -> None:
    """Apply what is missing of `sql/<name>`; MigrationError, PgFault or Unavailable.

    A superuser applies `sql/platform` first. For any other role the script `before` runs first, and
    `rewritten` gives the text to run of each file.
    """
    async with connect(url, search_path="pg_catalog") as connection:
        row = await fetch_one(connection, _SUPERUSER)
        is_superuser = row is not None and row["yes"]
        if await fetch_one(connection, Statement(_IS_ANOTHERS, (name,))) is not None:
            return
        if before and not is_superuser:
            await run_script(connection, before)
        for folder in ("platform", name) if is_superuser else (name,):
            await apply(
                connection,
                read_folder(SQL_FOLDER / folder),
                Ledger("compat", folder),
                progress=lambda migration: progress(f"{migration.version}_{migration.name}"),
                rewritten=unchanged if is_superuser else rewritten,
            )

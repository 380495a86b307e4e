"""Apply the service's migrations where it runs alone: of its own role, its own tables alone."""

from __future__ import annotations

import re
from collections.abc import Callable

from compat_base.postgres.database import connect, fetch_one
from compat_base.postgres.migration_files import read_folder
from compat_base.postgres.migrations import Ledger, apply
from compat_base.postgres.sqlfiles import SQL_FOLDER
from compat_base.values.sqltext import Statement

# A schema that somebody else migrated and records is theirs to migrate
_IS_ANOTHERS = Statement(
    "select true as yes from pg_catalog.pg_class c"
    " join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
    " where n.nspname = 'compat' and c.relname = 'storage' and not"
    " (has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'insert'))",
    (),
)
# What its own role cannot give itself: who made it has given it the API's roles and schemas
_PLATFORMS = re.compile(
    r"do \$members\$.*?\$members\$;"
    r"|grant usage on schema public, extensions to supabase_storage_admin;",
    re.DOTALL,
)
_SUPERUSER = Statement("select current_setting('is_superuser') = 'on' as yes", ())


async def migrate(url: str, progress: Callable[[str], None]) -> None:
    """Apply what is missing; MigrationError, PgFault or Unavailable.

    A superuser gets the roles and schemas of the platform first. Any other role must find the
    API's roles and itself there, and leaves alone what the composed stack migrates.
    """
    async with connect(url, search_path="pg_catalog") as connection:
        row = await fetch_one(connection, _SUPERUSER)
        is_superuser = row is not None and row["yes"]
        if await fetch_one(connection, _IS_ANOTHERS) is not None:
            return
        for name in ("platform", "storage") if is_superuser else ("storage",):
            await apply(
                connection,
                read_folder(SQL_FOLDER / name),
                Ledger("compat", name),
                progress=lambda migration: progress(f"{migration.version}_{migration.name}"),
                rewritten=_whole if is_superuser else _without_the_platforms,
            )


async def _whole(text: str) -> str:
    return text


async def _without_the_platforms(text: str) -> str:
    return _PLATFORMS.sub("", text)

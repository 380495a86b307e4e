"""The schema that the service needs; as the service's own role, the auth tables alone."""

from __future__ import annotations

from collections.abc import Callable

from compat_base.postgres.database import connect, fetch_one, run_script
from compat_base.postgres.migration_files import read_folder
from compat_base.postgres.migrations import Ledger, apply
from compat_base.postgres.sqlfiles import SQL_FOLDER
from compat_base.values.sqltext import Statement

# Roles that functions of the schema are granted to: a server with the original alone has none
_ROLES = """
do $roles$
declare
  wanted text;
begin
  foreach wanted in array array['anon', 'authenticated', 'service_role'] loop
    if not exists (select from pg_catalog.pg_roles where rolname = wanted) then
      execute format('create role %I nologin noinherit', wanted);
    end if;
  end loop;
exception
  when duplicate_object or unique_violation then
    null;  -- another node made them at the same moment
end
$roles$
"""
# A schema with another tool's record of migrations is left to that tool
_IS_ANOTHERS = Statement(
    "select true as yes from pg_catalog.pg_class c"
    " join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
    " where n.nspname = 'compat' and c.relname = 'auth' and not"
    " (has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'insert'))",
    (),
)
_SUPERUSER = Statement("select current_setting('is_superuser') = 'on' as yes", ())


async def migrate(url: str, progress: Callable[[str], None]) -> None:
    """Apply what is missing; MigrationError, PgFault or Unavailable where it cannot be.

    A superuser gets the roles and schemas of the platform first. Any other role must find the
    schema `auth` and itself there, as the original must; it makes the API's roles where there are
    none, and leaves alone what the composed stack migrates.
    """
    async with connect(url, search_path="pg_catalog") as connection:
        row = await fetch_one(connection, _SUPERUSER)
        is_superuser = row is not None and row["yes"]
        if await fetch_one(connection, _IS_ANOTHERS) is not None:
            return
        if not is_superuser:
            await run_script(connection, _ROLES)
        for name in ("platform", "auth") if is_superuser else ("auth",):
            await apply(
                connection,
                read_folder(SQL_FOLDER / name),
                Ledger("compat", name),
                progress=lambda migration: progress(f"{migration.version}_{migration.name}"),
            )

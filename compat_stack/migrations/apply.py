"""Apply the services' migrations, then the project's.

First come the services' own sets (roles and schemas, then each service's). The last is the
project's folder, recorded as the Supabase CLI records it, so that a folder of the CLI's can take
its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from compat_base.postgres.database import Connection, Record, faults, run_script
from compat_base.postgres.migration_files import Migration, read_folder
from compat_base.postgres.migrations import Ledger, apply_locked, one_at_a_time
from compat_base.postgres.scripts import retry_concurrent_updates
from compat_base.postgres.sqlfiles import SQL_FOLDER
from compat_base.values.errors import OperatorError
from compat_base.values.sqltext import compile_sql, ident, literal, raw
from compat_stack.migrations.project import administrator, logs_in, open_project_session
from compat_stack.migrations.project_data import (
    AS_RECORDED,
    MigrationTarget,
    finish,
    held_at,
    is_new,
    keep_secrets,
    make_buckets,
    make_roles,
    make_schemas,
    seed,
)
from compat_stack.migrations.secret_record import InstallationSecret, check_secret, record_secret
from compat_stack.project.folder import Project
from compat_stack.services.manifest import SERVICES
from compat_stack.services.roles import BACKGROUND_ROLE, role_password, role_url
from compat_stack.services.service import MigrationSet, Service

PROJECT_LEDGER = Ledger("supabase_migrations", "schema_migrations")
_PLATFORM = MigrationSet("platform", SQL_FOLDER / "platform", "setting up roles and schemas")
_LEAST_VERSION = 150_000
# Extensions of every Supabase database; the server may have got one since the last start.
_EXTENSIONS = """
do $extensions$
declare
  wanted record;
  kept text;
  as_objects text[] := '{}';
begin
  if to_regclass('compat.extensions') is not null then
    select coalesce(array_agg(name), '{}') into as_objects from compat.extensions;
  end if;
  for wanted in
    select a.name, w.schema
    from (values
      (1, 'pgcrypto', 'extensions'), (2, 'pg_net', 'extensions'),
      (3, 'supabase_vault', 'vault'), (4, 'pg_graphql', 'graphql_public'),
      (5, 'pg_stat_statements', 'extensions')
    ) as w (turn, name, schema)
    join pg_catalog.pg_available_extensions as a using (name)
    where a.installed_version is null
      and a.name <> all (as_objects)
      and (w.name <> 'supabase_vault' or exists (
        select from pg_catalog.pg_available_extensions where name = 'pgcrypto'
      ))
    order by w.turn
  loop
    execute format('create extension if not exists %I with schema %I', wanted.name, wanted.schema);
  end loop;
  -- pg_stat_statements keeps this one from everybody else. Granted outside of the extension, the
  -- right is one of those that it begins with, and in no dump: other versions know it otherwise.
  begin
    for kept in
      select p.oid::regprocedure from pg_catalog.pg_proc as p
      join pg_catalog.pg_depend as d on d.objid = p.oid and d.deptype = 'e'
      join pg_catalog.pg_extension as e on e.oid = d.refobjid
      where e.extname = 'pg_stat_statements' and p.proname = 'pg_stat_statements_reset'
        and not has_function_privilege('postgres', p.oid, 'execute with grant option')
    loop
      execute format('alter extension pg_stat_statements drop function %s', kept);
      execute format('grant execute on function %s to postgres with grant option', kept);
      execute format('alter extension pg_stat_statements add function %s', kept);
    end loop;
  exception
    when insufficient_privilege then
      raise notice 'pg_stat_statements stays as it is: %', sqlerrm;
  end;
exception
  when insufficient_privilege then
    raise notice 'extensions were not installed: %', sqlerrm;
end
$extensions$
"""


# As on Supabase, whose CLI, when it resets a database, drops each schema that is not its
# administrator's; the services keep every right on theirs.
_BACKGROUND = "select compat.let_background_in()"
_KEEP_REVOKED = "select compat.keep_revoked()"
_SCHEMA_OWNERS = """
do $owners$
declare
  one record;
begin
  if current_user <> 'supabase_admin' then
    return;
  end if;
  for one in
    select nspname, pg_catalog.pg_get_userbyid(nspowner) as owner from pg_catalog.pg_namespace
    where nspname in ('auth', 'storage', 'storage_compat', 'realtime')
      and nspowner <> current_user::regrole
  loop
    execute format('alter schema %I owner to supabase_admin', one.nspname);
    execute format('grant all on schema %I to %I', one.nspname, one.owner);
  end loop;
end
$owners$
"""


class MigrateError(OperatorError):
    """The database cannot serve: one sentence with the remedy."""


async def migrate(  # noqa: PLR0913 — each is a decision of its own
    url: str,
    folder: Path | None,
    *,
    project: Project | None = None,
    passwords: bytes | None = None,
    tools_url: str | None = None,
    secret: InstallationSecret | None = None,
    until: MigrationTarget = AS_RECORDED,
    progress: Callable[[str], None] = lambda _line: None,
    services: Sequence[Service] = SERVICES,
) -> None:
    """Apply every set in order. Raises MigrateError, MigrationError, PgFault or Unavailable.

    `folder` has the project's migrations (None: it has none); `project` is what its folder has
    besides. Processes that migrate one database take turns. `passwords` is the secret that the
    login roles' passwords derive from; None where the socket trusts them. `secret` is the
    installation's, to which the database belongs from then on; None leaves that open. `tools_url`
    is the URL by which tools log in; None without TCP. `until` is the project's last migration to
    apply.
    """
    async with administrator(url) as connection:
        await _check_server(connection)
        await run_script(connection, "set synchronous_commit = off")
        waiting = partial(progress, "waiting for another process that migrates this database")
        async with one_at_a_time(connection, waiting):
            if secret is not None:
                await check_secret(connection, secret)
            await _apply_services(connection, services, progress)
            await _apply_project(
                connection, url, folder=folder, project=project, until=until, progress=progress
            )
            await retry_concurrent_updates(partial(run_script, connection, _KEEP_REVOKED))
            if passwords is not None:
                await _set_passwords(connection, url, passwords, services)
            if tools_url is not None:
                await _let_in(connection, tools_url)
            if secret is not None:
                await record_secret(connection, secret)


async def _apply_services(
    connection: Connection, services: Sequence[Service], progress: Callable[[str], None]
) -> None:
    sets = [service.migrations for service in services if service.migrations is not None]
    for each in (_PLATFORM, *sets):
        once = Once(progress, each.progress)
        applied = await apply_locked(
            connection, read_folder(each.folder), Ledger("compat", each.name), progress=once
        )
        if applied:  # event triggers notify of the changes of other sessions only
            await run_script(connection, "notify pgrst, 'reload schema'")
    await run_script(connection, _EXTENSIONS)
    await retry_concurrent_updates(partial(run_script, connection, _BACKGROUND))
    await run_script(connection, _SCHEMA_OWNERS)


async def _apply_project(  # noqa: PLR0913 — each is a decision of its own
    connection: Connection,
    url: str,
    *,
    folder: Path | None,
    project: Project | None,
    until: MigrationTarget,
    progress: Callable[[str], None],
) -> None:
    def edited(migration: Migration) -> None:
        file = f"{migration.version}_{migration.name}.sql"
        progress(f"{file} was edited after it was applied: `db reset` applies it anew")

    is_fresh = project is not None and await is_new(connection, project)
    if project is not None:
        await keep_secrets(connection, project, progress)
    replaced = progress if project is not None else None
    migrations = (
        read_folder(folder, skipped=progress, replaced=replaced) if folder is not None else ()
    )
    if (held := await held_at(connection, until)) is not None:
        later = [each for each in migrations if each.version > held]
        if later:
            behind = f"behind {held}" if held else "of the project"
            progress(f"{len(later)} migrations {behind} wait for `migration up`")
        migrations = tuple(each for each in migrations if each.version <= held)
    async with open_project_session(connection, url, progress) as session:
        if project is not None and is_fresh:
            await make_roles(session, project, progress)
            if project.schemas and held is None:
                await make_schemas(session, project, progress)
                migrations = ()
        await apply_locked(
            session.connection,
            migrations,
            PROJECT_LEDGER,
            progress=lambda migration: progress(f"migrating {migration.version}_{migration.name}"),
            edited=None if project is None else edited,
            is_whole=folder is not None,
            before=session.begin,
            rewritten=session.rewrite,
        )
        if project is not None and is_fresh:
            await seed(session, project, progress)
        if project is not None:
            await make_buckets(session, project.buckets)
    if project is not None:
        await finish(connection, project, progress)


async def _check_server(connection: Connection) -> None:
    with faults():
        row: Record | None = await connection.fetchrow(
            "select current_setting('server_version_num')::int as number,"
            " current_setting('server_version') as version, current_setting('wal_level') as wal"
        )
    assert row is not None  # noqa: S101 — a select without FROM has one row
    if row["number"] < _LEAST_VERSION:
        raise MigrateError(f"PostgreSQL {row['version']} is too old: 15 or newer is needed")
    if row["wal"] != "logical":
        raise MigrateError(
            f"wal_level is {row['wal']}, and live changes need logical: run"
            " `alter system set wal_level = 'logical'` and restart PostgreSQL"
        )


async def _set_passwords(
    connection: Connection, url: str, secret: bytes, services: Sequence[Service]
) -> None:
    for role in (*(service.role for service in services), BACKGROUND_ROLE):
        if not await logs_in(role_url(url, role, secret)):
            await _set_password(connection, role, role_password(secret, role))


async def _let_in(connection: Connection, tools_url: str) -> None:
    """Set the password of the role of tools, where their URL has another one."""
    parts = urlsplit(tools_url)
    if not await logs_in(tools_url):
        await _set_password(connection, parts.username or "", unquote(parts.password or ""))


async def _set_password(connection: Connection, role: str, password: str) -> None:
    statement = raw("alter role ") + ident(role) + raw(" login password ") + literal(password)
    text = compile_sql(statement).text
    await retry_concurrent_updates(partial(run_script, connection, text))


class Once:
    """Progress of a set as one line, if any file of it is applied."""

    def __init__(self, progress: Callable[[str], None], line: str) -> None:
        self._progress = progress
        self._line: str | None = line

    def __call__(self, _migration: Migration) -> None:
        """Print the line at the first file."""
        if self._line is not None:
            self._progress(self._line)
        self._line = None

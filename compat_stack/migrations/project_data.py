"""A project's roles, privileges, seeds and buckets.

Roles and seeds are run on a new database alone. `compat.installation` records whether they were;
each seed is recorded as the Supabase CLI does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from compat_base.postgres.database import Connection, faults, run_script
from compat_base.postgres.migration_files import read_sql
from compat_base.postgres.scripts import run_file
from compat_base.values.sqltext import Statement
from compat_stack.migrations.project import ProjectSession
from compat_stack.project.config import Bucket
from compat_stack.project.folder import Project

Progress = Callable[[str], None]

_NOTES = (
    "create table if not exists compat.installation (name text primary key, value text not null)"
)
_NOTE = "project"
_UNTIL = "until"
_HOLD_ALL = "insert into compat.installation values ('until', '')"
_NEW, _SEEDED = "new", "seeded"
_SEED_FILES = (
    "create table if not exists supabase_migrations.seed_files"
    " (path text not null primary key, hash text not null)"
)
_NOT_EXPOSED = """
alter default privileges for role postgres in schema public
  revoke all on tables from anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  revoke all on sequences from anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  revoke all on functions from anon, authenticated, service_role, public;
"""
# Up to this major version Supabase has pgsodium, and dumps of data name its sequence.
_WITHOUT_PGSODIUM = 17
_PGSODIUM = """
do $pgsodium$
begin
  if exists (select from pg_catalog.pg_available_extensions where name = 'pgsodium') then
    create extension if not exists pgsodium;
  end if;
end
$pgsodium$
"""
_KEEP = """
select case
  when id is null then vault.create_secret($2, $1)::text
  when decrypted_secret is distinct from $2 then vault.update_secret(id, $2)::text
end
from (values ($1)) as wanted (name) left join vault.decrypted_secrets using (name)
"""
_EXPOSED = "PGRST_DB_SCHEMAS"
_MISSING = (
    "select name from unnest($1::text[]) as name"
    " where name <> '' and not exists (select from pg_catalog.pg_namespace where nspname = name)"
)
_BUCKET = """
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ($1, $1, $2, $3, $4)
on conflict (id) do update set public = excluded.public,
  file_size_limit = excluded.file_size_limit, allowed_mime_types = excluded.allowed_mime_types
"""


async def is_new(connection: Connection, project: Project) -> bool:
    """Whether the project's roles and seeds have not been run; queried as the administrator.

    A database that had migrations before it had a project is not new. Default privileges are set at
    the first start.
    """
    await run_script(connection, _NOTES)
    with faults():
        has_history = await connection.fetchval(
            "select to_regclass('supabase_migrations.schema_migrations') is not null"
        )
        note = _SEEDED if has_history else _NEW
        written = await connection.fetchval(
            "insert into compat.installation values ($1, $2)"
            " on conflict do nothing returning value",
            _NOTE, note,
        )  # fmt: skip
        if written == _NEW and not project.exposes_new_tables:
            await connection.execute(_NOT_EXPOSED)
        if written == _NEW and project.major_version < _WITHOUT_PGSODIUM:
            await connection.execute(_PGSODIUM)
        return bool(
            await connection.fetchval(
                "select value = $2 from compat.installation where name = $1", _NOTE, _NEW
            )
        )


@dataclass(frozen=True, slots=True)
class MigrationTarget:
    """The last migration to apply; None: all, or as the database has recorded.

    `is_chosen`: the caller's choice replaces the recorded one.
    """

    version: str | None = None
    is_chosen: bool = False


AS_RECORDED = MigrationTarget()
"""All of them, unless the database has recorded a version."""


async def held_at(connection: Connection, until: MigrationTarget) -> str | None:
    """The version after which migrations are held back, recorded if chosen; None for none."""
    await run_script(connection, _NOTES)
    with faults():
        if until.is_chosen:
            await connection.execute("delete from compat.installation where name = $1", _UNTIL)
        if until.version is not None:
            await connection.execute(
                "insert into compat.installation values ($1, $2)", _UNTIL, until.version
            )
        return await connection.fetchval(
            "select value from compat.installation where name = $1", _UNTIL
        )


async def keep_secrets(connection: Connection, project: Project, progress: Progress) -> None:
    """Write config.toml's secrets into the vault."""
    if not project.secrets:
        return
    with faults():
        if not await connection.fetchval("select to_regclass('vault.secrets') is not null"):
            progress("warning: this server has no vault: the secrets of [db.vault] are left out")
            return
        for name, value in project.secrets:
            await connection.execute(_KEEP, name, value)


async def make_roles(session: ProjectSession, project: Project, progress: Progress) -> None:
    """Run `roles.sql`, before the first migration. Raises MigrationError."""
    with faults():
        is_begun = await session.connection.fetchval(
            "select to_regclass('supabase_migrations.schema_migrations') is not null"
        )
    if project.roles is None or is_begun:
        return
    progress("making the roles of roles.sql")
    await run_script(session.connection, session.begin)
    text = await session.rewrite(read_sql(project.roles, "file of roles", replaced=progress))
    await run_file(session.connection, text, project.recorded_path(project.roles))


async def make_schemas(session: ProjectSession, project: Project, progress: Progress) -> None:
    """Apply the declarative schema's files, all or none; migrations then wait for `migration up`.

    Raises MigrationError.
    """
    connection = session.connection
    async with connection.transaction():
        for file in project.schemas:
            path = project.recorded_path(file)
            progress(f"applying {path}")
            await run_script(connection, session.begin)
            text = await session.rewrite(read_sql(file, "file of schemas", replaced=progress))
            await run_file(connection, text, path)
        await session.administrate(_HOLD_ALL)


async def finish(connection: Connection, project: Project, progress: Progress) -> None:
    """Record that seeds were run, and warn of exposed schemas that are not there."""
    with faults():
        await connection.execute(
            "update compat.installation set value = $2 where name = $1", _NOTE, _SEEDED
        )
    if "rest" not in project.switched_off:
        await _warn_of_missing_schemas(connection, project, progress)


async def _warn_of_missing_schemas(
    connection: Connection, project: Project, progress: Progress
) -> None:
    """Warn of exposed schemas that are not there, as without one REST serves nothing."""
    exposed = project.variables.get(_EXPOSED, "").split(",")
    with faults():
        missing = await connection.fetch(_MISSING, [name.strip() for name in exposed])
    for row in missing:
        sentence = (
            f"no migration makes the schema {row['name']}: REST waits for it, and answers 503"
        )
        place = project.places.get(_EXPOSED)
        progress(f"warning: {place}: {sentence}" if place else f"warning: {sentence}")


async def seed(session: ProjectSession, project: Project, progress: Progress) -> None:
    """Run the seeds that were not run yet, each in a transaction with its record.

    Raises MigrationError.
    """
    if not project.seeds:
        return
    connection = session.connection
    await run_script(connection, f"{session.begin}; {_SEED_FILES}")
    with faults():
        rows = await connection.fetch("select path from supabase_migrations.seed_files")
    done = {row["path"] for row in rows}
    for file in project.seeds:
        path = project.recorded_path(file)
        if path not in done:
            progress(f"seeding {path}")
            await run_script(connection, session.begin)
            text = await session.rewrite(read_sql(file, "seed", replaced=progress))
            await run_file(connection, text, path, _record(path, file))


async def make_buckets(session: ProjectSession, buckets: tuple[Bucket, ...]) -> None:
    """Create the buckets, or update them to config.toml's values.

    As the project's owner, who may put triggers on their table.
    """
    if buckets:
        await run_script(session.connection, session.begin)
    for bucket in buckets:
        types = bucket.allowed_mime_types
        with faults():
            await session.connection.execute(
                _BUCKET, bucket.name, bucket.public, bucket.file_size_limit,
                None if types is None else list(types),
            )  # fmt: skip


def _record(path: str, file: Path) -> Statement:
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return Statement(
        "insert into supabase_migrations.seed_files (path, hash) values ($1, $2)"
        " on conflict (path) do update set hash = excluded.hash",
        (path, digest),
    )

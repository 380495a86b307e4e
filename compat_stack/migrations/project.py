"""The role that the project's migrations run as, and their session."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from compat_base.postgres.database import Connection, faults, run_script
from compat_stack.embedded.contributed import RECORD, contributed_script, recording
from compat_stack.migrations.extensions import Available, Rewriter

# On Supabase the project is `postgres`'s, who is no superuser there; where it is one, or cannot
# make schemas, the migrating user is the owner.
_OWNER = """
select
  (select rolsuper from pg_catalog.pg_roles where rolname = current_user) as is_superuser,
  exists (
    select from pg_catalog.pg_roles
    where rolname = 'postgres' and not rolsuper and rolname <> current_user
      and pg_has_role(current_user, oid, 'member')
      and has_database_privilege(oid, current_database(), 'create')
  ) as is_apart
"""
_AVAILABLE = """
select name, array_agg(version) as versions, bool_or(trusted or not superuser) as is_trusted,
  bool_or(comment like '%(compat)') as is_ours
from pg_catalog.pg_available_extension_versions
group by name
"""
# As the CLI: a project's files name functions of extensions without their schema, and a file never
# sees another's settings. No file waits for the disk: after a crash the last are applied again.
_FRESH = """
reset all; set synchronous_commit = off; set search_path = "$user", public, extensions;
set compat.applies = on
"""
_INSTALLED = "select coalesce(array_agg(name), '{}') from compat.extensions"


@dataclass(frozen=True, slots=True)
class ProjectOwner:
    """Statements that make the session the project owner's, and the administrator's again."""

    become: str = ""
    administrator: str = ""


@asynccontextmanager
async def project_owner(connection: Connection) -> AsyncGenerator[ProjectOwner]:
    """The session acts as the project's owner for the length of the block."""
    with faults():
        row = await connection.fetchrow(_OWNER)
    if row is None or not row["is_apart"]:
        yield ProjectOwner()
        return
    if row["is_superuser"]:
        owner = ProjectOwner("set session authorization postgres", "reset session authorization")
    else:
        owner = ProjectOwner("set role postgres", "reset role")
    await run_script(connection, owner.become)
    yield owner
    await run_script(connection, f"reset all; {owner.administrator}")


async def rewriter(
    connection: Connection, owner: ProjectOwner, warn: Callable[[str], None]
) -> Rewriter:
    """The rewriter of the project's files for this server."""
    with faults():
        rows = await connection.fetch(_AVAILABLE)
    available = {
        row["name"]: Available(frozenset(row["versions"]), row["is_trusted"], row["is_ours"])
        for row in rows
    }
    with faults():
        await connection.execute(f"{owner.administrator or 'select 1'}; {RECORD}")
        installed = await connection.fetchval(_INSTALLED)
        if owner.become:
            await connection.execute(owner.become)
    return Rewriter(
        available, _script, warn, set(installed),
        administrator=owner.administrator, owner=owner.become,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProjectSession:
    """A session of the project's owner: its statements before each file, and the rewriter.

    `administrator` makes it the administrator's until `begin`.
    """

    connection: Connection
    begin: str
    administrator: str
    rewrite: Callable[[str], str]


@asynccontextmanager
async def open_project_session(
    connection: Connection, warn: Callable[[str], None]
) -> AsyncGenerator[ProjectSession]:
    """Make the connection the project owner's for the length of the block."""
    async with project_owner(connection) as owner:
        rewrites = await rewriter(connection, owner, warn)
        begin = f"{owner.become};{_FRESH}"
        yield ProjectSession(connection, begin, owner.administrator, rewrites.rewrite)


def _script(name: str, schema: str) -> str | None:
    script = contributed_script(name, schema)
    return None if script is None else f"{script}; {recording(name)}"

"""The role that the project's migrations run as, and their session."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from compat_base.postgres.database import Connection, connect, faults, run_script
from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.postgres.scripts import retry_concurrent_updates
from compat_stack.embedded.contributed import RECORD, contributed_script, recording
from compat_stack.migrations.extensions import Available, Rewriter
from compat_stack.services.roles import NO_FOREIGN_NAMES, role_url, with_password

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
_LACKS_ICU = """
select current_setting('server_version_num')::integer >= 170000 and not exists (
  select from pg_catalog.pg_collation where collname like '%-x-icu' and collprovider = 'i'
)
"""
_LACKS_LZ4 = """
select 'lz4' <> all (enumvals) from pg_catalog.pg_settings where name = 'default_toast_compression'
"""
# As the CLI: a project's files name functions of extensions without their schema, and a file never
# sees another's settings. No file waits for the disk: after a crash the last are applied again.
SEARCH_PATH = 'set search_path = "$user", public, extensions'
"""The project's owner's, as on Supabase."""
# What migrations are written for, whatever the database's and its roles' own defaults are.
_USUAL = {
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "off",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "lock_timeout": "0",
    "statement_timeout": "0",
}
_NO_TRANSACTION_TIMEOUT = """
select set_config('transaction_timeout', '0', false)
where current_setting('server_version_num')::integer >= 170000
"""
_FRESH = (
    f"reset all; set synchronous_commit = off; {SEARCH_PATH}; set compat.applies = on;"
    f"{_NO_TRANSACTION_TIMEOUT}"
)
_INSTALLED = "select coalesce(array_agg(name), '{}') from compat.extensions"


# One for each database: they are migrated at the same time, and each start has another password.
_LOGIN_NAME = """
select 'compat_project_' || oid from pg_catalog.pg_database where datname = current_database()
"""
_MAKE_LOGIN = """
do $login$
begin
  if to_regrole({name}) is null then
    create role {role} noinherit;
  end if;
  if not pg_has_role({name}, 'postgres', 'member') then
    grant postgres to {role};
  end if;
end
$login$;
alter role {role} noinherit login password {password};
alter role {role} set role to 'postgres'
"""
_APPROVE = "insert into compat.approved_statements (statement, is_pattern) values ($1, $2)"
_FORGET = """
do $forget$
begin
  if to_regclass('compat.approved_statements') is not null then  -- made by a later version
    delete from compat.approved_statements;
  end if;
end
$forget$
"""
_NO_EVENT_TRIGGERS = """
select set_config('event_triggers', 'off', false) from pg_catalog.pg_roles
where rolname = current_user and rolsuper
  and current_setting('server_version_num')::integer >= 170000
"""


@asynccontextmanager
async def administrator(url: str) -> AsyncGenerator[Connection]:
    """A session of the migrating user's in which no function of the project's owner runs by itself.

    Neither by a name that it would find, nor as an event trigger (from PostgreSQL 17 on). It writes
    and waits as migrations need it, also where the database's defaults are others.
    """
    async with connect(url, **NO_FOREIGN_NAMES, **_USUAL) as connection:
        await run_script(connection, f"{_NO_EVENT_TRIGGERS};{_NO_TRANSACTION_TIMEOUT}")
        yield connection


@dataclass(frozen=True, slots=True)
class OwnerSession:
    """A session as the project's owner: the statements that make it so, and the way back.

    `login` is its URL where it is a session of its own, from which there is no way back.
    """

    connection: Connection
    become: str = ""
    administrator: str = ""
    login: str | None = None


@dataclass(frozen=True, slots=True)
class ProjectSession:
    """A session of the project's owner: its statements before each file, and the rewriter.

    `url` is its login, where it is a session of its own.
    """

    connection: Connection
    begin: str
    url: str | None
    rewriter: Rewriter
    _administrator: Connection

    async def rewrite(self, script: str) -> str:
        """The script for this server; what the administrator runs of it is approved."""
        text = self.rewriter.rewrite(script)
        await self._approve()
        return text

    async def administrate(self, statement: str) -> None:
        """Run a statement as the administrator, in this session's transaction."""
        text = self.rewriter.by_administrator(statement)
        await self._approve()
        await run_script(self.connection, f"reset all; {text}")

    async def _approve(self) -> None:
        approvals = self.rewriter.approvals or []
        with faults():
            await self._administrator.executemany(
                _APPROVE, [(each.statement, each.is_pattern) for each in approvals]
            )
        approvals.clear()


@asynccontextmanager
async def open_owner_session(connection: Connection, url: str) -> AsyncGenerator[OwnerSession]:
    """A session of the project's owner, for the length of the block.

    It is one of its own where the administrator is a superuser: by `reset session authorization`
    any code of the owner's could become that one. `url` is the administrator's, as `connection`.
    """
    with faults():
        row = await connection.fetchrow(_OWNER)
    if row is None or not row["is_apart"]:
        yield OwnerSession(connection)
        await run_script(connection, "reset all")
    elif row["is_superuser"]:
        login = await _login(connection, url)
        async with connect(login, **_USUAL) as session:
            yield OwnerSession(session, "reset session authorization; reset role", login=login)
    else:
        await run_script(connection, "set role postgres")
        yield OwnerSession(connection, "set role postgres", "reset role")
        await run_script(connection, "reset all; reset role")


@asynccontextmanager
async def open_project_session(
    connection: Connection, url: str, warn: Callable[[str], None]
) -> AsyncGenerator[ProjectSession]:
    """A session of the project's owner for the project's files, for the length of the block."""
    rewriter = await _rewriter(connection, warn)
    async with open_owner_session(connection, url) as owner:
        begin = f"{owner.become};{_FRESH}"
        if owner.login is None:
            rewriter.administrator, rewriter.owner = owner.administrator, owner.become
            yield ProjectSession(owner.connection, begin, None, rewriter, connection)
            return
        rewriter.approvals = []
        await run_script(connection, _FORGET)
        try:
            yield ProjectSession(owner.connection, begin, owner.login, rewriter, connection)
        finally:
            await run_script(connection, _FORGET)


async def _rewriter(connection: Connection, warn: Callable[[str], None]) -> Rewriter:
    """The rewriter of the project's files for this server."""
    with faults():
        rows = await connection.fetch(_AVAILABLE)
        await connection.execute(RECORD)
        installed = await connection.fetchval(_INSTALLED)
        lacks_icu = bool(await connection.fetchval(_LACKS_ICU))
        lacks_lz4 = bool(await connection.fetchval(_LACKS_LZ4))
    available = {
        row["name"]: Available(frozenset(row["versions"]), row["is_trusted"], row["is_ours"])
        for row in rows
    }
    return Rewriter(
        available, _script, warn, set(installed), lacks_icu=lacks_icu, lacks_lz4=lacks_lz4
    )


async def _login(connection: Connection, url: str) -> str:
    """The URL by which the project's owner logs in, or else a role that is that one alone."""
    owner = role_url(url, "postgres", None)
    if await logs_in(owner):
        return owner
    with faults():
        name = str(await connection.fetchval(_LOGIN_NAME))
    password = secrets.token_hex(32)
    script = _MAKE_LOGIN.format(name=f"'{name}'", role=name, password=f"'{password}'")
    await retry_concurrent_updates(partial(run_script, connection, script))
    return with_password(url, name, password)


async def logs_in(url: str) -> bool:
    """Whether a URL gives a session."""
    try:
        async with connect(url):
            return True
    except (PgFault, Unavailable):
        return False


def _script(name: str, schema: str) -> str | None:
    script = contributed_script(name, schema)
    return None if script is None else f"{script}; {recording(name)}"

"""Bring a database to what the services need, then to what the project needs.

Three sets are the services' own (roles and schemas, auth, realtime); the last is the project's
folder, recorded as the Supabase CLI records it, so that a folder of the CLI's can take its place.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from compat_base.postgres.database import Connection, Record, connect, faults, run_script
from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.postgres.migrations import (
    Ledger,
    Migration,
    apply,
    one_at_a_time,
    read_folder,
    undisturbed,
)
from compat_base.postgres.sqlfiles import SQL_FOLDER
from compat_base.values.errors import OperatorError
from compat_base.values.sqltext import compile_sql, ident, literal, raw
from compat_stack.secret_record import InstallationSecret, check_secret, record_secret

PROJECT_LEDGER = Ledger("supabase_migrations", "schema_migrations")
SERVICE_SETS = {
    "platform": "setting up roles and schemas",
    "auth": "setting up sign-in",
    "realtime": "setting up live changes",
}
LOGIN_ROLES = ("authenticator", "supabase_auth_admin", "supabase_realtime_admin")

_LEAST_VERSION = 150_000
# As the CLI's: a project's files name an extension's functions without their schema.
_PROJECT_SEARCH_PATH = 'set search_path = "$user", public, extensions'


class MigrateError(OperatorError):
    """The database cannot serve: one sentence with the remedy."""


async def migrate(
    url: str,
    project: Path,
    *,
    passwords: bytes | None = None,
    secret: InstallationSecret | None = None,
    progress: Callable[[str], None] = lambda _line: None,
) -> None:
    """Apply every set in order. Raises MigrateError, MigrationError, PgFault or Unavailable.

    Processes that migrate one database take turns. `passwords` is the secret that the login roles'
    passwords are derived from; None where the socket trusts them. `secret` is the installation's,
    to which the database belongs from then on; None leaves that open.
    """
    async with connect(url) as connection:
        await _check_server(connection)
        # No file waits for the disk: a crash can lose the last ones only, which come again then.
        await run_script(connection, "set synchronous_commit = off")
        waiting = partial(progress, "waiting for another process that migrates this database")
        async with one_at_a_time(connection, waiting):
            if secret is not None:
                await check_secret(connection, secret)
            await _apply_all(connection, project, progress)
            if passwords is not None:
                await _set_passwords(connection, url, passwords)
            if secret is not None:
                await record_secret(connection, secret)


async def _apply_all(
    connection: Connection, project: Path, progress: Callable[[str], None]
) -> None:
    for name, line in SERVICE_SETS.items():
        said = Once(progress, line)
        migrations = read_folder(SQL_FOLDER / name)
        await apply(connection, migrations, Ledger("compat", name), progress=said)
    await run_script(connection, _PROJECT_SEARCH_PATH)
    await apply(
        connection,
        read_folder(project),
        PROJECT_LEDGER,
        progress=lambda migration: progress(f"migrating {migration.version}_{migration.name}"),
        is_whole=True,
    )


def role_url(url: str, role: str, passwords: bytes | None) -> str:
    """The database's URL for one of the login roles."""
    parts = urlsplit(url)
    credentials = quote(role, safe="")
    if passwords is not None:
        credentials += f":{role_password(passwords, role)}"
    address = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{credentials}@{address}"))


def role_password(secret: bytes, role: str) -> str:
    """A login role's password: derived from the installation's secret, so kept nowhere else."""
    return hmac.new(secret, f"database role {role}".encode(), hashlib.sha256).hexdigest()


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


async def _set_passwords(connection: Connection, url: str, secret: bytes) -> None:
    for role in LOGIN_ROLES:
        if not await _logs_in(role_url(url, role, secret)):
            password = literal(role_password(secret, role))
            statement = raw("alter role ") + ident(role) + raw(" login password ") + password
            text = compile_sql(statement).text
            await undisturbed(partial(run_script, connection, text))


async def _logs_in(url: str) -> bool:
    try:
        async with connect(url):
            return True
    except (PgFault, Unavailable):
        return False


class Once:
    """Progress of a set whose files nobody needs to follow: one line, where any file is applied."""

    def __init__(self, progress: Callable[[str], None], line: str) -> None:
        self._progress = progress
        self._line: str | None = line

    def __call__(self, _migration: Migration) -> None:
        """Say the line at the first file."""
        if self._line is not None:
            self._progress(self._line)
        self._line = None

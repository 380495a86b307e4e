"""Connections by asyncpg, as libpq reads the string, also through a pooler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias
from urllib.parse import urlencode

import asyncpg

from compat_base.postgres.conninfo import read_conninfo, split_settings
from compat_base.postgres.faults import Unavailable
from compat_base.postgres.tcp_limits import limit_socket, read_limits
from compat_base.values.sqltext import quote_ident, quote_literal

Record = asyncpg.Record
# Text, because asyncpg's classes are generic to the type checker only.
Connection: TypeAlias = "asyncpg.Connection[Record]"

_CONNECT_SECONDS = 60.0
_LAST_PORT = 65_535
_TLS = (
    "sslmode", "sslcert", "sslkey", "sslpassword", "sslrootcert", "sslcrl", "sslnegotiation",
    "ssl_min_protocol_version", "ssl_max_protocol_version",
)  # fmt: skip
_NAME = "application_name"  # the one setting that every pooler takes
# For how long a prepared statement is kept with its plan: one that was made while a table was empty
# reads the whole of it, and the server itself looks at tables once a minute.
_PLAN_SECONDS = 10
_REFUSED = "startup parameter"  # PgBouncer's words
_OPTIONS = "options"
# What the services' statements and functions are written for, whatever the database's defaults are.
_USUAL = {"default_transaction_isolation": "read committed", "standard_conforming_strings": "on"}


def arguments_of(dsn: str, server_settings: Mapping[str, str]) -> dict[str, Any]:
    """Arguments for asyncpg from a connection string, as libpq reads it.

    The service's own settings win over those of the string. Raises Unavailable for a string that
    libpq refuses. The connection is limited by `tcp_limits`.
    """
    conninfo, settings = split_settings(dsn)
    parameters = read_conninfo(conninfo)
    host = parameters.get("hostaddr") or parameters.get("host")
    tls = {key: parameters[key] for key in _TLS if key in parameters}
    if tls.get("sslmode") == "prefer":  # asyncpg's own choice for TCP; a Unix socket has none
        del tls["sslmode"]
    options = {_OPTIONS: parameters[_OPTIONS]} if _OPTIONS in parameters else {}
    return {
        "dsn": f"postgresql:///?{urlencode(tls)}",
        "host": host.split(",") if host else None,
        "port": [_port(text) for text in parameters["port"].split(",")],
        "user": parameters["user"],
        "password": parameters.get("password"),
        "passfile": parameters.get("passfile"),
        "database": parameters["dbname"],
        "target_session_attrs": parameters.get("target_session_attrs"),
        "timeout": float(parameters.get("connect_timeout", 0)) or _CONNECT_SECONDS,
        "server_settings": options | dict(settings) | dict(server_settings),
        "connection_class": _limited(tuple(read_limits(parameters).items())),
    }


@lru_cache(maxsize=16)
def _limited(limits: tuple[tuple[str, int], ...]) -> type[Connection]:
    """A connection that sets its socket's limits: asyncpg itself has no way to."""

    class TcpLimitedConnection(asyncpg.Connection):
        __slots__ = ()

        def __init__(self, protocol: Any, transport: Any, *rest: Any) -> None:
            super().__init__(protocol, transport, *rest)
            limit_socket(transport.get_extra_info("socket"), dict(limits))

    return TcpLimitedConnection


def _port(text: str) -> int:
    if text.isdecimal() and 0 < int(text) <= _LAST_PORT:
        return int(text)
    raise Unavailable(f'invalid port number: "{text}"')


@dataclass(slots=True)
class Connector:
    """Opens connections, in another way where a pooler is in front of the server.

    A pooler in transaction mode (PgBouncer, Supavisor) lends a server session for each transaction:
    it refuses or forgets settings at the start of a connection, and a prepared statement is unknown
    to the next session. It is recognised by that refusal, or by backend process numbers that differ
    from the server's.
    """

    dsn: str
    application_name: str
    server_settings: tuple[tuple[str, str], ...]
    statement_cache: int
    _is_pooled: bool | None = None

    async def connect(self) -> Connection:
        """A new connection; Unavailable, OSError or asyncpg's own errors where none can be had."""
        arguments = arguments_of(
            self.dsn, {_NAME: self.application_name, **_USUAL, **dict(self.server_settings)}
        )
        if self._is_pooled is None:
            connection = await self._directly(arguments)
            self._is_pooled = connection is None
            if connection is not None:
                return connection
        if self._is_pooled:
            return await self._by_pooler(arguments)
        return await self._prepared(arguments)

    async def _directly(self, arguments: dict[str, Any]) -> Connection | None:
        """A connection to the server itself; None where a pooler answers in its place."""
        try:
            connection = await self._prepared(arguments)
        except asyncpg.ProtocolViolationError as error:
            if _REFUSED in str(error):
                return None
            raise
        is_server = False
        try:
            is_server = await _is_servers(connection)
        finally:
            if not is_server:
                connection.terminate()
        return connection if is_server else None

    async def _prepared(self, arguments: dict[str, Any]) -> Connection:
        return await asyncpg.connect(
            **arguments,
            statement_cache_size=self.statement_cache,
            max_cached_statement_lifetime=_PLAN_SECONDS,
        )

    async def _by_pooler(self, arguments: dict[str, Any]) -> Connection:
        wanted = dict(arguments["server_settings"])
        for name in _USUAL:  # nearly every server's own
            wanted.pop(name, None)
        # Supavisor may read its tenant in the options: they are the pooler's.
        sent = {name: wanted.pop(name) for name in (_NAME, _OPTIONS) if name in wanted}
        arguments["server_settings"] = sent
        connection = await asyncpg.connect(**arguments, statement_cache_size=0)
        try:
            for name, value in wanted.items():
                await _expect_setting(connection, name, value)
        except BaseException:
            connection.terminate()
            raise
        return connection


async def _is_servers(connection: Connection) -> bool:
    """Whether the other end is a server; leaves no prepared statement."""
    number = int(connection.get_server_pid())
    return await connection.execute(f"select where pg_backend_pid() = {number}") == "SELECT 1"


async def _expect_setting(connection: Connection, name: str, value: str) -> None:
    """Raise Unavailable where a setting that cannot be sent is not the role's own."""
    found = await connection.fetchval("select current_setting($1)", name)
    if found.replace('"', "") != value.replace('"', ""):
        role = quote_ident(await connection.fetchval("select current_user"))
        raise Unavailable(
            f"a connection pooler stands before the database and {name} is {found!r}: run"
            f" alter role {role} set {name} = {quote_literal(value)}"
        )

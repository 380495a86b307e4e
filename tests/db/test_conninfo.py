"""Connection strings beside libpq itself: what it reads, and what it says of a failure."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import cast

import pytest
from psycopg import pq

from compat_base.postgres.conninfo import read_conninfo, split_settings
from compat_base.postgres.database import (
    DatabaseSettings,
    connect,
    fetch_one,
    open_database,
)
from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.postgres.pipeline import open_session
from compat_base.values.sqltext import Statement
from compat_stack.embedded import postgres
from tests.conftest import Server

WHO = Statement("select current_user::text as name, current_setting('application_name') as app")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "passwords"))
    (tmp_path / "services").write_text(
        "[one]\nhost=h1,h2\nport=1,2\nuser=u\ndbname=d\nsslmode=require\n"
    )
    (tmp_path / "passwords").write_text("h1:1:d:u:pass word\n*:*:*:other:theirs\n")
    (tmp_path / "passwords").chmod(0o600)


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port of every local address that nobody listens on."""
    with socket.socket(socket.AF_INET6) as taken:
        taken.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        taken.bind(("::", 0))
        yield cast("int", taken.getsockname()[1])


@pytest.mark.parametrize(
    ("conninfo", "parameters"),
    [
        ("postgres://u:p%40ss@h:7/d%20b", {"host": "h", "port": "7", "user": "u", "password": "p@ss", "dbname": "d b"}),
        ("postgresql://[::1]/x?sslmode=require", {"host": "::1", "port": "5432", "sslmode": "require"}),
        ("host=/tmp dbname='my db' user='o\\'f'", {"host": "/tmp", "dbname": "my db", "user": "o'f"}),
        ("service=one", {"host": "h1,h2", "port": "1,2", "password": "pass word", "sslmode": "require"}),
        ("service=one user=other", {"user": "other", "password": "theirs"}),
        ("postgresql://u@a:1,b:2/d?target_session_attrs=read-write",
         {"host": "a,b", "port": "1,2", "target_session_attrs": "read-write"}),
        ("user=only", {"user": "only", "dbname": "only", "port": "5432"}),
    ],
)  # fmt: skip
def test_a_connection_string_is_read_whole(conninfo: str, parameters: dict[str, str]):
    found = read_conninfo(conninfo)
    assert {key: found.get(key) for key in parameters} == parameters


def test_variables_of_the_environment_fill_in(monkeypatch: pytest.MonkeyPatch):
    for name, value in {"PGHOST": "eh", "PGUSER": "eu", "PGPASSWORD": "ep", "PGPORT": "9"}.items():
        monkeypatch.setenv(name, value)
    found = read_conninfo("postgresql://stated@/d")
    assert [found[key] for key in ("host", "port", "user", "password")] == [
        "eh",
        "9",
        "stated",
        "ep",
    ]


@pytest.mark.parametrize(
    "conninfo",
    ["abc", "nothing=1", "service=two", "host=a port=1,2", "sslmode=sometimes", "postgres://h?x=1"],
)
def test_what_libpq_refuses_is_refused_in_its_words(conninfo: str):
    with pytest.raises(Unavailable) as refused:
        read_conninfo(conninfo)
    assert str(refused.value) == libpqs_words(conninfo)


def test_settings_in_a_query_are_no_parameters_of_the_connection():
    assert split_settings(
        "postgres://u@h/d?search_path=a%2Cb&sslmode=require&connect_timeout=3"
    ) == (
        "postgres://u@h/d?sslmode=require&connect_timeout=3",
        {"search_path": "a,b"},
    )
    assert split_settings("host=h search_path=x") == ("host=h search_path=x", {})
    assert (
        split_settings("postgres://u:p%2F@h/d?sslmode=require")[0]
        == "postgres://u:p%2F@h/d?sslmode=require"
    )


@pytest.mark.parametrize(
    "conninfo",
    [
        "host=nowhere.invalid",
        "host=127.0.0.1 port={port}",
        "host=localhost port={port}",
        "host=127.0.0.1,localhost port={port}",
        "host=localhost hostaddr=127.0.0.1 port={port}",
        "host=/nowhere",
        "service=two",
        "postgresql://u@localhost:{port}/d",
        "abc",
    ],
)
async def test_a_connection_that_fails_is_told_in_libpqs_words(conninfo: str, closed_port: int):
    dsn = conninfo.format(port=closed_port)
    with pytest.raises(Unavailable) as failed:
        await open_session(dsn, "tests", 0)
    assert str(failed.value) == libpqs_words(dsn)


def libpqs_words(conninfo: str) -> str:
    connection = pq.PGconn.connect(conninfo.encode())
    try:
        return connection.get_error_message().strip()
    finally:
        connection.finish()


@pytest.mark.parametrize("form", ["url", "pairs", "service"])
async def test_both_drivers_connect_by_the_same_string(server: Server, form: str, tmp_path: Path):
    folder = server.cluster.sockets
    user = postgres.SUPERUSER
    (tmp_path / "services").write_text(f"[two]\nhost={folder}\nuser={user}\ndbname=postgres\n")
    dsn = {
        "url": server.url(),
        "pairs": f"host='{folder}' user={user} dbname=postgres connect_timeout=5",
        "service": "service=two",
    }[form]
    async with connect(dsn, application_name="one") as connection:
        row = await fetch_one(connection, WHO)
        assert row is not None
        assert (row["name"], row["app"]) == (user, "one")
    session = await open_session(dsn, "one", 0)
    try:
        assert (await session.run([WHO]))[0].records() == [{"name": user, "app": "one"}]
    finally:
        session.close()


async def test_settings_of_a_query_are_set_and_those_of_the_service_stand_above(server: Server):
    text = "select current_setting('{}') as value"
    async with connect(
        f"{server.url()}&search_path=theirs&timezone=Asia/Tokyo", search_path="own"
    ) as one:
        values = [
            await fetch_one(one, Statement(text.format(name)))
            for name in ("search_path", "timezone")
        ]
    assert [row["value"] for row in values if row is not None] == ["own", "Asia/Tokyo"]


@pytest.mark.parametrize(
    "conninfo", ["postgres://u@localhost:x/d", "host=h port=70000", "service=gone", "gibberish"]
)
async def test_a_string_that_cannot_be_read_is_unavailable_and_no_crash(conninfo: str):
    with pytest.raises((Unavailable, PgFault)):
        async with connect(conninfo):
            pass


@pytest.mark.parametrize("driver", ["psycopg", "asyncpg"])
@pytest.mark.parametrize(
    ("conninfo_options", "given"),
    [
        ("", (1, 20, 20, 60_000)),
        ("keepalives_idle=7 keepalives_interval=8 tcp_user_timeout=9000", (1, 7, 8, 9_000)),
        ("service=patient", (1, 20, 20, 0)),
        ("keepalives=0", (0, None, None, 0)),  # libpq then sets none of them
    ],
)
async def test_a_server_that_is_gone_without_a_word_is_given_up_after_a_minute(
    server: Server,
    tmp_path: Path,
    driver: str,
    conninfo_options: str,
    given: tuple[int | None, ...],
):
    # By the kernel: a network that swallows everything is no part of this ring.
    (tmp_path / "services").write_text("[patient]\ntcp_user_timeout=0\n")
    async with over_tcp(server) as port:
        dsn = f"host=127.0.0.1 port={port} user={postgres.SUPERUSER} dbname=postgres {conninfo_options}"
        if driver == "psycopg":
            with closing(await open_session(dsn, "tests", 0)) as session:
                number = session._socket  # pyright: ignore[reportPrivateUsage]
                options = options_of(number)
        else:
            async with connect(dsn) as connection:
                transport = connection._transport  # pyright: ignore[reportAttributeAccessIssue, reportPrivateUsage, reportUnknownMemberType, reportUnknownVariableType]
                options = options_of(transport.get_extra_info("socket").fileno())
    assert all(
        found == wanted for found, wanted in zip(options, given, strict=True) if wanted is not None
    )


def options_of(number: int) -> tuple[int, ...]:
    with socket.socket(fileno=os.dup(number)) as connection:
        return (
            connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE),
            connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE),
            connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL),
            connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT),
        )


@asynccontextmanager
async def over_tcp(server: Server) -> AsyncGenerator[int]:
    """The server, which has a Unix socket alone, at a port of TCP."""
    path = f"{server.cluster.sockets}/.s.PGSQL.5432"

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer):
            while data := await reader.read(65_536):
                writer.write(data)

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind, ahead = await asyncio.open_unix_connection(path)
        await asyncio.gather(copy(reader, ahead), copy(behind, writer))

    async with await asyncio.start_server(forward, "127.0.0.1", 0) as listening:
        yield listening.sockets[0].getsockname()[1]


@pytest.mark.parametrize("driver", ["asyncpg", "psycopg"])
async def test_a_host_that_is_away_is_passed_over(server: Server, closed_port: int, driver: str):
    folder = server.cluster.sockets
    dsn = f"postgresql://{postgres.SUPERUSER}@/postgres?host=localhost,{folder}&port={closed_port},5432"
    assert await name_by(driver, dsn) == postgres.SUPERUSER


@pytest.fixture(scope="module")
def reading_database(server: Server) -> Iterator[str]:
    """A database whose sessions only read, as those of a standby."""
    name = server.clone("template0")
    server.run(f'alter database "{name}" set default_transaction_read_only = on')
    yield name
    server.drop(name)


@pytest.mark.parametrize("driver", ["asyncpg", "psycopg"])
async def test_a_server_that_only_reads_is_refused_where_writing_is_wanted(
    server: Server, reading_database: str, driver: str
):
    url = f"{server.url(reading_database)}&target_session_attrs"
    assert await name_by(driver, f"{url}=any") == postgres.SUPERUSER
    with pytest.raises(Unavailable):
        await name_by(driver, f"{url}=read-write")
    with pytest.raises(Unavailable):
        await name_by(driver, f"{server.url()}&target_session_attrs=standby")


@pytest.fixture
def unusual_database(server: Server) -> Iterator[str]:
    """A database whose sessions are serializable, and read a backslash as an escape."""
    name = server.clone("template0")
    for setting in (
        "default_transaction_isolation = serializable",
        "standard_conforming_strings = off",
    ):
        server.run(f'alter database "{name}" set {setting}')
    yield name
    server.drop(name)


async def test_a_pools_sessions_have_the_settings_that_statements_are_written_for(
    server: Server, unusual_database: str
):
    settings = DatabaseSettings(server.url(unusual_database))
    async with open_database(settings) as database, database.transaction() as connection:
        found = await fetch_one(
            connection, Statement(r"select '\d', current_setting('transaction_isolation')")
        )
    assert tuple(found or ()) == (r"\d", "read committed")


async def name_by(driver: str, dsn: str) -> str:
    if driver == "asyncpg":
        async with connect(dsn) as connection:
            row = await fetch_one(connection, WHO)
            assert row is not None
            return row["name"]
    session = await open_session(dsn, "tests", 0)
    try:
        return (await session.run([WHO]))[0].records()[0]["name"]
    finally:
        session.close()

"""Roles and what they may do, default privileges, and the announcement of DDL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest

from tests.conftest import Server
from tests.harness_sql import Connection, acting

API_ROLES = ["anon", "authenticated", "service_role"]
OWN_ROLES = [
    "supabase_admin", "supabase_auth_admin", "supabase_realtime_admin", "supabase_storage_admin",
]  # fmt: skip


async def test_the_roles_and_their_attributes(services: Connection) -> None:
    rows = await services.fetch(
        "select rolname, rolcanlogin, rolinherit, rolbypassrls, rolreplication, rolsuper,"
        " rolpassword is null as no_password from pg_authid"
        " where rolname !~ '^pg_' and rolname = any ($1) order by 1",
        [
            *API_ROLES,
            "authenticator",
            "compat_background",
            "dashboard_user",
            "pgbouncer",
            "postgres",
            *OWN_ROLES,
        ],
    )
    assert [tuple(row) for row in rows] == [
        ("anon", False, True, False, False, False, True),
        ("authenticated", False, True, False, False, False, True),
        ("authenticator", True, False, False, False, False, True),
        ("compat_background", True, False, False, False, False, True),
        ("dashboard_user", False, True, False, True, False, True),
        ("pgbouncer", True, True, False, False, False, True),
        ("postgres", True, True, True, True, False, True),
        ("service_role", False, True, True, False, False, True),
        ("supabase_admin", True, True, True, True, True, True),
        ("supabase_auth_admin", True, False, False, False, False, True),
        ("supabase_realtime_admin", True, False, False, True, False, True),
        ("supabase_storage_admin", True, False, False, False, False, True),
    ]


async def test_requests_end_in_time(services: Connection) -> None:
    rows = await services.fetch(
        "select rolname, unnest(rolconfig) as s from pg_roles order by 1, 2"
    )
    assert [tuple(row) for row in rows] == [
        ("anon", "statement_timeout=3s"),
        ("authenticated", "statement_timeout=8s"),
        ("authenticator", "lock_timeout=8s"),
        ("authenticator", "statement_timeout=8s"),
        ("postgres", 'search_path="$user", public, extensions'),
        ("supabase_auth_admin", "idle_in_transaction_session_timeout=60s"),
        ("supabase_auth_admin", "search_path=auth"),
        ("supabase_functions_admin", "search_path=supabase_functions"),
        ("supabase_storage_admin", "search_path=storage"),
    ]


@pytest.mark.parametrize(
    "login", ["authenticator", "supabase_realtime_admin", "supabase_storage_admin"]
)
async def test_the_services_become_api_roles_and_inherit_nothing(
    services: Connection, login: str
) -> None:
    await services.execute("create table public.t (id integer)")
    await services.execute(f"set local session authorization {login}")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with services.transaction():
            await services.execute("select * from t")
    for role in API_ROLES:
        await services.execute(f"set local role {role}")
        assert await services.fetch("select * from t") == []


async def test_the_auth_service_becomes_nobody(services: Connection) -> None:
    await services.execute("set local session authorization supabase_auth_admin")
    for role in ("service_role", "postgres"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with services.transaction():
                await services.execute(f"set local role {role}")


@pytest.mark.parametrize("role", API_ROLES)
async def test_new_objects_of_public_are_open_to_the_api_roles(
    services: Connection, role: str
) -> None:
    await services.execute("""
        create table public.t (id bigserial primary key, v text);
        create function public.f() returns integer language sql stable as 'select 7';
    """)
    async with acting(services, "x", role):
        await services.execute("insert into t (v) values ('a'); update t set v = 'b'")
        assert await services.fetchval("select f()") == 7
        assert await services.execute("delete from t") == "DELETE 1"


@pytest.mark.parametrize("role", ["anon", "authenticated"])
async def test_nobody_makes_tables_in_the_schemas(services: Connection, role: str) -> None:
    for schema in ("public", "auth", "realtime", "extensions"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with acting(services, "x", role):
                await services.execute(f"create table {schema}.t (id integer)")


async def test_extensions_are_apart_from_public(services: Connection) -> None:
    rows = await services.fetch(
        "select extname, extnamespace::regnamespace::text as schema from pg_extension"
        " where extname in ('pgcrypto', 'uuid-ossp') order by 1"
    )
    available = await services.fetchval(
        "select count(*) from pg_available_extensions where name in ('pgcrypto', 'uuid-ossp')"
    )
    assert len(rows) == available
    assert {row["schema"] for row in rows} <= {"extensions"}


@pytest.fixture(scope="module")
def own_database(server: Server, services_template: str) -> Iterator[str]:
    """The URL of a database that only the tests of DDL commit to."""
    name = server.clone(services_template)
    yield server.url(name)
    server.drop(name)


@pytest.fixture
async def listening(own_database: str) -> AsyncIterator[Connection]:
    """A connection that commits."""
    connection = await asyncpg.connect(own_database)
    yield connection
    await connection.close()


@pytest.mark.parametrize(
    ("statement", "is_announced"),
    [
        ("create table public.t (id integer)", True),
        ("alter table public.had add column v text", True),
        ("create view public.v as select 1 as one", True),
        ("create function public.f() returns integer language sql as 'select 1'", True),
        ("comment on table public.had is 'x'", True),
        ("create schema other", True),
        ("create domain public.d as text", True),
        ("drop table public.had", True),
        ("alter table public.had drop column id", True),
        ("create temporary table t (id integer)", False),
        ("create index on public.had (id)", False),
        ("insert into public.had values (1)", False),
        ("grant select on public.had to anon", False),
    ],
)
async def test_ddl_announces_a_new_schema(
    listening: Connection, statement: str, is_announced: bool
) -> None:
    await listening.execute("drop table if exists public.had cascade")
    await listening.execute("create table public.had (id integer)")
    notified: list[str] = []
    await listening.add_listener("pgrst", lambda *message: notified.append(message[3]))
    await listening.execute(statement)
    await listening.execute("notify pgrst, 'end of test'")
    async with asyncio.timeout(60):
        while "end of test" not in notified:
            await listening.execute("select 1")  # notifications come with an answer
    assert set(notified) == ({"reload schema", "end of test"} if is_announced else {"end of test"})

"""Auth and REST behind PgBouncer in transaction mode, which lends a session a transaction each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest

from compat_base.postgres.database import DatabaseSettings, fetch_one, open_database
from compat_base.postgres.faults import Unavailable
from compat_base.values.sqltext import Statement
from tests.conftest import Server
from tests.harness_auth import AUTO, PASSWORD, open_auth
from tests.harness_couple import make_couple
from tests.harness_pooler import Pooler, running_pooler
from tests.harness_rest import make_database, serving
from tests.harness_stack import Stack, start_stack

AT_ONCE = 8


@pytest.fixture(scope="module")
def pooler(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pooler]:
    with running_pooler(server, tmp_path_factory.mktemp("pooler")) as running:
        yield running


@pytest.fixture(scope="module")
def rest_database(server: Server) -> Iterator[str]:
    name = make_database(server)
    yield name
    server.drop(name)


@pytest.fixture(params=["", "search_path"], ids=["refused", "ignored"])
def any_pooler(server: Server, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pooler]:
    """A pooler that refuses settings at the start of a connection, or takes and forgets them."""
    with running_pooler(server, tmp_path, size=2, ignored=request.param) as running:
        yield running


async def test_people_sign_up_sign_in_and_refresh_at_once(
    server: Server, services_database: str, any_pooler: Pooler
):
    url = any_pooler.url(services_database, "supabase_auth_admin")
    async with open_auth(
        url, server.url(services_database), GOTRUE_RATE_LIMIT_SIGN_UP="1000", **AUTO
    ) as auth:

        async def sign_up_and_read(number: int) -> int:
            email = f"{number}.{uuid4().hex}@example.com"
            up = await auth.post("/signup", {"email": email, "password": PASSWORD})
            assert up.status_code == 200, up.text
            signed = await auth.sign_in(email)
            assert signed.status_code == 200, signed.text
            return (await auth.refresh(signed.json()["refresh_token"])).status_code

        for _ in range(3):
            assert await asyncio.gather(*map(sign_up_and_read, range(AT_ONCE))) == [200] * AT_ONCE


async def test_requests_read_write_and_call_at_once(
    server: Server, rest_database: str, pooler: Pooler
):
    uri = pooler.url(rest_database, "rest_authenticator")
    async with serving(
        server,
        rest_database,
        DB_URI=uri,
        DB_PREPARED_STATEMENTS="false",
        DB_CHANNEL_ENABLED="false",
    ) as api:

        async def write_and_read(number: int) -> list[int]:
            answers = [
                await api("POST", "/dept", body={"id": 1000 + number, "name": f"n{number}"}),
                await api("GET", f"/dept?id=eq.{1000 + number}"),
                await api("GET", "/emp?select=name,dept(name)&limit=2"),
                await api("POST", "/rpc/add", body={"a": number, "b": 1}),
                await api("DELETE", f"/dept?id=eq.{1000 + number}"),
            ]
            assert answers[1].json()[0]["name"] == f"n{number}"
            assert answers[3].json() == number + 1
            return [answer.status_code for answer in answers]

        for _ in range(5):
            found = await asyncio.gather(*map(write_and_read, range(AT_ONCE)))
            assert found == [[201, 200, 200, 200, 204]] * AT_ONCE


async def test_a_setting_that_the_role_has_not_is_asked_for_in_a_sentence(
    server: Server, services_database: str, any_pooler: Pooler
):
    settings = DatabaseSettings(
        any_pooler.url(services_database, "authenticator"),
        server_settings=(("search_path", "auth"),),
    )
    async with open_database(settings) as database:
        with pytest.raises(
            Unavailable, match="alter role \"authenticator\" set search_path = 'auth'"
        ):
            async with database.acquire():
                pass


async def test_options_are_the_poolers_and_not_asked_of_the_role(
    server: Server, services_database: str, tmp_path: Path
):
    with running_pooler(server, tmp_path, ignored="options") as pooler:
        url = f"{pooler.url(services_database, 'authenticator')}?options=reference%3Dplanes"
        async with (
            open_database(DatabaseSettings(url)) as database,
            database.acquire() as connection,
        ):
            row = await fetch_one(connection, Statement("select 1 as n"))
    assert row is not None
    assert row["n"] == 1


async def test_statements_are_prepared_where_no_pooler_is(server: Server):
    async with (
        open_database(DatabaseSettings(server.url())) as database,
        database.acquire() as connection,
    ):
        await fetch_one(connection, Statement("select $1::int as n", (1,)))
        count = Statement("select count(*)::int as n from pg_prepared_statements where $1", (True,))
        row = await fetch_one(connection, count)
        assert row is not None
        assert row["n"] >= 2


def test_the_stack_serves_by_its_pooler_and_hears_the_server_itself(
    server: Server, pooler: Pooler, tmp_path: Path
):
    name = server.clone("template0")
    started = start_stack(
        tmp_path / "data", DATABASE_URL=server.url(name), DATABASE_POOLED_URL=pooler.url(name)
    )
    try:
        ana, luis = make_couple(started)
        luis.create_activity("Por el pooler", "2026-12-25")
        assert [found["titulo"] for found in ana.activities()] == ["Por el pooler"]
        server.run(
            "create table public.fresh (id int)",
            "grant select on public.fresh to service_role",
            database=name,
        )
        until_found(started, "/rest/v1/fresh")
        assert pooler.users(name) == {"authenticator", "supabase_auth_admin"}
    finally:
        started.stop()
        server.drop(name)


def until_found(stack: Stack, path: str) -> None:
    """Ask until the path is there: the schema cache is read anew where a notification is heard."""
    headers = {"apikey": stack.keys["SUPABASE_SECRET_KEY"]}
    deadline = time.monotonic() + 60
    while httpx2.get(stack.url + path, headers=headers, timeout=60).status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)

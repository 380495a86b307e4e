"""Hard ground: reloads, lost connections, a full pool, hostile input."""

import asyncio

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.harness_rest import make_database, serving
from tests.harness_states import until


@pytest.fixture(scope="module")
def own_database(server):
    name = make_database(server)
    yield name
    server.drop(name)


async def test_a_new_table_appears_after_a_notification(server, own_database):
    async with serving(server, own_database) as api:
        assert (await api("GET", "/fresh")).status_code == 404
        connection = await asyncpg.connect(server.url(own_database))
        await connection.execute(
            "create table api.fresh (id int); grant all on api.fresh to rest_member"
        )

        async def appears():
            await connection.execute("notify pgrst")
            return (await api("GET", "/fresh")).status_code == 200

        await until(appears)
        await connection.close()


async def test_a_reload_forgets_what_connections_know_of_types(server, own_database):
    connection = await asyncpg.connect(server.url(own_database))
    await connection.execute(
        "create table api.retyped (id uuid); grant all on api.retyped to rest_member"
    )
    async with serving(server, own_database) as api:
        path = "/retyped?id=eq.00000000-0000-0000-0000-000000000000"
        assert (await api("GET", path)).status_code == 200
        await connection.execute("alter table api.retyped drop id, add id bigint; notify pgrst")

        async def answers():
            return (await api("GET", "/retyped?id=eq.1")).status_code == 200

        await until(answers)
    await connection.close()


async def test_killed_connections_are_replaced(server, own_database):
    async with serving(server, own_database, DB_POOL="2") as api:
        assert (await api("GET", "/emp")).status_code == 200
        await asyncio.to_thread(
            server.run,
            "select pg_terminate_backend(pid) from pg_stat_activity"
            f" where datname = '{own_database}' and usename = 'rest_authenticator'",
        )

        async def answers():
            response = await api("GET", "/emp")
            assert response.status_code in {200, 503}, (response.text, api.seen)
            return response.status_code == 200

        await until(answers)


async def test_requests_do_not_hurry_the_next_attempt(server, own_database):
    gate = f"alter database {own_database} with allow_connections"
    async with serving(server, own_database) as api:
        assert (await api("GET", "/emp")).status_code == 200
        await asyncio.to_thread(server.run, f"{gate} false")
        try:
            await asyncio.to_thread(
                server.run,
                f"select pg_terminate_backend(pid) from pg_stat_activity"
                f" where datname = '{own_database}'",
            )

            async def waits():
                return (await api("GET", "/emp")).headers.get("retry-after") == "1"

            await until(waits)
            answers = [await api("GET", "/emp") for _ in range(10)]
        finally:
            await asyncio.to_thread(server.run, f"{gate} true")
        assert {answer.status_code for answer in answers} == {503}
        assert all(int(answer.headers["retry-after"]) < 8 for answer in answers)

        async def answers_again():
            return (await api("GET", "/emp")).status_code == 200

        await until(answers_again)


async def test_a_connection_killed_at_work_is_told_as_unavailable(server, own_database):
    async with serving(server, own_database, DB_POOL="2") as api:
        slow = asyncio.ensure_future(api("POST", "/rpc/slow", body={"seconds": 30}))
        connection = await asyncpg.connect(server.url(own_database))

        async def is_killed():
            return await connection.fetchval(
                "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                " where usename = 'rest_authenticator' and state = 'active'"
                " and query like '%slow%' and datname = current_database()"
            )

        await until(is_killed)
        await connection.close()
        response = await slow
        assert response.status_code == 503, api.seen
        assert response.json()["code"] == "PGRST001"
        assert response.json()["details"] == "no connection to the server\n"
        assert "retry-after" in response.headers
        assert (await api("GET", "/emp")).status_code == 200


async def test_a_full_pool_is_a_timeout(server, own_database):
    async with serving(server, own_database, DB_POOL="1", DB_POOL_ACQUISITION_TIMEOUT="1") as api:
        lock = await asyncpg.connect(server.url(own_database))
        await lock.execute("begin; lock table api.note")
        busy = asyncio.ensure_future(api("GET", "/note"))

        async def is_busy():
            return await lock.fetchval(
                "select count(*) = 1 from pg_locks where not granted"
                " and relation = 'api.note'::regclass"
            )

        await until(is_busy)
        response = await api("GET", "/emp")
        assert (response.status_code, response.json()["code"]) == (504, "PGRST003")
        await lock.close()
        assert (await busy).status_code == 200


async def test_a_caller_whose_queries_hang_leaves_connections_to_others(server, own_database):
    async with serving(server, own_database, DB_POOL="3") as api:
        lock = await asyncpg.connect(server.url(own_database))
        await lock.execute("begin; lock table api.note")
        flood = api.at("203.0.113.9")
        hanging = [asyncio.ensure_future(flood("GET", "/note")) for _ in range(6)]

        async def are_hanging():
            return await lock.fetchval(
                "select count(*) = 2 from pg_locks where not granted"
                " and relation = 'api.note'::regclass"
            )

        await until(are_hanging)
        for address in ("198.51.100.1", "198.51.100.2"):
            assert (await api.at(address)("GET", "/emp?select=id&limit=1")).json() == [{"id": 1}]
        assert not any(one.done() for one in hanging)
        await lock.close()
        assert {one.status_code for one in await asyncio.gather(*hanging)} == {200}


async def test_a_connection_that_brought_a_wide_answer_is_not_kept_with_its_buffer(
    server, own_database
):
    connection = await asyncpg.connect(server.url(own_database))
    await connection.execute(
        "create function api.pid(n int, out pid int, out text text) stable language sql"
        " return (pg_backend_pid(), repeat('x', n)); notify pgrst"
    )
    async with serving(server, own_database, DB_POOL="1") as api:

        async def pid(length):
            return (await api("GET", f"/rpc/pid?n={length}")).json()["pid"]

        first = await pid(1)
        assert await pid(1_000_000) == first
        assert await pid(5_000_000) == first
        assert await pid(1) != first
    await connection.close()


async def test_beyond_its_queue_a_caller_is_refused_at_once(server, own_database):
    queue = {"DB_POOL": "1", "DB_POOL_WAITING_PER_ADDRESS": "2"}
    async with serving(server, own_database, **queue) as api:
        lock = await asyncpg.connect(server.url(own_database))
        await lock.execute("begin; lock table api.note")
        flood = api.at("203.0.113.9")
        sent = [asyncio.ensure_future(flood("GET", "/note")) for _ in range(4)]
        refused, _ = await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED)
        [response] = [one.result() for one in refused]
        assert (response.status_code, response.json()["code"]) == (504, "PGRST003")
        honest = asyncio.ensure_future(api.at("198.51.100.1")("GET", "/emp?select=id&limit=1"))
        await asyncio.sleep(0)
        assert not honest.done()
        await lock.close()
        assert (await honest).json() == [{"id": 1}]
        answers = [await one for one in sent]
        assert sorted(one.status_code for one in answers) == [200, 200, 200, 504]


async def test_a_statement_that_takes_too_long_is_ended(server, own_database):
    await asyncio.to_thread(server.run, "alter role rest_member set statement_timeout = '200ms'")
    try:
        async with serving(server, own_database) as api:
            response = await api("POST", "/rpc/slow", body={"seconds": 5})
            assert (response.status_code, response.json()["code"]) == (500, "57014")
    finally:
        await asyncio.to_thread(server.run, "alter role rest_member reset statement_timeout")


async def test_settings_in_the_database_win(server, own_database):
    await asyncio.to_thread(
        server.run,
        f"alter role rest_authenticator in database \"{own_database}\" set pgrst.db_max_rows = '1'",
    )
    try:
        async with serving(server, own_database) as api:
            assert len((await api("GET", "/emp")).json()) == 1
    finally:
        await asyncio.to_thread(
            server.run, f'alter role rest_authenticator in database "{own_database}" reset all'
        )


async def test_a_reload_changes_how_transactions_end_and_which_origins_are_allowed(
    server, own_database
):
    role = f'alter role rest_authenticator in database "{own_database}"'
    await asyncio.to_thread(server.run, f"{role} set pgrst.db_tx_end = 'rollback'")
    origins = "set pgrst.server_cors_allowed_origins = 'http://one.example'"
    allowed = "access-control-allow-origin"
    try:
        async with serving(server, own_database) as api:
            assert (await api("POST", "/emp", body={"name": "Nil"})).status_code == 201
            assert (await api("GET", "/emp?name=eq.Nil")).json() == []
            await asyncio.to_thread(server.run, f"{role} reset all", f"{role} {origins}")

            async def is_read_again():
                await asyncio.to_thread(
                    server.run, "notify pgrst, 'reload config'", database=own_database
                )
                found = await api("GET", "/emp", origin="http://two.example")
                return allowed not in found.headers

            await until(is_read_again)
            assert (await api("POST", "/emp", body={"name": "Nil"})).status_code == 201
            assert len((await api("GET", "/emp?name=eq.Nil")).json()) == 1
    finally:
        await asyncio.to_thread(server.run, f"{role} reset all")


async def test_settings_in_the_database_hold_even_without_a_schema_cache(server, own_database):
    role = f'alter role rest_authenticator in database "{own_database}"'
    await asyncio.to_thread(server.run, f"{role} set pgrst.db_anon_role = 'rest_anon'")
    try:
        async with serving(server, own_database, DB_SCHEMAS="absent", DB_ANON_ROLE="") as api:
            response = await api("GET", "/emp", role=None)
            assert (response.status_code, response.json()["code"]) == (503, "PGRST002")
    finally:
        await asyncio.to_thread(server.run, f"{role} reset all")


async def test_a_pre_config_function_that_does_not_exist_is_told(server, own_database):
    async with serving(server, own_database, DB_PRE_CONFIG="nowhere") as api:
        assert (await api("GET", "/emp")).status_code == 200
        texts = [one.facts.get("text", "") for one in api.seen]
        assert any(
            "Failed to query database settings for the config parameters." in text
            and "function nowhere() does not exist" in text
            for text in texts
        )


async def test_only_failures_of_the_database_are_told(server, own_database):
    async with serving(server, own_database) as api:
        query = "status=x&headers="
        assert (await api("GET", f"/rpc/shape_reply?{query}")).status_code == 500
        assert not [one for one in api.seen if one.name == "failed"]
        connection = await asyncpg.connect(server.url(own_database))
        await connection.execute(
            "create or replace function api.broken() returns int language plpgsql"
            " as $$ begin raise sqlstate 'XX001'; end $$; notify pgrst"
        )
        await connection.close()

        async def fails():
            return (await api("POST", "/rpc/broken")).status_code == 500

        await until(fails)
        assert [one.facts["error"][:15] for one in api.seen if one.name == "failed"] == [
            '{"code":"XX001"'
        ]


async def test_a_missing_schema_leaves_the_service_up_without_a_cache(server, own_database):
    async with serving(server, own_database, DB_SCHEMAS="absent") as api:
        response = await api("GET", "/emp")
        assert (response.status_code, response.json()["code"]) == (503, "PGRST002")
        assert response.headers["retry-after"] == "1"


@pytest.mark.parametrize(
    "query",
    [
        "select=" + "dept(" * 300 + ")" * 300,
        "or=" + "(and" * 400 + ")" * 400,
        "id=eq.1;drop table api.emp",
        "select=id::text);drop table api.emp",
        'select="id";drop%20table',
        "order=id);select 1",
        "data->>'x'=eq.1",
        "%00=eq.1",
        "id=eq.%00",
        "columns=",
        "select=,,",
        "limit=99999999999999999999",
        "offset=99999999999999999999",
        "name=fts(e'%27).x",
        "select=pay::pg_sleep(1)",
    ],
)
async def test_hostile_queries_are_answered_and_do_nothing(api, query):
    response = await api("GET", f"/emp?{query}")
    assert response.status_code < 500, response.text
    assert len((await api("GET", "/emp")).json()) == 3


async def test_a_query_that_is_no_text_is_answered_in_plain_words(api):
    response = await api("GET", "/emp?id=eq.%ff")
    assert (response.status_code, response.text) == (500, "Something went wrong")
    assert "content-length" not in response.headers


@pytest.mark.parametrize("query", ["limit=-1&x=%ff", "select=(&x=%ff", "x=%ff&order=,"])
async def test_a_query_that_is_no_text_is_refused_before_anything_else_is_said_of_it(api, query):
    response = await api("GET", f"/emp?{query}")
    assert (response.status_code, response.text) == (500, "Something went wrong")


@settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    key=st.text(alphabet="abid.->()\"',:!*sel ctor%é", max_size=12),
    value=st.text(alphabet="eqinot.(),\"{}*->:1aé' \\", max_size=24),
)
async def test_no_query_makes_the_service_stumble(api, key, value):
    response = await api.client.get("/emp", params={key or "x": value})
    assert response.status_code < 500, response.text

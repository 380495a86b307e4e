"""Things that a schema may hold and few schemas do."""

import asyncio

import pytest
import pytest_asyncio

from tests.harness_rest import make_database, serving

ODDITIES = (
    "create table api.bare ()",
    "create view api.void as select",
    "insert into api.bare default values",
    "grant all on api.bare, api.void to rest_member",
)


@pytest.fixture(scope="module")
def odd_database(server):
    name = make_database(server)
    server.run(*ODDITIES, database=name)
    yield name
    server.drop(name)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def odd(server, odd_database):
    async with serving(server, odd_database) as api:
        yield api


async def test_relations_without_columns_do_no_harm(odd):
    assert (await odd("GET", "/void")).json() == [{}]
    assert (await odd("GET", "/bare")).json() == [{}]
    assert (await odd("POST", "/bare", body={})).status_code == 201
    assert (await odd("GET", "/emp?select=id&id=eq.1")).json() == [{"id": 1}]


@pytest.mark.parametrize(
    ("path", "code"),
    [("/%FF", "PGRST205"), ("/rpc/%FF%FE", "PGRST202"), ("/%ED%A0%80", "PGRST205")],
)
async def test_a_path_that_is_no_utf8_names_nothing(api, path, code):
    response = await api("GET", path)
    assert (response.status_code, response.json()["code"]) == (404, code)


@pytest.mark.parametrize("query", ["limit=", "offset="])
async def test_a_number_of_any_length_is_refused_by_postgresql(api, query):
    response = await api("GET", f"/emp?{query}{'9' * 9_000}")
    assert (response.status_code, response.json()["code"]) == (400, "22003")


async def test_a_range_of_any_length_is_refused_by_postgresql(api):
    response = await api("GET", "/emp", Range=f"0-{'9' * 9_000}")
    assert (response.status_code, response.json()["code"]) == (400, "22003")


async def test_a_long_grammar_is_read_beside_the_event_loop(api):
    turns = 0

    async def others():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(others())
    terms = ",".join(["id.eq.1"] * 2_000)
    response = await api("GET", f"/emp?select=id&order=id&or=({terms},id.eq.2)")
    other.cancel()
    assert response.json() == [{"id": 1}, {"id": 2}]
    assert turns > 100

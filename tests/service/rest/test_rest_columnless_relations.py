"""Relations without any column, which few schemas have."""

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

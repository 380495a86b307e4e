"""Paths that are no text, numbers of thousands of digits, grammars of thousands of terms."""

import asyncio

import pytest


@pytest.mark.parametrize(
    ("path", "code"),
    [("/%FF", "PGRST205"), ("/rpc/%FF%FE", "PGRST202"), ("/%ED%A0%80", "PGRST205")],
)
async def test_a_path_that_is_no_utf8_names_nothing(api, path, code):
    response = await api("GET", path)
    assert (response.status_code, response.json()["code"]) == (404, code)


async def test_each_byte_of_a_path_that_is_no_utf8_is_shown_by_a_mark(api):
    response = await api("GET", "/em%E2%82p")
    assert "'api.em\ufffd\ufffdp'" in response.json()["message"]


@pytest.mark.parametrize(
    "query", ["limit=9223372036854775808", "limit=1&offset=9223372036854775808"]
)
async def test_a_number_beyond_bigint_is_refused_after_what_postgresql_reads_before(api, query):
    assert (await api("GET", f"/emp?{query}")).json()["code"] == "22003"
    assert (await api("GET", f"/emp?{query}&id=eq.x")).json()["code"] == "22P02"
    assert (await api("GET", f"/emp?{query}&nope=eq.1")).json()["code"] == "42703"


@pytest.mark.parametrize("query", ["limit=", "offset="])
async def test_a_number_of_any_length_is_refused_by_postgresql(api, query):
    response = await api("GET", f"/emp?{query}{'9' * 9_000}")
    assert (response.status_code, response.json()["code"]) == (400, "22003")


async def test_of_two_numbers_beyond_bigint_the_limit_is_refused(api):
    response = await api("GET", f"/emp?offset=9223372036854775808&limit={2**64}")
    assert str(2**64) in response.json()["message"]


async def test_a_range_of_any_length_is_refused_by_postgresql(api):
    response = await api("GET", "/emp", Range=f"0-{'9' * 9_000}")
    assert (response.status_code, response.json()["code"]) == (400, "22003")


async def test_a_cast_to_blanks_is_refused_by_postgresql(api):
    response = await api("GET", "/emp?select=id::%20")
    assert (response.status_code, response.json()["code"]) == (400, "42601")


LONG_TERMS = ",".join(["id.eq.1"] * 2_000)


@pytest.mark.parametrize(
    "filters", [f"or=({LONG_TERMS},id.eq.2)", "&".join(["id=gt.0"] * 5_000 + ["id=lt.3"])]
)
async def test_a_long_query_is_read_beside_the_event_loop(api, filters):
    turns = 0

    async def others():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(others())
    response = await api("GET", f"/emp?select=id&order=id&{filters}")
    other.cancel()
    assert response.json() == [{"id": 1}, {"id": 2}]
    assert turns > 100


@pytest.mark.parametrize("item", ["id", '"id"', "dept(id)", " data->a-b "])
async def test_more_columns_than_postgresql_selects_are_refused_in_its_words(api, item):
    response = await api("GET", f"/emp?select={','.join([item] * 1_665)}")
    assert (response.status_code, response.json()["code"]) == (500, "54011")
    assert response.json()["message"] == "target lists can have at most 1664 entries"


async def test_an_order_by_more_columns_than_postgresql_takes_is_refused_in_its_words(api):
    for count, status in ((1_664, 200), (1_665, 500)):
        response = await api("GET", f"/emp?order={','.join(['id'] * count)}")
        assert response.status_code == status
    assert response.json()["message"] == "target lists can have at most 1664 entries"


async def test_more_columns_than_postgresql_inserts_are_refused_in_its_words(api):
    for count, status in ((1_664, 201), (1_665, 500)):
        response = await api("POST", f"/emp?columns={','.join(['id'] * count)}", body=[])
        assert response.status_code == status
    assert response.json()["message"] == "target lists can have at most 1664 entries"


async def test_as_many_columns_as_postgresql_selects_are_shown(api):
    response = await api("GET", f"/emp?id=eq.1&select={','.join(['id'] * 1_664)}")
    assert response.json() == [{"id": 1}]

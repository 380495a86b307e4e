"""Every method of postgrest-py, synchronous and asynchronous, against the small shop.

Rows below id 1000 are the project's own and never change; what is written comes after them.
"""

from __future__ import annotations

import inspect
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from postgrest import APIError, CountMethod, ReturnMethod
from supabase import AsyncClientOptions, ClientOptions, acreate_client, create_client

from tests.harness_stack import Stack


@pytest.fixture(scope="module", params=["sync", "async"])
async def client(request: pytest.FixtureRequest, project_stack: Stack) -> AsyncIterator[Any]:
    url, key = project_stack.url, project_stack.keys["SUPABASE_PUBLISHABLE_KEY"]
    if request.param == "sync":
        with httpx.Client() as http:
            yield create_client(url, key, ClientOptions(httpx_client=http))
    else:
        async with httpx.AsyncClient() as http:
            yield await acreate_client(url, key, AsyncClientOptions(httpx_client=http))


async def _done(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


async def _run(query: Any) -> Any:
    return await _done(query.execute())


async def _error(query: Any) -> APIError:
    with pytest.raises(APIError) as raised:
        await _run(query)
    return raised.value


def _key() -> str:
    return f"key-{uuid.uuid4()}"


_FILTERS: dict[str, tuple[Callable[[Any], Any], list[int]]] = {
    "eq": (lambda q: q.eq("name", "desk lamp"), [4]),
    "neq": (lambda q: q.neq("brand_id", 1), [3, 4]),
    "gt": (lambda q: q.gt("price", 30), [3, 4]),
    "gte": (lambda q: q.gte("price", 30), [2, 3, 4]),
    "lt": (lambda q: q.lt("price", 30), [1]),
    "lte": (lambda q: q.lte("price", 30), [1, 2]),
    "is null": (lambda q: q.is_("brand_id", None), [5]),
    "is true": (lambda q: q.is_("active", value=True), [1, 3, 5]),
    "not is null": (lambda q: q.not_.is_("brand_id", "null"), [1, 2, 3, 4]),
    "like": (lambda q: q.like("name", "%lamp"), [3, 4]),
    "not like": (lambda q: q.not_.like("name", "%lamp"), [1, 2, 5]),
    "ilike": (lambda q: q.ilike("name", "RED%"), [1]),
    "like all": (lambda q: q.like_all_of("name", "%lamp%,d%"), [4]),
    "like any": (lambda q: q.like_any_of("name", "red%,desk%"), [1, 4]),
    "ilike all": (lambda q: q.ilike_all_of("name", "%LAMP%,G%"), [3]),
    "ilike any": (lambda q: q.ilike_any_of("name", "RED%,Old%"), [1, 5]),
    "in": (lambda q: q.in_("name", ["old, worn (box)", "desk lamp"]), [4, 5]),
    "in nothing": (lambda q: q.in_("id", []), []),
    "not in": (lambda q: q.not_.in_("id", [1, 2, 3]), [4, 5]),
    "cs": (lambda q: q.cs("tags", ["kitchen"]), [1, 2]),
    "cd": (lambda q: q.cd("tags", ["kitchen", "red", "garden"]), [1, 3, 5]),
    "ov": (lambda q: q.ov("tags", ["red", "office"]), [1, 4]),
    "overlaps": (lambda q: q.overlaps("tags", ["red", "office"]), [1, 4]),
    "contains an array": (lambda q: q.contains("tags", ["kitchen", "blue"]), [2]),
    "contains JSON": (lambda q: q.contains("details", {"watts": 900}), [1]),
    "contains a range": (lambda q: q.contains("sizes", "[2,3)"), [1]),
    "contained by an array": (lambda q: q.contained_by("tags", ["garden"]), [3, 5]),
    "contained by JSON": (lambda q: q.contained_by("details", {"watts": 40, "x": 1}), [4]),
    "sr": (lambda q: q.sr("sizes", (4, 9)), [3, 5]),
    "sl": (lambda q: q.sl("sizes", (9, 12)), [1, 2]),
    "nxl": (lambda q: q.nxl("sizes", (4, 9)), [3, 5]),
    "nxr": (lambda q: q.nxr("sizes", (4, 9)), [1, 2]),
    "adj": (lambda q: q.adj("sizes", (4, 9)), [1, 3]),
    "range_gt": (lambda q: q.range_gt("sizes", (4, 9)), [3, 5]),
    "range_gte": (lambda q: q.range_gte("sizes", (4, 9)), [3, 5]),
    "range_lt": (lambda q: q.range_lt("sizes", (9, 12)), [1, 2]),
    "range_lte": (lambda q: q.range_lte("sizes", (4, 9)), [1, 2]),
    "range_adjacent": (lambda q: q.range_adjacent("sizes", (4, 9)), [1, 3]),
    "fts": (lambda q: q.fts("words", "lamp"), [3, 4]),
    "plfts": (lambda q: q.plfts("words", "desk lamp"), [4]),
    "phfts": (lambda q: q.phfts("words", "desk lamp"), [4]),
    "wfts": (lambda q: q.wfts("words", "lamp -garden"), [4]),
    "text_search": (
        lambda q: q.text_search("words", "lamps", {"config": "english", "type": "plain"}),
        [3, 4],
    ),
    "or": (lambda q: q.or_("price.lt.26,and(price.gt.100,active.is.true)"), [1, 3]),
    "not or": (lambda q: q.not_.or_("id.eq.1,id.eq.2"), [3, 4, 5]),
    "match": (lambda q: q.match({"brand_id": 2, "stock": 7}), [3]),
    "filter": (lambda q: q.filter("details->watts", "gt", "100"), [1, 2]),
}


@pytest.mark.parametrize("name", _FILTERS)
async def test_a_filter_lets_through_what_it_says(client: Any, name: str) -> None:
    apply, expected = _FILTERS[name]
    answer = await _run(apply(client.table("items").select("id").lt("id", 1000)).order("id"))
    assert [row["id"] for row in answer.data] == expected


async def test_select_gives_every_column_with_its_type(client: Any) -> None:
    answer = await _run(client.table("items").select("*").eq("id", 1))
    row = answer.data[0]
    assert (row["price"], row["tags"], row["sizes"]) == (25.5, ["kitchen", "red"], "[1,5)")
    assert row["details"] == {"watts": 900, "box": {"kg": 1.5}}


async def test_columns_are_renamed_cast_and_embedded(client: Any) -> None:
    columns = "n:id, price::text, details->watts, brands(name), labels(title)"
    query = client.table("items").select(columns).eq("id", 3)
    answer = await _run(query)
    assert answer.data == [
        {"n": 3, "price": "120.00", "watts": None, "brands": {"name": "Bolt"}, "labels": [{"title": "sale"}]}
    ]  # fmt: skip


async def test_order_limit_offset_and_range(client: Any) -> None:
    def items() -> Any:
        return client.table("items").select("id").lt("id", 1000)

    async def ids(query: Any) -> list[int]:
        return [row["id"] for row in (await _run(query)).data]

    assert await ids(items().order("price", desc=True)) == [5, 3, 4, 2, 1]
    assert await ids(items().order("price", desc=True, nullsfirst=False)) == [3, 4, 2, 1, 5]
    assert await ids(items().order("brand_id").order("id", desc=True)) == [2, 1, 4, 3, 5]
    assert await ids(items().order("id").limit(2)) == [1, 2]
    assert await ids(items().order("id").limit(2).offset(1)) == [2, 3]
    assert await ids(items().order("id").range(1, 3)) == [2, 3, 4]


async def test_an_embed_has_its_own_order_and_limit(client: Any) -> None:
    query = client.table("brands").select("name, items(id)").eq("id", 1).lt("items.id", 1000)
    answer = await _run(
        query.order("id", desc=True, foreign_table="items").limit(1, foreign_table="items")
    )
    assert answer.data == [{"name": "Acme", "items": [{"id": 2}]}]


async def test_counts(client: Any) -> None:
    items = client.table("items")
    for method in CountMethod:
        assert (await _run(items.select("id", count=method).lt("id", 1000))).count >= 1
    answer = await _run(items.select("id", count=CountMethod.exact).lt("id", 1000).limit(2))
    assert (answer.count, len(answer.data)) == (5, 2)
    head = await _run(
        items.select("id", count=CountMethod.exact, head=True).eq("brand_id", 1).lt("id", 1000)
    )
    assert (head.count, head.data) == (2, [])


async def test_single_and_maybe_single(client: Any) -> None:
    items = client.table("items")
    assert (await _run(items.select("id").eq("id", 2).single())).data == {"id": 2}
    error = await _error(items.select("id").eq("id", 0).single())
    assert (error.code, error.details) == ("PGRST116", "The result contains 0 rows")
    assert (await _run(items.select("id").eq("id", 2).maybe_single())).data == {"id": 2}
    assert await _run(items.select("id").eq("id", 0).maybe_single()) is None
    await _error(items.select("id").lt("id", 3).maybe_single())


async def test_csv_and_stripped_nulls(client: Any) -> None:
    items = client.table("items")
    answer = await _run(items.select("id,name").eq("id", 5).csv())
    assert answer.data == 'id,name\n5,"old, worn (box)"'
    answer = await _run(items.select("id, brand_id").eq("id", 5).strip_nulls())
    assert answer.data == [{"id": 5}]


async def test_explain_shows_the_plan(client: Any) -> None:
    query = client.table("items").select("id").eq("id", 1)
    assert "cost=" in await _run(query.explain())
    query = client.table("items").select("id").eq("id", 1)
    answer = await _run(query.explain(format="json", analyze=True, verbose=True, buffers=True))
    assert answer.data[0]["Plan"]["Actual Rows"] >= 0


async def test_insert_gives_rows_or_nothing(client: Any) -> None:
    counters, key = client.table("counters"), _key()
    answer = await _run(counters.insert({"key": key}, count=CountMethod.exact))
    assert (answer.data, answer.count) == ([{"key": key, "value": 0, "note": "fresh"}], 1)
    answer = await _run(counters.insert({"key": _key()}, returning=ReturnMethod.minimal))
    assert answer.data == []


async def test_a_bulk_insert_fills_missing_keys(client: Any) -> None:
    counters = client.table("counters")
    rows = [{"key": _key(), "note": "x"}, {"key": _key()}]
    made = (await _run(counters.insert(rows))).data
    assert {row["note"] for row in made} == {"x", None}
    rows = [{"key": _key(), "note": "x"}, {"key": _key()}]
    made = (await _run(counters.insert(rows, default_to_null=False))).data
    assert {row["note"] for row in made} == {"x", "fresh"}


async def test_a_duplicate_is_refused_with_every_field(client: Any) -> None:
    counters, key = client.table("counters"), _key()
    await _run(counters.insert({"key": key}))
    error = await _error(counters.insert({"key": key}))
    assert error.code == "23505"
    assert error.details == f"Key (key)=({key}) already exists."
    assert error.hint is None


async def test_upsert_merges_ignores_and_names_its_conflict(client: Any) -> None:
    counters, key = client.table("counters"), _key()
    await _run(counters.upsert({"key": key, "value": 1}))
    made = (await _run(counters.upsert({"key": key, "value": 2}))).data
    assert made == [{"key": key, "value": 2, "note": "fresh"}]
    assert (await _run(counters.upsert({"key": key}, ignore_duplicates=True))).data == []
    name = _key()
    await _run(client.table("brands").insert({"name": name}))
    upserted = client.table("brands").upsert({"name": name, "country": "PT"}, on_conflict="name")
    assert (await _run(upserted)).data[0]["country"] == "PT"


async def test_update_and_delete(client: Any) -> None:
    counters, key = client.table("counters"), _key()
    await _run(counters.insert({"key": key}))
    answer = await _run(counters.update({"value": 5}, count=CountMethod.exact).eq("key", key))
    assert (answer.data[0]["value"], answer.count) == (5, 1)
    quiet = counters.update({"value": 6}, returning=ReturnMethod.minimal).eq("key", key)
    assert (await _run(quiet)).data == []
    answer = await _run(counters.delete(count=CountMethod.exact).eq("key", key))
    assert (answer.data[0]["value"], answer.count) == (6, 1)
    assert (await _run(counters.delete().eq("key", key))).data == []


async def test_max_affected_rolls_back(client: Any) -> None:
    counters, note = client.table("counters"), _key()
    await _run(counters.insert([{"key": _key(), "note": note}, {"key": _key(), "note": note}]))
    error = await _error(counters.update({"value": 1}).eq("note", note).max_affected(1))
    assert (error.code, error.details) == ("PGRST124", "The query affects 2 rows")
    rows = (await _run(counters.select("value").eq("note", note))).data
    assert rows == [{"value": 0}, {"value": 0}]


async def test_functions(client: Any) -> None:
    assert (await _run(client.rpc("add", {"a": 2, "b": 3}))).data == 5
    assert (await _run(client.rpc("add", {"a": 2}, get=True))).data == 3
    query = client.rpc("items_from", {"floor_price": 26}, count=CountMethod.exact)
    answer = await _run(query.select("id").lt("id", 1000).order("id", desc=True).limit(2))
    assert (answer.data, answer.count) == ([{"id": 4}, {"id": 3}], 3)
    assert (await _run(client.rpc("mirror", {"document": {"ñ": [1, None]}}))).data == {
        "ñ": [1, None]
    }
    single = client.rpc("items_from", {"floor_price": 26}).eq("id", 3).maybe_single()
    assert (await _run(single)).data["id"] == 3


async def test_a_raised_error_keeps_its_words(client: Any) -> None:
    error = await _error(client.rpc("refuse", {"reason": "not today"}))
    fields = (error.code, error.message, error.details, error.hint)
    assert fields == ("P0001", "not today", "the detail", "the hint")


async def test_unknown_tables_functions_and_columns(client: Any) -> None:
    assert (await _error(client.table("itemz").select("*"))).code == "PGRST205"
    assert (await _error(client.rpc("nothing_like_it", {}))).code == "PGRST202"
    assert (await _error(client.table("items").select("nope"))).code == "42703"
    assert (await _error(client.table("items").insert({"nope": 1}))).code == "PGRST204"


async def test_another_schema(client: Any) -> None:
    answer = await _run(client.schema("inventory").table("shelves").select("place").order("place"))
    assert answer.data == [{"place": "north"}, {"place": "south"}]
    error = await _error(client.schema("auth").table("users").select("*"))
    assert error.code == "PGRST106"

"""Which embed a directive means, which of two parameters counts, what a call's result has."""

import pytest


async def rows(api, path):
    response = await api("GET", path)
    assert response.status_code == 200, response.text
    return response.json()


async def test_a_name_means_the_first_of_two_embeds_where_none_was_addressed(api):
    assert await rows(api, "/dept?select=emp(id),who:emp(id)&id=eq.1&emp.id=eq.1&order=id") == [
        {"emp": [{"id": 1}], "who": [{"id": 1}, {"id": 2}]}
    ]
    found = await rows(api, "/dept?select=who:emp(id),emp(id)&id=eq.1&emp.id=eq.1")
    assert found == [{"who": [{"id": 1}], "emp": [{"id": 1}, {"id": 2}]}]


async def test_an_embed_addressed_by_its_alias_takes_the_name_over(api):
    # The order's directive is hung before the filter of a logic tree: `emp` then means `who`.
    path = "/dept?select=emp(id),who:emp(id)&id=eq.1&who.order=id.desc&emp.or=(id.eq.1,id.eq.9)"
    assert await rows(api, path) == [{"who": [{"id": 1}], "emp": [{"id": 1}, {"id": 2}]}]


async def test_two_embeds_of_one_name_are_refused_for_that_before_the_second_is_read(api):
    response = await api("GET", "/emp?select=dept(id),dept(id::int4range)")
    assert (response.status_code, response.json()["code"]) == (400, "42712")
    response = await api("GET", "/emp?select=dept(id::int4range),dept(id)")
    assert (response.status_code, response.json()["code"]) == (400, "42846")
    response = await api("GET", "/dept?select=emp(id),...emp()")
    assert (response.status_code, response.json()["code"]) == (400, "42712")


async def test_directives_of_a_kind_are_hung_from_the_last_to_the_first(api):
    path = "/dept?select=emp(id),who:emp(id)&id=eq.1&emp.id=eq.1&who.id=eq.2"
    assert await rows(api, path) == [{"who": [], "emp": [{"id": 1}, {"id": 2}]}]
    path = "/dept?select=emp(id),who:emp(id)&id=eq.1&who.id=eq.2&emp.id=eq.1"
    assert await rows(api, path) == [{"who": [{"id": 2}], "emp": [{"id": 1}]}]


async def test_an_embed_that_is_addressed_goes_before_its_siblings(api):
    response = await api("GET", "/emp?select=dept(id),skill(id),desk(room)&id=eq.1&desk.room=eq.A")
    assert list(response.json()[0]) == ["desk", "dept", "skill"]


@pytest.mark.parametrize(
    ("path", "ids"),
    [
        ("/emp?select=id&order=id.desc&order=id.asc", [3, 2, 1]),
        ("/emp?select=id&select=name&order=id", [1, 2, 3]),
        ("/emp?select=id&order=id&limit=1&limit=2", [1, 2]),
    ],
)
async def test_of_two_parameters_the_first_counts_but_of_two_limits_the_last(api, path, ids):
    assert await rows(api, path) == [{"id": one} for one in ids]


async def test_a_select_without_a_value_is_none_whatever_follows(api):
    found = await rows(api, "/dept?select&select=id&id=eq.1")
    assert list(found[0]) == ["id", "name", "meta"]


@pytest.mark.parametrize(
    "query",
    [
        "select=name&order=id",
        "select=id,dept(id)&dept.meta=is.null",
        "select=id,dept(id)&dept=not.is.null",
    ],
)
async def test_a_call_returns_what_is_selected_and_what_filters_name(api, query):
    response = await api("GET", f"/rpc/staff?{query}")
    assert response.status_code == 400, response.text
    assert response.json()["code"] == "42703"


async def test_a_call_may_be_filtered_by_what_is_not_selected(api):
    assert await rows(api, "/rpc/staff?select=name&id=eq.2") == [{"name": "Bob"}]
    assert await rows(api, "/rpc/staff?select=*,dept(id)&dept.meta=is.null&id=eq.3&order=id")


async def test_columns_choose_of_json_alone(api):
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    headers = {"Prefer": "return=representation, tx=rollback"}
    path = "/emp?columns=pay&select=name,pay"
    response = await api("POST", path, raw=b"name=Eve", **form, **headers)
    assert (response.status_code, response.json()) == (201, [{"name": "Eve", "pay": 10}])
    body = [{"name": "Eve", "pay": 5}]
    response = await api("POST", "/emp?columns=name&select=name,pay", body=body, **headers)
    assert (response.status_code, response.json()) == (201, [{"name": "Eve", "pay": 10}])

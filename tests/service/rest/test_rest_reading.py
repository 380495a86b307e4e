"""Lists: selection, filters, order, windows, counts."""

import pytest


async def rows(api, path, **headers):
    response = await api("GET", path, **headers)
    assert response.status_code == 200, response.text
    return response.json()


async def test_a_list_holds_every_row_in_full(api):
    response = await api("GET", "/dept?order=id")
    assert [row["name"] for row in response.json()] == ["Sales", "Labs", "Empty"]
    assert response.headers["content-range"] == "0-2/*"
    assert response.headers["content-location"] == "/dept?order=id"
    assert response.headers["content-type"] == "application/json; charset=utf-8"
    assert response.headers["vary"] == "Accept, Prefer, Range"


async def test_columns_are_renamed_cast_and_dug_out_of_json(api):
    path = "/emp?select=who:name,pay::text,data->k->>z,first:tags->0,full_label&id=eq.1"
    assert await rows(api, path) == [
        {"who": "Ann", "pay": "30", "z": "deep", "first": "x", "full_label": "Ann!"}
    ]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("id=eq.2", [2]),
        ("id=neq.2", [1, 3]),
        ("id=not.eq.2", [1, 3]),
        ("pay=gt.10&pay=lt.30", [2]),
        ("pay=gte.20", [1, 2]),
        ("pay=lte.10", [3]),
        ("name=like.A*", [1]),
        ("name=ilike.*B", [2]),
        ("name=match.^[AB]", [1, 2]),
        ("name=imatch.^a", [1]),
        ("name=like(any).{A*,B*}", [1, 2]),
        ("name=like(all).{*n*,A*}", [1]),
        ("id=eq(any).{1,3}", [1, 3]),
        ("id=in.(1,3)", [1, 3]),
        ('name=in.("Ann",Bob)', [1, 2]),
        ("id=in.()", []),
        ("id=not.in.(1,3)", [2]),
        ("data=is.null", [3]),
        ("data=not.is.null", [1, 2]),
        ("data=is.NOT_NULL", [1, 2]),
        ("boss_id=isdistinct.1", [1]),
        ("tags=cs.{y}", [1, 2]),
        ("tags=cd.{x,y,z}", [1, 2, 3]),
        ("tags=ov.{x}", [1]),
        ("span=sl.[5,9)", [1]),
        ("span=sr.[1,5)", [2]),
        ("span=nxr.[1,6)", [1]),
        ("span=nxl.[5,6)", [2]),
        ("span=adj.[9,12)", [2]),
        ("tsv=fts.ann", [1]),
        ("tsv=plfts.bob", [2]),
        ("name=phfts(english).cyd", [3]),
        ("name=wfts(simple).ann", [1]),
        ("data->>n=eq.1", [1]),
        ("data->n=gt.1", [2]),
        ("data->k->>z=eq.deep", [1]),
        ("mood=eq.calm", [1, 2, 3]),
        ("born=gte.1999-12-31", [1]),
        ("full_label=eq.Ann!", [1]),
        ("or=(id.eq.1,name.eq.Cyd)", [1, 3]),
        ("or=(pay.lt.15,and(pay.gt.25,name.not.like.*b))", [1, 3]),
        ("not.and=(id.gte.1,id.lte.2)", [3]),
        ('and=(name.in.("Ann","Bob"),id.not.is.null)', [1, 2]),
        ("or=(tags.cs.{x,y},id.in.(3))", [1, 3]),
        ("mail=eq.a@x", [1]),
    ],
)
async def test_filters_choose_rows(api, query, ids):
    assert [row["id"] for row in await rows(api, f"/emp?select=id&order=id&{query}")] == ids


async def test_a_value_is_taken_verbatim_with_its_commas_and_quotes(api):
    assert await rows(api, '/emp?name=eq."Ann"') == []
    assert await rows(api, "/emp?name=eq.a,b.(c)") == []


async def test_names_outside_the_bare_set_are_quoted(api):
    assert await rows(api, '/odd%2C%20name?select="a,b"&"a,b"=eq.1') == []


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("pay.desc", [1, 2, 3]),
        ("boss_id.asc.nullsfirst,id", [1, 2, 3]),
        ("boss_id.nullslast,id.desc", [3, 2, 1]),
        ("data->n.desc.nullslast", [2, 1, 3]),
        ("full_label.desc", [3, 2, 1]),
    ],
)
async def test_rows_come_in_the_order_asked_for(api, order, ids):
    assert [row["id"] for row in await rows(api, f"/emp?select=id&order={order}")] == ids


async def test_windows_come_from_limit_offset_and_range(api):
    assert [r["id"] for r in await rows(api, "/emp?select=id&order=id&limit=1&offset=1")] == [2]
    response = await api("GET", "/emp?select=id&order=id", Range="1-1")
    assert (response.json(), response.headers["content-range"]) == ([{"id": 2}], "1-1/*")
    assert await rows(api, "/emp?limit=0") == []


@pytest.mark.parametrize(
    ("query", "status", "content_range"),
    [
        ("", 200, "0-2/3"),
        ("limit=2", 206, "0-1/3"),
        ("offset=3", 206, "*/3"),
        ("limit=0", 206, "*/3"),
        ("id=eq.77", 200, "*/0"),
        ("offset=4", 416, "*/3"),
    ],
)
async def test_an_exact_count_decides_the_status(api, query, status, content_range):
    response = await api("GET", f"/emp?{query}", Prefer="count=exact")
    assert (response.status_code, response.headers["content-range"]) == (status, content_range)
    assert response.headers["preference-applied"] == "count=exact"


async def test_a_start_beyond_the_end_says_how_many_rows_there_are(api):
    response = await api("GET", "/emp?offset=7", Prefer="count=exact")
    assert response.json() == {
        "code": "PGRST103",
        "details": "An offset of 7 was requested, but there are only 3 rows.",
        "hint": None,
        "message": "Requested range not satisfiable",
    }


@pytest.mark.parametrize("kind", ["planned", "estimated"])
async def test_estimates_give_some_total(api, kind):
    response = await api("GET", "/emp?limit=1", Prefer=f"count={kind}")
    assert response.headers["content-range"].partition("/")[2].isdigit()


@pytest.mark.parametrize(
    ("query", "details"),
    [
        ("limit=-1", "Limit should be greater than or equal to zero."),
        ("limit=abc&offset=1", "Limit should be greater than or equal to zero."),
    ],
)
async def test_impossible_windows_are_refused(api, query, details):
    response = await api("GET", f"/emp?{query}")
    assert (response.status_code, response.json()["details"]) == (416, details)


async def test_head_gives_headers_and_no_length(api):
    response = await api("HEAD", "/emp", Prefer="count=exact")
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-range"] == "0-2/3"
    assert "content-length" not in response.headers


async def test_head_gives_the_length_of_an_error_that_is_not_sent(api):
    found = await api("GET", "/nowhere")
    response = await api("HEAD", "/nowhere")
    assert (response.status_code, response.content) == (404, b"")
    assert response.headers["content-length"] == str(len(found.content))


async def test_grouping_is_by_everything_not_aggregated(api):
    path = "/emp?select=dept_id,pay.sum(),n:count()::text&order=dept_id"
    assert await rows(api, path) == [
        {"dept_id": 1, "sum": 50, "n": "2"},
        {"dept_id": 2, "sum": 10, "n": "1"},
    ]


async def test_a_thousand_elements_in_a_list_are_one_parameter(api):
    listed = ",".join(str(n) for n in range(5000))
    assert len(await rows(api, f"/emp?select=id&id=in.({listed})")) == 3

"""Insert, upsert, update, delete: statuses, headers, representations, promises."""

import pytest

ROLLBACK = "tx=rollback"


async def send(api, method, path, body=None, *, prefer="", raw=None, **headers):
    wanted = f"{ROLLBACK}, {prefer}" if prefer else ROLLBACK
    if raw is not None:
        headers["Content_Type"] = "application/json"
    return await api(method, path, body=body, raw=raw, Prefer=wanted, **headers)


async def test_an_insert_answers_created_without_a_body(api):
    response = await send(api, "POST", "/dept", {"id": 10, "name": "New"})
    assert (response.status_code, response.content) == (201, b"")
    assert response.headers["content-range"] == "*/*"
    assert response.headers["content-length"] == "0"
    assert "content-type" not in response.headers


async def test_headers_only_tells_where_the_row_is(api):
    response = await send(
        api, "POST", "/dept", {"id": 10, "name": "N"}, prefer="return=headers-only"
    )
    assert response.headers["location"] == "/dept?id=eq.10"


async def test_a_representation_is_shaped_by_select_and_embeds(api):
    response = await send(
        api,
        "POST",
        "/emp?select=name,dept(name)",
        [{"name": "Dan", "dept_id": 2}],
        prefer="return=representation",
    )
    assert (response.status_code, response.json()) == (
        201,
        [{"name": "Dan", "dept": {"name": "Labs"}}],
    )


async def test_many_rows_are_one_statement_all_or_nothing(api):
    body = [{"id": 20, "name": "a"}, {"id": 1, "name": "taken"}]
    response = await send(api, "POST", "/dept", body)
    assert (response.status_code, response.json()["code"]) == (409, "23505")
    assert (await api("GET", "/dept?id=eq.20")).json() == []


async def test_rows_must_share_their_keys(api):
    response = await send(api, "POST", "/dept", [{"id": 1}, {"name": "x"}])
    assert (response.status_code, response.json()["message"]) == (400, "All object keys must match")


@pytest.mark.parametrize("raw", [b"", b"{", b"[1", b'{"a":NaN}', b"\xff", b"nul"])
async def test_bodies_that_are_no_json_are_refused(api, raw):
    response = await api("POST", "/dept", raw=raw, Content_Type="application/json")
    assert (response.status_code, response.json()["code"]) == (400, "PGRST102")


async def test_an_unknown_key_is_a_missing_column(api):
    response = await send(api, "POST", "/dept", {"zz": 1})
    assert (response.status_code, response.json()["code"]) == (400, "PGRST204")
    assert response.json()["message"] == (
        "Could not find the 'zz' column of 'dept' in the schema cache"
    )


async def test_columns_choose_what_is_taken(api):
    response = await send(
        api,
        "POST",
        '/dept?columns=id,"name"&select=id,meta',
        [{"id": 30, "name": "x", "meta": 1}, {"id": 31, "name": "y"}],
        prefer="return=representation",
    )
    assert response.json() == [{"id": 30, "meta": None}, {"id": 31, "meta": None}]


async def test_missing_keys_are_null_or_the_default(api):
    path = "/emp?columns=name,pay&select=pay"
    body = [{"name": "n"}]
    assert (await send(api, "POST", path, body, prefer="return=representation")).json() == [
        {"pay": None}
    ]
    response = await send(api, "POST", path, body, prefer="return=representation, missing=default")
    assert response.json() == [{"pay": 10}]
    assert "missing=default" in response.headers["preference-applied"]


async def test_columns_that_no_row_has_are_null(api):
    response = await send(
        api, "POST", "/note?columns=body", [{"x": 1}, {"x": 2}], prefer="return=representation"
    )
    assert response.json() == [{"body": None}, {"body": None}]


async def test_any_character_arrives_as_it_was_sent(api):
    texts = [*map(chr, range(1, 256)), "", "NULL", "{a,b}", '\\"', "é\n\U0001f600"]
    rows = [{"id": 1000 + n, "name": text} for n, text in enumerate(texts)]
    response = await send(api, "POST", "/dept?select=name", rows, prefer="return=representation")
    assert [row["name"] for row in response.json()] == texts


async def test_scalars_become_what_their_columns_hold(api):
    response = await send(
        api,
        "POST",
        "/emp?select=name,pay,born,mood",
        raw=b"""[{"name": 1.50, "pay": 1.50, "born": "2000-01-02", "mood": "busy"},
                 {"name": true, "pay": "1e2", "born": null, "mood": null}]""",
        prefer="return=representation",
    )
    assert b'"pay":1.50' in response.content
    assert response.json() == [
        {"name": "1.50", "pay": 1.5, "born": "2000-01-02", "mood": "busy"},
        {"name": "true", "pay": 100, "born": None, "mood": None},
    ]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b'[{"id": 70, "name": "a"}, {"id": "b", "name": "c"}]', "22P02"),
        (b'[{"id": 70, "name": "a"}, {"id": 71, "name": null}]', "23502"),
        (rb'[{"id": 70, "name": "\u0000"}]', "22P05"),
    ],
)
@pytest.mark.parametrize("path", ["/dept", "/dept?columns=id,name"])
async def test_what_a_row_may_not_hold_is_refused(api, path, raw, code):
    response = await send(api, "POST", path, raw=raw)
    assert (response.status_code, response.json()["code"]) == (400, code)


async def test_csv_and_forms_are_rows(api):
    response = await api(
        "POST",
        "/dept?select=id,name",
        raw=b'id,name\n40,a\n41,"b""c"\n',
        Content_Type="text/csv",
        Prefer=f"{ROLLBACK}, return=representation",
    )
    assert response.json() == [{"id": 40, "name": "a"}, {"id": 41, "name": 'b"c'}]
    response = await api(
        "POST",
        "/dept?select=id,name",
        raw=b"id=42&name=x+y",
        Content_Type="application/x-www-form-urlencoded",
        Prefer=f"{ROLLBACK}, return=representation",
    )
    assert response.json() == [{"id": 42, "name": "x y"}]


async def test_an_upsert_tells_updates_from_inserts(api):
    merge = "resolution=merge-duplicates, return=representation"
    response = await send(api, "POST", "/dept", {"id": 1, "name": "Again"}, prefer=merge)
    assert (response.status_code, response.json()[0]["name"]) == (200, "Again")
    response = await send(
        api, "POST", "/dept", [{"id": 1, "name": "A"}, {"id": 50, "name": "B"}], prefer=merge
    )
    assert (response.status_code, len(response.json())) == (201, 2)


async def test_duplicates_are_ignored_by_the_named_key(api):
    response = await send(
        api,
        "POST",
        "/skill?on_conflict=label",
        [{"id": 9, "label": "sql"}, {"id": 8, "label": "go"}],
        prefer="resolution=ignore-duplicates, return=representation",
    )
    assert (response.status_code, response.json()) == (201, [{"id": 8, "label": "go"}])


async def test_an_upsert_without_a_primary_key_is_a_plain_insert(api):
    response = await send(api, "POST", "/note", {"body": "x"}, prefer="resolution=merge-duplicates")
    assert response.status_code == 201
    assert "resolution" not in response.headers["preference-applied"]


async def test_an_update_changes_the_chosen_rows(api):
    response = await send(api, "PATCH", "/emp?pay=lt.25", {"pay": 1}, prefer="count=exact")
    assert (response.status_code, response.headers["content-range"]) == (204, "0-1/2")
    assert "content-length" not in response.headers
    response = await send(
        api, "PATCH", "/emp?id=eq.1&select=pay", {"pay": 1.50}, prefer="return=representation"
    )
    assert (response.status_code, response.json()) == (200, [{"pay": 1.5}])


@pytest.mark.parametrize("body", [{}, [], [{}]])
async def test_an_update_with_nothing_to_set_is_no_update(api, body):
    response = await send(api, "PATCH", "/emp?id=eq.1", body, prefer="return=representation")
    assert (response.status_code, response.json()) == (200, [])


async def test_a_delete_gives_back_what_it_took(api):
    response = await send(
        api, "DELETE", "/desk?emp_id=eq.2", prefer="return=representation, count=exact"
    )
    assert (response.status_code, response.json()) == (200, [{"emp_id": 2, "room": "B"}])
    assert response.headers["content-range"] == "*/1"
    response = await send(api, "DELETE", "/desk?emp_id=eq.77")
    assert (response.status_code, response.content) == (204, b"")


async def test_what_a_write_says_of_its_response_is_heard(api):
    response = await send(api, "DELETE", "/desk?emp_id=eq.1", prefer="count=exact")
    assert (response.status_code, response.headers["x-left"]) == (204, "A")
    assert response.headers["content-range"] == "*/1"


async def test_a_put_replaces_exactly_one_row(api):
    response = await send(
        api, "PUT", "/dept?id=eq.60", {"id": 60, "name": "x"}, prefer="return=representation"
    )
    assert (response.status_code, response.json()[0]["id"]) == (201, 60)
    response = await send(
        api, "PUT", "/dept?id=eq.1", {"id": 1, "name": "x"}, prefer="return=representation"
    )
    assert response.status_code == 200
    response = await send(api, "PUT", "/dept?id=eq.1", {"id": 2, "name": "x"})
    assert (response.status_code, response.json()["code"]) == (400, "PGRST115")
    response = await send(api, "PUT", "/dept?name=eq.x", {"id": 2, "name": "x"})
    assert (response.status_code, response.json()["code"]) == (405, "PGRST105")
    response = await send(api, "PUT", "/dept?id=eq.1&limit=1", {"id": 1, "name": "x"})
    assert (response.status_code, response.json()["code"]) == (400, "PGRST114")


async def test_more_rows_than_promised_roll_everything_back(api):
    strict = "handling=strict, max-affected=1"
    response = await api("PATCH", "/emp?pay=lt.25", body={"pay": 0}, Prefer=strict)
    assert (response.status_code, response.json()["details"]) == (400, "The query affects 2 rows")
    assert (await api("GET", "/emp?pay=eq.0")).json() == []


async def test_a_single_object_that_is_not_single_rolls_back(api):
    response = await api(
        "PATCH", "/emp", body={"pay": 0}, Accept="application/vnd.pgrst.object+json"
    )
    assert (response.status_code, response.json()["details"]) == (406, "The result contains 3 rows")
    assert (await api("GET", "/emp?pay=eq.0")).json() == []


@pytest.mark.parametrize(
    ("requested", "body", "status", "code"),
    [
        ("POST /emp", {"name": None}, 400, "23502"),
        ("POST /emp", {"name": "x", "dept_id": 77}, 409, "23503"),
        ("POST /emp", {"name": "x", "mail": "nomail"}, 400, "23514"),
        ("POST /emp", {"name": "x", "mood": "sad"}, 400, "22P02"),
        ("POST /emp", {"name": "x", "tsv": "x"}, 400, "428C9"),
        ("PATCH /emp?id=eq.x", {"pay": 1}, 400, "22P02"),
        ("POST /dept?on_conflict=name", {"id": 1, "name": "x"}, 400, "42P10"),
    ],
)
async def test_what_postgresql_refuses_is_told_with_its_code(api, requested, body, status, code):
    method, path = requested.split(" ", 1)
    response = await send(api, method, path, body, prefer="resolution=merge-duplicates")
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert set(response.json()) == {"code", "details", "hint", "message"}


async def test_rows_of_others_cannot_be_written(api):
    response = await send(api, "POST", "/secret", {"id": 1, "owner": "someone"})
    assert (response.status_code, response.json()["code"]) == (403, "42501")


async def test_what_is_committed_stays(api):
    assert (await api("POST", "/note", body={"body": "kept"})).status_code == 201
    assert (await api("GET", "/note?select=body")).json() == [{"body": "kept"}]
    assert (await api("DELETE", "/note")).status_code == 204

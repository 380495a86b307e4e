"""Media types, preferences, schemas, OPTIONS, cross-origin requests, the root document."""

import pytest

OBJECT = "application/vnd.pgrst.object+json"


async def test_an_object_is_exactly_one_row(api):
    response = await api("GET", "/dept?id=eq.1&select=id", Accept=OBJECT)
    assert (response.json(), response.headers["content-type"]) == (
        {"id": 1},
        f"{OBJECT}; charset=utf-8",
    )
    response = await api("GET", "/dept?id=eq.77", Accept=OBJECT)
    assert (response.status_code, response.json()["details"]) == (406, "The result contains 0 rows")


async def test_nulls_can_be_stripped(api):
    response = await api("GET", "/dept?id=eq.2", Accept=f"{OBJECT};nulls=stripped")
    assert response.json() == {"id": 2, "name": "Labs"}


async def test_csv_has_a_header_line(api):
    response = await api("GET", "/dept?select=id,name&order=id&limit=2", Accept="text/csv")
    assert response.text == "id,name\n1,Sales\n2,Labs"


async def test_a_plan_explains_without_doing(api):
    plan = "application/vnd.pgrst.plan+json; options=verbose"
    response = await api("DELETE", "/emp", Accept=plan)
    assert response.status_code == 200
    assert response.json()[0]["Plan"]["Node Type"] == "Aggregate"
    assert response.headers["content-type"].startswith(
        'application/vnd.pgrst.plan+json; for="application/json"; options=verbose'
    )
    assert len((await api("GET", "/emp")).json()) == 3


async def test_what_nobody_makes_is_not_acceptable_and_nothing_runs(api):
    response = await api("POST", "/note", body={"body": "x"}, Accept="image/png, a/b")
    assert (response.status_code, response.json()["message"]) == (
        406,
        "None of these media types are available: image/png, a/b",
    )
    assert (await api("GET", "/note")).json() == []


async def test_strict_handling_names_what_is_unknown(api):
    response = await api("GET", "/emp", Prefer="handling=strict, foo=bar, baz")
    assert (response.status_code, response.json()["details"]) == (
        400,
        "Invalid preferences: foo=bar, baz",
    )


async def test_honoured_preferences_are_echoed_in_their_order(api):
    response = await api(
        "GET", "/emp", Prefer="timezone=UTC, handling=lenient, count=exact, tx=commit"
    )
    assert (
        response.headers["preference-applied"]
        == "count=exact, tx=commit, handling=lenient, timezone=UTC"
    )


async def test_profiles_choose_the_schema(api):
    response = await api("GET", "/thing", role=None, Accept_Profile="other")
    assert (response.json(), response.headers["content-profile"]) == ([], "other")
    response = await api("GET", "/thing", Accept_Profile="hidden")
    assert (response.status_code, response.json()["hint"]) == (
        406,
        "Only the following schemas are exposed: api, other",
    )


async def test_a_missing_table_names_the_nearest(api):
    response = await api("GET", "/empp")
    assert response.status_code == 404
    assert response.json() == {
        "code": "PGRST205", "details": None, "hint": "Perhaps you meant the table 'api.emp'",
        "message": "Could not find the table 'api.empp' in the schema cache",
    }  # fmt: skip


@pytest.mark.parametrize("path", ["/emp/", "/a/b", "/rpc/a/b", "/a/b/c"])
async def test_other_paths_are_refused(api, path):
    response = await api("GET", path)
    assert (response.status_code, response.json()["code"]) == (404, "PGRST125")


async def test_a_path_is_judged_before_the_schema(api):
    response = await api("GET", "/a/b", Accept_Profile="nope")
    assert response.json()["code"] == "PGRST125"


async def test_unknown_methods_are_refused(api):
    response = await api("FOO", "/emp")
    assert (response.status_code, response.json()["message"]) == (
        405,
        "Unsupported HTTP method: FOO",
    )


@pytest.mark.parametrize(
    ("path", "allow"),
    [
        ("/emp", "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"),
        ("/note", "OPTIONS,GET,HEAD,POST,PATCH,DELETE"),
        ("/rpc/nothing", "OPTIONS,POST"),
        ("/rpc/staff", "OPTIONS,GET,HEAD,POST"),
        ("/rpc/nothing?id=eq.1", "OPTIONS,POST"),
        ("/", "OPTIONS,GET,HEAD"),
    ],
)
async def test_options_tell_what_is_allowed(api, path, allow):
    response = await api("OPTIONS", path)
    assert (response.status_code, response.headers["allow"]) == (200, allow)


async def test_what_describes_a_function_takes_no_arguments(api):
    response = await api("OPTIONS", "/rpc/pair?x=1")
    assert (response.status_code, response.json()["code"]) == (400, "PGRST100")


async def test_a_method_without_a_meaning_is_refused(api):
    response = await api("FOO", "/emp")
    assert (response.status_code, response.json()["code"]) == (405, "PGRST117")
    assert response.json()["message"] == "Unsupported HTTP method: FOO"


async def test_a_preflight_is_answered_before_anything_else(api):
    response = await api(
        "OPTIONS",
        "/nowhere",
        Authorization="Bearer x",
        Origin="http://a",
        Access_Control_Request_Method="POST",
        Access_Control_Request_Headers="X-One, X-Two",
    )
    assert response.headers["access-control-allow-origin"] == "*"
    assert response.headers["access-control-allow-headers"] == (
        "Authorization, X-One, X-Two, Accept, Accept-Language, Content-Language"
    )
    response = await api("GET", "/emp", Origin="http://a")
    assert "Content-Range" in response.headers["access-control-expose-headers"]


async def test_the_root_document_shows_what_the_role_may_use(api):
    response = await api("GET", "/", role=None)
    document = response.json()
    assert document["swagger"] == "2.0"
    assert "/emp" in document["paths"]
    assert "/note" not in document["paths"]
    assert document["definitions"]["emp"]["properties"]["mood"]["enum"] == ["calm", "busy"]
    assert (
        "This is a Foreign Key to `dept.id`"
        in document["definitions"]["emp"]["properties"]["dept_id"]["description"]
    )


async def test_stages_are_timed(api):
    timing = (await api("GET", "/emp")).headers["server-timing"]
    assert [part.partition(";")[0].strip() for part in timing.split(",")] == [
        "jwt", "parse", "plan", "transaction", "response",
    ]  # fmt: skip


async def test_an_origin_that_sql_allows_is_the_only_one(api):
    headers = '[{"Access-Control-Allow-Origin": "http://a"}]'
    response = await api(
        "POST", "/rpc/shape_reply", body={"status": "200", "headers": headers}, Origin="http://a"
    )
    assert response.headers.get_list("access-control-allow-origin") == ["http://a"]

"""Calls: choice of overload, arguments, results, transaction mode, errors raised in SQL."""

import pytest


@pytest.mark.parametrize(
    ("method", "path", "body", "result"),
    [
        ("GET", "/rpc/add?a=2", None, 3),
        ("GET", "/rpc/add?a=2&b=5", None, 7),
        ("POST", "/rpc/add", {"a": 2, "b": 5}, 7),
        (
            "GET",
            "/rpc/staff?select=name&pay=gt.15&order=pay",
            None,
            [{"name": "Bob"}, {"name": "Ann"}],
        ),
        (
            "GET",
            "/rpc/staff?above=25&select=name,dept(name)",
            None,
            [{"name": "Ann", "dept": {"name": "Sales"}}],
        ),
        ("POST", "/rpc/staff?select=id&limit=1", {"above": 0}, [{"id": 1}]),
        ("GET", "/rpc/one?select=id,name", None, {"id": 1, "name": "Sales"}),
        ("GET", "/rpc/pair", None, {"x": 1, "y": "z"}),
        ("POST", "/rpc/echo", {"any": ["thing"]}, {"any": ["thing"]}),
        ("GET", "/rpc/sum_of?n=1&n=2&n=4", None, 7),
        ("POST", "/rpc/sum_of", {"n": [1, 2]}, 3),
    ],
)
async def test_results_have_the_shape_of_the_functions_return(api, method, path, body, result):
    response = await api(method, path, body=body)
    assert (response.status_code, response.json()) == (200, result)


@pytest.mark.parametrize(("form", "given"), [(b'=a&="b', '{"":"\\"b"}'), (b"&", '{"":""}')])
async def test_an_unnamed_parameter_takes_the_last_nameless_field_of_a_form(api, form, given):
    kind = "application/x-www-form-urlencoded"
    response = await api("POST", "/rpc/shown", raw=form, Content_Type=kind)
    assert response.json() == given


async def test_void_answers_nothing(api):
    response = await api("POST", "/rpc/nothing", body={})
    assert (response.status_code, response.content) == (204, b"")
    assert "content-type" not in response.headers


async def test_an_unknown_function_names_the_nearest(api):
    response = await api("GET", "/rpc/ad?a=1")
    problem = response.json()
    assert (response.status_code, problem["code"]) == (404, "PGRST202")
    assert problem["message"] == "Could not find the function api.ad(a) in the schema cache"
    response = await api("POST", "/rpc/add", body={"a": 1, "c": 1})
    assert response.json()["hint"] == "Perhaps you meant to call the function api.add(a, b)"
    assert response.json()["details"].startswith(
        "Searched for the function api.add with parameters a, c or with a single unnamed json/jsonb"
    )


async def test_overloads_told_apart_by_type_only_are_ambiguous(api):
    response = await api("GET", "/rpc/over?a=1")
    assert (response.status_code, response.json()["code"]) == (300, "PGRST203")
    assert "api.over(a => integer), api.over(a => text)" in response.json()["message"]


async def test_get_runs_read_only(api):
    response = await api("GET", "/rpc/write_dept")
    assert (response.status_code, response.json()["code"]) == (405, "25006")
    response = await api("POST", "/rpc/write_dept", Prefer="tx=rollback", body={})
    assert response.status_code == 204


async def test_other_methods_are_refused(api):
    response = await api("PATCH", "/rpc/add", body={})
    assert (response.status_code, response.json()["message"]) == (
        405,
        "Cannot use the PATCH method on RPC",
    )


async def test_claims_and_request_facts_reach_sql(api):
    response = await api(
        "GET", "/rpc/facts", User_Agent="me", Cookie="k=v", Prefer="timezone=Asia/Tokyo"
    )
    assert response.json() == {
        "method": "GET", "path": "/rpc/facts", "agent": "me", "cookie": "v",
        "role": "rest_member", "zone": "Asia/Tokyo", "search_path": '"api", "public"',
    }  # fmt: skip
    response = await api("GET", "/rpc/claims", role=None)
    assert response.json() == {"role": "rest_anon"}


@pytest.mark.parametrize(
    ("name", "status", "body"),
    [
        ("boom", 400, {"code": "P0001", "message": "boom", "details": "d", "hint": "h"}),
        ("teapot", 418, {"code": "PT418", "message": "Tea", "details": "d", "hint": "h"}),
        ("reply", 477, {"code": "C1", "message": "M", "details": None, "hint": None}),
    ],
)
async def test_sql_raises_whole_answers(api, name, status, body):
    response = await api("POST", f"/rpc/{name}", body={})
    assert (response.status_code, response.json()) == (status, body)
    assert response.headers["proxy-status"] == f"PostgREST; error={body['code']}"


async def test_sql_sets_status_and_headers(api):
    headers = '[{"X-A":"1"},{"Content-Type":"text/x"}]'
    response = await api("POST", "/rpc/shape_reply", body={"status": "207", "headers": headers})
    assert (response.status_code, response.headers["x-a"]) == (207, "1")
    assert response.headers["content-type"] == "text/x"


async def test_sql_cannot_break_the_framing_of_an_answer(api):
    headers = '[{"Content-Length":"1"},{"Transfer-Encoding":"chunked"},{"X-A":"1"}]'
    response = await api("POST", "/rpc/shape_reply", body={"status": "200", "headers": headers})
    assert (response.json(), response.headers["x-a"]) == ("ok", "1")
    assert response.headers.get_list("content-length") == ["4"]
    assert "transfer-encoding" not in response.headers


@pytest.mark.parametrize(
    ("status", "headers", "code"),
    [
        ("x", "{}", "PGRST112"),
        ("200", "{}", "PGRST111"),
        ("200", '[{"a":1}]', "PGRST111"),
        ("200", '[{"A B":"x"}]', "PGRST111"),
        ("200", '[{"É":"x"}]', "PGRST111"),
    ],
)
async def test_what_sql_sets_wrongly_is_an_error(api, status, headers, code):
    response = await api("POST", "/rpc/shape_reply", body={"status": status, "headers": headers})
    assert (response.status_code, response.json()["code"]) == (500, code)


@pytest.mark.parametrize("status", ["204", "304", "199"])
async def test_a_status_without_a_body_is_sent_without(api, status):
    response = await api("POST", "/rpc/shape_reply", body={"status": status, "headers": "[]"})
    assert (response.status_code, response.content) == (int(status), b"")


async def test_the_server_that_sql_names_is_the_only_one(api):
    headers = '[{"Server":"mine"}]'
    response = await api("POST", "/rpc/shape_reply", body={"status": "200", "headers": headers})
    assert response.headers.get_list("server") == ["mine"]


async def test_an_error_of_sqls_has_headers_of_one_line(api):
    response = await api(
        "POST", "/rpc/reply_with", body={"code": "A\nB", "name": "X-A", "value": "a\nb"}
    )
    assert (response.status_code, response.json()["code"]) == (477, "A\nB")
    assert response.headers["proxy-status"] == "PostgREST; error=A B"
    assert response.headers["x-a"] == "a b"
    response = await api("POST", "/rpc/reply_with", body={"code": "A", "name": "X A", "value": "a"})
    assert (response.status_code, response.json()["code"]) == (500, "PGRST121")


async def test_a_function_answers_a_media_type_of_its_own(api):
    response = await api("GET", "/rpc/shout", Accept="text/shout")
    assert (response.text, response.headers["content-type"]) == ("HEY", "text/shout")
    assert (await api("GET", "/rpc/shout", Accept="text/whisper")).status_code == 406
    response = await api("GET", "/rpc/shout", Accept="text/shout", Range="1-")
    assert (response.status_code, response.headers["content-range"]) == (416, "*/0")


async def test_a_set_takes_a_limit_of_affected_rows_and_a_value_does_not(api):
    strict = "handling=strict, max-affected=1"
    assert (await api("POST", "/rpc/staff", body={}, Prefer=strict)).json()["code"] == "PGRST124"
    assert (await api("POST", "/rpc/add", body={"a": 1}, Prefer=strict)).json()[
        "code"
    ] == "PGRST128"

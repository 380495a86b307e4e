"""Errors whole: status, code, message, details and hint of each row (rest reference 14).

Those that need another configuration or a failing server are in `test_rest_faults` and
`test_rest_authentication`; here each is met by one request.
"""

from __future__ import annotations

import pytest

from tests.harness_rest import Api, serving

STRICT = {"Prefer": "handling=strict, nonsense, max-affected=1"}

# method and path, headers, body; then status, code, message, details, hint
ROWS = [
    (
        "PUT /rpc/add", {}, "{}",
        405, "PGRST101", "Cannot use the PUT method on RPC", None, None,
    ),
    (
        "GET /emp?limit=-1", {}, "",
        416, "PGRST103", "Requested range not satisfiable",
        "Limit should be greater than or equal to zero.", None,
    ),
    (
        "GET /emp", {"Range": "9-1"}, "",
        416, "PGRST103", "Requested range not satisfiable",
        "The lower boundary must be lower than or equal to the upper boundary in the Range header.",
        None,
    ),
    (
        "GET /emp?offset=900&id=lt.4", {"Prefer": "count=exact"}, "",
        416, "PGRST103", "Requested range not satisfiable",
        "An offset of 900 was requested, but there are only 3 rows.", None,
    ),
    (
        "PUT /dept?name=eq.a", {}, '{"id":1,"name":"a"}',
        405, "PGRST105",
        "Filters must include all and only primary key columns with 'eq' operators", None, None,
    ),
    (
        "GET /emp", {"Accept-Profile": "nope"}, "",
        406, "PGRST106", "Invalid schema: nope",
        None, "Only the following schemas are exposed: api, other",
    ),
    (
        "GET /emp", {"Accept": "image/png, text/unknown"}, "",
        406, "PGRST107", "None of these media types are available: image/png, text/unknown",
        None, None,
    ),
    (
        "GET /emp?dept.id=eq.1", {}, "",
        400, "PGRST108", "'dept' is not an embedded resource in this request",
        None, "Verify that 'dept' is included in the 'select' query parameter.",
    ),
    (
        "PUT /dept?id=eq.1&limit=1", {}, '{"id":1,"name":"a"}',
        400, "PGRST114", "limit/offset querystring parameters are not allowed for PUT", None, None,
    ),
    (
        "PUT /dept?id=eq.1", {}, '{"id":2,"name":"a"}',
        400, "PGRST115", "Payload values do not match URL in primary key column(s)", None, None,
    ),
    (
        "GET /emp?id=lt.4", {"Accept": "application/vnd.pgrst.object+json"}, "",
        406, "PGRST116", "Cannot coerce the result to a single JSON object",
        "The result contains 3 rows", None,
    ),
    (
        "BREW /emp", {}, "",
        405, "PGRST117", "Unsupported HTTP method: BREW", None, None,
    ),
    (
        "GET /dept?select=id,emp(id)&order=emp(id)", {}, "",
        400, "PGRST118", "A related order on 'emp' is not possible",
        "'dept' and 'emp' do not form a many-to-one or one-to-one relationship", None,
    ),
    (
        "PATCH /emp?id=eq.1", STRICT, '{"name":"a"}',
        400, "PGRST122", "Invalid preferences given with handling=strict",
        "Invalid preferences: nonsense", None,
    ),
    (
        "PATCH /emp?id=lt.4", {"Prefer": "handling=strict, max-affected=0x1, tx=rollback"},
        '{"name":"a"}',
        400, "PGRST124", "Query result exceeds max-affected preference constraint",
        "The query affects 3 rows", None,
    ),
    (
        "GET /emp/1", {}, "",
        404, "PGRST125", "Invalid path specified in request URL", None, None,
    ),
    (
        "GET /dept?select=...emp(pay.sum())", {}, "",
        400, "PGRST127", "Feature not implemented",
        "Aggregates are not implemented for one-to-many or many-to-many spreads.", None,
    ),
    (
        "POST /rpc/add", {"Prefer": "handling=strict, max-affected=1"}, '{"a":1}',
        400, "PGRST128",
        ("Function must return SETOF or TABLE when max-affected preference is used with"
        " handling=strict"),
        None, None,
    ),
    (
        "GET /emp?select=id,depts(id)", {}, "",
        400, "PGRST200",
        "Could not find a relationship between 'emp' and 'depts' in the schema cache",
        ("Searched for a foreign key relationship between 'emp' and 'depts' in the schema 'api',"
        " but no matches were found."),
        "Perhaps you meant 'dept' instead of 'depts'.",
    ),
    (
        "POST /rpc/addd", {}, '{"a":1,"c":2}',
        404, "PGRST202", "Could not find the function api.addd(a, c) in the schema cache",
        ("Searched for the function api.addd with parameters a, c or with a single unnamed"
        " json/jsonb parameter, but no matches were found in the schema cache."),
        "Perhaps you meant to call the function api.add",
    ),
    (
        "GET /rpc/add?c=1", {}, "",
        404, "PGRST202", "Could not find the function api.add(c) in the schema cache",
        ("Searched for the function api.add with parameter c, but no matches were found in the"
        " schema cache."),
        None,
    ),
    (
        "POST /rpc/addd", {"Content-Type": "text/plain"}, "x",
        404, "PGRST202", "Could not find the function api.addd in the schema cache",
        ("Searched for the function api.addd with a single unnamed text parameter, but no matches"
        " were found in the schema cache."),
        None,
    ),
    (
        "GET /rpc/over?a=1", {}, "",
        300, "PGRST203",
        ("Could not choose the best candidate function between: api.over(a => integer),"
        " api.over(a => text)"),
        None,
        ("Try renaming the parameters or the function itself in the database so function"
        " overloading can be resolved"),
    ),
    (
        "POST /dept?columns=id,nam", {}, '{"id":1}',
        400, "PGRST204", "Could not find the 'nam' column of 'dept' in the schema cache",
        None, None,
    ),
    (
        "GET /emps", {}, "",
        404, "PGRST205", "Could not find the table 'api.emps' in the schema cache",
        None, "Perhaps you meant the table 'api.emp'",
    ),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[4]} {row[0]}")
async def test_an_error_says_what_the_original_says(api: Api, row):
    request, headers, body, status, code, message, details, hint = row
    method, path = request.split(" ", 1)
    sent = {"Content-Type": "application/json", "Prefer": "tx=rollback", **headers}
    response = await api(method, path, raw=body.encode(), **sent)
    shown = response.json()
    assert shown == {"code": code, "message": message, "details": details, "hint": hint}
    assert response.status_code == status
    if "offset=900" not in path:  # found after the query: the answer's headers are the read's
        assert response.headers["proxy-status"] == f"PostgREST; error={code}"


async def test_a_root_that_is_switched_off_says_so(server, rest_database):
    async with serving(server, rest_database, OPENAPI_MODE="disabled") as api:
        response = await api("GET", "/")
    assert (response.status_code, response.json()) == (
        404,
        {
            "code": "PGRST126", "message": "Root endpoint metadata is disabled",
            "details": None, "hint": None,
        },
    )  # fmt: skip


async def test_aggregates_that_are_switched_off_say_so(server, rest_database):
    async with serving(server, rest_database) as api:
        response = await api("GET", "/emp?select=pay.sum()")
    assert (response.status_code, response.json()) == (
        400,
        {
            "code": "PGRST123", "message": "Use of aggregate functions is not allowed",
            "details": None, "hint": None,
        },
    )  # fmt: skip


async def test_a_header_that_is_no_utf8_is_read_with_marks_for_what_is_none(api: Api):
    response = await api("GET", "/rpc/facts", User_Agent=b"a\xffb")
    assert response.json()["agent"] == "a\ufffdb"


@pytest.mark.parametrize(
    ("query", "ids"),
    [("limit=0x1", [1]), ("limit=(2)", [1, 2]), ("limit=1e0&id=lt.4", [1, 2, 3]),
     ("limit=1&offset=0o2", [3])],
)  # fmt: skip
async def test_a_limit_may_be_written_as_haskell_reads_numbers(api: Api, query: str, ids):
    response = await api("GET", f"/emp?select=id&order=id&{query}")
    assert [row["id"] for row in response.json()] == ids

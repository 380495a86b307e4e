"""A request is one transaction, whether it begins in words or is one pipeline."""

from urllib.parse import quote

import pytest

from tests.harness_rest import serving

FUNCTIONS = """
create function api.place() returns json volatile language sql as $$
  select json_build_object('isolation', current_setting('transaction_isolation'),
    'read_only', current_setting('transaction_read_only'),
    'role', current_user, 'zone', current_setting('timezone'),
    'begun', current_setting('tests.begun', true) = now()::text) $$;
create function api.place_read() returns json stable language sql
  as $$ select api.place() $$;
create function api.place_serial() returns json stable language sql
  set default_transaction_isolation = 'serializable' as $$ select api.place() $$;
create function api.before() returns void language sql
  as $$ select set_config('tests.begun', now()::text, true) $$;
create function api.broken(n int) returns int stable language sql as $$ select 1 / n $$;
create table api.told (id int);
create function hidden.tell() returns trigger language plpgsql as $$ begin
  perform set_config('response.headers', '[{"X-Told": "yes"}]', true); return null; end $$;
create trigger tell after insert on api.told for each row execute function hidden.tell();
create table api.ruled (id int);
create rule no_zero as on insert to api.ruled where new.id = 0 do instead nothing;
grant all on api.told, api.ruled to rest_member;
"""
READ = {"isolation": "read committed", "read_only": "on", "begun": True}
WRITE = READ | {"read_only": "off"}


@pytest.fixture(scope="module")
def database(server, rest_database):
    server.run(*FUNCTIONS.strip().split(";\n"), database=rest_database)
    return rest_database


@pytest.fixture(params=["read committed", "repeatable read", "serializable"])
async def single(server, database, request):
    """A service with one connection, whose own isolation is the parameter."""
    uri = server.url(database, "rest_authenticator")
    isolation = request.param.replace(" ", "\\ ")
    uri += "&options=" + quote(f"-c default_transaction_isolation={isolation}")
    options = {"DB_URI": uri, "DB_POOL": "1", "DB_PRE_REQUEST": "api.before"}
    async with serving(server, database, **options) as running:
        yield running


async def place(api, method="GET", path="/rpc/place_read", **headers):
    answer = await api(method, path, body={} if method == "POST" else None, **headers)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    return {key: found[key] for key in READ} | {"role": found["role"]}


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/rpc/place_read", READ),
        ("POST", "/rpc/place_read", READ),
        ("GET", "/rpc/place", READ),
        ("POST", "/rpc/place", WRITE),
        ("GET", "/rpc/place_serial", READ | {"isolation": "serializable"}),
    ],
)
async def test_isolation_and_mode_do_not_depend_on_the_session(single, method, path, expected):
    for _ in range(2):
        assert await place(single, method, path) == expected | {"role": "rest_member"}


async def test_what_a_request_sets_ends_with_it(single):
    first = await single("GET", "/rpc/place_read", Prefer="timezone=Asia/Tokyo")
    second = await single("GET", "/rpc/place_read", role=None)
    assert (first.json()["zone"], first.json()["role"]) == ("Asia/Tokyo", "rest_member")
    assert second.json()["zone"] != "Asia/Tokyo"
    assert second.json()["role"] == "rest_anon"
    written = await single("POST", "/rpc/place")
    assert written.json()["read_only"] == "off"


async def test_a_read_that_fails_leaves_nothing_behind(single):
    failed = await single("GET", "/rpc/broken?n=0")
    assert failed.json()["code"] == "22012"
    assert await place(single) == READ | {"role": "rest_member"}


async def test_a_read_that_would_write_is_refused(single):
    refused = await single("GET", "/rpc/write_dept")
    assert (refused.status_code, refused.json()["code"]) == (405, "25006")


async def test_where_nothing_is_shown_an_after_trigger_and_a_rule_have_their_say(single):
    response = await single("POST", "/told", body={"id": 1})
    assert (response.status_code, response.headers["x-told"]) == (201, "yes")
    ruled = await single("POST", "/ruled", body=[{"id": 0}, {"id": 1}], Prefer="count=exact")
    assert (ruled.status_code, ruled.headers["content-range"]) == (201, "*/1")
    shown = {"Prefer": "return=representation"}
    response = await single("POST", "/told", body={"id": 2}, **shown)
    assert "x-told" not in response.headers
    ruled = await single("POST", "/ruled", body={"id": 2}, **shown)
    assert (ruled.status_code, ruled.json()["code"]) == (400, "0A000")

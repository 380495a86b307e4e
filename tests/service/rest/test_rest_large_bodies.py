"""Bodies beyond what is read at once: limits, rights before reading, and turns on the loop."""

import asyncio
import json

import pytest

from tests.harness_rest import make_database, serving

ROLLED_BACK = "tx=rollback,return=headers-only,count=exact"
ROWS = [{"body": f"row {one} " + "x" * 40} for one in range(6_000)]
LIMIT = 1_000_000


@pytest.fixture(scope="module")
def own_database(server):
    name = make_database(server)
    server.run("revoke execute on function api.echo(json) from public", database=name)
    yield name
    server.drop(name)


@pytest.fixture
async def api(server, own_database):
    options = {"DB_TX_END": "commit-allow-override", "SERVER_MAX_BODY_SIZE": str(LIMIT)}
    async with serving(server, own_database, **options) as running:
        yield running


def problem(response):
    return response.status_code, response.json()["code"], response.json()["message"]


async def written(api, path, raw, **headers):
    return await api("POST", path, raw=raw, Prefer=ROLLED_BACK, **headers)


class TestLimit:
    async def test_a_longer_body_is_refused_with_the_limit_and_how_it_is_counted(self, api):
        response = await api("POST", "/note", raw=b"x" * (LIMIT + 1))
        assert problem(response) == (
            413,
            "PGRST102",
            f"The request body is larger than {LIMIT} bytes",
        )
        assert "counted as they are sent" in response.json()["details"]
        assert "PGRST_SERVER_MAX_BODY_SIZE" in response.json()["hint"]

    async def test_a_longer_body_of_unknown_length_is_refused(self, api):
        async def chunks():
            for _ in range(LIMIT // 10_000 + 1):
                yield b" " * 10_000

        assert (await api("POST", "/note", raw=chunks())).status_code == 413

    async def test_names_of_a_csv_that_make_it_too_long_are_refused(self, api):
        raw = b"n" * 1_000 + b"\n" + b"1\n" * 100_000
        response = await api("POST", "/note", raw=raw, Content_Type="text/csv")
        assert problem(response)[:2] == (413, "PGRST102")
        assert "CSV" in response.json()["details"]


class TestRows:
    @pytest.mark.parametrize("indent", [None, 1])
    async def test_of_json_are_written(self, api, indent):
        response = await written(api, "/note", json.dumps(ROWS, indent=indent).encode())
        assert (response.status_code, response.headers["content-range"]) == (201, "*/6000")

    async def test_of_csv_are_written(self, api):
        raw = "body\n" + "".join(f"{row['body']}\n" for row in ROWS)
        response = await written(api, "/note", raw.encode(), Content_Type="text/csv")
        assert (response.status_code, response.headers["content-range"]) == (201, "*/6000")

    async def test_of_a_form_are_written(self, api):
        raw = b"body=" + b"%41+" * 50_000
        headers = {"Content_Type": "application/x-www-form-urlencoded"}
        answer = await api(
            "POST", "/note", raw=raw, Prefer="tx=rollback,return=representation", **headers
        )
        assert answer.json() == [{"body": "A " * 50_000}]

    async def test_whose_columns_are_named_are_passed_on(self, api):
        response = await written(api, "/note?columns=body", json.dumps(ROWS).encode())
        assert response.headers["content-range"] == "*/6000"

    async def test_of_one_long_value_are_written(self, api):
        document = {"id": 9_000, "name": "n", "meta": {"k": ["x" * 60_000] * 5}}
        response = await written(api, "/dept", json.dumps([document]).encode())
        assert (response.status_code, response.headers["content-range"]) == (201, "*/1")

    async def test_are_arguments_of_a_function(self, api):
        raw = json.dumps({"a": 1, "b": 2, "c": None}).encode() + b" " * 200_000
        assert problem(await api("POST", "/rpc/add", raw=raw))[:2] == (404, "PGRST202")
        raw = json.dumps({"a": 1, "b": 2}).encode() + b" " * 200_000
        assert (await api("POST", "/rpc/add", raw=raw)).json() == 3


class TestRefusals:
    @pytest.mark.parametrize(
        ("raw", "message"),
        [
            (b"[" + b'{"body":1},' * 20_000 + b'{"id":1}]', "All object keys must match"),
            (b"[" + b'{"body":1},' * 20_000 + b"]", "Empty or invalid json"),
            (b'[{"body":"' + b"x" * 200_000 + b"\xff" + b'"}]', "Empty or invalid json"),
            (b'[{"body":[' + b"1," * 100_000 + b"]}]", "Empty or invalid json"),
            (b'[{"body":[' + b"\0" * 200_000 + b"]}]", "Empty or invalid json"),
            (b"[" * 200_000, "Empty or invalid json"),
        ],
    )
    async def test_of_json_are_those_of_small_bodies(self, api, raw, message):
        assert problem(await written(api, "/note", raw)) == (400, "PGRST102", message)

    @pytest.mark.parametrize("path", ["/note?columns=body", "/rpc/add?columns=a"])
    async def test_of_json_whose_columns_are_named_is_postgresqls(self, api, path):
        response = await written(api, path, b"[" + b'{"body":1},' * 20_000 + b"]")
        assert (response.status_code, response.json()["code"]) == (400, "22P02")

    async def test_of_an_unknown_key_names_the_first(self, api):
        raw = json.dumps({f"k{one:06}": 1 for one in range(20_000)}).encode()
        expected = "Could not find the 'k000000' column of 'note' in the schema cache"
        assert problem(await written(api, "/note", raw)) == (400, "PGRST204", expected)

    async def test_of_a_ragged_csv(self, api):
        raw = b"body\n" + b"1\n" * 100_000
        ragged = b"a,b\n" + b"1,2\n" * 50_000 + b"3\n"
        assert (await written(api, "/note", raw, Content_Type="text/csv")).status_code == 201
        response = await written(api, "/note", ragged, Content_Type="text/csv")
        assert problem(response)[2] == "All lines must have same number of fields"

    @pytest.mark.parametrize(
        ("raw", "message"),
        [
            (b"a&" * 100_000, "The form has more than 2000 fields"),
            (b"a" * 200_000 + b"=1", "A field's name has more than 1024 bytes"),
        ],
    )
    async def test_of_a_form_beyond_what_a_table_can_take(self, api, raw, message):
        headers = {"Content_Type": "application/x-www-form-urlencoded"}
        response = await written(api, "/note", raw, **headers)
        assert problem(response) == (400, "PGRST102", message)


class TestRights:
    """Who may not write is told so before the body is received."""

    @pytest.mark.parametrize(
        ("method", "path", "role"),
        [
            ("POST", "/emp", None),
            ("PATCH", "/emp?id=eq.1", None),
            ("PUT", "/emp?id=eq.1", None),
            ("POST", "/rich", None),
            ("POST", "/dept", "rest_anon"),
            ("POST", "/rpc/echo", "rest_member"),
            ("POST", "/rpc/echo", None),
        ],
    )
    async def test_the_refusal_is_that_of_a_small_body(self, api, method, path, role):
        small = b'{"id":1,"name":"x"}'
        expected = await api(method, path, raw=small, role=role)
        assert expected.json()["code"] == "42501"
        taken = 0

        async def chunks():
            nonlocal taken
            for _ in range(9):
                taken += 1
                yield b"!" * 100_000

        response = await api(method, path, raw=chunks(), role=role)
        assert response.status_code == expected.status_code
        assert response.json() == expected.json()
        assert response.headers["proxy-status"] == expected.headers["proxy-status"]
        assert taken == 2

    @pytest.mark.parametrize(
        ("path", "code"),
        [("/nothing", "PGRST205"), ("/emp?select=id,", "PGRST100"), ("/emp?limit=-1", "PGRST103")],
    )
    async def test_what_is_wrong_with_the_head_comes_first(self, api, path, code):
        response = await api("POST", path, raw=b"!" * 200_000, role=None)
        assert response.json()["code"] == code

    async def test_a_bad_token_comes_first(self, api):
        response = await api("POST", "/emp", raw=b"!" * 200_000, Authorization="Bearer x")
        assert response.json()["code"] == "PGRST301"


async def test_others_have_their_turn_between_the_slices(api):
    turns = 0

    async def others():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    raw = b"a,b\n" + b"1,2\n" * 200_000 + b"3\n"
    other = asyncio.create_task(others())
    response = await api("POST", "/note", raw=raw, Content_Type="text/csv")
    other.cancel()
    assert response.status_code == 400
    assert turns > len(raw) // 32_768

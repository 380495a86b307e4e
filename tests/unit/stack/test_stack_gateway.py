"""The gateway's keys, the web app's files and the mailbox's guard, as plain ASGI."""

from __future__ import annotations

from typing import Any

import pytest

from compat_base import jsontext
from compat_stack.gateway import Gateway, Mounted
from compat_stack.keys import Keys
from compat_stack.mailbox import is_operator
from compat_stack.website import CONFIGURATION_MARK, Website, load_assets

KEYS = Keys("jwt", "anon-token", "service-token", "sb_publishable_p", "sb_secret_s", "[]")


def scope(path: str, *, headers: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    raw = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    return {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(),
        "query_string": b"", "headers": raw, "client": ("127.0.0.1", 5), "scheme": "http", **more,
    }  # fmt: skip


async def ask(app: Any, request: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(request, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, sent[1].get("body", b"")


async def echo(request: dict[str, Any], _receive: Any, send: Any) -> None:
    told = {name.decode(): value.decode() for name, value in request["headers"]}
    query = request["query_string"].decode()
    body = jsontext.encode_bytes({"root": request["root_path"], "query": query, **told})
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def gateway() -> Gateway:
    services = tuple(Mounted(prefix, echo) for prefix in ("/auth/v1", "/rest/v1", "/realtime/v1"))
    website = Website({}, key=KEYS.publishable, public_url=None)
    return Gateway(services, Mounted("/mailbox", echo), website, KEYS)


async def told(gateway: Gateway, headers: dict[str, str], path: str = "/rest/v1/t") -> Any:
    status, _, body = await ask(gateway, scope(path, headers=headers))
    return status, jsontext.decode(body)


async def test_a_service_is_told_its_prefix_as_root_path(gateway):
    assert (await told(gateway, {"apikey": "anon-token"}))[1]["root"] == "/rest/v1"


@pytest.mark.parametrize(
    ("key", "token"),
    [("sb_publishable_p", "anon-token"), ("sb_secret_s", "service-token"), ("anon-token",) * 2],
)
async def test_a_key_becomes_the_token_it_stands_for(gateway, key: str, token: str):
    assert (await told(gateway, {"apikey": key}))[1]["authorization"] == f"Bearer {token}"


async def test_an_opaque_key_as_bearer_is_exchanged(gateway):
    headers = {"apikey": "sb_publishable_p", "authorization": "Bearer sb_publishable_p"}
    assert (await told(gateway, headers))[1]["authorization"] == "Bearer anon-token"


async def test_another_scheme_than_bearer_is_no_token(gateway):
    headers = {"apikey": "sb_publishable_p", "authorization": "Basic abc"}
    assert (await told(gateway, headers))[1]["authorization"] == "Bearer anon-token"


async def test_a_users_token_is_left_as_it_is(gateway):
    headers = {"apikey": "sb_publishable_p", "authorization": "Bearer user"}
    assert (await told(gateway, headers))[1]["authorization"] == "Bearer user"


async def test_a_request_without_a_key_is_refused(gateway):
    status, body = await told(gateway, {})
    assert (status, body["message"]) == (401, "No API key found in request")


async def test_an_unknown_key_is_refused(gateway):
    status, body = await told(gateway, {"apikey": "sb_publishable_x"})
    assert (status, body["message"]) == (401, "Invalid API key")


async def test_a_link_out_of_a_mail_needs_no_key(gateway):
    assert (await told(gateway, {}, "/auth/v1/verify"))[0] == 200


async def test_the_key_may_stand_in_the_query_and_the_service_is_spared_it(gateway):
    request = scope("/rest/v1/t", query_string=b"a=1&apikey=sb_publishable_p&b=2")
    status, _, body = await ask(gateway, request)
    told = jsontext.decode(body)
    assert (status, told["query"], told["authorization"]) == (200, "a=1&b=2", "Bearer anon-token")


async def test_a_path_that_only_starts_like_a_prefix_is_the_web_apps(gateway):
    status, headers, _ = await ask(gateway, scope("/rest/v10", headers={"host": "x"}))
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")


@pytest.fixture
def website(tmp_path) -> Website:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_bytes(b"<head>" + CONFIGURATION_MARK + b"</head>")
    (tmp_path / "assets" / "a-1.js").write_text("let a = 1;" * 200)
    return Website(load_assets(tmp_path), key="sb_publishable_p", public_url=None)


async def test_the_index_carries_the_configuration_of_the_asked_origin(website):
    _, _, body = await ask(website, scope("/dashboard", headers={"host": "localhost:54321"}))
    assert b'<meta name="supabase-url" content="http://localhost:54321">' in body
    assert b'<meta name="supabase-key" content="sb_publishable_p">' in body


async def test_what_the_app_has_no_screen_for_is_not_found_and_still_shows_the_app(tmp_path):
    routes = b'<script type="application/json" id="route-files">{"/": [], "/auth": []}</script>'
    (tmp_path / "index.html").write_bytes(routes)
    website = Website(load_assets(tmp_path), key="k", public_url=None)
    for path, expected in (
        ("/", 200),
        ("/auth", 200),
        ("/auth/", 404),
        ("/Auth", 404),
        ("/x", 404),
    ):
        status, _, body = await ask(website, scope(path, headers={"host": "x"}))
        assert (status, routes in body) == (expected, True), path


async def test_a_host_that_is_none_is_refused(website):
    status, _, _ = await ask(website, scope("/", headers={"host": '"><script>'}))
    assert status == 400


async def test_a_hashed_asset_is_compressed_and_kept_for_ever(website):
    request = scope("/assets/a-1.js", headers={"accept-encoding": "gzip, br"})
    status, headers, body = await ask(website, request)
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert len(body) < 100


async def test_a_known_asset_is_not_sent_again(website):
    _, headers, _ = await ask(website, scope("/assets/a-1.js"))
    request = scope("/assets/a-1.js", headers={"if-none-match": headers["etag"]})
    status, _, body = await ask(website, request)
    assert (status, body) == (304, b"")


async def test_a_missing_asset_is_not_the_index(website):
    assert (await ask(website, scope("/assets/old.js")))[0] == 404


async def test_no_path_leads_out_of_the_build_folder(website):
    _, _, body = await ask(website, scope("/../../etc/passwd", headers={"host": "x"}))
    assert b"supabase-url" in body


@pytest.mark.parametrize(
    ("client", "headers", "allowed"),
    [
        ("127.0.0.1", {"host": "127.0.0.1:54321"}, True),
        ("::1", {"host": "localhost"}, True),
        ("192.0.2.7", {"host": "127.0.0.1"}, False),
        ("127.0.0.1", {"host": "evil.example"}, False),
        ("127.0.0.1", {"host": "localhost", "x-forwarded-for": "192.0.2.7"}, False),
    ],
)
def test_the_mailbox_is_the_operators_alone(client: str, headers: dict[str, str], allowed: bool):
    assert is_operator(scope("/mailbox", headers=headers, client=(client, 1))) is allowed

"""The gateway's keys, the web app's files and the mailbox's guard, as plain ASGI."""

from __future__ import annotations

import asyncio
import base64
import re
from typing import Any

import pytest

from compat_base.values import jsontext
from compat_base.values.world import SystemEntropy
from compat_stack.gateway.gateway import Gateway, Mounted, Pages
from compat_stack.gateway.security_headers import SecurityHeaders
from compat_stack.gateway.website import CONFIGURATION_MARK, Asset, Website, load_assets
from compat_stack.keys.installation import Keys
from compat_stack.network.client_address import read_networks
from compat_stack.operator_access import holds_token, is_direct, is_private
from compat_stack.settings import read_settings

KEYS = Keys("jwt", "anon-token", "service-token", "sb_publishable_p", "sb_secret_s", "[]", "{}")


def scope(path: str, *, headers: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    raw = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    return {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(),
        "query_string": b"", "headers": raw, "client": ("127.0.0.1", 5), "scheme": "http",
        "server": ("127.0.0.1", 54321), "http_version": "1.1", **more,
    }  # fmt: skip


async def fetch(app: Any, request: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(request, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, sent[1].get("body", b"")


async def echo(request: dict[str, Any], _receive: Any, send: Any) -> None:
    sent = {name.decode(): value.decode() for name, value in request["headers"]}
    query = request["query_string"].decode()
    body = jsontext.encode_bytes({"root": request["root_path"], "query": query, **sent})
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def gateway() -> Gateway:
    prefixes = ("/auth/v1", "/rest/v1", "/realtime/v1")
    services = tuple(Mounted(prefix, echo, (f"{prefix}/open",)) for prefix in prefixes)
    website = Website(
        {}, key=KEYS.publishable, public_url=None, bind_host="127.0.0.1", entropy=SystemEntropy()
    )
    return Gateway(services, Pages({"/mailbox": echo}, website), KEYS)


async def requested_service(
    gateway: Gateway, headers: dict[str, str], path: str = "/rest/v1/t"
) -> Any:
    status, _, body = await fetch(gateway, scope(path, headers=headers))
    return status, jsontext.decode(body)


async def test_a_service_is_told_its_prefix_as_root_path(gateway):
    assert (await requested_service(gateway, {"apikey": "anon-token"}))[1]["root"] == "/rest/v1"


@pytest.mark.parametrize(
    ("key", "token"),
    [("sb_publishable_p", "anon-token"), ("sb_secret_s", "service-token"), ("anon-token",) * 2],
)
async def test_a_key_becomes_the_token_it_stands_for(gateway, key: str, token: str):
    assert (await requested_service(gateway, {"apikey": key}))[1][
        "authorization"
    ] == f"Bearer {token}"


async def test_an_opaque_key_as_bearer_is_exchanged(gateway):
    headers = {"apikey": "sb_publishable_p", "authorization": "Bearer sb_publishable_p"}
    assert (await requested_service(gateway, headers))[1]["authorization"] == "Bearer anon-token"


async def test_another_scheme_than_bearer_is_no_token(gateway):
    headers = {"apikey": "sb_publishable_p", "authorization": "Basic abc"}
    assert (await requested_service(gateway, headers))[1]["authorization"] == "Bearer anon-token"


async def test_a_users_token_is_left_as_it_is(gateway):
    headers = {"apikey": "sb_publishable_p", "authorization": "Bearer user"}
    assert (await requested_service(gateway, headers))[1]["authorization"] == "Bearer user"


async def test_a_request_without_a_key_is_refused(gateway):
    status, body = await requested_service(gateway, {})
    assert (status, body["message"]) == (401, "No API key found in request")


async def test_an_unknown_key_is_refused(gateway):
    status, body = await requested_service(gateway, {"apikey": "sb_publishable_x"})
    assert (status, body["message"]) == (401, "Invalid API key")


async def test_a_link_out_of_a_mail_needs_no_key(gateway):
    assert (await requested_service(gateway, {}, "/auth/v1/open/link"))[0] == 200
    assert (await requested_service(gateway, {}, "/rest/v1/t/auth/v1/open"))[0] == 401


async def test_a_caller_behind_a_proxy_has_a_share_and_others_theirs():
    entered, ending = asyncio.Event(), asyncio.Event()

    async def slow(request: dict[str, Any], receive: Any, send: Any) -> None:
        entered.set()
        await ending.wait()
        await echo(request, receive, send)

    def forwarded(path: str, caller: str, peer: str = "10.0.0.1") -> dict[str, Any]:
        headers = {"apikey": "anon-token", "x-forwarded-for": caller}
        return scope(path, headers=headers, client=(peer, 5))

    services = (Mounted("/slow/v1", slow), Mounted("/rest/v1", echo))
    proxies = read_networks(["10.0.0.0/8"])
    gateway = Gateway(services, Pages({}, echo), KEYS, proxies, share=1)
    first = asyncio.create_task(fetch(gateway, forwarded("/slow/v1/x", "192.0.2.1")))
    await entered.wait()
    status, headers, body = await fetch(gateway, forwarded("/rest/v1/x", "192.0.2.1"))
    assert (status, headers["retry-after"]) == (429, "1")
    assert b"Too many requests at once from one address." in body
    assert (await fetch(gateway, forwarded("/rest/v1/x", "192.0.2.2")))[0] == 200
    assert (await fetch(gateway, forwarded("/rest/v1/x", "192.0.2.1", peer="192.0.2.9")))[0] == 200
    ending.set()
    assert (await first)[0] == 200
    assert (await fetch(gateway, forwarded("/rest/v1/x", "192.0.2.1")))[0] == 200


async def test_the_key_may_stand_in_the_query_and_the_service_is_spared_it(gateway):
    request = scope("/rest/v1/t", query_string=b"a=1&apikey=sb_publishable_p&b=2")
    status, _, body = await fetch(gateway, request)
    requested_service = jsontext.decode(body)
    assert (status, requested_service["query"], requested_service["authorization"]) == (
        200,
        "a=1&b=2",
        "Bearer anon-token",
    )


async def test_a_path_that_only_starts_like_a_prefix_is_the_web_apps(gateway):
    status, headers, _ = await fetch(gateway, scope("/rest/v10", headers={"host": "localhost"}))
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")


@pytest.fixture
def website(tmp_path) -> Website:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_bytes(b"<head>" + CONFIGURATION_MARK + b"</head>")
    (tmp_path / "assets" / "a-1.js").write_text("let a = 1;" * 200)
    return Website(
        load_assets(tmp_path),
        key="sb_publishable_p",
        public_url=None,
        bind_host="127.0.0.1",
        entropy=SystemEntropy(),
    )


async def test_the_index_carries_the_configuration_of_the_asked_origin(website):
    _, _, body = await fetch(website, scope("/dashboard", headers={"host": "localhost:54321"}))
    assert b'<meta name="supabase-url" content="http://localhost:54321">' in body
    assert b'<meta name="supabase-key" content="sb_publishable_p">' in body


async def test_what_the_app_has_no_screen_for_is_not_found_and_still_shows_the_app(tmp_path):
    routes = b'<script type="application/json" id="route-files">{"/": [], "/auth": []}</script>'
    (tmp_path / "index.html").write_bytes(routes)
    website = Website(
        load_assets(tmp_path),
        key="k",
        public_url="http://x.test",
        bind_host="127.0.0.1",
        entropy=SystemEntropy(),
    )
    for path, expected in (
        ("/", 200),
        ("/auth", 200),
        ("/auth/", 404),
        ("/Auth", 404),
        ("/x", 404),
    ):
        status, _, body = await fetch(website, scope(path, headers={"host": "x"}))
        assert (status, routes in body) == (expected, True), path


@pytest.mark.parametrize(
    "host",
    [
        '"><script>', "evil.example", "evil.example:54321", "127.0.0.1.evil.example", "127.0.0.1@evil",
        "", "localhost/x", "localhost:123456", "192.0.2.7", "[::1", "localhost evil", "a\\b",
    ],
)  # fmt: skip
async def test_the_index_never_repeats_a_foreign_host(website, host: str):
    status, headers, body = await fetch(website, scope("/", headers={"host": host}))
    assert status == 421
    assert b"meta" not in body
    assert "evil" not in str(headers) + body.decode()


async def test_two_hosts_are_as_good_as_none(website):
    request = scope("/") | {"headers": [(b"host", b"localhost"), (b"host", b"localhost")]}
    assert (await fetch(website, request))[0] == 421


async def test_what_a_proxy_claims_does_not_change_the_pages_origin(website):
    claims = {
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "https",
        "forwarded": "host=e",
    }
    _, headers, body = await fetch(
        website, scope("/", headers={"host": "localhost:54321"} | claims)
    )
    assert b'content="http://localhost:54321"' in body
    assert "connect-src 'self' ws://localhost:54321;" in headers["content-security-policy"]


async def test_a_network_address_that_the_connection_reached_is_ours(website):
    request = scope("/", headers={"host": "192.0.2.7:54321"}, server=("192.0.2.7", 54321))
    assert b'content="http://192.0.2.7:54321"' in (await fetch(website, request))[2]


async def test_a_loopback_name_is_foreign_to_who_comes_from_elsewhere(website):
    request = scope("/", headers={"host": "localhost"}, server=("192.0.2.7", 54321))
    assert (await fetch(website, request))[0] == 421


async def test_the_public_address_stands_in_the_page_whatever_host_is_asked_for():
    website = Website(
        {},
        key="k",
        public_url="https://planes.example",
        bind_host="0.0.0.0",
        entropy=SystemEntropy(),
    )
    status, headers, _ = await fetch(website, scope("/", headers={"host": "evil.example"}))
    assert status == 200
    assert "connect-src 'self' wss://planes.example;" in headers["content-security-policy"]


@pytest.mark.parametrize(
    ("public_url", "host", "sources"),
    [
        ("https://planes.example", "planes.example", ["https://planes.example"]),
        (None, "localhost:54321", ["http://localhost:54321"]),
        (
            "https://planes.example", "localhost:54321",
            ["http://localhost:54321", "https://planes.example"],
        ),
        (None, "127.0.0.1:54321", ["http://127.0.0.1:54321"]),
    ],
)  # fmt: skip
async def test_a_page_runs_the_builds_scripts_alone_and_nothing_else_of_its_origin(
    public_url: str | None, host: str, sources: list[str]
):
    script = Asset(b"", None, "text/javascript", '""', immutable=False)
    files = dict.fromkeys(("/sw.js", "/assets/a-1.js", "/storage/v1/evil.js"), script)
    website = Website(
        files, key="k", public_url=public_url, bind_host="127.0.0.1", entropy=SystemEntropy()
    )
    _, headers, _ = await fetch(website, scope("/", headers={"host": host}))
    policy = dict(
        part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";")
    )
    wanted = [f"{source}{path}" for source in sources for path in ("/assets/", "/sw.js")]
    assert policy["script-src"].split() == wanted


async def test_under_an_address_that_no_policy_can_name_the_pages_own_tags_have_a_nonce():
    page = Asset(b'<script src="/a.js"></script>', None, "text/html", '""', immutable=False)
    website = Website(
        {"/index.html": page}, key="k", public_url=None, bind_host="::1", entropy=SystemEntropy()
    )
    request = scope("/", headers={"host": "[::1]:54321"}, server=("::1", 54321))
    found: set[str] = set()
    for _ in range(2):
        _, headers, body = await fetch(website, request)
        nonce = re.fullmatch(rb'<script nonce="([0-9a-f]{36})" src="/a.js"></script>', body)
        assert nonce is not None
        found.add(nonce[1].decode())
        policy = headers["content-security-policy"]
        assert f"script-src 'nonce-{nonce[1].decode()}'; worker-src 'self';" in policy
    assert len(found) == 2


@pytest.mark.parametrize("path", ["/", "/assets/a-1.js", "/assets/none.js"])
async def test_every_answer_to_a_browser_tells_it_what_to_refuse(website, path: str):
    app = SecurityHeaders(website, secure=False)
    _, headers, _ = await fetch(app, scope(path, headers={"host": "localhost"}))
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "strict-transport-security" not in headers


async def test_who_comes_by_https_is_told_to_stay_there(website):
    app = SecurityHeaders(website, secure=True)
    _, headers, _ = await fetch(app, scope("/", headers={"host": "localhost"}))
    assert headers["strict-transport-security"] == "max-age=31536000"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/storage/v1/object/a", "storage"), ("/functions/v1/hello", "functions"),
        ("/graphql/v1", "graphql"), ("/pg/tables", "pg"), ("//storage/v1/x", "storage"),
    ],
)  # fmt: skip
async def test_a_service_that_is_not_here_is_named_in_json(gateway, path: str, name: str):
    status, headers, body = await fetch(gateway, scope(path))
    assert (status, headers["content-type"]) == (404, "application/json")
    assert headers["access-control-allow-origin"] == "*"
    assert f"no {name} service" in jsontext.decode(body)["message"]


async def test_a_preflight_to_a_service_that_is_not_here_is_answered(gateway):
    forwarded = {"access-control-request-headers": "apikey,x-upsert"}
    status, headers, _ = await fetch(
        gateway, scope("/storage/v1/o", method="OPTIONS", headers=forwarded)
    )
    assert (status, headers["access-control-allow-headers"]) == (200, "apikey,x-upsert")
    assert "POST" in headers["access-control-allow-methods"]


async def test_a_hashed_asset_is_compressed_and_kept_for_ever(website):
    request = scope("/assets/a-1.js", headers={"accept-encoding": "gzip, br"})
    status, headers, body = await fetch(website, request)
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert len(body) < 100


async def test_a_known_asset_is_not_sent_again(website):
    _, headers, _ = await fetch(website, scope("/assets/a-1.js"))
    request = scope("/assets/a-1.js", headers={"if-none-match": headers["etag"]})
    status, _, body = await fetch(website, request)
    assert (status, body) == (304, b"")


async def test_a_missing_asset_is_not_the_index(website):
    assert (await fetch(website, scope("/assets/old.js")))[0] == 404


async def test_no_path_leads_out_of_the_build_folder(website):
    _, _, body = await fetch(website, scope("/../../etc/passwd", headers={"host": "localhost"}))
    assert b"supabase-url" in body


LOCAL = {"host": "127.0.0.1:54321"}


@pytest.mark.parametrize("host", ["127.0.0.1:54321", "localhost:54321", "LOCALHOST:54321"])
def test_a_local_browser_comes_directly(host: str):
    assert is_direct(scope("/mailbox", headers={"host": host}))


@pytest.mark.parametrize(
    "header",
    [
        "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-prefix", "forwarded",
        "via", "x-real-ip", "x-client-ip", "cf-connecting-ip", "cf-ray", "x-envoy-external-address",
        "true-client-ip", "x-amzn-trace-id", "x-original-host", "x-original-forwarded-for",
        "wl-proxy-client-ip", "sb-forwarded-for", "client-ip",
    ],
)  # fmt: skip
def test_any_trace_of_a_proxy_is_not_direct(header: str):
    assert not is_direct(scope("/mailbox", headers=LOCAL | {header: ""}))


@pytest.mark.parametrize(
    "change",
    [
        {"client": ("192.0.2.7", 1)},
        {"client": None},
        {"server": ("192.0.2.7", 54321)},
        {"http_version": "1.0"},
        {"headers": [(b"host", b"evil.example:54321")]},
        {"headers": [(b"host", b"127.0.0.1:8080")]},
        {"headers": [(b"host", b"127.0.0.1")]},
        {"headers": [(b"host", b"localhost.evil.example:54321")]},
        {"headers": [(b"host", b"127.0.0.1:54321")] * 2},
        {"headers": []},
    ],
    ids=str,
)
def test_what_no_local_browser_sends_is_not_direct(change: dict[str, Any]):
    assert not is_direct(scope("/mailbox", headers=LOCAL) | change)


@pytest.mark.parametrize(
    "headers",
    [
        {"apikey": "sb_secret_s"},
        {"apikey": "service-token"},
        {"authorization": "Bearer sb_secret_s"},
        {"authorization": "basic " + base64.b64encode(b"anybody:sb_secret_s").decode()},
    ],
    ids=str,
)
def test_whoever_holds_a_secret_key_is_the_operator(headers: dict[str, str]):
    assert holds_token(scope("/mailbox", headers=headers), (KEYS.secret, KEYS.service_role))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"apikey": ""},
        {"apikey": "sb_publishable_p"},
        {"apikey": "anon-token"},
        {"authorization": "Bearer"},
        {"authorization": "Bearer anon-token"},
        {"authorization": "Basic sb_secret_s"},
        {"authorization": "Basic " + base64.b64encode(b"sb_secret_s:").decode()},
        {"authorization": "Basic \xff"},
        {"cookie": "sb_secret_s"},
    ],
    ids=str,
)
def test_whoever_holds_none_is_not(headers: dict[str, str]):
    assert not holds_token(scope("/mailbox", headers=headers), (KEYS.secret, KEYS.service_role))


@pytest.mark.parametrize(
    ("values", "private"),
    [
        ({}, True),
        ({"BIND_HOST": "::1"}, True),
        ({"PUBLIC_URL": "http://localhost:54321"}, True),
        ({"BIND_HOST": "0.0.0.0"}, False),
        ({"BIND_HOST": "192.0.2.7"}, False),
        ({"PUBLIC_URL": "https://planes.example"}, False),
    ],
    ids=str,
)
def test_only_a_stack_on_loopback_addresses_is_private(values: dict[str, str], private: bool):
    assert is_private(read_settings(values)) is private

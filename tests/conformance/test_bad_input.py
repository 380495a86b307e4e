"""Bad input through the gateway: the original's error, never a 500, and the stack answers on."""

from __future__ import annotations

import base64
import errno
import hmac
import json
import socket
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.harness_couple import Person, import_person
from tests.harness_stack import Stack

JSON = {"content-type": "application/json"}
DEEP = 100_000


@pytest.fixture(scope="module")
def person(stack: Stack) -> Person:
    return import_person(stack, "Eva")


@pytest.fixture(scope="module")
def client(stack: Stack) -> Iterator[httpx2.Client]:
    headers = {"apikey": stack.keys["SUPABASE_PUBLISHABLE_KEY"]}
    with httpx2.Client(base_url=stack.url, headers=headers, timeout=60) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _answers_afterwards(stack: Stack, person: Person) -> Iterator[None]:
    yield
    assert stack.process.poll() is None
    assert person.profile["nombre"] == "Eva"
    assert person.client.get("/auth/v1/user").json()["id"] == person.id
    assert person.client.get("/realtime/v1/api/ping").is_success


def _nested(depth: int = DEEP) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("", 400, "bad_json"),
        ("{", 400, "bad_json"),
        ("[]", 400, "bad_json"),
        ('"x"', 400, "bad_json"),
        ("{'email': 1}", 400, "bad_json"),
        ('{"email": 5, "password": "secreto"}', 400, "bad_json"),
        ('{"email": "a@example.com", "password": ["secreto"]}', 400, "bad_json"),
        ('{"email": "a@example.com", "password": "secreto", "data": "x"}', 400, "bad_json"),
        ('{"email": "a@example.com", "password": "secreto"} x', 400, "bad_json"),
        ('{"data": ' + _nested() + "}", 400, "bad_json"),
        ("{}", 422, "anonymous_provider_disabled"),
        ("null", 422, "anonymous_provider_disabled"),
        ('{"email": "a@example.com"}', 400, "validation_failed"),
        ('{"email": "no", "password": "secreto"}', 400, "validation_failed"),
        # No text of PostgreSQL holds NUL: it is no JSON of ours, in whatever field.
        ('{"email": "a\\u0000@example.com", "password": "secreto"}', 400, "bad_json"),
        (
            '{"email": "a@example.com", "password": "secreto", "phone": "1234"}',
            400,
            "validation_failed",
        ),
        (
            '{"email": "%s@example.com", "password": "secreto"}' % ("a" * 300),
            400,
            "validation_failed",
        ),
        ('{"email": "a@example.com", "password": "%s"}' % ("ñ" * 40), 400, "validation_failed"),
        ('{"email": "a@example.com", "password": "1"}', 422, "weak_password"),
        ('{"x": "' + "y" * 1_200_000 + '"}', 413, "request_entity_too_large"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_sign_up_refuses(client: httpx2.Client, body: str, status: int, code: str) -> None:
    answer = client.post("/auth/v1/signup", content=body)
    assert (answer.status_code, answer.json()["error_code"]) == (status, code), answer.text
    assert answer.json()["code"] == status
    newer = client.post(
        "/auth/v1/signup", content=body, headers={"x-supabase-api-version": "2024-01-01"}
    )
    assert (newer.status_code, newer.json()["code"]) == (status, code)
    assert set(newer.json()) - {"weak_password"} == {"code", "message"}


@pytest.mark.parametrize(
    "nombre",
    [
        "\\u0000",
        "a\\u0000b",
        "\\ud800",
        "\\udfff\\ud800",
        "\\ufffe",
        "x" * 40_000,  # in the token; a head takes 65,536 bytes
        "\\u202e\\u200b",
    ],
    ids=lambda value: repr(value)[:20],
)
def test_odd_names_break_no_sign_up(client: httpx2.Client, nombre: str) -> None:
    email = f"odd-{time.monotonic_ns()}@example.com"
    body = f'{{"email": "{email}", "password": "secreto-1", "data": {{"nombre": "{nombre}"}}}}'
    answer = client.post("/auth/v1/signup", content=body)
    assert answer.status_code < 500, answer.text
    if answer.is_success:
        headers = {"authorization": f"Bearer {answer.json()['access_token']}"}
        assert len(client.get("/rest/v1/profiles", headers=headers).json()) == 1


def test_numbers_beyond_every_bound_break_no_sign_up(client: httpx2.Client) -> None:
    email = f"odd-{time.monotonic_ns()}@example.com"
    body = f'{{"email": "{email}", "password": "secreto-1", "data": {{"n": 1e999999, "m": {"9" * 9999}}}}}'
    assert client.post("/auth/v1/signup", content=body).status_code < 500


def test_bytes_that_are_no_text_are_bad_json(client: httpx2.Client) -> None:
    for body in (b"\xff\xfe", b'{"email": "\xff@example.com", "password": "secreto"}', b"\x00"):
        answer = client.post("/auth/v1/signup", content=body)
        assert answer.status_code == 400, answer.text
        assert answer.json()["error_code"] in {"bad_json", "validation_failed"}


@pytest.mark.parametrize(
    ("query", "body", "code"),
    [
        ("", {}, "invalid_credentials"),
        ("grant_type=", {}, "invalid_credentials"),
        ("grant_type=nonsense", {}, "invalid_credentials"),
        ("grant_type=password", {}, "validation_failed"),
        ("grant_type=password", {"email": "a@b.c", "phone": "123"}, "validation_failed"),
        ("grant_type=password", {"email": 1}, "bad_json"),
        ("grant_type=refresh_token", {}, "validation_failed"),
        ("grant_type=refresh_token", {"refresh_token": 5}, "bad_json"),
        ("grant_type=refresh_token", {"refresh_token": "short"}, "validation_failed"),
        ("grant_type=refresh_token", {"refresh_token": "aaaabbbbcccc"}, "refresh_token_not_found"),
        ("grant_type=refresh_token", {"refresh_token": "A" * 5000}, "validation_failed"),
        ("grant_type=refresh_token", {"refresh_token": "\x00" * 12}, "bad_json"),
        ("grant_type=pkce", {}, "validation_failed"),
    ],
)
def test_the_token_endpoint_refuses(
    client: httpx2.Client, query: str, body: dict[str, Any], code: str
) -> None:
    answer = client.post(f"/auth/v1/token?{query}", json=body)
    assert (answer.status_code, answer.json()["error_code"]) == (400, code), answer.text


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({}, 400, "Verify requires a verification type"),
        ({"type": "signup"}, 400, "Verify requires either a token or a token hash"),
        ({"type": "email", "token_hash": "x", "email": "a@b.c"}, 400, "Only the token_hash and type should be provided"),
        ({"type": "signup", "token": "123456", "email": "a@example.com"}, 403, "Token has expired or is invalid"),
        ({"type": "signup", "token_hash": "ñ"}, 403, "Email link is invalid or has expired"),
        ({"type": "nonsense", "token_hash": "x"}, 400, "Invalid email verification type"),
    ],
)  # fmt: skip
def test_verify_refuses(client: httpx2.Client, body: Any, status: int, message: str) -> None:
    answer = client.post("/auth/v1/verify", json=body)
    assert (answer.status_code, answer.json()["msg"]) == (status, message)


@pytest.mark.parametrize("query", ["", "type=signup", "token=x", "type=signup&token=%00%ff"])
def test_a_broken_mail_link_is_refused(client: httpx2.Client, query: str) -> None:
    answer = client.get(f"/auth/v1/verify?{query}")
    assert answer.status_code in {303, 400}
    if answer.status_code == 303:
        assert "error=" in answer.headers["location"]


@pytest.mark.parametrize(
    "path", ["/auth/v1/nothing", "/auth/v1/", "/auth/v1/signup/x", "/auth/v1/%ff%00"]
)
def test_unknown_auth_paths_are_not_found(client: httpx2.Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.text.strip()) == (404, "404 page not found")
    assert answer.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/signup"), ("PUT", "/otp"), ("DELETE", "/token"), ("PATCH", "/settings")],
)
def test_wrong_auth_methods_are_not_allowed(client: httpx2.Client, method: str, path: str) -> None:
    answer = client.request(method, f"/auth/v1{path}")
    assert (answer.status_code, answer.content) == (405, b"")
    assert answer.headers["allow"]


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _signed(header: dict[str, Any], claims: Any, secret: bytes) -> str:
    text = ".".join(_base64url(json.dumps(part).encode()) for part in (header, claims))
    return f"{text}.{_base64url(hmac.digest(secret, text.encode(), 'sha256'))}"


def _published_key(stack: Stack) -> tuple[str, bytes]:
    """The kid and the PEM of the key that everybody may read."""
    jwk = httpx2.get(f"{stack.url}/auth/v1/.well-known/jwks.json").json()["keys"][0]
    pem = jwt.PyJWK(jwk).key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return jwk["kid"], pem


def _bad_tokens(stack: Stack, person: Person) -> dict[str, str]:
    """Tokens that nothing may accept, by what is wrong with them."""
    head, payload, signature = person.session["access_token"].split(".")
    claims = {"sub": person.id, "role": "service_role", "aud": "authenticated", "exp": 2**33}
    hs256 = {"alg": "HS256", "typ": "JWT"}
    secret = stack.keys["JWT_SECRET"].encode()
    kid, pem = _published_key(stack)
    return {
        "no dots": "nonsense",
        "two parts": f"{head}.{payload}",
        "letters": "a.b.c",
        "no signature": f"{head}.{payload}.",
        "other signature": f"{head}.{payload}.{signature[::-1]}",
        "other payload": f"{head}.{_base64url(json.dumps(claims).encode())}.{signature}",
        "unsigned": _signed({"alg": "none"}, claims, b"").rpartition(".")[0] + ".",
        "other secret": _signed(hs256, claims, b"x" * 40),
        "expired": _signed(hs256, {**claims, "exp": int(time.time()) - 3600}, secret),
        "text as time": _signed(hs256, {**claims, "exp": "soon"}, secret),
        "a list": _signed(hs256, ["role"], secret),
        "published key as secret": _signed(hs256, claims, pem),
        "published key by its kid": _signed({**hs256, "kid": kid}, claims, pem),
        "unknown kid": _signed({**hs256, "alg": "ES256", "kid": "x"}, claims, secret),
        "unknown alg": _signed({"alg": "FOO"}, claims, secret),
        "huge": f"{head}.{'A' * 30_000}.{signature}",
    }


_TOKENS = (
    "no dots", "two parts", "letters", "no signature", "other signature", "other payload",
    "unsigned", "other secret", "expired", "text as time", "a list", "published key as secret",
    "published key by its kid", "unknown kid", "unknown alg", "huge",
)  # fmt: skip


@pytest.mark.parametrize("kind", _TOKENS)
def test_a_bad_token_is_refused_everywhere(
    client: httpx2.Client, stack: Stack, person: Person, kind: str
) -> None:
    tokens = _bad_tokens(stack, person)
    assert set(tokens) == set(_TOKENS)
    headers = {"authorization": f"Bearer {tokens[kind]}"}
    user = client.get("/auth/v1/user", headers=headers)
    assert (user.status_code, user.json()["error_code"]) == (403, "bad_jwt"), user.text
    rows = client.get("/rest/v1/profiles", headers=headers)
    assert rows.status_code == 401, rows.text
    assert rows.json()["code"] in {"PGRST301", "PGRST303"}
    assert rows.headers["www-authenticate"].startswith('Bearer error="invalid_token"')
    sent = client.post("/realtime/v1/api/broadcast/room/events/x", json={}, headers=headers)
    assert (sent.status_code, sent.json()) == (401, {"message": "Unauthorized"})


def test_an_expired_token_says_so(client: httpx2.Client, stack: Stack, person: Person) -> None:
    headers = {"authorization": f"Bearer {_bad_tokens(stack, person)['expired']}"}
    answer = client.get("/rest/v1/profiles", headers=headers)
    assert answer.json() == {
        "code": "PGRST303",
        "details": None,
        "hint": None,
        "message": "JWT expired",
    }
    answer = client.get("/auth/v1/user", headers=headers)
    assert answer.json()["msg"].startswith("invalid JWT: unable to parse or verify signature, ")


@pytest.mark.parametrize(
    ("role", "status", "code"),
    [
        ("nobody_at_all", 401, "22023"),
        ("postgres", 403, "42501"),
        ("supabase_auth_admin", 403, "42501"),
    ],
)
def test_a_token_cannot_name_any_role(
    client: httpx2.Client, stack: Stack, role: str, status: int, code: str
) -> None:
    secret = stack.keys["JWT_SECRET"].encode()
    token = _signed({"alg": "HS256"}, {"role": role, "exp": 2**33}, secret)
    answer = client.get("/rest/v1/profiles", headers={"authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("nothing", 404, "PGRST205"),
        ("actividades/", 404, "PGRST125"),
        ("actividades/x/y", 404, "PGRST125"),
        ("/actividades", 404, "PGRST125"),
        ("%00", 404, "PGRST205"),
        ("a%2Fb", 404, "PGRST205"),
        ("rpc/nothing", 404, "PGRST202"),
        ("profiles?nope=eq.1", 400, "42703"),
        ("profiles?select=nope", 400, "42703"),
        ("profiles?order=nope", 400, "42703"),
        ("profiles?id=5", 400, "PGRST100"),
        ("profiles?id=eq", 400, "PGRST100"),
        ("profiles?id=foo.5", 400, "PGRST100"),
        ("profiles?id=in.(1", 400, "PGRST100"),
        ("profiles?id=is.nul", 400, "PGRST100"),
        ("profiles?id=not.not.eq.1", 400, "PGRST100"),
        ("profiles?select=,", 200, None),
        ("profiles?select=id,", 400, "PGRST100"),
        ("profiles?select=id::", 400, "PGRST100"),
        ("profiles?select=id::nosuchtype", 400, "42704"),
        ("profiles?order=id.up", 400, "PGRST100"),
        ("profiles?or=(id.eq.1", 400, "PGRST100"),
        ("profiles?or=()", 400, "PGRST100"),
        ("profiles?and=" + "(" * 3000, 400, "PGRST100"),
        ("profiles?select=" + "a(" * 3000, 400, "PGRST100"),
        ("profiles?limit=-1", 416, "PGRST103"),
        ("profiles?id=eq.x", 400, "22P02"),
        ("profiles?nombre=match.[", 400, "2201B"),
        ("profiles?id=fts.x", 404, "42883"),
        ("profiles?select=actividades(*)", 400, "PGRST200"),
        ("profiles?actividades.id=eq.1", 400, "PGRST108"),
        ("profiles?select=id.sum()", 400, "PGRST123"),
        ("profiles?columns=nope", 200, None),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_reading_refuses(person: Person, path: str, status: int, code: str | None) -> None:
    answer = person.client.get(f"/rest/v1/{path}")
    body = answer.json()
    assert (answer.status_code, body["code"] if code else None) == (status, code), answer.text
    if code:
        assert list(body) == ["code", "details", "hint", "message"]
        assert answer.headers["proxy-status"] == f"PostgREST; error={code}"


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"accept": "image/png"}, 406, "PGRST107"),
        ({"accept": "application/vnd.pgrst.plan"}, 406, "PGRST107"),
        ({"accept-profile": "nope"}, 406, "PGRST106"),
        ({"prefer": "handling=strict, nonsense"}, 400, "PGRST122"),
        ({"prefer": "timezone=Nowhere/Land"}, 400, "22023"),
        ({"range": "9-1"}, 416, "PGRST103"),
        ({"range": "nonsense"}, 200, None),
        ({"prefer": "return=nonsense, count=-1, \u00ff".encode().decode("latin-1")}, 200, None),
        ({"accept": ";;;,,,"}, 406, "PGRST107"),
        ({"authorization": "Basic abc"}, 401, "42501"),
        ({"x-odd": "\u00ff\u00fe"}, 200, None),
        ({"cookie": "a=\u00ff; ;;==b"}, 200, None),
    ],
    ids=str,
)
def test_odd_headers_are_refused_or_ignored(
    person: Person, headers: dict[str, str], status: int, code: str | None
) -> None:
    raw = [(name, value.encode("latin-1")) for name, value in headers.items()]
    answer = person.client.get("/rest/v1/profiles", headers=raw)
    assert (answer.status_code, answer.json()["code"] if code else None) == (status, code), (
        answer.text
    )


@pytest.mark.parametrize(
    ("body", "kind", "status", "code"),
    [
        ("", "application/json", 400, "PGRST102"),
        ("{", "application/json", 400, "PGRST102"),
        ("{'a': 1}", "application/json", 400, "PGRST102"),
        ("[1, 2]", "application/json", 400, "PGRST102"),
        ('[{"titulo": "x"}, {"fecha": "x"}]', "application/json", 400, "PGRST102"),
        ('{"titulo": "x", "nope": 1}', "application/json", 400, "PGRST204"),
        ('{"titulo": {"a": [1]}, "fecha": 5}', "application/json", 400, "22007"),
        ('{"titulo": "x", "fecha": []}', "application/json", 400, "22007"),
        ('{"titulo": "x", "presupuesto": 1e999999}', "application/json", 400, "22003"),
        ('{"titulo": "x", "presupuesto": true}', "application/json", 400, "22P02"),
        ('{"titulo": "a\\u0000b"}', "application/json", 400, "22P05"),
        ('{"titulo": "\\ud800"}', "application/json", 400, "PGRST102"),
        ("a,b\n1,2\n3", "text/csv", 400, "PGRST102"),
        ("", "text/csv", 400, "PGRST102"),
        ("x", "image/png", 400, "PGRST102"),
        ("x", "text/plain", 400, "PGRST102"),
        ("%ff=%zz&&&", "application/x-www-form-urlencoded", 400, None),
        (_nested(), "application/json", 400, "PGRST102"),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_writing_refuses(
    person: Person, body: str, kind: str, status: int, code: str | None
) -> None:
    headers = {"content-type": kind}
    answer = person.client.post("/rest/v1/actividades", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert code is None or answer.json()["code"] == code, answer.text
    assert person.activities() == []


def test_bytes_that_are_no_text_are_invalid_json(person: Person) -> None:
    for body in (b"\xff", b'{"titulo": "\xff"}', b"\x00"):
        answer = person.client.post("/rest/v1/actividades", content=body, headers=JSON)
        assert answer.status_code == 400, answer.text


def test_a_value_nested_beyond_measure_is_refused(person: Person) -> None:
    body = '{"titulo": ' + _nested() + "}"
    answer = person.client.post("/rest/v1/actividades", content=body, headers=JSON)
    # The database's own limit (54001), which the original answers as it answers every 54xxx.
    assert (answer.status_code, answer.json()["code"]) in {(500, "54001"), (400, "PGRST102")}


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("PROPFIND", "profiles", 405, "PGRST117"),
        ("PATCH", "rpc/crear_invitacion", 405, "PGRST101"),
        ("PUT", "profiles", 405, "PGRST105"),
        ("PUT", "profiles?id=eq.1&limit=1", 400, "PGRST114"),
        ("GET", "rpc/crear_invitacion", 405, "25006"),
    ],
)
def test_wrong_methods_refuse(
    person: Person, method: str, path: str, status: int, code: str
) -> None:
    answer = person.client.request(method, f"/rest/v1/{path}", json={"nombre": "x"})
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text


@pytest.mark.parametrize("arguments", ["[]", "5", '{"codigo": {"a": 1}}', '{"codigo": null}', "{"])
def test_odd_arguments_of_a_function_are_refused(person: Person, arguments: str) -> None:
    answer = person.client.post("/rest/v1/rpc/ver_invitacion", content=arguments, headers=JSON)
    assert answer.status_code in {400, 404}, answer.text
    assert list(answer.json()) == ["code", "details", "hint", "message"]


def test_a_large_body_is_taken_or_refused_but_never_kept(person: Person) -> None:
    body = json.dumps([{"titulo": "x" * 1000, "nope": 1}] * 20_000)
    answer = person.client.post("/rest/v1/actividades", content=body, headers=JSON)
    assert answer.status_code in {400, 413}, answer.text


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 400),
        ("", 422),
        ("{}", 422),
        ('{"messages": "x"}', 422),
        ('{"messages": [5]}', 422),
        ('{"messages": [{"topic": 1, "event": [], "payload": "x"}]}', 422),
        ('{"messages": [{"topic": "a", "event": "b", "payload": []}]}', 422),
        ('{"messages": []}', 422),
    ],
)
def test_a_broadcast_by_http_refuses(client: httpx2.Client, body: str, status: int) -> None:
    answer = client.post("/realtime/v1/api/broadcast", content=body, headers=JSON)
    assert answer.status_code == status, answer.text


def test_a_broadcast_of_an_unknown_type_is_refused(client: httpx2.Client) -> None:
    path = "/realtime/v1/api/broadcast/room/events/x"
    answer = client.post(path, content=b"x", headers={"content-type": "text/xml"})
    assert answer.status_code == 415
    assert answer.json() == {
        "error": "Unsupported Media Type. Use application/json or application/octet-stream"
    }
    assert client.post(path, content=b"{", headers=JSON).status_code == 400


def test_a_broadcast_that_is_too_big_is_refused(client: httpx2.Client) -> None:
    path = "/realtime/v1/api/broadcast/room/events/x"
    answer = client.post(path, json={"x": "y" * 3_100_000})
    assert answer.status_code == 422
    assert answer.json() == {"errors": {"payload": ["Payload size exceeds tenant limit"]}}


def test_the_socket_address_is_for_sockets(client: httpx2.Client) -> None:
    assert 400 <= client.get("/realtime/v1/websocket").status_code < 500
    assert client.get("/realtime/v1/nothing").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..%2f..%2fpackage.json",
        "/%00",
        "/%ff%fe",
        "/keys.env",
        "/.data/keys.env",
        "/" + "a" * 5000,
    ],
    ids=lambda value: value[:30],
)
def test_no_path_of_the_web_app_leaves_it(client: httpx2.Client, stack: Stack, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code < 500
    for secret in (stack.keys["JWT_SECRET"], stack.keys["SUPABASE_SECRET_KEY"], "root:", '"name"'):
        assert secret not in answer.text


@pytest.mark.parametrize("name", ["../keys.env", "..%2fkeys.env", "%00", "/etc/passwd", "x" * 3000])
def test_the_mailbox_shows_mails_only(client: httpx2.Client, stack: Stack, name: str) -> None:
    answer = client.get(f"/mailbox?mail={name}")
    assert answer.status_code in {200, 404}
    assert stack.keys["JWT_SECRET"] not in answer.text


def _raw(stack: Stack, data: bytes) -> bytes:
    """What comes back for bytes on the wire, until the server closes or has answered.

    Whoever refuses a head may cut the connection before all of it is sent.
    """
    parts, received = urlsplit(stack.url), b""
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while chunk := connection.recv(65536):
                received += chunk
        except OSError as error:
            assert error.errno in {errno.ENOTCONN, errno.ECONNRESET, errno.EPIPE}, error
    return received


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\nhost: x\r\n\r\n",
        b"GET /rest/v1/%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-big: " + b"a" * 200_000 + b"\r\n\r\n",
        b"POST /auth/v1/signup HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n",
        b"POST /auth/v1/signup HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\ncontent-length: 20\r\n\r\n",
        b"POST /rest/v1/x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"POST /rest/v1/x HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
    ids=lambda value: repr(value[:30]),
)
def test_bytes_that_are_no_http_end_the_connection_alone(stack: Stack, data: bytes) -> None:
    received = _raw(stack, data)
    assert b" 500 " not in received.split(b"\r\n")[0]

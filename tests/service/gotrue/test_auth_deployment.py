"""Hooks, limits, captcha, leaked passwords, mail servers, messages: auth reference 6, 10, 12, 13."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from email import message_from_bytes
from email.message import Message
from email.policy import default
from urllib.parse import parse_qs

import pytest
from aiosmtpd.smtp import SMTP

from compat_base.values.world import World, real_world
from gotrue_compat.adapters.smtp import SmtpMailer
from gotrue_compat.ports import HttpAnswer, HttpCall, UnreachableError
from gotrue_compat.settings import read_settings
from tests.harness_auth import (
    AUTO,
    BASE,
    PASSWORD,
    Auth,
    admin_token,
    claims_of,
    problem,
)  # fmt: skip

SECRET = base64.b64encode(b"hook secret of some length").decode()
JSON = {"content-type": "application/json"}


class Web:
    """An outside world that answers as told and remembers what was sent."""

    def __init__(self, answer=lambda _call: {}):
        self.answer = answer
        self.calls: list[HttpCall] = []

    async def send(self, call: HttpCall) -> HttpAnswer:
        self.calls.append(call)
        result = self.answer(call)
        if isinstance(result, Exception):
            raise result
        return (
            result
            if isinstance(result, HttpAnswer)
            else HttpAnswer(200, JSON, json.dumps(result).encode())
        )


def _hook(name: str, uri: str = "https://hooks.example/run") -> dict[str, str]:
    prefix = f"GOTRUE_HOOK_{name}_"
    return {
        f"{prefix}ENABLED": "true", f"{prefix}URI": uri, f"{prefix}SECRETS": f"v1,whsec_{SECRET}",
    }  # fmt: skip


async def test_the_mail_hook_replaces_mail_and_is_signed(open_with, email: str):
    web = Web()
    auth = await open_with(http=web, **_hook("SEND_EMAIL"))
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    assert auth.mailbox.mails == []
    [call] = web.calls
    payload = json.loads(call.body)
    assert payload["user"]["email"] == email
    data = payload["email_data"]
    assert data["email_action_type"] == "signup"
    rows = await auth.rows(
        "select token_hash from auth.one_time_tokens where relates_to = $1", email
    )
    assert [data["token_hash"]] == [row["token_hash"] for row in rows]
    headers = call.headers
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{call.body.decode()}"
    digest = hmac.digest(base64.b64decode(SECRET), signed.encode(), hashlib.sha256)
    assert headers["webhook-signature"] == f"v1,{base64.b64encode(digest).decode()}"
    body = {"type": "signup", "email": email, "token": data["token"]}
    assert (await auth.post("/verify", body)).status_code == 200


async def test_the_message_hook_sends_codes(open_with):
    web = Web()
    auth = await open_with(http=web, GOTRUE_EXTERNAL_PHONE_ENABLED="true", **_hook("SEND_SMS"))
    body = {"phone": "34611000001", "password": PASSWORD}
    assert (await auth.post("/signup", body)).status_code == 200
    sms = json.loads(web.calls[0].body)["sms"]
    assert sms["phone"] == "34611000001"
    verified = await auth.post(
        "/verify", {"type": "sms", "phone": "34611000001", "token": sms["otp"]}
    )
    assert verified.status_code == 200


async def test_a_hook_that_refuses_gives_its_status_and_text(open_with, email: str):
    web = Web(lambda _call: {"error": {"http_code": 403, "message": "not you"}})
    auth = await open_with(http=web, **AUTO, **_hook("BEFORE_USER_CREATED"))
    answer = await auth.post("/signup", {"email": email, "password": PASSWORD})
    assert (answer.status_code, answer.json()["message"]) == (403, "not you")
    assert await auth.rows("select 1 from auth.users where email = $1", email) == []


async def test_a_hook_that_does_not_answer_well(open_with, email: str):
    answers: dict[str, HttpAnswer] = {}
    web = Web(lambda _call: answers["answer"])
    auth = await open_with(http=web, **AUTO, **_hook("BEFORE_USER_CREATED"))
    body = {"email": email, "password": PASSWORD}
    for answers["answer"], text in (
        (HttpAnswer(400, JSON, b"{}"), "Invalid payload sent to hook"),
        (HttpAnswer(401, JSON, b"{}"), "Hook requires authorization token"),
        (HttpAnswer(503, JSON, b"{}"), "Service currently unavailable due to hook"),
        (HttpAnswer(418, JSON, b"{}"), "Unexpected status code returned from hook: 418"),
        (HttpAnswer(200, JSON, b"<p>"), "Error unmarshaling JSON output."),
    ):
        assert problem(await auth.post("/signup", body)) == (500, "unexpected_failure", text)
    for headers, text in (
        ({}, "Invalid Content-Type: Missing Content-Type header"),
        ({"content-type": "text/html"}, "Invalid JSON response. Received content-type: text/html"),
    ):
        answers["answer"] = HttpAnswer(200, headers, b"<p>")
        assert problem(await auth.post("/signup", body)) == (
            400, "hook_payload_invalid_content_type", text,
        )  # fmt: skip
    web.answer = lambda _call: UnreachableError("the answer is larger than 204800 bytes")
    assert problem(await auth.post("/signup", body))[1] == "hook_payload_over_size_limit"


async def test_a_password_that_changes_while_it_is_checked_opens_nothing(open_with, email: str):
    """Whoever changes a password ends every session; none may begin by the old one after that."""

    class Meanwhile:
        async def send(self, _call: HttpCall) -> HttpAnswer:
            sql = "update auth.users set encrypted_password = 'changed' where email = $1"
            await auth.rows(sql, email)
            return HttpAnswer(200, JSON, b'{"decision": "continue"}')

    auth = await open_with(http=Meanwhile(), **AUTO, **_hook("PASSWORD_VERIFICATION_ATTEMPT"))
    user = (await auth.signed_up(email))["user"]["id"]
    assert problem(await auth.sign_in(email)) == (
        400, "invalid_credentials", "Invalid login credentials",
    )  # fmt: skip
    sessions = await auth.rows("select 1 from auth.sessions where user_id = $1::uuid", user)
    assert len(sessions) == 1


async def test_a_hook_that_rejects_a_second_factor_ends_every_session(open_with, email: str):
    web = Web(lambda _call: {"decision": "reject", "message": "too often"})
    auth = await open_with(http=web, **AUTO, **_hook("MFA_VERIFICATION_ATTEMPT"))
    token = (await auth.signed_up(email))["access_token"]
    body = {"factor_type": "totp", "friendly_name": "x"}
    factor = (await auth.post("/factors", body, token=token)).json()["id"]
    challenge = (await auth.post(f"/factors/{factor}/challenge", token=token)).json()["id"]
    proof = {"challenge_id": challenge, "code": "000000"}
    answer = await auth.post(f"/factors/{factor}/verify", proof, token=token)
    assert problem(answer) == (403, "mfa_verification_rejected", "too often")
    payload = json.loads(web.calls[0].body)
    assert (payload["factor_id"], payload["factor_type"], payload["valid"]) == (
        factor,
        "totp",
        False,
    )
    assert problem(await auth.get("/user", token=token))[1] == "session_not_found"


class Leaping:
    """A clock whose moments are told; the last one stays."""

    def __init__(self, moments: tuple[float, ...]) -> None:
        self.now = real_world().clock.now
        self._moments, self._last = iter(moments), moments[-1]

    def monotonic(self) -> float:
        return next(self._moments, self._last)


async def test_a_hook_that_is_never_reached(open_with, email: str):
    """Three tries two seconds apart, five seconds in all: on a clock that jumps they are over."""
    web = Web(lambda _call: UnreachableError("no answer"))
    for moments, expected in (
        ((0.0, 0.1, 6.0), ("hook_timeout", "within maximum time of 5.000000 seconds")),
        ((0.0, 3.5, 3.6, 3.7), ("hook_timeout_after_retry", "after maximum retries")),
    ):
        world = World(Leaping(moments), real_world().entropy)
        auth = await open_with(http=web, world=world, **AUTO, **_hook("BEFORE_USER_CREATED"))
        answer = await auth.post("/signup", {"email": email, "password": PASSWORD})
        code, text = expected
        assert problem(answer) == (422, code, f"Failed to reach hook {text}")


async def test_a_hook_that_asks_to_be_called_later_is_called_three_times(open_with, email: str):
    web = Web(lambda _call: HttpAnswer(429, {**JSON, "retry-after": "true"}, b"{}"))
    auth = await open_with(http=web, **AUTO, **_hook("BEFORE_USER_CREATED"))
    answer = await auth.post("/signup", {"email": email, "password": PASSWORD})
    assert problem(answer) == (
        500, "unexpected_failure", "Service currently unavailable due to hook",
    )  # fmt: skip
    assert len(web.calls) == 3
    assert len({call.headers["webhook-id"] for call in web.calls}) == 1


async def test_a_function_of_the_database_changes_the_claims(open_with, email: str):
    variables = _hook("CUSTOM_ACCESS_TOKEN", "pg-functions://postgres/public/claims_hook")
    auth = await open_with(**AUTO, **variables)
    await auth.rows(
        "create or replace function public.claims_hook(event jsonb) returns jsonb language sql as "
        "$$ select jsonb_build_object('claims', event->'claims' || "
        "jsonb_build_object('team', event->>'authentication_method')) $$"
    )
    session = await auth.signed_up(email)
    assert claims_of(session["access_token"])["team"] == "password"
    await auth.rows(
        "create or replace function public.claims_hook(event jsonb) returns jsonb language sql as "
        "$$ select '{\"claims\": {}}'::jsonb $$"
    )
    answer = await auth.sign_in(email)
    assert answer.status_code == 500
    await auth.rows(
        "create or replace function public.claims_hook(event jsonb) returns jsonb language plpgsql "
        "as $$ begin perform pg_sleep(3); return event; end $$"
    )
    assert problem(await auth.sign_in(email))[2].startswith("Error running hook URI: pg-functions:")
    await auth.rows(
        "create or replace function public.claims_hook(event jsonb) returns jsonb language plpgsql "
        "as $$ begin raise sqlstate 'PT418' using message = 'tea', detail = 'd', hint = 'h'; end $$"
    )
    body = {"email": email, "password": PASSWORD}
    refused = await auth.post("/token?grant_type=password", body, old=True)
    assert (refused.status_code, refused.json()) == (
        418, {"code": "PT418", "message": "tea", "hint": "h", "detail": "d"},
    )  # fmt: skip


async def test_the_password_hook_refuses_and_signs_out(open_with, email: str):
    answers = {"decision": "continue"}
    web = Web(lambda _call: answers)
    auth = await open_with(http=web, **AUTO, **_hook("PASSWORD_VERIFICATION_ATTEMPT"))
    session = await auth.signed_up(email)
    assert (await auth.sign_in(email)).status_code == 200
    answers |= {"decision": "reject", "message": "too many", "should_logout_user": True}
    assert problem(await auth.sign_in(email)) == (400, "invalid_credentials", "too many")
    assert problem(await auth.get("/user", token=session["access_token"]))[1] == "session_not_found"
    assert json.loads(web.calls[-1].body)["valid"] is True


async def test_requests_are_limited_by_the_header_that_names_the_caller(open_with, email: str):
    auth = await open_with(GOTRUE_RATE_LIMIT_HEADER="X-Caller", GOTRUE_RATE_LIMIT_TOKEN_REFRESH="1")
    body = {"refresh_token": "abcdefghijkl"}
    path = "/token?grant_type=refresh_token"
    statuses = [
        (await auth.call("POST", path, body, headers={"X-Caller": "one, two"})).status_code
        for _ in range(31)
    ]
    assert statuses == [*[400] * 30, 429]
    limited = await auth.call("POST", path, body, headers={"X-Caller": "one"})
    assert problem(limited) == (429, "over_request_rate_limit", "Request rate limit reached")
    assert 0 < int(limited.headers["retry-after"]) <= 300
    other = await auth.call("POST", path, body, headers={"X-Caller": "three"})
    assert other.status_code == 400
    assert (await auth.post(path, body)).status_code == 400


async def test_requests_are_limited_by_the_address_that_a_trusted_proxy_tells(open_with):
    auth = await open_with(
        GOTRUE_RATE_LIMIT_TOKEN_REFRESH="1", GOTRUE_SECURITY_SB_FORWARDED_FOR_ENABLED="true"
    )
    body = {"refresh_token": "abcdefghijkl"}
    path = "/token?grant_type=refresh_token"

    async def status(address: str) -> int:
        headers = {"Sb-Forwarded-For": address}
        return (await auth.call("POST", path, body, headers=headers)).status_code

    assert [await status("203.0.113.9") for _ in range(31)] == [*[400] * 30, 429]
    assert await status("203.0.113.10") == 400
    assert await status("nobody") == 400


async def test_captcha(open_with, email: str):
    web = Web(lambda _call: {"success": False, "error-codes": ["bad-one", "late"]})
    auth = await open_with(
        http=web, **AUTO, GOTRUE_SECURITY_CAPTCHA_ENABLED="true",
        GOTRUE_SECURITY_CAPTCHA_PROVIDER="turnstile", GOTRUE_SECURITY_CAPTCHA_SECRET=" key ",
    )  # fmt: skip
    body = {"email": email, "password": PASSWORD}
    text = "captcha protection: request disallowed"
    assert problem(await auth.post("/signup", body)) == (
        400, "captcha_failed", f"{text} (no captcha_token found)",
    )  # fmt: skip
    unread = await auth.post("/signup", [])
    assert problem(unread)[2].endswith("array into Go value of type api.captchaRequest")
    body["gotrue_meta_security"] = {"captcha_token": "given"}
    assert problem(await auth.post("/signup", body))[2] == f"{text} (bad-one, late)"
    assert web.calls[0].body == b"remoteip=127.0.0.1&response=given&secret=key"
    web.answer = lambda _call: None
    assert problem(await auth.post("/signup", body))[:2] == (400, "captcha_failed")
    wrong = await auth.post("/signup", {"gotrue_meta_security": {"captcha_token": 5}})
    assert "captchaRequest.gotrue_meta_security.captcha_token of type" in problem(wrong)[2]
    web.answer = lambda _call: {"success": True}
    assert (await auth.post("/signup", body)).status_code == 200
    web.answer = lambda _call: UnreachableError("away")
    assert (await auth.post("/signup", body)).status_code == 500
    refused = await auth.refresh("abcdefghijkl")
    assert problem(refused)[1] == "refresh_token_not_found"
    unknown = await auth.post("/token?grant_type=other", {})
    assert problem(unknown)[1] == "captcha_failed"  # asked for before the grant is looked at
    trusted = await auth.call("POST", "/recover", {"email": email}, token=admin_token(), headers={})
    assert trusted.status_code == 200


async def test_addresses_that_reach_nobody_get_no_mail(open_with, email: str):
    web = Web(lambda _call: {"valid": False})
    prefix = "GOTRUE_MAILER_EMAIL_VALIDATION_"
    auth = await open_with(
        http=web,
        **{f"{prefix}EXTENDED": "true", f"{prefix}SERVICE_URL": "http://127.0.0.1/judge"},
    )  # fmt: skip
    local = email.partition("@")[0]
    for address in (f"{local}@mail.test", f"{local}@mail.es"):
        answer = await auth.post("/signup", {"email": address, "password": PASSWORD})
        assert problem(answer) == (
            400, "email_address_invalid", f'Email address "{address}" is invalid',
        )  # fmt: skip
        assert await auth.rows("select 1 from auth.users where email = $1", address) == []
    assert [call.body for call in web.calls] == [f'{{"email":"{local}@mail.es"}}'.encode()]
    web.answer = lambda _call: UnreachableError("away")
    body = {"email": f"{local}@mail.es", "password": PASSWORD}
    assert (await auth.post("/signup", body)).status_code == 200


async def test_leaked_passwords_are_weak(open_with, email: str):
    digest = hashlib.sha1(PASSWORD.encode()).hexdigest().upper()
    web = Web(lambda _call: HttpAnswer(200, {}, f"{digest[5:]}:7\r\nOTHER:1".encode()))
    auth = await open_with(http=web, **AUTO, GOTRUE_PASSWORD_HIBP_ENABLED="true")
    answer = await auth.post("/signup", {"email": email, "password": PASSWORD})
    assert answer.json()["weak_password"] == {"reasons": ["pwned"]}
    assert web.calls[0].url.endswith(digest[:5])
    web.answer = lambda _call: UnreachableError("away")
    assert (await auth.post("/signup", {"email": email, "password": PASSWORD})).status_code == 200


@pytest.mark.parametrize(("room", "calls"), [("2", 2), ("1", 3)])
async def test_leaked_hashes_are_kept_where_that_is_set(open_with, room: str, calls: int):
    """Two ranges of one hash each, and a third question that needs the first of them."""
    digests = [hashlib.sha1(f"password-{n}".encode()).hexdigest().upper() for n in (1, 2)]
    ranges = {digest[:5]: f"{digest[5:]}:3\r\n{'0' * 35}:0" for digest in digests}
    web = Web(lambda call: HttpAnswer(200, {}, ranges[call.url[-5:]].encode()))
    auth = await open_with(
        http=web, GOTRUE_PASSWORD_HIBP_ENABLED="true", GOTRUE_PASSWORD_HIBP_BLOOM_ENABLED="true",
        GOTRUE_PASSWORD_HIBP_BLOOM_ITEMS=room,
    )  # fmt: skip
    for number in (1, 1, 2, 1):
        body = {"email": "a@b.es", "password": f"password-{number}"}
        answer = await auth.post("/signup", body)
        assert answer.json()["weak_password"] == {"reasons": ["pwned"]}
    assert len(web.calls) == calls


async def test_mail_reaches_a_real_server(open_with, email: str):
    received: list[Message] = []

    class Keep:
        async def handle_DATA(self, _server, _session, envelope):  # noqa: N802 — the library calls it so
            received.append(message_from_bytes(envelope.content, policy=default))
            return "250 kept"

    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Keep()), "127.0.0.1", 0)
    try:
        port = server.sockets[0].getsockname()[1]
        variables = {
            "GOTRUE_SMTP_HOST": "127.0.0.1", "GOTRUE_SMTP_PORT": str(port),
            "GOTRUE_SMTP_ADMIN_EMAIL": "admin@example.com", "GOTRUE_SMTP_SENDER_NAME": "Planes ñ",
            "GOTRUE_SMTP_HEADERS": '{"X-Type": ["$messageType"]}',
        }  # fmt: skip
        settings = read_settings(BASE | {"DATABASE_URL": "postgresql://x"} | variables)
        auth = await open_with(mailer=SmtpMailer(settings.smtp), **variables)
        await auth.call(
            "POST", "/signup", {"email": email, "password": PASSWORD},
            headers={"Accept-Language": "es"},
        )  # fmt: skip
        [mail] = received
        assert mail["from"] == "Planes ñ <admin@example.com>"
        assert mail["to"] == email
        assert mail["subject"] == "Confirma tu correo electrónico"
        assert mail["x-type"] == "confirmation"
        assert mail.get_content_type() == "text/html"
        assert mail["content-transfer-encoding"] == "quoted-printable"
        assert "verify?token=" in mail.get_content()
    finally:
        server.close()
    answer = await auth.post("/signup", {"email": f"x{email}", "password": PASSWORD})
    assert problem(answer)[2] == "Error sending confirmation email"


async def test_providers_of_messages(open_with):
    web = Web(lambda _call: {"sid": "SM1"})
    auth = await open_with(
        http=web, GOTRUE_EXTERNAL_PHONE_ENABLED="true", GOTRUE_SMS_PROVIDER="twilio",
        GOTRUE_SMS_TWILIO_ACCOUNT_SID="AC1", GOTRUE_SMS_TWILIO_AUTH_TOKEN="t",
        GOTRUE_SMS_TWILIO_MESSAGE_SERVICE_SID="MG1", GOTRUE_SMS_TEMPLATE="Código {{ .Code }}",
    )  # fmt: skip
    body = {"phone": "34611000002", "password": PASSWORD, "channel": "whatsapp"}
    assert (await auth.post("/signup", body)).status_code == 200
    form = parse_qs(web.calls[0].body.decode())
    assert form["To"] == ["whatsapp:+34611000002"]
    assert form["Body"][0].startswith("Código ")
    otp = form["Body"][0].removeprefix("Código ")
    verified = await auth.post("/verify", {"type": "sms", "phone": "34611000002", "token": otp})
    assert verified.status_code == 200
    assert (await auth.post("/otp", {"phone": "34611000002"})).json() == {}
    web.answer = lambda _call: HttpAnswer(401, JSON, b'{"message": "no", "more_info": "x"}')
    assert problem(await auth.post("/otp", {"phone": "34611000002"})) == (
        422, "sms_send_failed", "Error sending confirmation OTP to provider: no More information: x",
    )  # fmt: skip


async def test_secrets_are_encrypted_at_rest(open_with, email: str):
    key = base64.urlsafe_b64encode(bytes(range(32))).rstrip(b"=").decode()
    auth = await open_with(
        **AUTO, GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPT="true",
        GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID="k1",
        GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY=key,
        GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS=f"k1:{key}",
    )  # fmt: skip
    token = (await auth.signed_up(email))["access_token"]
    await auth.post("/factors", {"factor_type": "totp", "friendly_name": "x"}, token=token)
    [row] = await auth.rows(
        "select u.encrypted_password, f.secret from auth.users u join auth.mfa_factors f "
        "on f.user_id = u.id where u.email = $1", email,
    )  # fmt: skip
    assert json.loads(row["encrypted_password"])["key_id"] == "k1"
    assert json.loads(row["secret"])["alg"] == "aes-gcm-hkdf"
    assert (await auth.sign_in(email)).status_code == 200
    assert (await auth.sign_in(email, "wrong")).status_code == 400


@pytest.mark.parametrize("name", ["password_changed", "email_changed"])
async def test_a_change_is_announced_by_mail(open_with, email: str, name: str):
    auth: Auth = await open_with(
        **AUTO, **{f"GOTRUE_MAILER_NOTIFICATIONS_{name.upper()}_ENABLED": "true"}
    )
    token = (await auth.signed_up(email))["access_token"]
    if name == "password_changed":
        await auth.put("/user", {"password": "another one"}, token=token)
    else:
        await auth.put("/user", {"email": f"n-{email}"}, token=token)
        body = {"type": "email_change", "token_hash": auth.mailbox.token(f"n-{email}")}
        await auth.post("/verify", body)
    assert auth.mailbox.last(email).kind == name

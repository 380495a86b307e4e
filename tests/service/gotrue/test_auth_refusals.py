"""What is refused, with its status, code and text: rows of the auth reference that no journey meets."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest
import pytest_asyncio

from compat_base.values.world import World, real_world
from gotrue_compat.rules import refresh
from tests.harness_auth import (
    AUTO,
    PASSWORD,
    Auth,
    admin_token,
    claims_of,
    problem,
    user_token,
)

ADMIN = admin_token()
PKCE = {"code_challenge": "c" * 43, "code_challenge_method": "s256"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def closed(open_with) -> Auth:
    """An instance without e-mail, magic links and phones."""
    return await open_with(
        GOTRUE_EXTERNAL_EMAIL_ENABLED="false", GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED="false"
    )


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def phones(open_with) -> Auth:
    """An instance with phones, two of which have fixed codes, and nothing that sends."""
    return await open_with(
        GOTRUE_MAILER_AUTOCONFIRM="true", GOTRUE_EXTERNAL_PHONE_ENABLED="true",
        GOTRUE_SMS_TEST_OTP="34620000001:123456,34620000002:123456",
        GOTRUE_MFA_PHONE_ENROLL_ENABLED="true", GOTRUE_MFA_TOTP_ENROLL_ENABLED="false",
        GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED="true",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/signup", {"password": PASSWORD}, (400, "email_provider_disabled", "Email signups are disabled")),
        ("/token?grant_type=password", {"password": "x"}, (422, "email_provider_disabled", "Email logins are disabled")),
        ("/recover", {}, (400, "email_provider_disabled", "Email logins are disabled")),
        ("/resend", {"type": "signup"}, (400, "email_provider_disabled", "Email logins are disabled")),
        ("/otp", {}, (422, "email_provider_disabled", "Email logins are disabled")),
        ("/magiclink", {}, (422, "email_provider_disabled", "Email logins are disabled")),
    ],
)  # fmt: skip
async def test_calls_by_mail_where_that_is_off(closed: Auth, path: str, body, expected):
    assert problem(await closed.post(path, {"email": "a@b.es", **body})) == expected


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/signup", {"password": PASSWORD}, (400, "phone_provider_disabled", "Phone signups are disabled")),
        ("/token?grant_type=password", {"password": "x"}, (422, "phone_provider_disabled", "Phone logins are disabled")),
        ("/otp", {}, (400, "phone_provider_disabled", "Unsupported phone provider")),
    ],
)  # fmt: skip
async def test_calls_by_phone_where_that_is_off(closed: Auth, path: str, body, expected):
    assert problem(await closed.post(path, {"phone": "34620000009", **body})) == expected


async def test_magic_links_can_be_off(open_with):
    auth = await open_with(GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED="false")
    for path in ("/otp", "/magiclink"):
        answer = await auth.post(path, {"email": "a@b.es"})
        assert problem(answer) == (
            422, "email_provider_disabled", "Login with magic link is disabled",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"code_challenge": "c" * 43}, "PKCE flow requires code_challenge_method and code_challenge"),
        ({"code_challenge_method": "s256"}, "PKCE flow requires code_challenge_method and code_challenge"),
        ({**PKCE, "code_challenge": "c" * 42}, "code challenge has to be between 43 and 128 characters"),
        ({**PKCE, "code_challenge": "c" * 129}, "code challenge has to be between 43 and 128 characters"),
        ({**PKCE, "code_challenge": "ñ" * 43}, "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes"),
        ({**PKCE, "email": "x" * 251 + "@b.es"}, "An email address is too long"),
    ],
)  # fmt: skip
async def test_challenges_and_addresses(auth: Auth, body, text: str):
    answer = await auth.post("/signup", {"email": "a@b.es", "password": PASSWORD, **body})
    assert problem(answer) == (400, "validation_failed", text)


async def test_no_pkce_for_phones(phones: Auth):
    body = {"phone": "34620000003", "password": PASSWORD, **PKCE}
    assert problem(await phones.post("/signup", body)) == (
        400, "validation_failed", "PKCE not supported for phone signups",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("claims", "status", "text"),
    [
        ({"session_id": "x"}, 403, "invalid claim: session_id claim must be a UUID"),
        ({"sub": ""}, 403, "invalid claim: missing sub claim"),
        ({"sub": "x"}, 400, "invalid claim: sub claim must be a UUID"),
    ],
)
async def test_claims_that_cannot_be_right(auto: Auth, email: str, claims, status: int, text: str):
    user = (await auto.signed_up(email))["user"]
    token = user_token(**{"sub": user["id"], "aud": "authenticated", **claims})
    assert problem(await auto.get("/user", token=token)) == (status, "bad_jwt", text)


async def test_a_refresh_token_without_a_session_goes(auto: Auth, email: str):
    user = (await auto.signed_up(email))["user"]["id"]
    await auto.rows(
        "insert into auth.refresh_tokens (token, user_id, revoked) values ('lonely123456', $1, false)",
        user,
    )
    expected = (
        400, "session_not_found", "Invalid Refresh Token: No Valid Session Found",
    )  # fmt: skip
    assert problem(await auto.refresh("lonely123456")) == expected
    assert problem(await auto.refresh("lonely123456"))[1] == "refresh_token_not_found"


async def test_a_counter_that_was_never_issued(open_with, email: str):
    auth = await open_with(**AUTO, GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION="2")
    session_id = claims_of((await auth.signed_up(email))["access_token"])["session_id"]
    [row] = await auth.rows(
        "select refresh_token_hmac_key as key from auth.sessions where id = $1::uuid", session_id
    )
    key = base64.urlsafe_b64decode(row["key"] + "==")
    ahead = refresh.encode(UUID(session_id), 7, key)
    assert problem(await auth.refresh(ahead)) == (
        400, "validation_failed", "Invalid Refresh Token: Not Issued By This Server",
    )  # fmt: skip
    foreign = refresh.encode(UUID(session_id), 0, bytes(32))
    assert problem(await auth.refresh(foreign))[1] == "refresh_token_not_found"


class Hasty:
    """A clock on which a second passes whenever somebody looks."""

    def __init__(self) -> None:
        self.real, self.passed = real_world().clock, 0

    def now(self):
        return self.real.now()

    def monotonic(self) -> float:
        self.passed += 1
        return self.real.monotonic() + self.passed


@asynccontextmanager
async def _holding(auth: Auth, sql: str, *args: Any) -> AsyncIterator[None]:
    """Somebody else's transaction that holds rows."""
    connection = await asyncpg.connect(auth.url)
    try:
        async with connection.transaction():
            await connection.execute(sql, *args)
            yield
    finally:
        await connection.close()


@pytest.mark.parametrize("version", ["0", "2"])
async def test_a_refresh_that_somebody_else_holds_gives_up(open_with, email: str, version: str):
    auth = await open_with(
        **AUTO, world=World(Hasty(), real_world().entropy),
        GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION=version,
    )  # fmt: skip
    session = await auth.signed_up(email)
    session_id = claims_of(session["access_token"])["session_id"]
    held = "select 1 from auth.sessions where id = $1::uuid for update"
    async with _holding(auth, held, session_id):
        answer = await auth.refresh(session["refresh_token"])
    text = "Too many concurrent token refresh requests on the same session or refresh token"
    assert problem(answer) == (409, "conflict", text)
    assert (await auth.refresh(session["refresh_token"])).status_code == 200


async def test_a_refresh_waits_for_whoever_holds_it(auto: Auth, email: str):
    session = await auto.signed_up(email)
    held = "select 1 from auth.sessions where id = $1::uuid for update"
    async with _holding(auto, held, claims_of(session["access_token"])["session_id"]):
        waiting = asyncio.ensure_future(auto.refresh(session["refresh_token"]))
        done, _ = await asyncio.wait([waiting], timeout=0.2)
        assert not done
    assert (await waiting).status_code == 200


async def test_addresses_that_are_taken(phones: Auth, email: str):
    first = await phones.signed_up(email)
    made = await phones.post("/admin/users", {"phone": "34620000004"}, token=ADMIN)
    assert made.status_code == 200
    answer = await phones.put("/user", {"phone": "34620000004"}, token=first["access_token"])
    assert problem(answer) == (
        422, "phone_exists", "A user with this phone number has already been registered",
    )  # fmt: skip
    again = await phones.post("/admin/users", {"phone": "34620000004"}, token=ADMIN)
    assert problem(again) == (
        422, "phone_exists", "Phone number already registered by another user",
    )  # fmt: skip


async def test_who_cannot_reauthenticate(phones: Auth, auth: Auth, email: str):
    anonymous = (await phones.post("/signup", {})).json()
    token = anonymous["access_token"]
    assert problem(await phones.get("/reauthenticate", token=token)) == (
        400, "validation_failed",
        "Reauthentication requires the user to have an email or a phone number",
    )  # fmt: skip
    await phones.rows(
        "update auth.users set email = $1 where id = $2::uuid", email, anonymous["user"]["id"]
    )
    assert problem(await phones.get("/reauthenticate", token=token)) == (
        422, "email_not_confirmed", "Please verify your email first.",
    )  # fmt: skip
    await phones.rows(
        "update auth.users set email = null, phone = '34620000005' where id = $1::uuid",
        anonymous["user"]["id"],
    )
    assert problem(await phones.get("/reauthenticate", token=token)) == (
        422, "phone_not_confirmed", "Please verify your phone first.",
    )  # fmt: skip


async def test_a_wrong_nonce(open_with, email: str):
    auth = await open_with(**AUTO, GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION="true")
    token = (await auth.signed_up(email))["access_token"]
    await auth.rows(
        "update auth.sessions set created_at = now() - interval '25 hours' where id = $1::uuid",
        claims_of(token)["session_id"],
    )
    answer = await auth.put("/user", {"password": "another one", "nonce": "000000"}, token=token)
    assert problem(answer) == (
        422, "reauthentication_not_valid", "Nonce has expired or is invalid",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/admin/users?page=x", "Bad Pagination Parameters: "),
        ("/admin/users?per_page=-1", "Bad Pagination Parameters: "),
        ("/admin/users?sort=id", "Bad Sort Parameters: "),
        ("/admin/audit?query=color:red", "Invalid query scope: "),
    ],
)
async def test_lists_that_cannot_be(auth: Auth, path: str, expected: str):
    status, code, text = problem(await auth.get(path, token=ADMIN))
    assert (status, code) == (400, "validation_failed")
    assert text.startswith(expected)


async def test_links_for_the_current_address_need_secure_changes(open_with, email: str):
    auth = await open_with(**AUTO, GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED="false")
    await auth.signed_up(email)
    body = {"type": "email_change_current", "email": email, "new_email": f"n-{email}"}
    assert problem(await auth.post("/admin/generate_link", body, token=ADMIN)) == (
        400, "validation_failed", "Enable secure email change to generate link for current email",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"factor_type": "totp"}, (422, "mfa_totp_enroll_not_enabled", "MFA enroll is disabled for TOTP")),
        ({"factor_type": "phone"}, (400, "validation_failed", "Phone number required to enroll Phone factor")),
    ],
)  # fmt: skip
async def test_factors_that_cannot_be_enrolled(phones: Auth, email: str, body, expected):
    token = (await phones.signed_up(email))["access_token"]
    assert problem(await phones.post("/factors", body, token=token)) == expected


@pytest.mark.parametrize(
    ("kind", "name"), [("totp", "TOTP"), ("phone", "Phone"), ("webauthn", "WebAuthn")]
)
async def test_factors_whose_proof_is_off(open_with, email: str, kind: str, name: str):
    off = await open_with(
        **AUTO, GOTRUE_MFA_TOTP_VERIFY_ENABLED="false", GOTRUE_MFA_PHONE_ENROLL_ENABLED="true",
        GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED="true", GOTRUE_MFA_TOTP_ENROLL_ENABLED="true",
    )  # fmt: skip
    token = (await off.signed_up(email))["access_token"]
    body = {"factor_type": kind, "friendly_name": "one", "phone": "34620000006"}
    factor = (await off.post("/factors", body, token=token)).json()["id"]
    expected = (422, f"mfa_{kind}_verify_not_enabled", f"MFA verification is disabled for {name}")
    assert problem(await off.post(f"/factors/{factor}/challenge", {}, token=token)) == expected
    proof = {"challenge_id": str(uuid4()), "code": "123456"}
    if kind == "webauthn":  # whose code the original takes from enrolment here
        expected = (422, "mfa_webauthn_enroll_not_enabled", expected[2])
    assert problem(await off.post(f"/factors/{factor}/verify", proof, token=token)) == expected


async def test_an_expired_challenge(auto: Auth, email: str):
    token = (await auto.signed_up(email))["access_token"]
    body = {"factor_type": "totp", "friendly_name": "one"}
    factor = (await auto.post("/factors", body, token=token)).json()["id"]
    challenge = (await auto.post(f"/factors/{factor}/challenge", token=token)).json()["id"]
    await auto.rows(
        "update auth.mfa_challenges set created_at = now() - interval '301 seconds'"
        " where id = $1::uuid", challenge,
    )  # fmt: skip
    proof = {"challenge_id": challenge, "code": "123456"}
    text = (
        f"MFA challenge {challenge} has expired, verify against another challenge or create a new"
        " challenge."
    )
    answer = await auto.post(f"/factors/{factor}/verify", proof, token=token)
    assert problem(answer) == (422, "mfa_challenge_expired", text)


async def test_the_servers_message_limit(open_with):
    auth = await open_with(
        GOTRUE_EXTERNAL_PHONE_ENABLED="true", GOTRUE_RATE_LIMIT_SMS_SENT="0",
        GOTRUE_SMS_PROVIDER="messagebird", GOTRUE_SMS_MESSAGEBIRD_ACCESS_KEY="k",
        GOTRUE_SMS_MESSAGEBIRD_ORIGINATOR="P",
    )  # fmt: skip
    answer = await auth.post("/otp", {"phone": "34620000007"})
    assert problem(answer) == (429, "over_sms_send_rate_limit", "SMS rate limit exceeded")


async def test_dynamic_registration_is_off_unless_it_is_switched_on(open_with):
    auth = await open_with(GOTRUE_OAUTH_SERVER_ENABLED="true")
    answer = await auth.post("/oauth/clients/register", {"redirect_uris": ["https://a.es/cb"]})
    assert problem(answer) == (
        403, "oauth_dynamic_client_registration_disabled",
        "Dynamic client registration is not enabled",
    )  # fmt: skip


async def test_consents_that_are_not_there(open_with, email: str):
    auth = await open_with(**AUTO, GOTRUE_OAUTH_SERVER_ENABLED="true")
    token = (await auth.signed_up(email))["access_token"]
    path = f"/oauth/authorizations/{'a' * 32}"
    missing = (404, "oauth_authorization_not_found", "authorization not found")
    assert problem(await auth.get(path, token=token)) == missing
    approve = {"action": "approve"}
    assert problem(await auth.post(f"{path}/consent", approve, token=token)) == missing
    assert problem(await auth.delete("/user/oauth/grants", token=token)) == (
        400, "validation_failed", "client_id query parameter is required",
    )  # fmt: skip
    unknown = await auth.delete(f"/user/oauth/grants?client_id={uuid4()}", token=token)
    assert problem(unknown)[0] == 404


@pytest.mark.parametrize("signature", ["x", [1, 2, 3]])
async def test_wallets_where_they_are_off_whatever_was_sent(auth: Auth, signature):
    body = {"chain": "solana", "message": "x", "signature": signature}
    answer = await auth.post("/token?grant_type=web3", body)
    assert problem(answer) == (422, "web3_provider_disabled", "Web3 provider is disabled")

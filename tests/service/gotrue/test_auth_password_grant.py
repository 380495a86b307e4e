"""The password grant: auth reference 3.2."""

from __future__ import annotations

import pytest

from tests.harness_auth import (
    PASSWORD,
    Auth,
    admin_token,
    problem,
)  # fmt: skip


async def test_a_password_opens_a_session(auto: Auth, email: str):
    await auto.signed_up(email)
    answer = await auto.sign_in(email.upper())
    body = answer.json()
    assert answer.status_code == 200
    assert body["weak_password"] is None
    assert body["user"]["last_sign_in_at"]
    assert body["user"]["confirmed_at"]
    entries = await auto.rows(
        "select payload->>'action' as action from auth.audit_log_entries "
        "where payload->>'actor_username' = $1 order by created_at", email,
    )  # fmt: skip
    assert [entry["action"] for entry in entries] == ["user_signedup", "login", "login"]
    await auto.refresh(body["refresh_token"])
    listed = await auto.get("/admin/audit?per_page=2", token=admin_token())
    newest = [entry["payload"]["action"] for entry in listed.json()]
    assert newest == ["token_revoked", "token_refreshed"]


async def test_a_weak_but_right_password_signs_in_and_is_reported(auto: Auth, open_with, email):
    await auto.signed_up(email)
    strict = await open_with(
        GOTRUE_PASSWORD_MIN_LENGTH="20", GOTRUE_PASSWORD_REQUIRED_CHARACTERS="abc:123"
    )
    weak = (await strict.sign_in(email)).json()["weak_password"]
    assert weak == {
        "message": "Password should be at least 20 characters. Password should contain at least "
        "one character of each: abc, 123.",
        "reasons": ["length", "characters"],
    }


@pytest.mark.parametrize("who", [{"email": "rare@example.com"}, {"phone": "34600000077"}])
async def test_a_link_or_code_signs_up_where_passwords_need_rare_characters(open_with, who):
    strict = await open_with(
        GOTRUE_PASSWORD_REQUIRED_CHARACTERS="abc:$:[]{}", GOTRUE_EXTERNAL_PHONE_ENABLED="true",
        GOTRUE_SMS_TEST_OTP="34600000077:123456",
    )  # fmt: skip
    answer = await strict.post("/otp", who)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"email": "who@example.com", "password": "x"}, (400, "invalid_credentials", "Invalid login credentials")),
        ({"password": "x"}, (400, "validation_failed", "missing email or phone")),
        ({"email": "a@b.c", "phone": "1"}, (400, "validation_failed", "Only an email address or phone number should be provided on login.")),
        ({"phone": "34600"}, (422, "phone_provider_disabled", "Phone logins are disabled")),
    ],
)  # fmt: skip
async def test_password_refusals(auth: Auth, body, expected):
    assert problem(await auth.post("/token?grant_type=password", body)) == expected


async def test_a_wrong_password_and_an_unconfirmed_address_are_told_apart(auth: Auth, email: str):
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    assert problem(await auth.sign_in(email, "wrong password")) == (
        400, "invalid_credentials", "Invalid login credentials",
    )  # fmt: skip
    assert problem(await auth.sign_in(email)) == (
        400, "email_not_confirmed", "Email not confirmed",
    )  # fmt: skip


@pytest.mark.parametrize("grant", ["", "?grant_type=magic"])
async def test_an_unknown_grant_is_refused(auth: Auth, grant: str):
    answer = await auth.post(f"/token{grant}", {})
    assert problem(answer) == (400, "invalid_credentials", "unsupported_grant_type")

"""Phones, second factors, anonymous users: auth reference 3.1, 4.6, 8."""

from __future__ import annotations

import asyncio
import secrets
import time
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import pytest
import pytest_asyncio
from pyotp.totp import TOTP

from tests.harness_auth import AUTO, PASSWORD, Auth, admin_token, claims_of, problem, user_token

ADMIN = admin_token()
PHONES = {
    "GOTRUE_EXTERNAL_PHONE_ENABLED": "true",
    "GOTRUE_SMS_TEST_OTP": "34600000001:123456,34600000002:654321,34600000003:111111",
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def phones(open_with) -> Auth:
    return await open_with(
        nodes=2, **PHONES, GOTRUE_MAILER_AUTOCONFIRM="true", GOTRUE_MFA_PHONE_ENROLL_ENABLED="true",
        GOTRUE_MFA_PHONE_VERIFY_ENABLED="true", GOTRUE_MFA_PHONE_MAX_FREQUENCY="1ns",
        GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED="true",
    )  # fmt: skip


async def test_a_test_number_signs_up_and_verifies_by_its_fixed_code(phones: Auth):
    body = {"phone": "+34 600000001", "password": PASSWORD}
    user = (await phones.post("/signup", body)).json()
    assert user["phone"] == "34600000001"
    assert "phone" not in user["identities"][0]["identity_data"]
    assert problem(await phones.post("/token?grant_type=password", body)) == (
        400, "phone_not_confirmed", "Phone not confirmed",
    )  # fmt: skip
    wrong = {"type": "sms", "phone": "34600000001", "token": "000000"}
    assert problem(await phones.post("/verify", wrong)) == (
        403, "otp_expired", "Token has expired or is invalid",
    )  # fmt: skip
    right = await phones.post("/verify", {**wrong, "token": "123456"})
    assert right.json()["user"]["phone_confirmed_at"]
    assert (await phones.post("/token?grant_type=password", body)).status_code == 200
    sent = await phones.post("/otp", {"phone": "34600000001"})
    assert sent.json() == {"message_id": "test-otp"}


async def test_without_a_provider_other_numbers_get_nothing(phones: Auth):
    body = {"phone": "34600999999", "password": PASSWORD}
    answer = await phones.post("/signup", body)
    assert problem(answer) == (500, "unexpected_failure", "Unable to get SMS provider")
    assert await phones.rows("select 1 from auth.users where phone = '34600999999'") == []


async def test_a_user_changes_the_phone(phones: Auth, email: str):
    token = (await phones.signed_up(email))["access_token"]
    answer = await phones.put("/user", {"phone": "34600000002"}, token=token)
    assert answer.json()["new_phone"] == "34600000002"
    assert (
        await phones.post("/resend", {"type": "phone_change", "phone": "34600000002"})
    ).json() == {}
    body = {"type": "phone_change", "phone": "34600000002", "token": "654321"}
    user = (await phones.post("/verify", body)).json()["user"]
    assert user["phone"] == "34600000002"
    assert {identity["provider"] for identity in user["identities"]} == {"email", "phone"}


async def test_an_anonymous_user_and_its_way_to_an_account(phones: Auth, email: str):
    session = (await phones.post("/signup", {"data": {"a": 1}})).json()
    user = session["user"]
    assert (user["is_anonymous"], user["app_metadata"], user["email"]) == (True, {}, "")
    assert claims_of(session["access_token"])["amr"][0]["method"] == "anonymous"
    token = session["access_token"]
    assert problem(await phones.post("/factors", {"factor_type": "totp"}, token=token)) == (
        403, "no_authorization", "Anonymous user not allowed to perform these actions",
    )  # fmt: skip
    assert problem(await phones.put("/user", {"password": PASSWORD}, token=token)) == (
        422, "validation_failed",
        "Updating password of an anonymous user without an email or phone is not allowed",
    )  # fmt: skip
    user = (await phones.put("/user", {"email": email}, token=token)).json()
    assert (user["email"], user["is_anonymous"], user["app_metadata"]) == (email, False, {})
    assert user["identities"][0]["provider"] == "email"


async def _enrolled(auth: Auth, token: str, name: str = "phone") -> tuple[str, TOTP]:
    body = {"factor_type": "totp", "friendly_name": name}
    answer = await auth.post("/factors", body, token=token)
    assert answer.status_code == 200, answer.text
    factor = answer.json()
    return factor["id"], TOTP(factor["totp"]["secret"])


async def test_a_factor_with_a_name_that_no_index_takes_is_refused(auto: Auth, email: str):
    token = (await auto.signed_up(email))["access_token"]
    body = {"factor_type": "totp", "friendly_name": secrets.token_hex(400_000)}
    answer = await auto.post("/factors", body, token=token)
    assert problem(answer) == (400, "validation_failed", "A value is too long to be stored")


async def _proved(auth: Auth, token: str, factor: str, totp: TOTP):
    challenge = (await auth.post(f"/factors/{factor}/challenge", token=token)).json()
    body = {"challenge_id": challenge["id"], "code": totp.now()}
    return await auth.post(f"/factors/{factor}/verify", body, token=token)


async def test_a_totp_factor_from_enrolment_to_aal2(auto: Auth, email: str):
    other = await auto.signed_up(email)
    session = (await auto.sign_in(email)).json()
    token = session["access_token"]
    answer = await auto.post(
        "/factors", {"factor_type": "totp", "friendly_name": "app", "issuer": "Planes"}, token=token
    )
    factor = answer.json()
    assert list(factor) == ["id", "type", "friendly_name", "totp"]
    assert factor["totp"]["qr_code"].startswith("<svg")
    assert len(factor["totp"]["secret"]) == 32
    uri = urlsplit(factor["totp"]["uri"])
    assert parse_qs(uri.query) == {
        "secret": [factor["totp"]["secret"]], "issuer": ["Planes"], "algorithm": ["SHA1"],
        "digits": ["6"], "period": ["30"],
    }  # fmt: skip
    before = int(time.time())
    challenge = await auto.post(f"/factors/{factor['id']}/challenge", token=token)
    assert challenge.json()["type"] == "totp"
    assert before <= challenge.json()["expires_at"] - 300 <= time.time()
    body = {"challenge_id": challenge.json()["id"], "code": "000000"}
    path = f"/factors/{factor['id']}/verify"
    assert problem(await auto.post(path, body, token=token)) == (
        422, "mfa_verification_failed", "Invalid TOTP code entered",
    )  # fmt: skip
    body["code"] = TOTP(factor["totp"]["secret"]).now()
    verified = await auto.post(path, body, token=token)
    assert verified.status_code == 200, verified.text
    claims = claims_of(verified.json()["access_token"])
    assert claims["aal"] == "aal2"
    assert {entry["method"] for entry in claims["amr"]} == {"password", "totp"}
    assert verified.json()["user"]["factors"][0]["status"] == "verified"
    assert verified.json()["refresh_token"] != session["refresh_token"]
    (row,) = await auto.rows(
        "select refreshed_at from auth.sessions where id = $1", UUID(claims["session_id"])
    )
    assert row["refreshed_at"] is None  # a proof is no refresh
    assert not [name for name in verified.headers if name.startswith("sb-auth")]  # nothing new
    assert problem(await auto.get("/user", token=other["access_token"]))[1] == "session_not_found"
    assert problem(await auto.post(path, body, token=token)) == (
        422, "mfa_ip_address_mismatch", "Challenge and verify IP addresses mismatch.",
    )  # fmt: skip
    refreshed = await auto.refresh(verified.json()["refresh_token"])
    assert claims_of(refreshed.json()["access_token"])["aal"] == "aal2"


async def test_rules_of_enrolled_users(auto: Auth, email: str):
    token = (await auto.signed_up(email))["access_token"]
    factor, totp = await _enrolled(auto, token)
    conflict = await auto.post(
        "/factors", {"factor_type": "totp", "friendly_name": "phone"}, token=token
    )
    assert problem(conflict) == (
        422, "mfa_factor_name_conflict",
        'A factor with the friendly name "phone" for this user already exists',
    )  # fmt: skip
    high = (await _proved(auto, token, factor, totp)).json()["access_token"]
    low = (await auto.sign_in(email)).json()["access_token"]
    assert problem(await auto.put("/user", {"password": "another"}, token=low)) == (
        401, "insufficient_aal",
        "AAL2 session is required to update email or password when MFA is enabled.",
    )  # fmt: skip
    second = await auto.post("/factors", {"factor_type": "totp", "friendly_name": "b"}, token=low)
    assert problem(second) == (403, "insufficient_aal", "AAL2 required to enroll a new factor")
    assert problem(await auto.delete(f"/factors/{factor}", token=low)) == (
        422, "insufficient_aal", "AAL2 required to unenroll verified factor",
    )  # fmt: skip
    gone = await auto.delete(f"/factors/{factor}", token=high)
    assert gone.json() == {"id": factor}
    user = (await auto.get("/user", token=high)).json()
    assert "factors" not in user
    [session] = await auto.rows(
        "select aal::text from auth.sessions where id = $1::uuid", claims_of(high)["session_id"]
    )
    assert session == {"aal": "aal1"}


async def test_a_code_signs_in_once_whoever_has_read_it(open_with, email: str):
    """RFC 6238, section 5.2; the code that proved the enrolment has signed nobody in yet."""
    auto = await open_with(**AUTO)
    token = (await auto.signed_up(email))["access_token"]
    factor, totp = await _enrolled(auto, token)
    code = totp.at(time.time() + 30)  # good for two steps more

    async def prove(token: str):
        challenge = (await auto.post(f"/factors/{factor}/challenge", token=token)).json()
        body = {"challenge_id": challenge["id"], "code": f" {code}"}
        return await auto.post(f"/factors/{factor}/verify", body, token=token)

    assert (await prove(token)).status_code == 200
    login = (await auto.sign_in(email)).json()["access_token"]
    assert (await prove(login)).status_code == 200
    login = (await auto.sign_in(email)).json()["access_token"]
    assert problem(await prove(login)) == (
        422, "mfa_verification_failed", "Invalid TOTP code entered",
    )  # fmt: skip


async def test_parallel_proofs_of_one_challenge_have_one_winner(auto: Auth, email: str):
    token = (await auto.signed_up(email))["access_token"]
    factor, totp = await _enrolled(auto, token)
    challenge = (await auto.post(f"/factors/{factor}/challenge", token=token)).json()
    body = {"challenge_id": challenge["id"], "code": totp.now()}
    answers = await asyncio.gather(
        *(auto.post(f"/factors/{factor}/verify", body, token=token) for _ in range(10))
    )
    assert sorted(answer.status_code for answer in answers) == [200, *[422] * 9]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"factor_type": "voice"}, (400, "validation_failed", "factor_type needs to be totp, phone, or webauthn")),
        ({"factor_type": "phone"}, (422, "mfa_phone_enroll_not_enabled", "MFA enroll is disabled for Phone")),
        ({"factor_type": "webauthn"}, (422, "mfa_webauthn_enroll_not_enabled", "MFA enroll is disabled for WebAuthn")),
    ],
)  # fmt: skip
async def test_enrolment_refusals(auto: Auth, email: str, body, expected):
    token = (await auto.signed_up(email))["access_token"]
    assert problem(await auto.post("/factors", body, token=token)) == expected


async def test_proofs_refused(open_with, email: str):
    brief = await open_with(**AUTO, GOTRUE_MFA_MAX_ENROLLED_FACTORS="1")
    token = (await brief.signed_up(email))["access_token"]
    factor, totp = await _enrolled(brief, token)
    many = await brief.post("/factors", {"factor_type": "totp", "friendly_name": "x"}, token=token)
    assert problem(many) == (
        422, "too_many_enrolled_mfa_factors",
        "Maximum number of verified factors reached, unenroll to continue",
    )  # fmt: skip
    path = f"/factors/{factor}/verify"
    assert problem(await brief.post(path, {}, token=token)) == (
        400, "validation_failed", "Code needs to be non-empty",
    )  # fmt: skip
    body = {"challenge_id": str(uuid4()), "code": "1"}
    assert problem(await brief.post(path, body, token=token)) == (
        422, "mfa_factor_not_found", "MFA factor with the provided challenge ID not found",
    )  # fmt: skip
    challenge = (await brief.post(f"/factors/{factor}/challenge", token=token)).json()["id"]
    await brief.rows("update auth.mfa_challenges set created_at = now() - interval '1h'")
    body = {"challenge_id": challenge, "code": totp.now()}
    assert problem(await brief.post(path, body, token=token))[1] == "mfa_challenge_expired"
    assert problem(await brief.post(f"/factors/{uuid4()}/challenge", token=token)) == (
        404, "mfa_factor_not_found", "Factor not found",
    )  # fmt: skip
    assert problem(await brief.post("/factors/5/challenge", token=token)) == (
        404, "validation_failed", "factor_id must be an UUID",
    )  # fmt: skip


async def test_a_phone_factor(phones: Auth, email: str):
    token = (await phones.signed_up(email))["access_token"]
    body = {"factor_type": "phone", "phone": "34600000003", "friendly_name": "mobile"}
    factor = (await phones.post("/factors", body, token=token)).json()
    assert (factor["type"], factor["phone"]) == ("phone", "34600000003")
    again = (await phones.post("/factors", {**body, "friendly_name": "m"}, token=token)).json()
    assert again["id"] != factor["id"]
    path = f"/factors/{again['id']}"
    challenge = (await phones.post(f"{path}/challenge", {"channel": "sms"}, token=token)).json()
    wrong = {"challenge_id": challenge["id"], "code": "000000"}
    assert problem(await phones.post(f"{path}/verify", wrong, token=token)) == (
        422, "mfa_verification_failed", "Invalid MFA Phone code entered",
    )  # fmt: skip
    right = await phones.post(f"{path}/verify", {**wrong, "code": "111111"}, token=token)
    claims = claims_of(right.json()["access_token"])
    assert (claims["aal"], claims["amr"][0]["method"]) == ("aal2", "mfa/phone")
    verified = await phones.post("/factors", body, token=right.json()["access_token"])
    assert problem(verified)[1] == "mfa_verified_factor_exists"


async def test_administrators_see_and_remove_factors(auto: Auth, email: str):
    session = await auto.signed_up(email)
    token, user = session["access_token"], session["user"]["id"]
    factor, totp = await _enrolled(auto, token)
    high = (await _proved(auto, token, factor, totp)).json()["access_token"]
    path = f"/admin/users/{user}/factors"
    assert [found["id"] for found in (await auto.get(path, token=ADMIN)).json()] == [factor]
    renamed = await auto.put(f"{path}/{factor}", {"friendly_name": "new"}, token=ADMIN)
    assert renamed.json()["friendly_name"] == "new"
    assert (await auto.delete(f"{path}/{factor}", token=ADMIN)).json()["id"] == factor
    assert (await auto.get(path, token=ADMIN)).json() == []
    assert (await auto.get("/user", token=high)).status_code == 200
    assert problem(await auto.delete(f"{path}/{factor}", token=ADMIN))[:2] == (
        404, "mfa_factor_not_found",
    )  # fmt: skip


async def test_factors_are_looked_for_before_the_body_is_read(auto: Auth, email: str):
    token = (await auto.signed_up(email))["access_token"]
    for path in ("challenge", "verify"):
        answer = await auto.post(f"/factors/{uuid4()}/{path}", b"{", token=token)
        assert problem(answer) == (404, "mfa_factor_not_found", "Factor not found")


async def test_factors_need_a_session(auto: Auth, email: str):
    signed = await auto.signed_up(email)
    factor, _ = await _enrolled(auto, signed["access_token"])
    bare = user_token(sub=signed["user"]["id"], aud="authenticated")
    assert problem(await auto.post("/factors", b"{", token=bare)) == (
        500, "unexpected_failure",
        "A valid session and a registered user are required to enroll a factor",
    )  # fmt: skip
    assert problem(await auto.delete(f"/factors/{factor}", token=bare)) == (
        500, "unexpected_failure", "A valid session and factor are required to unenroll a factor",
    )  # fmt: skip


async def test_a_token_tells_whether_its_user_is_anonymous(auto: Auth, email: str):
    signed = await auto.signed_up(email)
    claims = claims_of(signed["access_token"]) | {"is_anonymous": True}
    answer = await auto.post("/factors", {"factor_type": "totp"}, token=user_token(**claims))
    assert problem(answer)[:2] == (403, "no_authorization")

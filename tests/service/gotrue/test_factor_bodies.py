"""What calls of second factors need in their bodies, in which order it is judged, what is kept."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from pyotp.totp import TOTP

from tests.harness_auth import AUTO, Auth, admin_token, problem

NOT_FOUND = (422, "mfa_factor_not_found", "MFA factor with the provided challenge ID not found")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def factors(open_with) -> Auth:
    """An instance with every kind of second factor; two numbers have fixed codes."""
    return await open_with(
        **AUTO, GOTRUE_EXTERNAL_PHONE_ENABLED="true", GOTRUE_SMS_TEST_OTP="34620000201:123456",
        GOTRUE_MFA_PHONE_ENROLL_ENABLED="true", GOTRUE_MFA_PHONE_VERIFY_ENABLED="true",
        GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED="true", GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED="true",
        GOTRUE_WEBAUTHN_RP_ID="example.com", GOTRUE_WEBAUTHN_RP_DISPLAY_NAME="Example",
        GOTRUE_WEBAUTHN_RP_ORIGINS="https://example.com", GOTRUE_SITE_URL="http://localhost:3000",
    )  # fmt: skip


async def enrolled(auth: Auth, email: str, kind: str, **more: Any) -> tuple[str, dict[str, Any]]:
    token = (await auth.signed_up(email))["access_token"]
    answer = await auth.post("/factors", {"factor_type": kind, **more}, token=token)
    assert answer.status_code == 200, answer.text
    return token, answer.json()


async def test_a_totp_challenge_reads_no_body(factors: Auth, email: str):
    token, factor = await enrolled(factors, email, "totp")
    path = f"/factors/{factor['id']}/challenge"
    assert (await factors.post(path, b"no json", token=token)).status_code == 200
    assert (await factors.post(path, token=token)).status_code == 200


@pytest.mark.parametrize(("kind", "more"), [("phone", {"phone": "34620000201"}), ("webauthn", {})])
async def test_other_challenges_need_one(factors: Auth, email: str, kind: str, more):
    token, factor = await enrolled(factors, email, kind, **more)
    path = f"/factors/{factor['id']}/challenge"
    assert problem(await factors.post(path, token=token))[:2] == (400, "bad_json")
    assert (await factors.post(path, {}, token=token)).status_code == 200


async def test_a_challenge_is_named_by_its_uuid(factors: Auth, email: str):
    token, factor = await enrolled(factors, email, "totp")
    path = f"/factors/{factor['id']}/verify"
    malformed = await factors.post(path, {"challenge_id": "7", "code": "1"}, token=token)
    assert problem(malformed)[:2] == (400, "bad_json")
    assert problem(await factors.post(path, {"code": "1"}, token=token)) == NOT_FOUND
    unknown = {"challenge_id": str(uuid4()), "code": "1"}
    assert problem(await factors.post(path, unknown, token=token)) == NOT_FOUND


async def test_an_empty_code_comes_before_a_kind_that_is_off(factors: Auth, open_with, email: str):
    token, factor = await enrolled(factors, email, "totp")
    off = await open_with(**AUTO, GOTRUE_MFA_TOTP_VERIFY_ENABLED="false")
    path = f"/factors/{factor['id']}/verify"
    empty = await off.post(path, {}, token=token)
    assert problem(empty) == (400, "validation_failed", "Code needs to be non-empty")
    given = await off.post(path, {"code": "1"}, token=token)
    assert problem(given)[:2] == (422, "mfa_totp_verify_not_enabled")


async def test_the_address_of_a_key_is_escaped_as_the_original_escapes(factors: Auth, email: str):
    _, factor = await enrolled(factors, f"a+{email}", "totp")
    totp = factor["totp"]
    assert totp["uri"] == (
        f"otpauth://totp/localhost:3000:a+{email}?algorithm=SHA1&digits=6"
        f"&issuer=localhost:3000&period=30&secret={totp['secret']}"
    )


async def test_what_a_browser_is_asked_for_as_a_second_factor(factors: Auth, email: str):
    token, factor = await enrolled(factors, email, "webauthn")
    answer = await factors.post(f"/factors/{factor['id']}/challenge", {}, token=token)
    options = answer.json()["webauthn"]["credential_options"]["publicKey"]
    assert [known["alg"] for known in options["pubKeyCredParams"]] == [
        -7, -35, -36, -257, -258, -259, -37, -38, -39, -8,
    ]  # fmt: skip
    assert {"attestation", "excludeCredentials"}.isdisjoint(options)


async def _entries(auth: Auth, user_id: str) -> list[dict[str, Any]]:
    found = await auth.rows(
        "select payload::text from auth.audit_log_entries "
        "where payload->>'actor_id' = $1 order by created_at",
        user_id,
    )
    return [json.loads(row["payload"]) for row in found]


async def test_a_second_factor_revokes_the_token_before_and_its_deletion_names_its_user(
    factors: Auth, email: str
):
    token, factor = await enrolled(factors, email, "totp")
    path = f"/factors/{factor['id']}"
    challenge = (await factors.post(f"{path}/challenge", token=token)).json()
    proof = {"challenge_id": challenge["id"], "code": TOTP(factor["totp"]["secret"]).now()}
    verified = await factors.post(f"{path}/verify", proof, token=token)
    assert verified.status_code == 200, verified.text
    user_id = verified.json()["user"]["id"]
    deleted = await factors.delete(f"/admin/users/{user_id}{path}", token=admin_token())
    assert deleted.status_code == 200
    actions = [entry["action"] for entry in await _entries(factors, user_id)]
    assert "token_revoked" in actions
    assert actions[-1] == "factor_deleted"

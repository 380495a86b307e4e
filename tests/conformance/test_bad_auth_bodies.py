"""Every endpoint of the auth service refuses what it cannot use, and none answers 500."""

from __future__ import annotations

import json
import uuid
from typing import Any

import httpx2
import pytest

from tests.harness_stack import Stack

PASSWORD = "secreto-123"
ID = "7c26d250-a296-452b-981e-b0ccd98de508"  # of nobody; fixed, as it names tests
ENDPOINTS = [
    "POST /signup", "POST /token?grant_type=password", "POST /token?grant_type=refresh_token",
    "POST /token?grant_type=pkce", "POST /token?grant_type=id_token", "POST /token?grant_type=web3",
    "POST /verify", "POST /otp", "POST /magiclink", "POST /recover", "POST /resend", "POST /invite",
    "POST /sso", "POST /logout?scope=nonsense", "PUT /user", "POST /factors",
    f"POST /factors/{ID}/challenge", f"POST /factors/{ID}/verify", f"DELETE /factors/{ID}",
    "POST /factors/x/verify", "DELETE /user/identities/x", f"DELETE /user/identities/{ID}",
    "GET /user/identities/authorize?provider=%00", "GET /authorize?provider=x&redirect_to=%ff",
    "GET /callback?code=%00&state=%00", "POST /callback", "GET /verify?token=%00&type=%00",
    "GET /reauthenticate", "POST /passkeys/registration/options", "POST /passkeys/registration/verify",
    "POST /passkeys/authentication/options", "POST /passkeys/authentication/verify",
    "PATCH /passkeys/x", "DELETE /passkeys/x", "POST /admin/users", f"PUT /admin/users/{ID}",
    "GET /admin/users/x", f"GET /admin/users/{ID}", f"DELETE /admin/users/{ID}",
    "GET /admin/users?page=x&per_page=-1", "GET /admin/users?page=99999999999999999999&sort=;",
    "GET /admin/users?filter=%00%25%5c", f"GET /admin/users/{ID}/factors",
    f"PUT /admin/users/{ID}/factors/x", "POST /admin/generate_link", "GET /admin/audit?query=%00",
    "POST /admin/oauth/clients", "POST /admin/custom-providers", "POST /admin/sso/providers",
    "POST /oauth/token", "POST /oauth/clients/register", "GET /oauth/authorize?client_id=%00",
]  # fmt: skip
ODD: list[Any] = [
    None, True, -1, 1e308, 10**30, "", "x", "\x00", "\ud800", "ñ" * 3000, [], [None], {}, {"a": {}},
]  # fmt: skip
FIELDS = (
    "email", "phone", "password", "data", "type", "token", "token_hash", "refresh_token",
    "auth_code", "code_verifier", "code_challenge", "code_challenge_method", "provider", "id_token",
    "nonce", "channel", "factor_type", "friendly_name", "code", "challenge_id", "id", "aud", "role",
    "user_metadata", "app_metadata", "ban_duration", "password_hash", "email_confirm", "new_email",
    "redirect_to", "domain", "provider_id", "chain", "message", "signature", "credential",
    "client_id", "redirect_uris", "grant_type", "current_password", "gotrue_meta_security",
)  # fmt: skip


@pytest.fixture(scope="module")
def callers(project_stack: Stack) -> dict[str, dict[str, str]]:
    """The headers of the administrator and of somebody signed in: who gets furthest."""
    public = {"apikey": project_stack.keys["SUPABASE_PUBLISHABLE_KEY"]}
    secret = {"apikey": project_stack.keys["SUPABASE_SECRET_KEY"]}
    credentials = {"email": f"odd-{uuid.uuid4()}@example.com", "password": PASSWORD}
    base = f"{project_stack.url}/auth/v1"
    made = httpx2.post(
        f"{base}/admin/users", json={**credentials, "email_confirm": True}, headers=secret
    )
    assert made.status_code == 200, made.text
    signed = httpx2.post(f"{base}/token?grant_type=password", json=credentials, headers=public)
    person = {**public, "authorization": f"Bearer {signed.json()['access_token']}"}
    return {"admin": secret, "person": person}


def _bodies() -> list[str]:
    bodies = ["", "{", "[]", "5", "null", "{}"]
    for odd in ODD:
        bodies.append(json.dumps(dict.fromkeys(FIELDS, odd)))
    usable = {"email": "a@example.com", "password": PASSWORD, "type": "magiclink"}
    bodies += [json.dumps({**usable, "data": odd, "user_metadata": odd}) for odd in ODD]
    return bodies


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_no_body_makes_a_500(
    callers: dict[str, dict[str, str]], project_stack: Stack, endpoint: str
) -> None:
    method, path = endpoint.split(" ")
    who = "admin" if path.startswith(("/admin", "/invite")) else "person"
    bodies = _bodies() if method in {"POST", "PUT", "PATCH"} else [""]
    failed = []
    with httpx2.Client(base_url=project_stack.url, headers=callers[who], timeout=60) as client:
        for body in bodies:
            answer = client.request(method, f"/auth/v1{path}", content=body)
            if answer.status_code >= 500:
                failed.append((answer.status_code, body[:60], answer.text[:200]))
    assert failed == []

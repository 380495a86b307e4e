"""An authorization and its code are their user's and their client's alone: auth reference 11."""

from __future__ import annotations

import json
from typing import Any

import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from tests.harness_auth import AUTO, Auth, location, pkce_pair, problem

CALLBACK = "https://client.example/cb"
NOT_FOUND = (404, "oauth_authorization_not_found")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def granting(open_with: Any) -> Auth:
    key = ec.generate_private_key(ec.SECP256R1())
    jwk = {**json.loads(ECAlgorithm.to_jwk(key)), "kid": "one", "alg": "ES256", "key_ops": ["sign"]}
    return await open_with(
        nodes=2,
        GOTRUE_JWT_KEYS=json.dumps([jwk]),
        GOTRUE_OAUTH_SERVER_ENABLED="true",
        GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION="true",
        GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH="/oauth/consent",
        **AUTO,
    )


async def _client(granting: Auth) -> str:
    body = {"redirect_uris": [CALLBACK, f"{CALLBACK}/2"], "token_endpoint_auth_method": "none"}
    return (await granting.post("/oauth/clients/register", body)).json()["client_id"]


async def _authorization(granting: Auth, client: str) -> tuple[str, str]:
    """The path of a new authorization, and the verifier of its code."""
    verifier, challenge = pkce_pair()
    sent = await granting.get(
        f"/oauth/authorize?client_id={client}&redirect_uri={CALLBACK}&response_type=code"
        f"&scope=openid%20email&code_challenge={challenge}&code_challenge_method=S256"
    )
    return f"/oauth/authorizations/{location(sent)[1]['authorization_id']}", verifier


async def _code(granting: Auth, client: str, token: str) -> dict[str, str]:
    """What its client sends for a code that the user of a token gave."""
    path, verifier = await _authorization(granting, client)
    shown = (await granting.get(path, token=token)).json()
    url = shown.get("redirect_url")
    if url is None:
        answer = await granting.post(f"{path}/consent", {"action": "approve"}, token=token)
        url = answer.json()["redirect_url"]
    return {
        "grant_type": "authorization_code", "code": url.split("code=")[1].split("&")[0],
        "client_id": client, "code_verifier": verifier, "redirect_uri": CALLBACK,
    }  # fmt: skip


async def test_an_authorization_is_of_who_saw_it_first(granting: Auth, email: str):
    token = (await granting.signed_up(email))["access_token"]
    another = (await granting.signed_up(f"other-{email}"))["access_token"]
    path, _ = await _authorization(granting, await _client(granting))
    assert (await granting.get(path)).status_code == 401
    assert (await granting.post(f"{path}/consent", {"action": "approve"})).status_code == 401
    early = await granting.post(f"{path}/consent", {"action": "approve"}, token=another)
    assert early.status_code in {400, 404}  # nobody approves what they were not shown
    assert (await granting.get(path, token=token)).status_code == 200
    assert problem(await granting.get(path, token=another))[:2] == NOT_FOUND
    for action in ("approve", "deny"):
        taken = await granting.post(f"{path}/consent", {"action": action}, token=another)
        assert problem(taken)[:2] == NOT_FOUND
    own = await granting.post(f"{path}/consent", {"action": "approve"}, token=token)
    assert own.json()["redirect_url"].startswith(f"{CALLBACK}?code=")


async def test_a_code_is_of_its_client_its_address_and_its_verifier(granting: Auth, email: str):
    token = (await granting.signed_up(email))["access_token"]
    client, another = await _client(granting), await _client(granting)
    form = await _code(granting, client, token)
    for wrong in (
        {"client_id": another}, {"redirect_uri": f"{CALLBACK}/2"},
        {"redirect_uri": "https://evil.example/"}, {"code_verifier": "w" * 64},
        {"code": "x"},
    ):  # fmt: skip
        answer = await granting.post("/oauth/token", form | wrong)
        assert answer.json()["error"] == "invalid_grant", answer.text
    granted = await granting.post("/oauth/token", form)
    assert granted.status_code == 200, granted.text
    again = await granting.post("/oauth/token", form)
    assert again.json()["error"] == "invalid_grant"
    refresh = {"grant_type": "refresh_token", "refresh_token": granted.json()["refresh_token"]}
    stolen = await granting.post("/oauth/token", refresh | {"client_id": another})
    assert stolen.status_code == 400
    assert (await granting.post("/oauth/token", refresh | {"client_id": client})).status_code == 200


async def test_a_revoked_grant_ends_its_tokens(granting: Auth, email: str):
    token = (await granting.signed_up(email))["access_token"]
    client = await _client(granting)
    granted = (await granting.post("/oauth/token", await _code(granting, client, token))).json()
    waiting = await _code(granting, client, token)
    gone = await granting.delete(f"/user/oauth/grants?client_id={client}", token=token)
    assert gone.status_code == 204
    held = await granting.get("/oauth/userinfo", token=granted["access_token"])
    assert held.status_code == 403
    refresh = {"grant_type": "refresh_token", "refresh_token": granted["refresh_token"]}
    refused = await granting.post("/oauth/token", refresh | {"client_id": client})
    assert refused.status_code == 400
    unused = await granting.post("/oauth/token", waiting)
    assert unused.json()["error"] == "invalid_grant", unused.text
    assert (await granting.get("/user", token=token)).status_code == 200

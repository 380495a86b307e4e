"""An id token may give its identity to whoever is signed in (auth reference 9.4)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest_asyncio

from tests.harness_auth import AUTO, Auth, problem
from tests.harness_oidc import Provider, open_provider

PATH = "/token?grant_type=id_token"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def provider() -> AsyncIterator[Provider]:
    async with open_provider() as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def auth(open_with, provider: Provider) -> Auth:
    """An instance whose Google and Keycloak are the provider on loopback."""
    variables = dict(AUTO) | {"GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED": "true"}
    for name in ("GOOGLE", "KEYCLOAK"):
        prefix = f"GOTRUE_EXTERNAL_{name}"
        variables |= {
            f"{prefix}_ENABLED": "true", f"{prefix}_CLIENT_ID": "client-1",
            f"{prefix}_SECRET": "secret-1", f"{prefix}_URL": provider.issuer,
            f"{prefix}_REDIRECT_URI": "http://localhost:9999/callback",
        }  # fmt: skip
    return await open_with(**variables)


def id_token(provider: Provider, email: str, **more: object) -> str:
    provider.person = {"sub": str(uuid4()), "email": email, "email_verified": True, **more}
    return provider.id_token("client-1")


async def test_the_identity_is_given_to_who_is_signed_in(auth: Auth, provider, email: str):
    session = await auth.signed_up(email)
    token = id_token(provider, f"other-{email}")
    body = {"provider": "google", "id_token": token, "link_identity": True}
    linked = await auth.post(PATH, body, token=session["access_token"])
    assert linked.status_code == 200, linked.text
    assert linked.json()["user"]["id"] == session["user"]["id"]
    assert sorted(linked.json()["user"]["app_metadata"]["providers"]) == ["email", "google"]
    assert [one["provider"] for one in linked.json()["user"]["identities"]] == ["email"]
    again = await auth.post(PATH, body, token=session["access_token"])
    assert problem(again)[:2] == (422, "identity_already_exists")


async def test_who_is_confirmed_by_a_link_is_shown_as_before_it(auth: Auth, provider, email: str):
    anonymous = (await auth.post("/signup", {})).json()["access_token"]
    body = {"provider": "google", "id_token": id_token(provider, email), "link_identity": True}
    linked = (await auth.post(PATH, body, token=anonymous)).json()
    assert linked["user"]["email_confirmed_at"]
    assert "confirmed_at" not in linked["user"]
    read = (await auth.get("/user", token=linked["access_token"])).json()
    assert read["confirmed_at"] == linked["user"]["email_confirmed_at"]


async def test_linking_needs_a_token_of_a_user(auth: Auth, provider: Provider, email: str):
    token = id_token(provider, email)
    body = {"provider": "google", "id_token": token, "link_identity": True}
    assert (await auth.post(PATH, body)).json() == {
        "error": "invalid request",
        "error_description": "Linking requires a valid user access token in Authorization",
    }
    assert problem(await auth.post(PATH, body, token="x"))[:2] == (403, "bad_jwt")


async def test_the_version_of_the_answer_is_told_with_oauths_errors_too(auth: Auth):
    new = await auth.post(PATH, {})
    assert new.headers["x-supabase-api-version"] == "2024-01-01"
    assert "x-supabase-api-version" not in (await auth.post(PATH, {}, old=True)).headers

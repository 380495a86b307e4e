"""The id_token grant where a token tells less than usual, or more: auth reference 9.4."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import jwt
import pytest
import pytest_asyncio

from tests.harness_auth import Auth, problem
from tests.harness_oidc import Provider, open_provider

PATH = "/token?grant_type=id_token"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def provider() -> AsyncIterator[Provider]:
    async with open_provider() as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def auth(open_with, provider: Provider) -> Auth:
    prefix = "GOTRUE_EXTERNAL_KEYCLOAK"
    return await open_with(**{
        f"{prefix}_ENABLED": "true", f"{prefix}_CLIENT_ID": "client-1",
        f"{prefix}_SECRET": "secret-1", f"{prefix}_URL": provider.issuer,
        f"{prefix}_REDIRECT_URI": "http://localhost:9999/callback",
    })  # fmt: skip


@pytest.fixture
def sign_in(auth: Auth, provider: Provider, email: str):
    """Sign in with a token of somebody new, with these claims and headers."""
    provider.person = {"sub": str(uuid4()), "email": email, "email_verified": True}

    async def sign_in(headers: dict[str, Any] | None = None, **claims: Any):
        now = int(time.time())
        whole = {"iss": provider.issuer, "aud": "client-1", "iat": now, "exp": now + 300}
        whole = {k: v for k, v in (whole | provider.person | claims).items() if v is not ...}
        token = jwt.encode(whole, provider.key, "RS256", {"kid": provider.kid, **(headers or {})})
        return await auth.post(PATH, {"provider": "keycloak", "id_token": token})

    return sign_in


@pytest.mark.parametrize("claimed", [..., None, ""])
async def test_who_tells_no_address_has_to_verify_it_with_the_provider(
    auth: Auth, sign_in, claimed
):
    """The account is made all the same, as in the original, and signs in once it has one."""
    for _ in range(2):
        assert problem(await sign_in(email=claimed)) == (
            422, "provider_email_needs_verification",
            "Unverified email with keycloak. Verify the email with keycloak in order to sign in",
        )  # fmt: skip


@pytest.mark.parametrize(
    "claims",
    [
        {"nbf": time.time() + 3600}, {"nbf": "soon"}, {"iat": "now"}, {"exp": "never"},
        {"exp": True},
    ],
)  # fmt: skip
async def test_times_of_a_token_are_numbers_and_it_holds_by_now(sign_in, claims: dict[str, Any]):
    refused = await sign_in(**claims)
    assert refused.json() == {
        "error": "invalid request", "error_description": "Bad ID token",
    }, claims  # fmt: skip


async def test_a_clock_that_is_minutes_behind_takes_a_token(sign_in):
    assert (await sign_in(nbf=time.time() + 200)).status_code == 200


async def test_a_token_that_asks_for_more_than_is_understood_is_refused(sign_in):
    """RFC 7515, section 4.1.11."""
    refused = await sign_in({"crit": ["policy"], "policy": "strict"})
    assert refused.json()["error_description"] == "Bad ID token"


async def test_blanks_around_a_token_are_none_of_it(auth: Auth, provider: Provider, email: str):
    provider.person = {"sub": str(uuid4()), "email": email, "email_verified": True}
    body = {"provider": "keycloak", "id_token": f" {provider.id_token('client-1')}\n"}
    assert (await auth.post(PATH, body)).status_code == 200


async def test_who_is_known_is_shown_as_the_last_sign_in_left_the_identity(sign_in):
    first, second = await sign_in(name="Ana"), await sign_in(name="Ana María")
    names = [
        one.json()["user"]["identities"][0]["identity_data"]["name"] for one in (first, second)
    ]
    assert names == ["Ana", "Ana"]
    assert second.json()["user"]["user_metadata"]["name"] == "Ana María"


async def test_a_discovery_document_of_another_issuer_is_not_believed(
    open_with, provider: Provider
):
    prefix = "GOTRUE_EXTERNAL_KEYCLOAK"
    other = await open_with(**{
        f"{prefix}_ENABLED": "true", f"{prefix}_CLIENT_ID": "client-1",
        f"{prefix}_SECRET": "secret-1", f"{prefix}_URL": f"{provider.issuer}/realms/other",
        f"{prefix}_REDIRECT_URI": "http://localhost:9999/callback",
    })  # fmt: skip
    body = {"provider": "keycloak", "id_token": provider.id_token("client-1")}
    assert problem(await other.post(PATH, body))[:2] == (500, "unexpected_failure")

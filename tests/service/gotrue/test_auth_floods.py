"""What strangers may start in any number has one: addresses, documents, clients, fields."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

import jwt as pyjwt
import pytest

from compat_base.values.world import real_world
from gotrue_compat.ports import ExpectedClaims, HttpAnswer, HttpCall, ProviderError
from gotrue_compat.providers.oidc import CachedIdTokens
from tests.harness_auth import AUTO, Auth, problem
from tests.service.gotrue.test_auth_limits import NAMED, at
from tests.service.gotrue.test_auth_sso import own_key

OAUTH = {"GOTRUE_OAUTH_SERVER_ENABLED": "true"}
DYNAMIC = OAUTH | {"GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION": "true"}
CLIENT = {"redirect_uris": ["https://client.example/back"], "client_name": "c"}


@pytest.mark.parametrize(
    ("limit", "paths"),
    [
        ("RATE_LIMIT_AUTHORIZE", ("/authorize?provider=x", "/oauth/authorize?client_id=x")),
        ("RATE_LIMIT_CALLBACK", ("/callback?state=x", "/callback?code=y")),
        ("SAML_RATE_LIMIT_METADATA", ("/sso/saml/metadata",)),
    ],
)
async def test_ways_out_and_back_are_limited_by_address(
    open_with, limit: str, paths: tuple[str, ...]
):
    saml = {"GOTRUE_SAML_ENABLED": "true", "GOTRUE_SAML_PRIVATE_KEY": own_key()}
    auth: Auth = await open_with(**NAMED | OAUTH | saml | {f"GOTRUE_{limit}": "4/5m"})
    calls = [await auth.get(paths[n % len(paths)], **at("203.0.113.70")) for n in range(6)]
    assert [answer.status_code == 429 for answer in calls] == [*[False] * 4, True, True]
    assert int(calls[-1].headers["retry-after"]) >= 1
    assert (await auth.get(paths[0], **at("203.0.113.71"))).status_code != 429


async def test_so_many_clients_register_themselves_and_no_more(open_with):
    auth: Auth = await open_with(**DYNAMIC, GOTRUE_OAUTH_SERVER_MAX_DYNAMIC_CLIENTS="3")
    answers = [await auth.post("/oauth/clients/register", CLIENT) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 400]
    assert problem(answers[-1]) == (
        400, "over_oauth_client_quota",
        "Maximum number of dynamically registered OAuth clients reached",
    )  # fmt: skip


@pytest.mark.parametrize("count", [1000, 300_000])
async def test_a_form_has_a_thousand_fields(open_with, count: int):
    auth: Auth = await open_with(**AUTO, **OAUTH)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    body = b"a=&" * (count - 1) + b"a=1"
    answer = await auth.call("POST", "/oauth/token", body, headers=form)
    refused = (400, "validation_failed", "Too many form fields or parameters (max 1000)")
    if count > 1000:
        assert problem(answer) == refused
    else:
        assert problem(answer)[:2] == (400, "invalid_credentials")


class Issuer:
    """A server that publishes a discovery document and keys for any tenant, and counts."""

    def __init__(self) -> None:
        self.fetches: Counter[str] = Counter()

    async def send(self, call: HttpCall) -> HttpAnswer:
        self.fetches[call.url] += 1
        await asyncio.sleep(0)
        body: dict[str, Any] = {"keys": []}
        if call.url.endswith("openid-configuration"):
            body = {"jwks_uri": call.url.replace(".well-known/openid-configuration", "keys")}
        return HttpAnswer(200, {}, json.dumps(body).encode())


async def refused(tokens: CachedIdTokens, issuer: str) -> None:
    token = pyjwt.encode({"iss": issuer}, "k" * 64, algorithm="HS256")
    header = pyjwt.utils.base64url_encode(b'{"alg":"RS256","kid":"none"}').decode()
    with pytest.raises(ProviderError):
        await tokens.verify(f"{header}.{token.partition('.')[2]}", ExpectedClaims(issuer))


async def test_tokens_with_unknown_keys_do_not_each_fetch_the_keys():
    server, world = Issuer(), real_world()
    tokens = CachedIdTokens(server, world.clock, 3600)
    await asyncio.gather(*(refused(tokens, "https://issuer.example") for _ in range(50)))
    assert set(server.fetches.values()) == {1}


async def test_issuers_that_tokens_make_up_do_not_fill_the_memory():
    server, world = Issuer(), real_world()
    tokens = CachedIdTokens(server, world.clock, 3600)
    for number in range(200):
        await refused(tokens, f"https://issuer.example/{number}")
    assert len(tokens) <= 128


async def test_metadata_of_half_a_megabyte_is_kept_changed_and_shown_whole(auto: Auth, email: str):
    """The rows' JSON stays text on its way; what it says is what was sent."""
    data = {f"k{number}": {"ñ": number, "gone": None} for number in range(20_000)}
    signed_in = await auto.signed_up(email, data=data)
    token = signed_in["access_token"]
    own = {"email": email, "email_verified": True, "phone_verified": False}
    shown = (await auto.get("/user", token=token)).json()
    sub = {"sub": shown["id"]}
    assert shown["user_metadata"] == data | own | sub
    assert shown["identities"][0]["identity_data"].items() >= data.items()
    claims = pyjwt.decode(token, options={"verify_signature": False})
    assert claims["user_metadata"] == shown["user_metadata"]
    changed = await auto.put("/user", {"data": {"k0": None, "full_name": "Ana"}}, token=token)
    whole = data | own | sub | {"full_name": "Ana"}
    del whole["k0"]
    assert changed.json()["user_metadata"] == whole
    fresh = (await auto.refresh(signed_in["refresh_token"])).json()
    assert fresh["user"]["user_metadata"] == whole
    entries = await auto.rows(
        "select payload ->> 'actor_name' as name from auth.audit_log_entries"
        " where payload ->> 'actor_username' = $1 and payload ->> 'action' = 'token_refreshed'",
        email,
    )
    assert [entry["name"] for entry in entries] == ["Ana"]

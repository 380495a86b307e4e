"""The keys of another issuer: fetched by a guarded client, public ones alone, kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from compat_base.values.networks import permitted
from compat_stack.keys.third_party import keep_keys, kept_keys, public_keys
from compat_stack.keys.third_party_fetch import ThirdPartyError, fetch_keys
from tests.harness_oidc import Provider, open_provider

LOOPBACK = permitted(["127.0.0.1"])[0]


class Strange(Provider):
    """A provider whose key set is told it, whole."""

    answers: dict[str, Any]

    def answer(self, path: str, query: dict[str, str], body: bytes, headers: dict[str, str]):
        for end, value in self.answers.items():
            if path.endswith(end):
                return 200, [], value
        return super().answer(path, query, body, headers)


async def test_the_keys_are_where_its_configuration_says():
    async with open_provider() as provider:
        (key,) = await fetch_keys(provider.issuer, LOOPBACK)
    assert (key["kid"], key["alg"]) == ("one", "RS256")


async def test_an_address_that_is_not_public_is_not_called():
    async with open_provider() as provider:
        with pytest.raises(ThirdPartyError, match="the address is not public"):
            await fetch_keys(provider.issuer, permitted([])[0])
        assert provider.seen == []


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"/openid-configuration": {}}, "names no jwks_uri"),
        ({"/openid-configuration": []}, "other than an object"),
        ({"/openid-configuration": "oh"}, "cannot be had"),
        ({"/jwks": {"keys": []}}, "publishes no key"),
        ({"/jwks": {"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}}, "publishes no key"),
        ({"/jwks": {"keys": ["x" * 1_100_000]}}, "more than 1048576 bytes"),
        ({"/openid-configuration": {"jwks_uri": "http://10.0.0.1/x"}}, "is not public"),
        ({"/openid-configuration": {"jwks_uri": "file:///etc/passwd"}}, "cannot be had"),
    ],
)
async def test_what_an_issuer_gets_wrong_is_one_sentence(answers: dict[str, Any], reason: str):
    provider = Strange()
    provider.answers = answers
    async with open_provider(provider):
        with pytest.raises(ThirdPartyError, match=reason):
            await fetch_keys(provider.issuer, LOOPBACK)


def test_kept_keys_are_those_of_their_issuer_and_public(tmp_path: Path):
    private = rsa.generate_private_key(65537, 2048)
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(private.public_key()))
    secret = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(private))
    assert kept_keys(tmp_path, "https://a.example") == ()
    keep_keys(tmp_path, "https://a.example", [public, secret, {"kty": "oct", "k": "AA"}, "x"])
    (kept,) = kept_keys(tmp_path, "https://a.example")
    assert dict(kept.jwk)["n"] == public["n"]
    assert kept.private is None
    assert kept.issuer == "https://a.example"
    assert kept_keys(tmp_path, "https://b.example") == ()
    (tmp_path / "third_party_keys.json").write_text("[")
    assert kept_keys(tmp_path, "https://a.example") == ()


def test_a_set_has_a_hundred_keys_at_most():
    key = json.loads(
        jwt.algorithms.RSAAlgorithm.to_jwk(rsa.generate_private_key(65537, 2048).public_key())
    )
    assert len(public_keys([key] * 150)) == 100

"""Tokens of subscribers: keys, claims, equal callers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from compat_base.values import jsontext, jwt
from compat_base.values.errors import ApiError
from realtime_compat.auth import Keys, RetiredToken, verify
from realtime_compat.settings import read_settings
from tests.harness_realtime import KEYS, SECRET, START, token


def test_a_retired_key_counts_until_its_time_is_over():
    old = jwt.sign({"role": "anon", "exp": 4e9}, jwt.secret_key("the-secret-before-this-one-of-32"))
    keys = Keys(KEYS.secret, retired=(RetiredToken("another", START), RetiredToken(old, START)))
    caller = verify(old, keys, START - 1)
    assert (caller.role, caller.expires) == ("anon", START)
    for changed, now in ((old, START), (old[:-2] + "xx", START - 1)):
        with pytest.raises(ApiError, match="signature"):
            verify(changed, keys, now)


def test_a_kid_names_an_oct_key_else_the_secret():
    named = jwt.key_from_jwk({"kty": "oct", "k": "b3RoZXItc2VjcmV0LW9mLXRoZS10ZXN0cw", "kid": "k1"})
    keys = Keys(KEYS.secret, (named,))
    assert verify(jwt.sign({"role": "anon", "exp": 4e9}, named), keys, START).role == "anon"
    other = jwt.secret_key(SECRET, kid="k2")
    assert verify(jwt.sign({"role": "anon", "exp": 4e9}, other), keys, START).role == "anon"


@dataclass
class Remote:
    """Another issuer's keys, and the kids that were missing among them."""

    keys: tuple[jwt.Key, ...] = ()
    missed: list[str | None] = field(default_factory=list)

    def miss(self, unpacked: jwt.Unpacked) -> None:
        self.missed.append(unpacked.kid)


def test_another_issuers_key_counts_once_it_is_known_and_is_asked_for_before():
    private = ec.generate_private_key(ec.SECP256R1())
    signer = jwt.key_from_jwk(ECAlgorithm.to_jwk(private, as_dict=True) | {"kid": "new"})
    remote = Remote()
    keys = Keys(KEYS.secret, remote=remote)
    text = jwt.sign({"role": "anon", "exp": 4e9}, signer)
    with pytest.raises(ApiError, match="new"):
        verify(text, keys, START)
    assert remote.missed == ["new"]
    remote.keys = (signer,)
    assert verify(text, keys, START).role == "anon"


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"role": "anon", "exp": "4000000000"}, "The token provided is not a valid JWT"),
        ({"role": "anon", "exp": 4e9, "iat": "x"}, "The token provided is not a valid JWT"),
        ({"exp": 4e9}, "Fields `role` and `exp` are required in JWT"),
        ({"role": "anon"}, "Fields `role` and `exp` are required in JWT"),
        ({"role": "anon", "exp": START - 5.4}, "Token has expired 5 seconds ago"),
    ],
)
def test_claims_are_checked(claims: dict[str, object], message: str):
    with pytest.raises(ApiError) as caught:
        verify(jwt.sign(claims, KEYS.secret), KEYS, START)
    assert caught.value.problem.message == message


@pytest.mark.parametrize(
    ("claims", "is_good"),
    [({"iss": "here"}, True), ({}, True), ({"iss": "there"}, False), ({"iss": ["here"]}, False)],
)
def test_configured_claims_are_held_to_where_a_token_has_them(
    claims: dict[str, Any], is_good: bool
):
    settings = read_settings(
        {"API_JWT_SECRET": SECRET, "JWT_CLAIM_VALIDATORS": '{"iss": "here", "exp": 5}'}
    )
    if is_good:
        assert verify(token(**claims), settings.keys, START).role == "anon"
        return
    with pytest.raises(ApiError) as caught:
        verify(token(**claims), settings.keys, START)
    assert (caught.value.problem.code, caught.value.problem.message) == (
        "InvalidJWTToken",
        "Invalid token",
    )


def test_a_signer_that_is_not_known_is_named_with_its_kid():
    header = jsontext.base64url(b'{"alg":"ES256","kid":"k9"}')
    with pytest.raises(ApiError) as caught:
        verify(f"{header}.e30.c2ln", KEYS, START)
    assert caught.value.problem.code == "JwtSignerError"
    assert 'key ID (kid) "k9"' in caught.value.problem.message


def test_equal_claims_are_equal_callers():
    assert verify(token(sub="x"), KEYS, START) == verify(token(sub="x"), KEYS, START)
    assert verify(token(sub="x"), KEYS, START) != verify(token(sub="y"), KEYS, START)

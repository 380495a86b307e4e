"""Which keys sign and verify."""

from __future__ import annotations

import json

import pytest

from compat_base.values.settings import Reader, SettingsError
from gotrue_compat.settings.keys import read_jwt

SIGNER = {"kty": "oct", "k": "c2VjcmV0", "kid": "1", "alg": "HS256", "key_ops": ["sign"]}
VERIFIER = SIGNER | {"kid": "2", "key_ops": ["verify"]}


def reader(**values: str) -> Reader:
    given = {"JWT_SECRET": "s"} | values
    return Reader({f"GOTRUE_{name}": value for name, value in given.items()}, prefix="GOTRUE_")


def test_the_secret_signs_where_no_keys_are_set():
    read = read_jwt(reader(JWT_KEY_ID="k"))
    assert (read.signing_key.kid, read.keys, read.methods) == ("k", (read.fallback,), {"HS256"})


def test_one_of_the_keys_signs():
    assert read_jwt(reader(JWT_KEYS=json.dumps([VERIFIER, SIGNER]))).signing_key.kid == "1"


@pytest.mark.parametrize(
    "keys", ["{", "5", json.dumps([SIGNER, SIGNER | {"kid": "3"}]), json.dumps([VERIFIER])]
)
def test_keys_that_cannot_be_read_two_signers_and_none_are_refused(keys: str):
    settings_reader = reader(JWT_KEYS=keys)
    read_jwt(settings_reader)
    with pytest.raises(SettingsError, match="GOTRUE_JWT_KEYS"):
        settings_reader.finish(None)


def test_methods_are_those_of_the_keys_unless_they_are_named():
    assert read_jwt(reader(JWT_VALID_METHODS="ES256")).methods == {"ES256"}


def test_a_token_that_lives_for_nothing_lives_for_an_hour():
    assert read_jwt(reader(JWT_EXP="0")).expiry == 3600

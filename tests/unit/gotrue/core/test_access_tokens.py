"""Which keys verify which tokens: auth reference 1.12, 5.11."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from compat_base.values.errors import ApiError
from gotrue_compat.core.access_tokens import TokenReader
from gotrue_compat.settings import read_settings

NOW = datetime(2026, 11, 21, tzinfo=UTC)
SECRET = "the-shared-secret-of-more-than-32-bytes"
KEY = rsa.generate_private_key(65537, 2048)
PUBLIC = json.loads(RSAAlgorithm.to_jwk(KEY.public_key()))


def _reader(keys: object = None, **more: str) -> TokenReader:
    values = {
        "GOTRUE_SITE_URL": "http://x", "GOTRUE_JWT_SECRET": SECRET, "API_EXTERNAL_URL": "http://x",
        "DATABASE_URL": "postgresql://x", **more,
    }  # fmt: skip
    if keys is not None:
        values["GOTRUE_JWT_KEYS"] = json.dumps(keys)
    return TokenReader(read_settings(values).jwt)


def _rsa_key(**more: object) -> dict:
    private = json.loads(RSAAlgorithm.to_jwk(KEY))
    return {**private, "kid": "r1", "alg": "RS256", "key_ops": ["sign"], **more}


def test_the_secret_verifies_next_to_another_key():
    reader = _reader([_rsa_key()])
    for token in (
        jwt.encode({"a": 1}, SECRET, "HS256"),
        jwt.encode({"a": 1}, SECRET, "HS256", headers={"kid": "unknown"}),
        jwt.encode({"a": 1}, KEY, "RS256", headers={"kid": "r1"}),
    ):
        assert reader.read(token, NOW) == {"a": 1}


def test_unnamed_keys_verify_unnamed_tokens():
    oct_key = {
        "kty": "oct",
        "k": "YW5vdGhlci1zZWNyZXQtb2YtMzItYnl0ZXMtb3Itc28",
        "key_ops": ["sign"],
    }
    reader = _reader([oct_key])
    other = b"another-secret-of-32-bytes-or-so"
    assert reader.read(jwt.encode({}, other, "HS256"), NOW) == {}
    assert reader.read(jwt.encode({}, SECRET, "HS256"), NOW) == {}


def test_a_public_key_is_never_taken_for_a_secret():
    pem = KEY.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    import base64
    import hashlib
    import hmac

    def part(value: bytes) -> bytes:
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    signed = part(b'{"alg":"HS256","kid":"r1"}') + b"." + part(b'{"role":"service_role"}')
    signature = part(hmac.digest(pem, signed, hashlib.sha256))
    with pytest.raises(ApiError, match="signature is invalid"):
        _reader([_rsa_key()]).read((signed + b"." + signature).decode(), NOW)


def _signed(claims: dict[str, Any]) -> str:
    """A token with claims of types that PyJWT does not write."""
    return jwt.PyJWS().encode(json.dumps(claims).encode(), SECRET, "HS256")


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("a.b", "token contains an invalid number of segments"),
        ("a.b.c", "could not base64 decode header: illegal base64 data at input byte 0"),
        ("e30.ab!d.c", "could not base64 decode claim: illegal base64 data at input byte 2"),
        ("eyJ.e30.e30", "could not JSON decode header: unexpected end of JSON input"),
        ("e30.W10.e30", r"could not JSON decode claim: json: cannot unmarshal array into Go value"),
        (
            jwt.encode({"email": 1}, SECRET, "HS256"),
            "cannot unmarshal number into Go struct field AccessTokenClaims.email of type string",
        ),
        (_signed({"sub": 1}), "field AccessTokenClaims.RegisteredClaims.sub of type string"),
        (_signed({"aud": ["a", 1]}), "could not JSON decode claim: invalid type for claim"),
        (_signed({"amr": "otp"}), r"cannot unmarshal string into Go value of type \[\]json"),
        (_signed({"amr": ["otp", 1]}), "cannot unmarshal number into Go value of type models"),
        (jwt.encode({}, SECRET * 2, "HS512"), "signing method HS512 is invalid"),
        (jwt.encode({}, "", "none"), "signing method none is invalid"),
        (jwt.encode({}, KEY, "RS256", headers={"kid": "zz"}), "unrecognized JWT kid zz"),
        (jwt.encode({"exp": 1}, SECRET, "HS256"), "token is expired"),
        (jwt.encode({"nbf": 2e9}, SECRET, "HS256"), "token is not valid yet"),
        (jwt.encode({"exp": "soon"}, SECRET, "HS256"), "exp is invalid"),
    ],
)
def test_a_bad_token_is_refused_with_its_reason(token: str, reason: str):
    with pytest.raises(ApiError, match=reason) as caught:
        _reader([_rsa_key()]).read(token, NOW)
    assert caught.value.problem.code == "bad_jwt"
    assert caught.value.problem.message.startswith("invalid JWT: unable to parse or verify")


def test_a_remembered_token_still_expires():
    reader = _reader()
    token = jwt.encode({"exp": int(NOW.timestamp()) + 5}, SECRET, "HS256")
    reader.read(token, NOW)
    with pytest.raises(ApiError, match="expired"):
        reader.read(token, datetime.fromtimestamp(NOW.timestamp() + 5, UTC))


def test_set_methods_win():
    with pytest.raises(ApiError, match="signing method HS256 is invalid"):
        _reader([_rsa_key()], GOTRUE_JWT_VALID_METHODS="RS256").read(
            jwt.encode({}, SECRET, "HS256"), NOW
        )

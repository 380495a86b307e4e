"""Tokens over keys: who signed, and what is refused."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values import jsontext
from compat_base.values.jwt import (
    TokenError,
    TokenFault,
    UnreadableKeyError,
    check_signature,
    key_from_jwk,
    keys_from_json,
    public_jwk,
    secret_key,
    sign,
    unpack,
)

SECRET = secret_key("a-secret-of-at-least-32-characters!!")
EC = key_from_jwk(
    {
        "kty": "EC",
        "crv": "P-256",
        "kid": "one",
        "alg": "ES256",
        "x": "WKn-ZIGevcwGIyyrzFoZNBdaq9_TsqzGl96oc0CWuis",
        "y": "y77t-RvAHRKTsSGdIYUfweuOvwrvDD-Q3Hv5J0fSKbE",
        "d": "Hndv7ZZjs_ke8o9zXYo3iq-Yr8SewI5vrqd0pAvEPqg",
    }
)


def fault_of(token: str, *keys: object) -> TokenFault:
    with pytest.raises(TokenError) as raised:
        check_signature(unpack(token), keys)  # type: ignore[arg-type]
    return raised.value.fault


def header(value: object) -> str:
    return base64.urlsafe_b64encode(jsontext.encode_bytes(value)).rstrip(b"=").decode()


@pytest.mark.parametrize("key", [SECRET, EC], ids=["HS256", "ES256"])
def test_a_signed_token_is_recognised_by_its_key(key):
    unpacked = unpack(sign({"role": "anon"}, key))
    assert check_signature(unpacked, [SECRET, EC]) == key
    assert unpacked.claims() == {"role": "anon"}


def test_a_token_with_a_kid_matches_only_keys_of_that_kid():
    other = key_from_jwk({**dict(EC.jwk), "kid": "two"})
    assert fault_of(sign({}, EC), other, SECRET) is TokenFault.NO_SUITABLE_KEY


@pytest.mark.parametrize("named", ["https://login.example", "https://login.example/"])
def test_a_key_of_an_issuer_verifies_its_tokens(named: str):
    key = key_from_jwk({**public_jwk(EC), "iss": "https://login.example"})
    assert check_signature(unpack(sign({"iss": named}, EC)), [key]) == key


@pytest.mark.parametrize(
    "claims", [{}, {"iss": "https://login.example.evil"}, {"iss": ["https://login.example"]}]
)
def test_a_key_of_an_issuer_verifies_nobody_elses_tokens(claims: dict[str, object]):
    key = key_from_jwk({**public_jwk(EC), "iss": "https://login.example"})
    assert fault_of(sign(claims, EC), key) is TokenFault.BAD_SIGNATURE


def test_a_public_key_is_never_taken_for_a_shared_secret():
    forged = sign({"role": "service_role"}, secret_key(str(dict(EC.jwk)["x"])))
    assert fault_of(forged, key_from_jwk(public_jwk(EC))) is TokenFault.NO_SUITABLE_KEY


def test_an_unsecured_token_is_refused():
    assert fault_of(f"{header({'alg': 'none'})}.{header({})}.", SECRET) is TokenFault.UNSECURED


def test_a_changed_payload_is_refused():
    head, _, signature = sign({"role": "anon"}, SECRET).split(".")
    assert (
        fault_of(f"{head}.{header({'role': 'x'})}.{signature}", SECRET) is TokenFault.BAD_SIGNATURE
    )


def test_an_unknown_algorithm_is_refused():
    assert (
        fault_of(f"{header({'alg': 'FOO'})}.{header({})}.AA", SECRET)
        is TokenFault.UNKNOWN_ALGORITHM
    )


def test_a_token_without_three_parts_says_how_many_it_has():
    with pytest.raises(TokenError) as raised:
        unpack("sb_publishable_x")
    assert (raised.value.fault, raised.value.parts) == (TokenFault.SEGMENTS, 1)


def test_claims_that_are_no_object_are_refused():
    signed = f"{header({'alg': 'HS256'})}.{header([1])}.AA"
    with pytest.raises(TokenError) as raised:
        unpack(signed).claims()
    assert raised.value.fault is TokenFault.CLAIMS


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32-le"])
def test_a_header_and_claims_are_utf_8_without_a_byte_order_mark(encoding: str):
    head = jsontext.base64url('{"alg":"HS256"}'.encode(encoding))
    claims = jsontext.base64url('{"role":"anon"}'.encode(encoding))
    assert fault_of(f"{head}.{header({})}.AA", SECRET) is TokenFault.UNREADABLE
    with pytest.raises(TokenError) as raised:
        unpack(f"{header({'alg': 'HS256'})}.{claims}.AA").claims()
    assert raised.value.fault is TokenFault.CLAIMS


@given(st.text())
def test_any_text_is_unpacked_or_refused(text: str):
    try:
        unpack(text)
    except TokenError as error:
        assert error.fault in {TokenFault.SEGMENTS, TokenFault.UNREADABLE}


def test_a_published_key_holds_no_private_member():
    assert set(public_jwk(EC)) == {"kty", "crv", "kid", "alg", "x", "y", "use", "key_ops"}


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"kty":"EC","crv":"P-256"}', '{"keys":3}'])
def test_an_unreadable_key_set_is_refused(text: str):
    with pytest.raises(UnreadableKeyError):
        keys_from_json(text)

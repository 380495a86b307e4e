"""Responses of authenticators: names, types, base64url, client data, authenticator data."""

from __future__ import annotations

import base64
import json
from typing import Any

import cbor2
import pytest

from gotrue_compat.rules.webauthn_response import (
    MalformedError,
    read_registration,
    read_use,
)

CLIENT = {"type": "webauthn.get", "challenge": "Yw", "origin": "http://localhost"}
KEY = cbor2.dumps({1: 2, 3: -7})
CREDENTIAL = bytes(16) + b"\0\2id" + KEY
EXTENSIONS = cbor2.dumps({"credProtect": 2})


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _data(flags: int, rest: bytes = b"") -> bytes:
    return bytes(32) + bytes([flags]) + (7).to_bytes(4) + rest


def _response(**inner: Any) -> dict[str, Any]:
    return {
        "id": "aWQ", "rawId": "aWQ", "type": "public-key",
        "response": {"clientDataJSON": _b64(json.dumps(CLIENT).encode())} | inner,
    }  # fmt: skip


def _assertion(data: bytes = _data(1), **inner: Any) -> dict[str, Any]:
    return _response(authenticatorData=_b64(data), signature="c2ln", userHandle="dQ") | inner


def _registration(data: bytes = _data(0x41, CREDENTIAL), **inner: Any) -> dict[str, Any]:
    attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
    return _response(**{"attestationObject": _b64(attestation)} | inner)


def test_an_assertion_is_read():
    read = read_use(_assertion())
    assert (read.credential_id, read.signature, read.user_handle) == (b"id", b"sig", b"u")
    assert (read.client.kind, read.client.challenge, read.data.sign_count) == (
        "webauthn.get", "Yw", 7,
    )  # fmt: skip


def test_a_registration_is_read_with_what_follows_its_key():
    data = _data(0xC1, CREDENTIAL + EXTENSIONS)
    read = read_registration(_registration(data, transports=["cable", None]))
    assert (read.credential.id, read.credential.public_key) == (b"id", KEY)
    assert (read.transports, read.attestation_format) == (("hybrid", ""), "none")


def test_names_are_found_in_any_case_and_padding_is_no_matter():
    response = _assertion() | {"RAWID": "aWQ="}
    del response["rawId"]
    assert read_use(response).credential_id == b"id"


@pytest.mark.parametrize(
    "part",
    [
        {"id": ""}, {"id": "!"}, {"id": "aWQ="}, {"id": 5}, {"rawId": "!"}, {"rawId": []},
        {"type": ""}, {"type": "password"}, {"response": "x"}, {"response": None},
        {"clientExtensionResults": []}, {"authenticatorAttachment": 5},
    ],
)  # fmt: skip
def test_another_form_of_a_credential_is_malformed(part: dict[str, Any]):
    with pytest.raises(MalformedError):
        read_use(_assertion() | part)
    with pytest.raises(MalformedError):
        read_registration(_registration() | part)


@pytest.mark.parametrize(
    "inner",
    [
        {"transports": 5}, {"transports": [5]}, {"publicKey": "!"}, {"authenticatorData": 5},
        {"publicKeyAlgorithm": "x"}, {"publicKeyAlgorithm": True}, {"attestationObject": "YWJj"},
        {"attestationObject": _b64(cbor2.dumps({"fmt": 5, "authData": _data(0x41, CREDENTIAL)}))},
    ],
)  # fmt: skip
def test_another_form_of_a_registration_is_malformed(inner: dict[str, Any]):
    with pytest.raises(MalformedError):
        read_registration(_registration(**inner))


@pytest.mark.parametrize(
    "client",
    [b"", b"[]", b"{", b'\xef\xbb\xbf{"type":"x"}', b'{"type":5}', b'{"crossOrigin":1}',
     b'{"tokenBinding":"x"}', b'{"topOrigin":5}', b'{"a":1} x'],
)  # fmt: skip
def test_other_client_data_are_malformed(client: bytes):
    response = _assertion()
    response["response"]["clientDataJSON"] = _b64(client)
    with pytest.raises(MalformedError):
        read_use(response)


@pytest.mark.parametrize(
    "data",
    [b"", _data(1)[:36], _data(1, b"x"), _data(0x81), _data(0x41), _data(0x41, bytes(18)),
     _data(0x41, bytes(16) + b"\xff\xff" + KEY), _data(0x41, CREDENTIAL + b"x"),
     _data(0x41, bytes(16) + b"\0\2id" + b"\xff")],
)  # fmt: skip
def test_authenticator_data_of_another_length_are_malformed(data: bytes):
    with pytest.raises(MalformedError):
        read_use(_assertion(data))


@pytest.mark.parametrize(
    "key",
    [
        "c5821a000fffff01",  # a number of a million bits
        "d81c81d81d00",  # a list that holds itself
        "d82361", "c249ff", "9f01ff", "a201010102", "8181818181",
    ],
)  # fmt: skip
def test_what_no_authenticator_writes_is_malformed(key: str):
    data = _data(0x41, bytes(16) + b"\0\2id" + bytes.fromhex(key))
    with pytest.raises(MalformedError):
        read_use(_assertion(data))


@pytest.mark.parametrize("extensions", ["c5821a000fffff01", "a1616181d82361", "ff"])
def test_extensions_that_no_authenticator_writes_are_malformed(extensions: str):
    data = _data(0xC1, CREDENTIAL + bytes.fromhex(extensions))
    with pytest.raises(MalformedError):
        read_registration(_registration(data))


def test_a_registration_without_a_credential_is_malformed():
    with pytest.raises(MalformedError):
        read_registration(_registration(_data(1)))


@pytest.mark.parametrize(
    ("binding", "is_known"),
    [(None, True), ({"status": "present", "id": "x"}, True), ({}, False), ({"status": "x"}, False)],
)
def test_a_binding_of_tokens_names_a_known_status(binding: dict[str, str] | None, is_known: bool):
    response = _assertion()
    client = json.dumps(CLIENT | {"tokenBinding": binding}).encode()
    response["response"]["clientDataJSON"] = _b64(client)
    assert read_use(response).client.has_known_binding is is_known

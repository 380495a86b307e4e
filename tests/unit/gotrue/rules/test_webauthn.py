"""WebAuthn: options out, responses that are none refused, credentials as they are kept."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import cbor2
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    SECP384R1,
    SECP521R1,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512

from gotrue_compat.rules import webauthn
from gotrue_compat.rules.webauthn_response import (
    AttestedCredential,
    AuthenticatorData,
    ClientData,
    CredentialUse,
    RefusedError,
    Registration,
)

PARTY = webauthn.RelyingParty("localhost", "Planes", ("http://localhost",))
CREDENTIAL = webauthn.Credential(
    b"id", b"key", 5, "bada5566-a7aa-401f-bd96-45619a55120d", ("usb",), True, False
)
USER = webauthn.UserEntity(b"u", "ana")
RSA = rsa.generate_private_key(65537, 2048)
CURVES = {-7: (SECP256R1(), SHA256()), -35: (SECP384R1(), SHA384()), -36: (SECP521R1(), SHA512())}
RSA_DIGESTS = {
    -257: (SHA256(), False), -258: (SHA384(), False), -259: (SHA512(), False),
    -37: (SHA256(), True), -38: (SHA384(), True), -39: (SHA512(), True),
}  # fmt: skip


def test_a_credential_is_read_back_from_its_kept_form():
    assert webauthn.Credential.from_json(CREDENTIAL.to_json()) == CREDENTIAL


def test_a_kept_form_without_model_and_flags_is_read():
    read = webauthn.Credential.from_json({"id": "aWQ=", "publicKey": "a2V5"})
    assert (read.sign_count, read.aaguid) == (0, "00000000-0000-0000-0000-000000000000")
    assert (read.transports, read.backed_up) == ((), False)


@pytest.mark.parametrize(("discoverable", "resident"), [(True, "required"), (False, None)])
def test_a_passkey_must_be_discoverable(discoverable: bool, resident: str | None):
    options = webauthn.creation_options(PARTY, USER, b"c", [b"known"], discoverable=discoverable)
    assert options["authenticatorSelection"].get("residentKey") == resident
    assert [known["id"] for known in options["excludeCredentials"]] == ["a25vd24"]


def test_who_may_sign_in_is_named_only_where_it_is_known():
    assert "allowCredentials" not in webauthn.request_options(PARTY, b"c", [])
    (known,) = webauthn.request_options(PARTY, b"c", [CREDENTIAL])["allowCredentials"]
    assert (known["id"], known["transports"]) == ("aWQ", ["usb"])


def _signer(algorithm: int) -> tuple[bytes, Callable[[bytes], bytes]]:
    """A key in COSE's form, and what signs by it as authenticators do."""
    if algorithm == -8:
        edwards = Ed25519PrivateKey.generate()
        cose = {1: 1, 3: -8, -1: 6, -2: edwards.public_key().public_bytes_raw()}
        return cbor2.dumps(cose), edwards.sign
    if algorithm in CURVES:
        curve, digest = CURVES[algorithm]
        elliptic = generate_private_key(curve)
        numbers, length = elliptic.public_key().public_numbers(), (curve.key_size + 7) // 8
        name = list(CURVES).index(algorithm) + 1
        x, y = numbers.x.to_bytes(length), numbers.y.to_bytes(length)
        cose = {1: 2, 3: algorithm, -1: name, -2: x, -3: y}
        return cbor2.dumps(cose), lambda signed: elliptic.sign(signed, ECDSA(digest))
    digest, is_pss = RSA_DIGESTS[algorithm]
    padding = PSS(MGF1(digest), PSS.DIGEST_LENGTH) if is_pss else PKCS1v15()
    modulus = RSA.public_key().public_numbers().n.to_bytes(256)
    cose = {1: 3, 3: algorithm, -1: modulus, -2: b"\1\0\1"}
    return cbor2.dumps(cose), lambda signed: RSA.sign(signed, padding, digest)


def _client(kind: str, challenge: bytes = b"c", origin: str = "http://localhost") -> ClientData:
    text = base64.urlsafe_b64encode(challenge).decode().rstrip("=")
    return ClientData(b"client", f"webauthn.{kind}", text, origin, has_known_binding=True)


def _data(
    flags: int = 1,
    count: int = 6,
    attested: AttestedCredential | None = None,
    rp: str = "localhost",
) -> AuthenticatorData:
    return AuthenticatorData(b"raw", sha256(rp.encode()).digest(), flags, count, attested)


def _registration(key: bytes, **changed: Any) -> Registration:
    made = AttestedCredential(b"id", key, bytes(16))
    data = _data(0x41, 0, made)
    plain = Registration(_client("create"), data, made, ("usb",), b"", "none", {})
    return replace(plain, **changed)


def _assertion(sign: Callable[[bytes], bytes], **changed: Any) -> CredentialUse:
    data = changed.pop("data", _data())
    client = changed.pop("client", _client("get"))
    signature = sign(data.raw + sha256(client.text).digest())
    return replace(CredentialUse(b"id", client, data, signature, b"u"), **changed)


@pytest.mark.parametrize("algorithm", [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8])
def test_a_key_of_each_offered_algorithm_is_registered_and_used(algorithm: int):
    key, sign = _signer(algorithm)
    made = webauthn.verify_registration(PARTY, b"c", _registration(key))
    assert (made.id, made.transports, made.backed_up) == (b"id", ("usb",), False)
    used = webauthn.verify_authentication(PARTY, b"c", _assertion(sign), made)
    assert used.sign_count == 6
    with pytest.raises(RefusedError):
        webauthn.verify_authentication(PARTY, b"c", _assertion(sign, signature=b"forged"), made)


def test_a_packed_attestation_is_signed_by_the_key_itself():
    key, sign = _signer(-35)
    registration = _registration(key, attestation_format="packed")
    signed = registration.data.raw + sha256(registration.client.text).digest()
    statement = {"alg": -35, "sig": sign(signed)}
    made = webauthn.verify_registration(PARTY, b"c", replace(registration, statement=statement))
    assert made.id == b"id"
    others: list[dict[str, Any]] = [{"alg": -7}, {"sig": b"forged"}, {"sig": None}, {"x5c": []}]
    for wrong in others:
        with pytest.raises(RefusedError):
            webauthn.verify_registration(
                PARTY, b"c", replace(registration, statement=statement | wrong)
            )


@pytest.mark.parametrize(
    "changed",
    [
        {"client": _client("get")}, {"client": _client("create", b"other")},
        {"client": _client("create", origin="http://elsewhere")}, {"data": _data(0x40)},
        {"client": replace(_client("create"), has_known_binding=False)},
        {"data": _data(0x41, rp="elsewhere")}, {"data": _data(0x51)}, {"statement": {"x": 1}},
        {"attestation_format": "unheard-of"}, {"attestation_format": "packed"},
    ],
)  # fmt: skip
def test_a_registration_that_proves_something_else_is_refused(changed: dict[str, Any]):
    key, _ = _signer(-7)
    with pytest.raises(RefusedError):
        webauthn.verify_registration(PARTY, b"c", _registration(key, **changed))


@pytest.mark.parametrize("key", [{}, {3: -65535}, {3: "ES256"}, {3: {}}, [], "x"])
def test_a_key_of_another_algorithm_is_refused(key: Any):
    with pytest.raises(RefusedError):
        webauthn.verify_registration(PARTY, b"c", _registration(cbor2.dumps(key)))


@pytest.mark.parametrize(
    "changed",
    [
        {"client": _client("create")}, {"client": _client("get", b"other")}, {"data": _data(0)},
        {"client": _client("get", origin="http://elsewhere")}, {"data": _data(count=5)},
        {"data": _data(rp="elsewhere")}, {"data": _data(0x09)}, {"data": _data(0x11)},
    ],
)  # fmt: skip
def test_a_use_that_proves_something_else_is_refused(changed: dict[str, Any]):
    key, sign = _signer(-8)
    made = webauthn.verify_registration(PARTY, b"c", _registration(key))
    known = replace(made, sign_count=5)
    with pytest.raises(RefusedError):
        webauthn.verify_authentication(PARTY, b"c", _assertion(sign, **changed), known)


@pytest.mark.parametrize("key", [{3: -7}, {1: 2, 3: -7, -1: 1, -2: b"x", -3: b"y"}, {1: 9, 3: -7}])
def test_a_key_that_makes_no_sense_proves_nothing(key: dict[int, Any]):
    known = replace(CREDENTIAL, public_key=cbor2.dumps(key), backup_eligible=False)
    with pytest.raises(RefusedError):
        webauthn.verify_authentication(PARTY, b"c", _assertion(lambda _: b""), known)


@pytest.mark.parametrize(
    "origin", ["HTTP://LocalHost", "http://localhost:80", "http://localhost/path?x"]
)
def test_an_origin_is_told_as_any_address_of_it(origin: str):
    key, _ = _signer(-7)
    registration = _registration(key, client=_client("create", origin=origin))
    assert webauthn.verify_registration(PARTY, b"c", registration).id == b"id"

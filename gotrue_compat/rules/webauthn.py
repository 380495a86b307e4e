"""WebAuthn ceremonies over given challenges: options out, responses verified.

Statements of attestations are verified by py_webauthn, signatures of uses here: py_webauthn knows
neither ES384 nor RSA-PSS with the salt that authenticators use. Second factors keep credentials in
the original's JSON format.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast
from uuid import UUID

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512, HashAlgorithm
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    verify_registration_response,
)
from webauthn.helpers import (
    bytes_to_base64url,
    decode_credential_public_key,
    decoded_public_key_to_cryptography,
    parse_cbor,
)
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.options_to_json_dict import options_to_json_dict
from webauthn.helpers.structs import (
    AuthenticatorAttestationResponse,
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    RegistrationCredential,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from compat_base.values.urls import parse_url
from gotrue_compat.rules.webauthn_response import (
    BACKED_UP,
    BACKUP_ELIGIBLE,
    USER_PRESENT,
    AuthenticatorData,
    ClientData,
    CredentialUse,
    RefusedError,
    Registration,
)

CHALLENGE_LENGTH = 32
_TIMEOUT_MS = 300_000
# COSE algorithms in the original's order: ES, RS, PS of three sizes each, EdDSA
_ECDSA: dict[int, HashAlgorithm] = {-7: SHA256(), -35: SHA384(), -36: SHA512()}
_RSA: dict[int, HashAlgorithm] = {-257: SHA256(), -258: SHA384(), -259: SHA512()}
_RSA_PSS: dict[int, HashAlgorithm] = {-37: SHA256(), -38: SHA384(), -39: SHA512()}
_EDDSA = -8
_ALGORITHMS = (*_ECDSA, *_RSA, *_RSA_PSS, _EDDSA)
_COSE_ALGORITHM = 3  # the member of a key that names its algorithm
# What libraries raise for keys and statements that make no sense
_SENSELESS = (WebAuthnException, ValueError, LookupError, TypeError, AttributeError)


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """The relying party: its id (a domain) and the origins its pages have."""

    id: str
    name: str
    origins: tuple[str, ...]

    def accepted_origins(self) -> list[str]:
        """The origins as browsers write them; what is no address (an app's) stays as it is."""
        parsed = ((text, parse_url(text)) for text in self.origins)
        return [url.origin if url and url.host else text for text, url in parsed]


@dataclass(frozen=True, slots=True)
class UserEntity:
    """The user for whom a credential is made; shown by name if there is no display name."""

    handle: bytes
    name: str
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Credential:
    """A registered credential; `backed_up` and `backup_eligible` as the authenticator says."""

    id: bytes
    public_key: bytes
    sign_count: int
    aaguid: str
    transports: tuple[str, ...]
    backup_eligible: bool
    backed_up: bool

    def to_json(self) -> dict[str, Any]:
        """The form in which second factors keep it."""
        return {
            "id": base64.b64encode(self.id).decode(),
            "publicKey": base64.b64encode(self.public_key).decode(),
            "attestationType": "none",
            "transport": list(self.transports),
            "flags": {
                "userPresent": True, "userVerified": True,
                "backupEligible": self.backup_eligible, "backupState": self.backed_up,
            },
            "authenticator": {
                "AAGUID": base64.b64encode(UUID(self.aaguid).bytes).decode(),
                "signCount": self.sign_count, "cloneWarning": False, "attachment": "",
            },
        }  # fmt: skip

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Credential:
        """Read a credential from the JSON that `to_json` writes."""
        flags, authenticator = value.get("flags", {}), value.get("authenticator", {})
        aaguid = base64.b64decode(authenticator.get("AAGUID") or "") or bytes(16)
        return cls(
            base64.b64decode(value["id"]), base64.b64decode(value["publicKey"]),
            int(authenticator.get("signCount", 0)), str(UUID(bytes=aaguid)),
            tuple(value.get("transport") or ()), bool(flags.get("backupEligible")),
            bool(flags.get("backupState")),
        )  # fmt: skip


def creation_options(
    party: RelyingParty,
    holder: UserEntity,
    challenge: bytes,
    exclude: Sequence[bytes],
    *,
    discoverable: bool,
) -> dict[str, Any]:
    """The `publicKey` options of `navigator.credentials.create`."""
    resident = ResidentKeyRequirement.REQUIRED if discoverable else ResidentKeyRequirement.PREFERRED
    options = generate_registration_options(
        rp_id=party.id,
        rp_name=party.name,
        user_id=holder.handle,
        user_name=holder.name,
        user_display_name=holder.shown or holder.name,
        challenge=challenge,
        timeout=_TIMEOUT_MS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=resident,
            require_resident_key=discoverable,
            user_verification=UserVerificationRequirement.PREFERRED,
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=known) for known in exclude],
    )
    shape = options_to_json_dict(options)
    shape["pubKeyCredParams"] = [{"type": "public-key", "alg": alg} for alg in _ALGORITHMS]
    if not exclude:
        del shape["excludeCredentials"]
    if discoverable:
        del shape["authenticatorSelection"]["requireResidentKey"]
        return shape
    # A second factor leaves the rest to the browser, and is plugged in or held near
    del shape["attestation"]
    for known in shape.get("excludeCredentials", ()):
        known["transports"] = ["usb", "nfc"]
    shape["authenticatorSelection"] = {}
    return shape


def request_options(
    party: RelyingParty, challenge: bytes, allow: Sequence[Credential]
) -> dict[str, Any]:
    """The `publicKey` options of `navigator.credentials.get`; no `allow` means discoverable."""
    options = generate_authentication_options(
        rp_id=party.id,
        challenge=challenge,
        timeout=_TIMEOUT_MS,
        allow_credentials=[PublicKeyCredentialDescriptor(id=known.id) for known in allow] or None,
        user_verification=UserVerificationRequirement.PREFERRED,
    )
    shape = options_to_json_dict(options)
    if not allow:
        shape.pop("allowCredentials", None)
        return shape
    for known, described in zip(allow, shape["allowCredentials"], strict=True):
        if known.transports:
            described["transports"] = list(known.transports)
    del shape["userVerification"]
    return shape


def verify_registration(
    party: RelyingParty, challenge: bytes, response: Registration
) -> Credential:
    """The credential that a response to a creation made; RefusedError for any other response."""
    _check_client(party, challenge, response.client, "webauthn.create")
    _check_data(party, response.data)
    made, flags = response.credential, response.data.flags
    if _algorithm_of(made.public_key) not in _ALGORITHMS:
        raise RefusedError("the algorithm was not offered")
    _check_statement(party, challenge, response)
    return Credential(
        id=made.id,
        public_key=made.public_key,
        sign_count=response.data.sign_count,
        aaguid=str(UUID(bytes=made.aaguid)),
        transports=response.transports,
        backup_eligible=bool(flags & BACKUP_ELIGIBLE),
        backed_up=bool(flags & BACKED_UP),
    )


def verify_authentication(
    party: RelyingParty, challenge: bytes, response: CredentialUse, credential: Credential
) -> Credential:
    """The credential after a use that a response proves; RefusedError for any other response."""
    _check_client(party, challenge, response.client, "webauthn.get")
    _check_data(party, response.data)
    signed = response.data.raw + hashlib.sha256(response.client.text).digest()
    _check_signature(credential.public_key, response.signature, signed)
    count, flags = response.data.sign_count, response.data.flags
    if (count or credential.sign_count) and count <= credential.sign_count:
        raise RefusedError("the credential was copied: its count of uses did not grow")
    if bool(flags & BACKUP_ELIGIBLE) != credential.backup_eligible:
        # which never changes (WebAuthn 3, section 7.2)
        raise RefusedError("the credential may be backed up now, or no longer")
    return replace(credential, sign_count=count, backed_up=bool(flags & BACKED_UP))


def _check_client(party: RelyingParty, challenge: bytes, client: ClientData, kind: str) -> None:
    expected = bytes_to_base64url(challenge).encode()
    if client.kind != kind or not hmac.compare_digest(client.challenge.encode(), expected):
        raise RefusedError("another ceremony")
    url = parse_url(client.origin)
    if (url.origin if url and url.host else client.origin) not in party.accepted_origins():
        raise RefusedError("another origin")
    if not client.has_known_binding:
        raise RefusedError("an unknown binding of tokens")


def _check_data(party: RelyingParty, data: AuthenticatorData) -> None:
    if data.rp_id_hash != hashlib.sha256(party.id.encode()).digest():
        raise RefusedError("another relying party")
    if not data.flags & USER_PRESENT:
        raise RefusedError("nobody was there")
    if data.flags & BACKED_UP and not data.flags & BACKUP_ELIGIBLE:
        raise RefusedError("backed up without being able to")


def _algorithm_of(public_key: bytes) -> Any:
    key = parse_cbor(public_key)
    return cast("dict[Any, Any]", key).get(_COSE_ALGORITHM) if isinstance(key, dict) else None


def _check_statement(party: RelyingParty, challenge: bytes, response: Registration) -> None:
    statement = response.statement
    if response.attestation_format == "none":
        if statement:
            raise RefusedError("a statement of no attestation")
        return
    if response.attestation_format == "packed" and "x5c" not in statement:  # by its own key
        public_key = response.credential.public_key
        if statement.get("alg") != _algorithm_of(public_key):
            raise RefusedError("another algorithm than the key's")
        signed = response.data.raw + hashlib.sha256(response.client.text).digest()
        _check_signature(public_key, statement.get("sig"), signed)
        return
    try:
        verify_registration_response(
            credential=RegistrationCredential(
                id=bytes_to_base64url(response.credential.id),
                raw_id=response.credential.id,
                response=AuthenticatorAttestationResponse(
                    client_data_json=response.client.text, attestation_object=response.attestation
                ),
            ),
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=response.client.origin,
        )
    except _SENSELESS as error:
        raise RefusedError(str(error)) from error


def _check_signature(public_key: bytes, signature: Any, signed: bytes) -> None:
    algorithm = _algorithm_of(public_key)
    try:
        key = decoded_public_key_to_cryptography(decode_credential_public_key(public_key))
        if isinstance(key, EllipticCurvePublicKey):
            key.verify(signature, signed, ECDSA(_ECDSA[algorithm]))
        elif isinstance(key, RSAPublicKey) and algorithm in _RSA_PSS:
            digest = _RSA_PSS[algorithm]
            key.verify(signature, signed, PSS(MGF1(digest), PSS.AUTO), digest)
        elif isinstance(key, RSAPublicKey):
            key.verify(signature, signed, PKCS1v15(), _RSA[algorithm])
        elif isinstance(key, Ed25519PublicKey):
            key.verify(signature, signed)
        else:
            raise RefusedError("a key of an unknown kind")
    except (InvalidSignature, *_SENSELESS) as error:
        raise RefusedError("the signature is not the credential's") from error

"""WebAuthn ceremonies over given challenges: options out, responses verified.

The cryptography is py_webauthn's. Credentials are stored in the original's JSON format.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from uuid import UUID

from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import (
    base64url_to_bytes,
    parse_authentication_credential_json,
    parse_registration_credential_json,
)
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.options_to_json_dict import options_to_json_dict
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    CredentialDeviceType,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from compat_base.values.urls import parse_url
from gotrue_compat.model.rows import json_object

T = TypeVar("T")

CHALLENGE_LENGTH = 32
_TIMEOUT_MS = 300_000
# COSE algorithms in the original's order: ES, RS, PS of three sizes each, EdDSA
_ALGORITHMS = (-7, -35, -36, -257, -258, -259, -37, -38, -39, -8)


class RefusedError(Exception):
    """The authenticator's response does not prove what it should."""


class MalformedError(RefusedError):
    """What was sent is no authenticator's response."""


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
    party: RelyingParty, challenge: bytes, response: dict[str, Any]
) -> Credential:
    """The credential that a response to a creation made; RefusedError for any other response."""
    parsed = _parsed(parse_registration_credential_json, response)
    try:
        verified = verify_registration_response(
            credential=parsed,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.accepted_origins(),
        )
    except (WebAuthnException, ValueError, KeyError, TypeError) as error:
        raise RefusedError(str(error)) from error
    transports: list[Any] = json_object(response.get("response")).get("transports") or []
    return Credential(
        id=verified.credential_id,
        public_key=verified.credential_public_key,
        sign_count=verified.sign_count,
        aaguid=verified.aaguid,
        transports=tuple(str(name) for name in transports),
        backup_eligible=verified.credential_device_type == CredentialDeviceType.MULTI_DEVICE,
        backed_up=verified.credential_backed_up,
    )


def verify_authentication(
    party: RelyingParty, challenge: bytes, response: dict[str, Any], credential: Credential
) -> Credential:
    """The credential after a use that a response proves; RefusedError for any other response."""
    parsed = _parsed(parse_authentication_credential_json, response)
    try:
        verified = verify_authentication_response(
            credential=parsed,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.accepted_origins(),
            credential_public_key=credential.public_key,
            credential_current_sign_count=credential.sign_count,
        )
    except (WebAuthnException, ValueError, KeyError, TypeError) as error:
        raise RefusedError(str(error)) from error
    is_eligible = verified.credential_device_type == CredentialDeviceType.MULTI_DEVICE
    if is_eligible != credential.backup_eligible:  # which never changes (WebAuthn 3, section 7.2)
        raise RefusedError("the credential may be backed up now, or no longer")
    return replace(
        credential,
        sign_count=verified.new_sign_count,
        backed_up=verified.credential_backed_up,
    )


def check_use(response: dict[str, Any]) -> None:
    """Raise MalformedError unless the response has the form of an assertion."""
    _parsed(parse_authentication_credential_json, response)


def _parsed(parse: Callable[[dict[str, Any]], T], response: dict[str, Any]) -> T:
    try:
        return parse(response)
    except (WebAuthnException, ValueError, KeyError, TypeError) as error:
        raise MalformedError(str(error)) from error


def credential_id_of(response: dict[str, Any]) -> bytes:
    """The id a response names, b"" where it names none."""
    return decoded(response.get("rawId") or response.get("id"))


def user_handle_of(response: dict[str, Any]) -> bytes:
    """The user handle a response carries, b"" where it carries none."""
    return decoded(json_object(response.get("response")).get("userHandle"))


def decoded(text: object) -> bytes:
    """Base64url text as bytes, b"" where it is not."""
    try:
        return base64url_to_bytes(text) if isinstance(text, str) else b""
    except ValueError:
        return b""

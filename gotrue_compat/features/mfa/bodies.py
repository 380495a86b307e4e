"""Request bodies and queries of second factors: records, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from gotrue_compat import errors
from gotrue_compat.http.go_struct import ID, go_struct
from gotrue_compat.http.incoming import Incoming

_ENROLL = go_struct("EnrollFactorParams", "friendly_name factor_type issuer phone")
_CHALLENGE = go_struct("ChallengeFactorParams", "channel", webauthn="api.WebAuthnParams")
_VERIFY = go_struct("VerifyFactorParams", "code", challenge_id=ID, webauthn="api.WebAuthnParams")


@dataclass(frozen=True, slots=True)
class FactorRequest:
    """The factor, and the body, which is read once it is known that there is such a factor."""

    factor_id: UUID
    incoming: Incoming


@dataclass(frozen=True, slots=True)
class ChallengeBody:
    """What a client sends; `webauthn` may name the relying party."""

    channel: str = ""
    rp_id: str = ""
    rp_origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Enrollment:
    """What a client sends."""

    factor_type: str = ""
    friendly_name: str = ""
    issuer: str = ""
    phone: str = ""


@dataclass(frozen=True, slots=True)
class FactorProof:
    """What a client sends: a code, or a WebAuthn response and its kind."""

    challenge_id: UUID | None = None
    code: str = ""
    has_webauthn: bool = False
    webauthn_kind: str = ""
    webauthn_response: dict[str, Any] | None = None


def enrollment(incoming: Incoming) -> Enrollment:
    """POST /factors."""
    body = incoming.json_of(_ENROLL)
    return Enrollment(
        factor_type=body.text("factor_type"),
        friendly_name=body.text("friendly_name"),
        issuer=body.text("issuer"),
        phone=body.text("phone"),
    )


def factor_id(incoming: Incoming) -> UUID:
    """Paths below /factors/{factor_id}."""
    return incoming.uuid("factor_id", errors.FACTOR_ID_FORM)


def factor(incoming: Incoming) -> FactorRequest:
    """POST /factors/{factor_id}/challenge and /verify."""
    return FactorRequest(factor_id(incoming), incoming)


def challenge_body(sent: FactorRequest) -> ChallengeBody:
    """What is sent for a challenge."""
    body = sent.incoming.json_of(_CHALLENGE)
    party = body.within("webauthn")
    origins = party.list_or_text("rpOrigins") or party.list_or_text("rp_origins")
    return ChallengeBody(body.text("channel"), party.text("rpId") or party.text("rp_id"), origins)


def factor_proof(sent: FactorRequest) -> FactorProof:
    """What is sent as a proof."""
    body = sent.incoming.json_of(_VERIFY)
    response = body.within("webauthn")
    return FactorProof(
        challenge_id=body.uuid("challenge_id"),
        code=body.text("code"),
        has_webauthn="webauthn" in body,
        webauthn_kind=response.text("type"),
        webauthn_response=response.object_or_empty("credential_response"),
    )

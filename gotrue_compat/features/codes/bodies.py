"""Request bodies and queries of sending and verifying codes: records, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gotrue_compat.features.codes import errors as codes_errors
from gotrue_compat.http.go_struct import go_struct
from gotrue_compat.http.incoming import Incoming

_OTP = go_struct(
    "OtpParams",
    "email phone channel code_challenge_method code_challenge",
    flags="create_user",
    objects="data",
)
_MAGIC_LINK = go_struct(
    "MagicLinkParams", "email code_challenge_method code_challenge", objects="data"
)
_RECOVER = go_struct("RecoverParams", "email code_challenge code_challenge_method")
_RESEND = go_struct(
    "ResendConfirmationParams", "type email phone code_challenge code_challenge_method"
)
_VERIFY = go_struct("VerifyParams", "type token token_hash email phone redirect_to")


@dataclass(frozen=True, slots=True)
class OtpRequest:
    """What a client sends."""

    email: str = ""
    phone: str = ""
    create_user: bool = True
    data: dict[str, Any] | None = None
    channel: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""


@dataclass(frozen=True, slots=True)
class RecoverRequest:
    """What a client sends."""

    email: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""


@dataclass(frozen=True, slots=True)
class ResendRequest:
    """What a client sends."""

    kind: str = ""
    email: str = ""
    phone: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """What a client sends: a type with a token and its address, or with a hash alone."""

    kind: str = ""
    token: str = ""
    token_hash: str = ""
    email: str = ""
    phone: str = ""
    redirect_to: str = ""


def otp(incoming: Incoming) -> OtpRequest:
    """POST /otp."""
    body = incoming.json_of(_OTP)
    return OtpRequest(
        email=body.text("email"),
        phone=body.text("phone"),
        create_user=body.flag("create_user", default=True),
        data=body.object("data"),
        channel=body.text("channel"),
        code_challenge=body.text("code_challenge"),
        code_challenge_method=body.text("code_challenge_method"),
    )


def magic_link(incoming: Incoming) -> OtpRequest:
    """POST /magiclink: the first JSON value of the body, with words of its own for what is none."""
    body = incoming.first_json(codes_errors.MAGIC_LINK_BODY, _MAGIC_LINK)
    return OtpRequest(
        email=body.text("email"),
        data=body.object("data"),
        code_challenge=body.text("code_challenge"),
        code_challenge_method=body.text("code_challenge_method"),
    )


def recovery(incoming: Incoming) -> RecoverRequest:
    """POST /recover."""
    body = incoming.json_of(_RECOVER)
    return RecoverRequest(
        body.text("email"), body.text("code_challenge"), body.text("code_challenge_method")
    )


def resend(incoming: Incoming) -> ResendRequest:
    """POST /resend."""
    body = incoming.json_of(_RESEND)
    return ResendRequest(
        kind=body.text("type"),
        email=body.text("email"),
        phone=body.text("phone"),
        code_challenge=body.text("code_challenge"),
        code_challenge_method=body.text("code_challenge_method"),
    )


def verification(incoming: Incoming) -> VerifyRequest:
    """POST /verify."""
    body = incoming.json_of(_VERIFY)
    return VerifyRequest(
        kind=body.text("type"),
        token=body.text("token"),
        token_hash=body.text("token_hash"),
        email=body.text("email"),
        phone=body.text("phone"),
        redirect_to=body.text("redirect_to"),
    )


def link(incoming: Incoming) -> VerifyRequest:
    """GET /verify."""
    query = incoming.query
    return VerifyRequest(kind=query.get("type", ""), token=query.get("token", ""))

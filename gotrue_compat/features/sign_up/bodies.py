"""What sign-ups hold, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gotrue_compat.http.go_struct import go_struct
from gotrue_compat.http.incoming import Incoming

_SIGN_UP = go_struct(
    "SignupParams",
    "email phone password channel code_challenge_method code_challenge",
    objects="data",
)


@dataclass(frozen=True, slots=True)
class SignUp:
    """What a client sends."""

    email: str = ""
    phone: str = ""
    password: str = ""
    data: dict[str, Any] | None = None
    channel: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""


def sign_up(incoming: Incoming) -> SignUp:
    """POST /signup."""
    body = incoming.json_of(_SIGN_UP)
    return SignUp(
        email=body.text("email"),
        phone=body.text("phone"),
        password=body.text("password"),
        data=body.object("data"),
        channel=body.text("channel"),
        code_challenge=body.text("code_challenge"),
        code_challenge_method=body.text("code_challenge_method"),
    )


def has_no_address(incoming: Incoming) -> bool:
    """Whether a sign-up names neither an address nor a number: it is an anonymous one."""
    body = incoming.json_of(_SIGN_UP)
    return not body.text("email") and not body.text("phone")

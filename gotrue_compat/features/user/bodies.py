"""Request bodies and queries of changes of the signed-in user: records, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from gotrue_compat.features.user import errors as user_errors
from gotrue_compat.http.go_struct import go_struct
from gotrue_compat.http.incoming import Incoming

_USER = go_struct(
    "UserUpdateParams",
    "email password current_password nonce phone channel code_challenge code_challenge_method",
    objects="data app_metadata",
)


@dataclass(frozen=True, slots=True)
class UserChange:
    """What a client sends; None means not given."""

    email: str = ""
    phone: str = ""
    password: str | None = None
    current_password: str = ""
    nonce: str = ""
    data: dict[str, Any] | None = None
    app_metadata: dict[str, Any] | None = None
    channel: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""


def user_change(incoming: Incoming) -> UserChange:
    """PUT /user."""
    body = incoming.json_of(_USER)
    return UserChange(
        email=body.text("email"),
        phone=body.text("phone"),
        password=body.optional_text("password"),
        current_password=body.text("current_password"),
        nonce=body.text("nonce"),
        data=body.object("data"),
        app_metadata=body.object("app_metadata"),
        channel=body.text("channel"),
        code_challenge=body.text("code_challenge"),
        code_challenge_method=body.text("code_challenge_method"),
    )


def identity_id(incoming: Incoming) -> UUID:
    """DELETE /user/identities/{identity_id}."""
    return incoming.uuid("identity_id", user_errors.IDENTITY_ID_FORM)

"""Request bodies and queries of passkeys: records, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from gotrue_compat.features.admin.bodies import user_id
from gotrue_compat.features.passkeys import errors as passkeys_errors
from gotrue_compat.http.go_struct import go_struct
from gotrue_compat.http.incoming import Incoming, Members

_REGISTRATION = go_struct("PasskeyRegistrationVerifyParams", "challenge_id")
_AUTHENTICATION = go_struct("PasskeyAuthenticationVerifyParams", "challenge_id")
_NAME = go_struct("PasskeyUpdateParams", "friendly_name")


@dataclass(frozen=True, slots=True)
class UserPasskey:
    """A passkey of any user, whose id is read once it is known that there is such a user."""

    user_id: UUID
    incoming: Incoming


@dataclass(frozen=True, slots=True)
class CeremonyResponse:
    """What a browser's authenticator answered."""

    challenge_id: str = ""
    credential: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PasskeyChange:
    """A user's passkey, and its new name."""

    passkey_id: UUID
    friendly_name: str


def registration(incoming: Incoming) -> CeremonyResponse:
    """POST /passkeys/registration/verify."""
    return _ceremony(incoming.json_of(_REGISTRATION))


def authentication(incoming: Incoming) -> CeremonyResponse:
    """POST /passkeys/authentication/verify."""
    return _ceremony(incoming.json_of(_AUTHENTICATION))


def _ceremony(body: Members) -> CeremonyResponse:
    return CeremonyResponse(body.text("challenge_id"), body.object_or_empty("credential"))


def passkey_id(incoming: Incoming) -> UUID:
    """Paths below /passkeys/{passkey_id} and /admin/users/{user_id}/passkeys/{passkey_id}."""
    return incoming.uuid("passkey_id", passkeys_errors.PASSKEY_NOT_FOUND)


def passkey_name(incoming: Incoming) -> PasskeyChange:
    """PATCH /passkeys/{passkey_id}."""
    return PasskeyChange(passkey_id(incoming), incoming.json_of(_NAME).text("friendly_name"))


def user_passkey(incoming: Incoming) -> UserPasskey:
    """DELETE /admin/users/{user_id}/passkeys/{passkey_id}."""
    return UserPasskey(user_id(incoming), incoming)

"""Request bodies and queries of passkeys: records, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from gotrue_compat.features.admin.bodies import user_id
from gotrue_compat.features.passkeys import errors as passkeys_errors
from gotrue_compat.http.incoming import Incoming


@dataclass(frozen=True, slots=True)
class UserPasskey:
    """A passkey of any user."""

    user_id: UUID
    passkey_id: UUID


@dataclass(frozen=True, slots=True)
class CeremonyResponse:
    """What a browser's authenticator answered."""

    challenge_id: str = ""
    credential: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PasskeyChange:
    """A user's passkey, and its new name."""

    passkey_id: UUID
    friendly_name: str = ""


def ceremony(incoming: Incoming) -> CeremonyResponse:
    """POST /passkeys/registration/verify and /passkeys/authentication/verify."""
    body = incoming.json
    return CeremonyResponse(body.text("challenge_id"), body.object_at_last("credential"))


def passkey(incoming: Incoming) -> PasskeyChange:
    """DELETE /passkeys/{passkey_id}."""
    return PasskeyChange(incoming.uuid("passkey_id", passkeys_errors.PASSKEY_NOT_FOUND))


def passkey_name(incoming: Incoming) -> PasskeyChange:
    """PATCH /passkeys/{passkey_id}."""
    return replace(passkey(incoming), friendly_name=incoming.json.text("friendly_name"))


def user_passkey(incoming: Incoming) -> UserPasskey:
    """DELETE /admin/users/{user_id}/passkeys/{passkey_id}."""
    wanted = incoming.uuid("passkey_id", passkeys_errors.PASSKEY_NOT_FOUND)
    return UserPasskey(user_id(incoming), wanted)

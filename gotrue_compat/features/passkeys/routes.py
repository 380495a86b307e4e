"""The routes of passkeys."""

from __future__ import annotations

from functools import partial

from compat_base.values.errors import Row
from gotrue_compat.features.admin import bodies as admin_bodies
from gotrue_compat.features.passkeys import bodies
from gotrue_compat.features.passkeys import errors as passkeys_errors
from gotrue_compat.http.named_flow import NamedFlow
from gotrue_compat.http.route import Guard, Mount, Route, nothing
from gotrue_compat.settings import Settings

_flow = partial(NamedFlow, "gotrue_compat.features.passkeys.flow")


def _passkeys_on(settings: Settings) -> Row | None:
    return None if settings.webauthn.passkeys else passkeys_errors.PASSKEY_DISABLED


MOUNTS: tuple[Mount, ...] = (
    Mount("/passkeys", feature=_passkeys_on),
    Mount("/passkeys/authentication"),
    Mount("/passkeys/registration", Guard.PERSON),
    Mount("/passkeys/{passkey_id}", Guard.USER),
)

ROUTES: tuple[Route, ...] = (
    Route(
        "POST", "/passkeys/registration/options", Guard.PERSON, nothing,
        _flow("registration_options"),
    ),
    Route(
        "POST", "/passkeys/registration/verify", Guard.PERSON, nothing,
        _flow("register"), limits=("passkey_verify",),
    ),
    Route(
        "POST", "/passkeys/authentication/options", Guard.PUBLIC, nothing,
        _flow("authentication_options"), limits=("passkey",), captcha=True,
    ),
    Route(
        "POST", "/passkeys/authentication/verify", Guard.PUBLIC, bodies.authentication,
        _flow("authenticate"), limits=("passkey_verify",),
    ),
    Route("GET", "/passkeys", Guard.USER, nothing, _flow("list_own")),
    Route(
        "PATCH", "/passkeys/{passkey_id}", Guard.USER, bodies.passkey_name, _flow("rename"),
    ),
    Route(
        "DELETE", "/passkeys/{passkey_id}", Guard.USER, nothing, _flow("delete_own"),
    ),
    Route(
        "GET", "/admin/users/{user_id}/passkeys", Guard.ADMIN, admin_bodies.user_id,
        _flow("admin_list"),
    ),
    Route(
        "DELETE", "/admin/users/{user_id}/passkeys/{passkey_id}", Guard.ADMIN, bodies.user_passkey,
        _flow("admin_delete"),
    ),
)  # fmt: skip

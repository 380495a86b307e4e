"""The routes of changes of the signed-in user."""

from __future__ import annotations

from compat_base.values.errors import Row
from gotrue_compat.features.external import errors as external_errors
from gotrue_compat.features.user import bodies, identities, update
from gotrue_compat.http.route import Guard, Mount, Route, nothing
from gotrue_compat.settings import Settings


def _linking_on(settings: Settings) -> Row | None:
    return None if settings.security.manual_linking else external_errors.LINKING_DISABLED


MOUNTS: tuple[Mount, ...] = (
    Mount("/user", Guard.USER),
    Mount("/user/identities", feature=_linking_on),
)

ROUTES: tuple[Route, ...] = (
    Route(
        "DELETE", "/user/identities/{identity_id}", Guard.USER, bodies.identity_id,
        identities.unlink,
    ),
    Route("GET", "/user", Guard.USER, nothing, update.get_user, for_clients=True),
    Route(
        "PUT", "/user", Guard.USER, bodies.user_change, update.update_user, limits=("otp",),
        for_clients=True,
    ),
)  # fmt: skip

"""The routes of sign-ins by providers."""

from __future__ import annotations

from compat_base.values.errors import Row
from gotrue_compat.features.external import bodies, finish, id_token, start
from gotrue_compat.features.external import errors as external_errors
from gotrue_compat.http.route import Guard, Route
from gotrue_compat.settings import Settings


def _linking_on(settings: Settings) -> Row | None:
    return None if settings.security.manual_linking else external_errors.LINKING_DISABLED


ROUTES: tuple[Route, ...] = (
    Route(
        "POST", "/token", Guard.MAYBE, bodies.id_token, id_token.sign_in_with_id_token,
        limits=("token",), grant="id_token",
    ),
    Route(
        "GET", "/authorize", Guard.PUBLIC, bodies.start, start.authorize, limits=("authorize",)
    ),
    Route(
        "GET", "/callback", Guard.PUBLIC, bodies.callback, finish.finish, limits=("callback",)
    ),
    Route(
        "POST", "/callback", Guard.PUBLIC, bodies.callback, finish.finish, limits=("callback",)
    ),
    Route(
        "GET", "/user/identities/authorize", Guard.USER, bodies.start, start.authorize_linking,
        limits=("authorize",), feature=_linking_on,
    ),
)  # fmt: skip

"""The routes of sign-ins by providers."""

from __future__ import annotations

from gotrue_compat.features.external import bodies, finish, id_token, start
from gotrue_compat.http.route import Guard, Resource, Route

RESOURCES: tuple[Resource, ...] = (Resource("/callback", bodies.callback, finish.find_flow),)

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
        limits=("authorize",),
    ),
)  # fmt: skip

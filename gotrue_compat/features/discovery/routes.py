"""The routes of what the service says of itself."""

from __future__ import annotations

from gotrue_compat.features.discovery import flow
from gotrue_compat.http.route import Guard, Route, nothing

ROUTES: tuple[Route, ...] = (
    Route("GET", "/health", Guard.PUBLIC, nothing, flow.health),
    Route("GET", "/settings", Guard.PUBLIC, nothing, flow.settings),
    Route("GET", "/.well-known/jwks.json", Guard.PUBLIC, nothing, flow.key_set),
    Route(
        "GET", "/.well-known/openid-configuration", Guard.PUBLIC, nothing,
        flow.openid_configuration,
    ),
)  # fmt: skip

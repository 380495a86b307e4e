"""The routes of discovery."""

from __future__ import annotations

from compat_base.values.errors import Row
from gotrue_compat.features.discovery import errors, flow, scim
from gotrue_compat.http.route import Guard, Mount, Route, nothing
from gotrue_compat.settings import Settings


def _scim_on(settings: Settings) -> Row | None:
    return None if settings.scim else errors.SCIM_DISABLED


MOUNTS: tuple[Mount, ...] = (Mount(scim.PATH, feature=_scim_on, missing=scim.missing),)

ROUTES: tuple[Route, ...] = (
    Route("GET", "/health", Guard.PUBLIC, nothing, flow.health),
    Route("GET", "/settings", Guard.PUBLIC, nothing, flow.settings),
    Route("GET", "/.well-known/jwks.json", Guard.PUBLIC, nothing, flow.key_set),
    Route(
        "GET", "/.well-known/openid-configuration", Guard.PUBLIC, nothing,
        flow.openid_configuration,
    ),
    Route(
        "GET", f"{scim.PATH}/ServiceProviderConfig", Guard.PUBLIC, nothing, scim.provider_config
    ),
    Route("GET", f"{scim.PATH}/ResourceTypes", Guard.PUBLIC, nothing, scim.nothing_yet),
    Route("GET", f"{scim.PATH}/Schemas", Guard.PUBLIC, nothing, scim.nothing_yet),
)  # fmt: skip

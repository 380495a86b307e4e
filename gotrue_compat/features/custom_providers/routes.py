"""The routes of custom providers."""

from __future__ import annotations

from compat_base.values.errors import Row
from gotrue_compat.features.custom_providers import bodies, flow
from gotrue_compat.features.custom_providers import errors as custom_providers_errors
from gotrue_compat.http.route import Guard, Mount, Route
from gotrue_compat.settings import Settings


def _custom_on(settings: Settings) -> Row | None:
    return None if settings.external.custom else custom_providers_errors.CUSTOM_PROVIDERS_DISABLED


MOUNTS: tuple[Mount, ...] = (Mount("/admin/custom-providers", feature=_custom_on),)

ROUTES: tuple[Route, ...] = (
    Route(
        "GET", "/admin/custom-providers", Guard.ADMIN, bodies.custom_kind,
        flow.list_providers,
    ),
    Route(
        "POST", "/admin/custom-providers", Guard.ADMIN, bodies.custom_provider,
        flow.create_provider,
    ),
    Route(
        "GET", "/admin/custom-providers/{identifier}", Guard.ADMIN, bodies.custom_identifier,
        flow.get_provider,
    ),
    Route(
        "PUT", "/admin/custom-providers/{identifier}", Guard.ADMIN, bodies.custom_provider_change,
        flow.update_provider,
    ),
    Route(
        "DELETE", "/admin/custom-providers/{identifier}", Guard.ADMIN, bodies.custom_identifier,
        flow.delete_provider,
    ),
)  # fmt: skip

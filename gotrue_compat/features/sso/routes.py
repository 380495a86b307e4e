"""The routes of SAML sign-ins and providers."""

from __future__ import annotations

from functools import partial

from compat_base.values.errors import Row
from gotrue_compat.features.sso import bodies
from gotrue_compat.features.sso import errors as sso_errors
from gotrue_compat.http.named_flow import NamedFlow
from gotrue_compat.http.route import Guard, Mount, Resource, Route, nothing
from gotrue_compat.settings import Settings

_start = partial(NamedFlow, "gotrue_compat.features.sso.start")
_finish = partial(NamedFlow, "gotrue_compat.features.sso.finish")
_providers = partial(NamedFlow, "gotrue_compat.features.sso.providers")


def _saml_on(settings: Settings) -> Row | None:
    return None if settings.saml.enabled else sso_errors.SAML_DISABLED


MOUNTS: tuple[Mount, ...] = (Mount("/sso", feature=_saml_on),)

RESOURCES: tuple[Resource, ...] = (
    Resource("/admin/sso/providers/{idp_id}", bodies.sso_name, _providers("get_provider")),
)

ROUTES: tuple[Route, ...] = (
    Route(
        "POST", "/sso", Guard.PUBLIC, bodies.sso, _start("start"), limits=("sso",), captcha=True
    ),
    Route(
        "GET", "/sso/saml/metadata", Guard.PUBLIC, nothing, _start("metadata"),
        limits=("metadata",),
    ),
    Route(
        "POST", "/sso/saml/acs", Guard.PUBLIC, bodies.saml_answer, _finish("consume"),
        limits=("assertion",),
    ),
    Route(
        "GET", "/admin/sso/providers", Guard.ADMIN, bodies.sso_filter, _providers("list_providers")
    ),
    Route(
        "POST", "/admin/sso/providers", Guard.ADMIN, bodies.sso_record,
        _providers("create_provider"),
    ),
    Route(
        "GET", "/admin/sso/providers/{idp_id}", Guard.ADMIN, bodies.sso_name,
        _providers("get_provider"),
    ),
    Route(
        "PUT", "/admin/sso/providers/{idp_id}", Guard.ADMIN, bodies.sso_change,
        _providers("update_provider"),
    ),
    Route(
        "DELETE", "/admin/sso/providers/{idp_id}", Guard.ADMIN, bodies.sso_name,
        _providers("delete_provider"),
    ),
)  # fmt: skip

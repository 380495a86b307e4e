"""The whole API: every feature's routes, found by method and path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from urllib.parse import quote

from compat_base.values.http import HttpRequest
from gotrue_compat.features.admin import routes as admin
from gotrue_compat.features.codes import routes as codes
from gotrue_compat.features.custom_providers import routes as custom_providers
from gotrue_compat.features.discovery import routes as discovery
from gotrue_compat.features.external import routes as external
from gotrue_compat.features.mfa import routes as mfa
from gotrue_compat.features.oauth_server import routes as oauth_server
from gotrue_compat.features.passkeys import routes as passkeys
from gotrue_compat.features.sign_in import routes as sign_in
from gotrue_compat.features.sign_up import routes as sign_up
from gotrue_compat.features.sso import routes as sso
from gotrue_compat.features.user import routes as user
from gotrue_compat.features.web3 import routes as web3
from gotrue_compat.http.route import Mount, Resource, Route

ROUTES: tuple[Route, ...] = (
    *discovery.ROUTES,
    *sign_in.ROUTES,
    *external.ROUTES,
    *web3.ROUTES,
    *user.ROUTES,
    *codes.ROUTES,
    *mfa.ROUTES,
    *admin.ROUTES,
    *passkeys.ROUTES,
    *oauth_server.ROUTES,
    *custom_providers.ROUTES,
    *sso.ROUTES,
    *sign_up.ROUTES,
)

# Outer ones first: that is the order of their checks
MOUNTS: tuple[Mount, ...] = (
    *discovery.MOUNTS,
    *user.MOUNTS,
    *codes.MOUNTS,
    *mfa.MOUNTS,
    *passkeys.MOUNTS,
    *sso.MOUNTS,
    *admin.MOUNTS,
    *oauth_server.MOUNTS,
    *custom_providers.MOUNTS,
)

# Outer ones first
RESOURCES: tuple[Resource, ...] = (
    *external.RESOURCES,
    *mfa.RESOURCES,
    *admin.RESOURCES,
    *oauth_server.RESOURCES,
    *sso.RESOURCES,
)

# The original's own routers, whose root is found with a slash at its end too
_WITH_SLASH = frozenset({
    "/callback", "/signup", "/verify", "/reauthenticate", "/user", "/user/oauth/grants",
    "/factors", "/factors/{factor_id}", "/passkeys", "/passkeys/{passkey_id}", "/sso",
    "/admin/audit", "/admin/users", "/admin/users/{user_id}", "/admin/users/{user_id}/factors",
    "/admin/users/{user_id}/factors/{factor_id}", "/admin/users/{user_id}/passkeys",
    "/admin/users/{user_id}/passkeys/{passkey_id}", "/admin/sso/providers",
    "/admin/sso/providers/{idp_id}", "/admin/oauth/clients", "/admin/oauth/clients/{client_id}",
    "/admin/custom-providers", "/admin/custom-providers/{identifier}",
})  # fmt: skip

_ROUTERS = frozenset(mount.path for mount in MOUNTS)

_UNESCAPED = "$&+,/:;=@"  # besides letters, digits and -_.~, in a path as Go writes it

ByMethod = dict[str, tuple[Route, ...]]


@dataclass(frozen=True, slots=True)
class FoundRoutes:
    """Routes of a path by method (none of an unknown path), its parameters, what is judged first.

    `is_known` is false where the path has no route at all.
    """

    by_method: ByMethod
    parameters: dict[str, str]
    mounts: tuple[Mount, ...]

    @property
    def is_known(self) -> bool:
        """Whether the path has a route."""
        return bool(self.by_method)


def routed_path(request: HttpRequest) -> str:
    """The path that routes are found by: as it was sent, where it escapes what needs no escape.

    So the original's router reads paths, also the parameters in them.
    """
    path, raw = request.path, request.raw_path
    return path if "%" not in raw or quote(path, safe=_UNESCAPED) == raw else raw


def find_routes(path: str) -> FoundRoutes:
    """The routes of a path; a slash at its end counts, but for the roots of routers.

    Not by Starlette's router, which tries one route after the other: 7 µs for /user and 33 for a
    path of administration, where this takes 1 and 2; and routes of one path that differ by grant
    or body are not of its kind.
    """
    literal = _literals().get(path)
    if literal is not None:
        return FoundRoutes(*literal, _mounts_of(path))
    if path.removesuffix("/") in _ROUTERS:  # named ones, which no parameter stands for
        return FoundRoutes({}, {}, _mounts_below(path))
    for pattern, by_method, mounts in _patterns():
        found = pattern.fullmatch(path)
        if found is not None:
            return FoundRoutes(by_method, found.groupdict(), mounts)
    return FoundRoutes({}, {}, _mounts_below(path))


def find_resources(path: str) -> Iterator[tuple[Resource, dict[str, str]]]:
    """What a path names or lies below, with the parameters that name it."""
    for pattern, resource in _resources():
        found = pattern.match(path)
        if found is not None:
            yield resource, found.groupdict()


@cache
def _resources() -> tuple[tuple[re.Pattern[str], Resource], ...]:
    return tuple((_beginning(each.path), each) for each in RESOURCES)


@cache
def _literals() -> dict[str, tuple[ByMethod, dict[str, str]]]:
    """Routes of paths without a parameter, and of the patterns that have further methods there."""
    literals: dict[str, tuple[ByMethod, dict[str, str]]] = {}
    for path, own in _by_path().items():
        if "{" in path:
            continue
        methods, parameters = own, dict[str, str]()
        for pattern, others, _ in _patterns():
            if (found := pattern.fullmatch(path)) is not None:
                methods, parameters = {**others, **methods}, found.groupdict()
        literals[path] = methods, parameters
    return literals


@cache
def _by_path() -> dict[str, ByMethod]:
    by_path: dict[str, ByMethod] = {}
    for route in ROUTES:
        for path in (route.path, f"{route.path}/")[: 1 + (route.path in _WITH_SLASH)]:
            methods = by_path.setdefault(path, {})
            methods[route.method] = (*methods.get(route.method, ()), route)
    return by_path


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], ByMethod, tuple[Mount, ...]], ...]:
    return tuple(
        (_pattern(path), methods, _mounts_below(path))
        for path, methods in _by_path().items()
        if "{" in path
    )


@lru_cache(maxsize=256)
def _mounts_of(path: str) -> tuple[Mount, ...]:
    """The same for the paths of routes, of which there are few."""
    return _mounts_below(path)


def _mounts_below(path: str) -> tuple[Mount, ...]:
    """Those whose path this is or lies below; a name before a parameter at the same depth."""
    found = [mount for mount in MOUNTS if _beginning(mount.path).match(path)]
    named = {mount.path.count("/") for mount in found if "{" not in mount.path}
    return tuple(
        mount for mount in found if "{" not in mount.path or mount.path.count("/") not in named
    )


@cache
def _beginning(path: str) -> re.Pattern[str]:
    return re.compile(rf"{_pattern(path).pattern}(?:/|\Z)")


def _pattern(path: str) -> re.Pattern[str]:
    escaped = re.escape(path)  # a parameter may be empty before a slash alone, as in the original
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/\0]+|(?=/))", escaped))

"""The whole surface: every feature's routes, found by method and path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

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
from gotrue_compat.http.route import Route

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


@dataclass(frozen=True, slots=True)
class FoundRoutes:
    """Routes of a path by method, and the path's parameters."""

    by_method: dict[str, tuple[Route, ...]]
    parameters: dict[str, str]


def find_routes(path: str) -> FoundRoutes | None:
    """The routes of a path; one slash at its end does not count.

    Not by Starlette's router, which tries one route after the other: 7 µs for /user and 33 for a
    path of administration, where this takes 1 and 2; and routes of one path that differ by grant
    or body are not of its kind.
    """
    wanted = path.removesuffix("/") or "/"
    literal = _by_path().get(wanted)
    if literal is not None:
        return FoundRoutes(literal, {})
    for pattern, by_method in _patterns():
        found = pattern.fullmatch(wanted)
        if found is not None:
            return FoundRoutes(by_method, found.groupdict())
    return None


ByMethod = dict[str, tuple[Route, ...]]


@cache
def _by_path() -> dict[str, ByMethod]:
    by_path: dict[str, ByMethod] = {}
    for route in ROUTES:
        methods = by_path.setdefault(route.path, {})
        methods[route.method] = (*methods.get(route.method, ()), route)
    return by_path


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], ByMethod], ...]:
    return tuple((_pattern(path), methods) for path, methods in _by_path().items() if "{" in path)


def _pattern(path: str) -> re.Pattern[str]:
    escaped = re.escape(path)
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/\0]+)", escaped))


def forget_tables() -> None:
    """Have the tables made again out of ROUTES, as after a row was added while it runs."""
    _by_path.cache_clear()
    _patterns.cache_clear()

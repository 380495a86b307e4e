"""Rows of the table of routes, and what is checked for a path and all below it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from compat_base.values.errors import Row
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.http.incoming import Incoming
from gotrue_compat.settings import Settings


class Guard(Enum):
    """Who may call."""

    PUBLIC = "anybody"
    USER = "a user's token"
    PERSON = "a user's token, and the user is not anonymous"
    MAYBE = "anybody; a user's token counts where the body says so"
    ADMIN = "a token with an admin role"


@dataclass(frozen=True, slots=True)
class Route:
    """One row of the table.

    Of several rows with one method and path, `grant` selects by `grant_type` and `when` by the
    request. `limits` names rate limits. `captcha` requires a captcha, checked after the limits, or
    before them if `captcha_first`. `feature` gives the error of a route that settings switch off,
    also after the limits, or before them if `feature_first`. Tokens of OAuth clients are refused
    unless the route is `for_clients`: a client may not change how its user signs in.
    """

    method: str
    path: str
    guard: Guard
    body: Callable[[Incoming], Any]
    flow: Callable[[Dependencies, RequestContext, Any], Awaitable[Any]]
    limits: tuple[str, ...] = ()
    captcha: bool = False
    captcha_first: bool = False
    grant: str = ""
    when: Callable[[Incoming], bool] | None = None
    feature: Callable[[Settings], Row | None] | None = None
    feature_first: bool = False
    for_clients: bool = False


@dataclass(frozen=True, slots=True)
class Mount:
    """Checks at a path and all below it, before a route is looked up.

    So an unknown path or method there gets the feature's or the caller's error, as with the
    original, whose routers carry their checks. Of one mount the feature comes first. `missing`
    gives the result at an unknown path, where that is not the usual 404.
    """

    path: str
    guard: Guard = Guard.PUBLIC
    feature: Callable[[Settings], Row | None] | None = None
    missing: Callable[[], Any] | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """What a path names, looked up before a wrong method or an unknown path below it is refused.

    `find` raises ApiError where there is none, or gives a redirect with the error. Flows of routes
    look for themselves.
    """

    path: str
    body: Callable[[Incoming], Any]
    find: Callable[[Dependencies, RequestContext, Any], Awaitable[Any]]


def nothing(_incoming: Incoming) -> None:
    """The body of routes without one."""

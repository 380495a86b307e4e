"""CORS: preflights and response headers (auth reference 1.9)."""

from __future__ import annotations

from dataclasses import replace

from compat_base.values.http import HttpRequest, HttpResponse

_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_HEADERS = (
    "Accept", "Authorization", "Content-Type", "X-Client-IP", "X-Client-Info", "X-JWT-AUD",
    "x-use-cookie", "X-Supabase-Api-Version",
)  # fmt: skip
_VARY = ("Vary", "Origin")
_EXPOSED = "X-Total-Count, Link, X-Supabase-Api-Version"


def preflight(request: HttpRequest, more_headers: tuple[str, ...]) -> HttpResponse | None:
    """The answer to a preflight; None where the request is not one."""
    wanted = request.header("access-control-request-method")
    if request.method != "OPTIONS" or not wanted:
        return None
    vary = ("Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers")
    headers = [("Vary", ", ".join(vary))]
    requested = request.header("access-control-request-headers") or ""
    allowed = {name.lower() for name in (*_HEADERS, *more_headers)}
    if wanted in _METHODS and _are_allowed(requested, allowed) and request.header("origin"):
        headers += [
            ("Access-Control-Allow-Origin", "*"),
            ("Access-Control-Allow-Methods", wanted),
            ("Access-Control-Allow-Credentials", "true"),
        ]
        if requested:
            headers.append(("Access-Control-Allow-Headers", requested))
    return HttpResponse(204, tuple(headers), content_length=False)


def _are_allowed(requested: str, allowed: set[str]) -> bool:
    """Whether all headers of a list are allowed, which browsers send sorted and in lower case."""
    names = requested.split(",") if requested else []
    return set(names) <= allowed and names == sorted(set(names))


def with_cors(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response with its CORS headers."""
    if not request.header("origin"):
        return replace(response, headers=(*response.headers, _VARY))
    headers = (
        _VARY,
        ("Access-Control-Allow-Origin", "*"),
        ("Access-Control-Allow-Credentials", "true"),
        ("Access-Control-Expose-Headers", _exposed(response)),
    )
    return replace(response, headers=(*response.headers, *headers))


def _exposed(response: HttpResponse) -> str:
    """The headers a page may read: those of the original, and the one it does not send."""
    return _EXPOSED if response.header("retry-after") is None else f"{_EXPOSED}, Retry-After"

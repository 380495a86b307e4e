"""CORS: preflights and response headers (auth reference 1.9)."""

from __future__ import annotations

from dataclasses import replace

from compat_base.values.http import HttpRequest, HttpResponse

_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# `apikey` is what a gateway would allow: without one, browsers need it here
_HEADERS = (
    "Accept", "Authorization", "Content-Type", "X-Client-IP", "X-Client-Info", "X-JWT-AUD",
    "x-use-cookie", "X-Supabase-Api-Version", "apikey",
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
    names = [name.strip() for name in requested.split(",") if name.strip()]
    allowed = {name.lower() for name in (*_HEADERS, *more_headers)}
    is_allowed = wanted in _METHODS and all(name.lower() in allowed for name in names)
    if is_allowed and request.header("origin"):
        headers += [
            ("Access-Control-Allow-Origin", "*"),
            ("Access-Control-Allow-Methods", wanted),
            ("Access-Control-Allow-Credentials", "true"),
        ]
        if names:
            headers.append(("Access-Control-Allow-Headers", requested))
    return HttpResponse(204, tuple(headers), content_length=False)


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

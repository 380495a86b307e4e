"""Headers: those every success carries, and those SQL sets (rest reference 10 and 12.4)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, cast

from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from compat_base.values.http import Headers, HttpRequest, HttpResponse, is_header_name
from rest_compat.errors import GUC_HEADERS, GUC_STATUS
from rest_compat.settings import VERSION

SERVER: Headers = (("Server", f"postgrest/{VERSION}"),)
VARY = ("Vary", "Accept, Prefer, Range")
_EXPOSED = (
    "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server,"
    " Transfer-Encoding, Range-Unit"
)
_METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "HEAD")
_SIMPLE = ("Accept", "Accept-Language", "Content-Language")
# The server's own: others in their place would break the connection.
_FRAMING = frozenset({"content-length", "transfer-encoding", "connection"})
_STATUS = re.compile(r"([0-9]+)")


def overridden(
    status: int, headers: Headers, guc_status: str | None, guc_headers: str | None
) -> tuple[int, Headers]:
    """The status and headers after SQL's overrides."""
    if guc_status is not None:
        status = _guc_status(guc_status)
    own = () if guc_headers is None else _guc_headers(guc_headers)
    replaced = {name.lower() for name, _ in own}
    kept = tuple(pair for pair in headers if pair[0].lower() not in replaced)
    return status, kept + own


def with_vary(headers: Headers) -> Headers:
    """The Vary of every success, unless SQL set its own."""
    return headers if "vary" in [name.lower() for name, _ in headers] else (*headers, VARY)


def without_body(answer: HttpResponse) -> HttpResponse:
    """The response to HEAD: the headers, with the length of the omitted body."""
    length = ("Content-Length", str(len(answer.body)))
    return replace(answer, headers=(*answer.headers, length), body=b"", content_length=False)


def _guc_status(text: str) -> int:
    found = _STATUS.match(text)
    status = int(found.group(1)) if found else 0
    if not 100 <= status <= 999:  # noqa: PLR2004 — what a status line can hold
        raise ApiError.of(GUC_STATUS)
    return status


def _guc_headers(text: str) -> Headers:
    try:
        entries = jsontext.decode_finite(text)
    except jsontext.InvalidJsonError as error:
        raise ApiError.of(GUC_HEADERS) from error
    if not isinstance(entries, list):
        raise ApiError.of(GUC_HEADERS)
    pairs = (_guc_header(entry) for entry in cast("list[Any]", entries))
    return tuple(pair for pair in pairs if pair[0].lower() not in _FRAMING)


def _guc_header(entry: Any) -> tuple[str, str]:
    if isinstance(entry, dict):
        pairs = tuple(cast("dict[str, Any]", entry).items())
        if len(pairs) == 1:
            ((name, value),) = pairs
            if (
                isinstance(value, str)
                and is_header_name(name)
                and "\n" not in value
                and "\r" not in value
            ):
                return name, value
    raise ApiError.of(GUC_HEADERS)


# ── cross-origin requests ──────────────────────────────────────────────────────────────────────


def preflight(
    request: HttpRequest, origin: str | None, allowed: tuple[str, ...]
) -> HttpResponse | None:
    """The response to a CORS preflight, or None where the request is none.

    An OPTIONS from an origin or for a method that is not allowed is answered as one without an
    origin, as in the original. It has no Content-Length, so that the server ends it with a chunk.
    """
    if request.method != "OPTIONS" or origin is None:
        return None
    granted = _granted(origin, allowed)
    if granted is None or request.header("access-control-request-method") not in _METHODS:
        return None
    requested = request.header("access-control-request-headers")
    listed = (
        ()
        if requested is None
        else (("Access-Control-Allow-Headers", _allowed_headers(requested)),)
    )
    methods = ("Access-Control-Allow-Methods", ", ".join(_METHODS))
    headers = (*granted, methods, *listed, ("Access-Control-Max-Age", "86400"))
    return HttpResponse(200, headers, content_length=False)


def _allowed_headers(requested: str) -> str:
    names = ["Authorization", *(name.strip() for name in requested.split(",") if requested)]
    known = {name.lower() for name in names}
    return ", ".join([*names, *(name for name in _SIMPLE if name.lower() not in known)])


def cross_origin_headers(method: str, origin: str | None, allowed: tuple[str, ...]) -> Headers:
    """The CORS headers of a response; none for OPTIONS."""
    granted = None if origin is None or method == "OPTIONS" else _granted(origin, allowed)
    return () if granted is None else (*granted, ("Access-Control-Expose-Headers", _EXPOSED))


def without_repeated(headers: Headers, added: Headers) -> Headers:
    """Headers with those added whose names they do not have: what SQL set is not repeated.

    A browser refuses an answer with two `Access-Control-Allow-Origin`.
    """
    names = {name.lower() for name, _ in headers}
    return headers + tuple(pair for pair in added if pair[0].lower() not in names)


def _granted(origin: str, allowed: tuple[str, ...]) -> Headers | None:
    if not allowed:
        return (("Access-Control-Allow-Origin", "*"),)
    if origin not in allowed:
        return None
    return (
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Allow-Credentials", "true"),
    )

"""The whole surface as one table: method, path, who may call, who answers, the operation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.rules.paths import decode_segment
from storage_compat.web import (
    buckets,
    objects,
    operations,
    rendering,
    resumable,
    s3_operations,
    signed,
)
from storage_compat.web.calls import Call
from storage_compat.web.exchange import Answer


class Guard(Enum):
    """Whose call is taken."""

    TOKEN = "a valid token"  # noqa: S105 — who may call
    MAYBE = "anybody; an invalid token counts as none"
    NONE = "anybody; no token is looked at"


@dataclass(frozen=True, slots=True)
class Route:
    """One line of the table: `{bucket}` is a segment, `{key}` all that is left of the path."""

    method: str
    path: str
    guard: Guard
    handler: Callable[[Call], Awaitable[Answer]]
    operation: str


@dataclass(frozen=True, slots=True)
class Match:
    """A route and the parameters of its path, decoded and as sent."""

    route: Route
    parameters: dict[str, str]
    raw: dict[str, str]


_T, _M, _N = Guard.TOKEN, Guard.MAYBE, Guard.NONE
_B, _O, _U = "storage.bucket.", "storage.object.", "storage.tus.upload."
_TUS, _RENDER = "/upload/resumable", "/render/image"

ROUTES: tuple[Route, ...] = (
    Route("GET", "/status", _N, operations.status, ""),
    Route("GET", "/version", _N, operations.version, ""),
    Route("GET", "/health", _T, operations.health, ""),
    Route("GET", "/ready", _N, operations.ready, ""),
    Route("DELETE", "/cdn/{bucket}/{key}", _T, operations.purge, ""),
    Route("DELETE", "/cdn/{bucket}", _T, operations.purge, ""),
    Route("POST", "/bucket", _T, buckets.create, f"{_B}create"),
    Route("GET", "/bucket", _T, buckets.list_all, f"{_B}list"),
    Route("GET", "/bucket/{bucket}", _T, buckets.get, f"{_B}get"),
    Route("HEAD", "/bucket/{bucket}", _T, buckets.get, f"{_B}get"),
    Route("PUT", "/bucket/{bucket}", _T, buckets.update, f"{_B}update"),
    Route("POST", "/bucket/{bucket}/empty", _T, buckets.empty, f"{_B}empty"),
    Route("DELETE", "/bucket/{bucket}", _T, buckets.delete, f"{_B}delete"),
    Route("POST", "/object/list/{bucket}", _T, objects.list_folder, f"{_O}list"),
    Route("POST", "/object/list-v2/{bucket}", _T, objects.list_v2, f"{_O}list_v2"),
    Route("POST", "/object/move", _T, objects.move, f"{_O}move"),
    Route("POST", "/object/copy", _T, objects.copy, f"{_O}copy"),
    Route("POST", "/object/sign/{bucket}/{key}", _T, signed.sign, f"{_O}sign"),
    Route("POST", "/object/sign/{bucket}", _T, signed.sign_many, f"{_O}sign_many"),
    Route("GET", "/object/sign/{bucket}/{key}", _N, signed.download, f"{_O}get_signed"),
    Route("HEAD", "/object/sign/{bucket}/{key}", _N, signed.download, f"{_O}get_signed"),
    Route(
        "POST", "/object/upload/sign/{bucket}/{key}", _T, signed.sign_upload,
        f"{_O}sign_upload_url",
    ),
    Route("PUT", "/object/upload/sign/{bucket}/{key}", _N, signed.upload, f"{_O}upload_signed"),
    Route("GET", "/object/info/public/{bucket}/{key}", _N, objects.info_public, f"{_O}info_public"),
    Route(
        "GET", "/object/info/authenticated/{bucket}/{key}", _T, objects.info,
        "object.get_authenticated_info",
    ),
    Route(
        "HEAD", "/object/info/authenticated/{bucket}/{key}", _T, objects.info,
        "object.head_authenticated_info",
    ),
    Route("GET", "/object/info/{bucket}/{key}", _M, objects.info, "object.get_authenticated_info"),
    Route(
        "HEAD", "/object/info/{bucket}/{key}", _M, objects.info, "object.head_authenticated_info"
    ),
    Route("GET", "/object/public/{bucket}/{key}", _N, objects.download_public, f"{_O}get_public"),
    Route("HEAD", "/object/public/{bucket}/{key}", _N, objects.download_public, f"{_O}info_public"),
    Route(
        "GET", "/object/authenticated/{bucket}/{key}", _T, objects.download,
        f"{_O}get_authenticated",
    ),
    Route(
        "HEAD", "/object/authenticated/{bucket}/{key}", _T, objects.download,
        "object.head_authenticated_info",
    ),
    Route("GET", "/object/{bucket}/{key}", _M, objects.download, f"{_O}get_authenticated"),
    Route("HEAD", "/object/{bucket}/{key}", _M, objects.download, "object.head_authenticated_info"),
    Route("POST", "/object/{bucket}/{key}", _T, objects.create, f"{_O}upload"),
    Route("PUT", "/object/{bucket}/{key}", _T, objects.update, f"{_O}upload_update"),
    Route("DELETE", "/object/{bucket}/{key}", _T, objects.remove, f"{_O}delete"),
    Route("DELETE", "/object/{bucket}", _T, objects.remove_many, f"{_O}delete_many"),
    *(
        Route(
            method, f"{_RENDER}/{kind}/{{bucket}}/{{key}}", guard, handler,
            f"storage.render.image_{kind}",
        )
        for method in ("GET", "HEAD")
        for kind, guard, handler in (
            ("public", _N, rendering.public),
            ("authenticated", _T, rendering.authenticated),
            ("sign", _N, rendering.signed),
        )
    ),
    *(
        Route(method, path, _N, s3_operations.handle, "")
        for method in ("GET", "HEAD", "PUT", "POST", "DELETE")
        for path in ("/s3", "/s3/{key}")
    ),
    Route("OPTIONS", f"{_TUS}", _N, resumable.options, "storage.tus.options"),
    Route("OPTIONS", f"{_TUS}/{{key}}", _N, resumable.options, "storage.tus.options"),
    Route("POST", f"{_TUS}/sign", _N, resumable.create, f"{_U}create_signed"),
    Route("HEAD", f"{_TUS}/sign/{{key}}", _N, resumable.head, f"{_U}get_signed"),
    Route("PATCH", f"{_TUS}/sign/{{key}}", _N, resumable.patch, f"{_U}part_signed"),
    Route("DELETE", f"{_TUS}/sign/{{key}}", _N, resumable.delete, f"{_U}delete_signed"),
    Route("POST", f"{_TUS}", _T, resumable.create, f"{_U}create"),
    Route("HEAD", f"{_TUS}/{{key}}", _T, resumable.head, f"{_U}get"),
    Route("PATCH", f"{_TUS}/{{key}}", _T, resumable.patch, f"{_U}part"),
    Route("DELETE", f"{_TUS}/{{key}}", _T, resumable.delete, f"{_U}delete"),
)  # fmt: skip


def match(method: str, raw_path: str) -> Match | None:
    """The first route of a method and a path as sent; ApiError where the path cannot be decoded."""
    parts = raw_path.split("/")[1:]
    if len(parts) > 1 and parts == ["bucket", ""]:
        parts = ["bucket"]
    for route, pattern in _by_method(method):
        raw = _fit(pattern, parts)
        if raw is not None:
            return Match(route, {name: _decode(text, raw_path) for name, text in raw.items()}, raw)
    return None


@cache
def _by_method(method: str) -> tuple[tuple[Route, tuple[str, ...]], ...]:
    return tuple(
        (route, tuple(route.path.split("/")[1:])) for route in ROUTES if route.method == method
    )


def _fit(pattern: tuple[str, ...], parts: list[str]) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for number, wanted in enumerate(pattern):
        if wanted == "{key}":
            if number >= len(parts):
                return None
            return found | {"key": "/".join(parts[number:])}
        if number >= len(parts):
            return None
        if wanted == "{bucket}":
            if not parts[number]:
                return None
            found["bucket"] = parts[number]
        elif wanted != parts[number]:
            return None
    return found if len(parts) == len(pattern) else None


def _decode(text: str, path: str) -> str:
    decoded = decode_segment(text)
    if decoded is None or "\0" in decoded:
        raise ApiError.of(errors.BAD_URL, path=path)
    return decoded

"""All routes as one table: method, path, who may call, handler, operation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache

from storage_compat.rules.paths import decode_segment
from storage_compat.rules.schema import Fields
from storage_compat.web import (
    bodies,
    buckets,
    objects,
    operations,
    rendering,
    resumable,
    s3_routes,
    signed,
)
from storage_compat.web.bodies import BodySchema
from storage_compat.web.calls import Call
from storage_compat.web.exchange import Answer


class BadUrlError(ValueError):
    """A path whose percent-encoding is broken."""


class Guard(Enum):
    """Who may call."""

    TOKEN = "a valid token"  # noqa: S105 — who may call
    BEARER = "a valid token; an absent one is judged as an empty one"
    MAYBE = "anybody; an invalid token counts as none"
    NONE = "anybody; no token is looked at"


@dataclass(frozen=True, slots=True)
class Route:
    """One line of the table: `{bucket}` is a segment, `{key}` all that is left of the path.

    `body` and `query` are the schemas that a JSON body and the query must have.
    """

    method: str
    path: str
    guard: Guard
    handler: Callable[[Call], Awaitable[Answer]]
    operation: str
    body: BodySchema | None = None
    query: Fields | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A route and the parameters of its path, decoded and as sent."""

    route: Route
    parameters: dict[str, str]
    raw: dict[str, str]


_T, _J, _M, _N = Guard.TOKEN, Guard.BEARER, Guard.MAYBE, Guard.NONE
_READ = ("GET", "HEAD")
_COLLECTION = 2  # segments of `/bucket/`
_SINGLE = {"status", "version"}  # which are no collections
_B, _O, _U = "storage.bucket.", "storage.object.", "storage.tus.upload."
_TUS, _RENDER = "/upload/resumable", "/render/image"

ROUTES: tuple[Route, ...] = (
    *(Route(method, "/status", _N, operations.status, "") for method in _READ),
    *(Route(method, "/version", _N, operations.version, "") for method in _READ),
    *(Route(method, "/health", _J, operations.health, "") for method in _READ),
    *(Route(method, "/ready", _N, operations.ready, "") for method in _READ),
    Route("DELETE", "/cdn", _T, operations.purge, ""),
    Route("DELETE", "/cdn/{bucket}/{key}", _T, operations.purge, ""),
    Route("DELETE", "/cdn/{bucket}", _T, operations.purge, ""),
    Route("POST", "/bucket", _T, buckets.create, f"{_B}create", bodies.NEW_BUCKET),
    *(
        Route(method, "/bucket", _T, buckets.list_all, f"{_B}list", query=bodies.BUCKET_LIST)
        for method in _READ
    ),
    *(Route(method, "/bucket/{bucket}", _T, buckets.get, f"{_B}get") for method in _READ),
    Route("PUT", "/bucket/{bucket}", _T, buckets.update, f"{_B}update", bodies.BUCKET_CHANGES),
    Route("POST", "/bucket/{bucket}/empty", _T, buckets.empty, f"{_B}empty", bodies.ANY_OR_NONE),
    Route("DELETE", "/bucket/{bucket}", _T, buckets.delete, f"{_B}delete", bodies.ANY_OR_NONE),
    Route("POST", "/object/list/{bucket}", _T, objects.list_folder, f"{_O}list", bodies.LIST),
    Route("POST", "/object/list-v2/{bucket}", _T, objects.list_v2, f"{_O}list_v2", bodies.LIST_V2),
    Route("POST", "/object/move", _T, objects.move, f"{_O}move", bodies.MOVE),
    Route("POST", "/object/copy", _T, objects.copy, f"{_O}copy", bodies.COPY),
    Route("POST", "/object/sign/{bucket}/{key}", _T, signed.sign, f"{_O}sign", bodies.SIGN),
    Route(
        "POST", "/object/sign/{bucket}", _T, signed.sign_many, f"{_O}sign_many", bodies.SIGN_MANY,
    ),
    *(
        Route(
            method, "/object/sign/{bucket}/{key}", _N, signed.download, f"{_O}get_signed",
            query=bodies.SIGNED,
        )
        for method in _READ
    ),
    Route(
        "POST", "/object/upload/sign/{bucket}/{key}", _T, signed.sign_upload,
        f"{_O}sign_upload_url", bodies.ANY,
    ),
    Route(
        "PUT", "/object/upload/sign/{bucket}/{key}", _N, signed.upload, f"{_O}upload_signed",
        query=bodies.SIGNED,
    ),
    Route(
        "GET", "/object/info/public/{bucket}/{key}", _N, objects.info_public, f"{_O}info_public",
        query=bodies.IMAGE,
    ),
    *(
        Route(
            method, f"/object/info{kind}/{{bucket}}/{{key}}", guard, objects.info,
            f"object.{method.lower()}_authenticated_info", query=bodies.IMAGE,
        )
        for kind, guard in (("/authenticated", _T), ("", _M))
        for method in _READ
    ),
    Route(
        "GET", "/object/public/{bucket}/{key}", _N, objects.download_public, f"{_O}get_public",
        query=bodies.DOWNLOAD,
    ),
    Route(
        "HEAD", "/object/public/{bucket}/{key}", _N, objects.download_public, f"{_O}info_public",
        query=bodies.IMAGE,
    ),
    *(
        route
        for kind, guard in (("/authenticated", _T), ("", _M))
        for route in (
            Route(
                "GET", f"/object{kind}/{{bucket}}/{{key}}", guard, objects.download,
                f"{_O}get_authenticated", query=bodies.DOWNLOAD,
            ),
            Route(
                "HEAD", f"/object{kind}/{{bucket}}/{{key}}", guard, objects.download,
                "object.head_authenticated_info", query=bodies.IMAGE,
            ),
        )
    ),
    Route("POST", "/object/{bucket}/{key}", _T, objects.create, f"{_O}upload"),
    Route("PUT", "/object/{bucket}/{key}", _T, objects.update, f"{_O}upload_update"),
    Route("DELETE", "/object/{bucket}/{key}", _T, objects.remove, f"{_O}delete", bodies.ANY),
    Route(
        "DELETE", "/object/{bucket}", _T, objects.remove_many, f"{_O}delete_many",
        bodies.REMOVE_MANY,
    ),
    *(
        Route(
            method, f"{_RENDER}/{kind}/{{bucket}}/{{key}}", guard, handler,
            f"storage.render.image_{kind}", query=schema,
        )
        for method in _READ
        for kind, guard, handler, schema in (
            ("public", _N, rendering.public, bodies.RENDERED),
            ("authenticated", _J, rendering.authenticated, bodies.RENDERED),
            ("sign", _N, rendering.signed, bodies.SIGNED),
        )
    ),
    *(
        Route(method, "/s3/{key}", _N, s3_routes.handle, "")
        for method in ("GET", "HEAD", "PUT", "POST", "DELETE")
    ),
    Route("GET", "/s3", _N, s3_routes.handle, ""),
    Route("OPTIONS", f"{_TUS}", _N, resumable.options, "storage.tus.options"),
    Route("OPTIONS", f"{_TUS}/{{key}}", _N, resumable.options, "storage.tus.options"),
    *(  # as the original, below any path: clients configure the address with a slash behind it
        Route("POST", f"{_TUS}/sign{rest}", _N, resumable.create, f"{_U}create_signed")
        for rest in ("", "/{key}")
    ),
    Route("HEAD", f"{_TUS}/sign/{{key}}", _N, resumable.head, f"{_U}get_signed"),
    Route("PATCH", f"{_TUS}/sign/{{key}}", _N, resumable.patch, f"{_U}part_signed"),
    Route("DELETE", f"{_TUS}/sign/{{key}}", _N, resumable.delete, f"{_U}delete_signed"),
    *(
        Route("POST", f"{_TUS}{rest}", _J, resumable.create, f"{_U}create")
        for rest in ("", "/{key}")
    ),
    Route("HEAD", f"{_TUS}/{{key}}", _J, resumable.head, f"{_U}get"),
    Route("PATCH", f"{_TUS}/{{key}}", _J, resumable.patch, f"{_U}part"),
    Route("DELETE", f"{_TUS}/{{key}}", _J, resumable.delete, f"{_U}delete"),
)  # fmt: skip


def match(method: str, raw_path: str) -> Match | None:
    """The first route of a method and a path as sent; BadUrlError for what cannot be decoded."""
    if decode_segment(raw_path) is None:
        raise BadUrlError
    parts = raw_path.split("/")[1:]
    if len(parts) == _COLLECTION and not parts[1] and parts[0] not in _SINGLE:
        # one slash behind a collection is none
        found = _first(method, parts[:1])
        if found is not None:
            return found
    return _first(method, parts)


def _first(method: str, parts: list[str]) -> Match | None:
    for route, pattern in _by_method(method):
        raw = _fit(pattern, parts)
        if raw is not None:
            return Match(route, {name: _decode(text) for name, text in raw.items()}, raw)
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
            found["bucket"] = parts[number]
        elif wanted != parts[number]:
            return None
    return found if len(parts) == len(pattern) else None


def _decode(text: str) -> str:
    decoded = decode_segment(text)
    if decoded is None:
        raise BadUrlError
    return decoded

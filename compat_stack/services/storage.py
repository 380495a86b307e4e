"""The storage service, opened for the stack: read by pages of any origin."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from starlette.types import ASGIApp, Message, Receive, Scope, Send

import storage_compat
from compat_base.asgi import send_response
from compat_base.values.http import HttpResponse
from compat_stack.services.opened import Dependencies, Opened, http_check
from compat_stack.services.service import Variables
from storage_compat.settings import read_settings

_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
_ORIGIN = b"access-control-allow-origin"
_EXPOSED = b"access-control-expose-headers"
# By name too, for browsers that take the star for a name
_READABLE = b"*, Content-Disposition, Content-Range, ETag, X-Transformations"


@asynccontextmanager
async def open_storage(variables: Variables, dependencies: Dependencies) -> AsyncGenerator[Opened]:
    """The storage service for the length of the block. Raises SettingsError."""
    settings = read_settings(variables)
    settings = replace(settings, tokens=replace(settings.tokens, remote=dependencies.remote))
    async with storage_compat.open_service(
        settings, world=dependencies.world, observer=dependencies.observer
    ) as app:
        yield Opened(CrossOrigin(app), http_check(app, "/ready"))


class CrossOrigin:
    """An application whose responses any origin may read; preflights are answered here.

    The original leaves CORS to the gateway in front of it, which allows whatever a preflight names.
    Any other OPTIONS is for the server of resumable uploads, whose abilities it lists.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one scope."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] == "OPTIONS" and not _is_tus_discovery(scope):
            await send_response(send, _preflight(dict(scope["headers"])))
        else:
            await self._app(scope, receive, _readable(send))


def _is_tus_discovery(scope: Scope) -> bool:
    below = scope["path"].removeprefix(scope.get("root_path", ""))
    is_preflight = b"access-control-request-method" in dict(scope["headers"])
    return below.startswith("/upload/resumable") and not is_preflight


def _preflight(headers: dict[bytes, bytes]) -> HttpResponse:
    requested = headers.get(b"access-control-request-headers", b"*").decode("latin-1")
    return HttpResponse(
        200,
        (
            ("Access-Control-Allow-Origin", "*"),
            ("Access-Control-Allow-Methods", _METHODS),
            ("Access-Control-Allow-Headers", requested),
            ("Access-Control-Max-Age", "3600"),
            ("Vary", "Access-Control-Request-Headers"),
        ),
    )


def _readable(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message["headers"]}
            added = [(_ORIGIN, b"*"), (_EXPOSED, _READABLE)]
            extra = [pair for pair in added if pair[0] not in names]
            message = {**message, "headers": [*message["headers"], *extra]}
        await send(message)

    return sending


def most_connections(variables: Variables) -> int:
    """The most connections to the database: its pool."""
    return read_settings(variables).database.pool_size

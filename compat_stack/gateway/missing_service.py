"""The 404 of a service of the platform that is not here, in its clients' format."""

from __future__ import annotations

import re

from starlette.types import Receive, Scope, Send

from compat_base.asgi import close_socket, send_response
from compat_base.values import jsontext
from compat_base.values.http import HttpResponse

_VERSIONED = re.compile(r"/+([A-Za-z0-9_-]{1,64})/+v1(?:/|$)")
_UNVERSIONED = re.compile(r"/+(pg)(?:/|$)")  # where Studio's tools reach the database
_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"


def missing_service(path: str) -> str | None:
    """The service that a path names, `functions` of `/functions/v1/x`; None for a page."""
    matched = _VERSIONED.match(path) or _UNVERSIONED.match(path)
    return matched[1] if matched else None


def no_service(name: str, scope: Scope) -> HttpResponse:
    """The 404 of a service that is not here, readable by any origin."""
    allowed = (("access-control-allow-origin", "*"), ("vary", "access-control-request-headers"))
    if scope["type"] == "http" and scope["method"] == "OPTIONS":
        requested = dict(scope["headers"]).get(b"access-control-request-headers", b"*")
        headers = requested.decode("latin-1")
        return HttpResponse(
            200,
            (
                *allowed,
                ("access-control-allow-methods", _METHODS),
                ("access-control-allow-headers", headers),
            ),
        )
    body = jsontext.encode_bytes(
        {
            "statusCode": "404",
            "error": "service_not_found",
            "code": "service_not_found",
            "message": f"no Route matched with those values: no {name} service is here",
        }
    )
    is_head = scope["type"] == "http" and scope["method"] == "HEAD"
    headers = (("content-type", "application/json"), *allowed)
    return HttpResponse(404, headers, b"" if is_head else body, content_length=not is_head)


class NoPages:
    """In place of a web app: every path is a 404, worded as the original's gateway does."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one scope."""
        if scope["type"] == "websocket":
            await close_socket(receive, send)
            return
        body = jsontext.encode_bytes({"message": "no Route matched with those values"})
        is_head = scope["method"] == "HEAD"
        headers = (("content-type", "application/json"), ("access-control-allow-origin", "*"))
        answer = HttpResponse(404, headers, b"" if is_head else body, content_length=not is_head)
        await send_response(send, answer)

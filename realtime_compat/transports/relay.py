"""A long poll's request relayed to the worker of its session, and the response back.

A session's token begins with the name of its worker. The rest of it is random: forging one means
guessing the session itself.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, cast

from compat_base.values import jsontext
from compat_base.values.http import HttpRequest, HttpResponse

_NODE_DIGITS = 16
_SESSION_DIGITS = 32


def owner_of(token: str) -> bytes | None:
    """The worker that issued a token; None for malformed ones."""
    if len(token) != _NODE_DIGITS + _SESSION_DIGITS:
        return None
    with suppress(ValueError):
        return bytes.fromhex(token)[: _NODE_DIGITS // 2]
    return None


def pack_request(request: HttpRequest) -> bytes:
    """Encode a request."""
    head = [request.method, request.path, request.query, [list(h) for h in request.headers]]
    return jsontext.encode_bytes(head) + b"\n" + request.body


def unpack_request(data: bytes) -> HttpRequest:
    """Decode a request."""
    line, _, body = data.partition(b"\n")
    method, path, query, headers = cast("list[Any]", jsontext.decode(line))
    pairs = tuple((str(name), str(value)) for name, value in headers)
    return HttpRequest(method, path, path, query, pairs, body)


def pack_answer(answer: HttpResponse) -> bytes:
    """Encode a response."""
    head = [answer.status, [list(h) for h in answer.headers]]
    return jsontext.encode_bytes(head) + b"\n" + answer.body


def unpack_answer(data: bytes) -> HttpResponse:
    """Decode a response."""
    line, _, body = data.partition(b"\n")
    status, headers = cast("list[Any]", jsontext.decode(line))
    return HttpResponse(status, tuple((str(name), str(value)) for name, value in headers), body)

"""A long poll's request relayed to the worker of its session, and the response back.

A session's token is the name of its worker, random digits, and a MAC of both: what no worker of the
project has made is passed on to nobody.
"""

from __future__ import annotations

import hashlib
import hmac
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

from compat_base.values import jsontext
from compat_base.values.http import HttpRequest, HttpResponse

RANDOM_BYTES = 16
_NODE = 8
_MAC = 16


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a project's sessions, by its secret."""

    secret: str = field(repr=False)

    def make(self, node: bytes, random: bytes) -> str:
        """A session's token at a worker."""
        return (node + random + self._mac(node + random)).hex()

    def owner_of(self, token: str) -> bytes | None:
        """The worker that made a token; None for what no worker makes."""
        with suppress(ValueError):
            data = bytes.fromhex(token)
            body = data[:-_MAC]
            is_made = len(body) == _NODE + RANDOM_BYTES
            if is_made and hmac.compare_digest(data[-_MAC:], self._mac(body)):
                return body[:_NODE]
        return None

    def _mac(self, body: bytes) -> bytes:
        key = hashlib.blake2b(self.secret.encode(), person=b"rt long poll").digest()
        return hashlib.blake2b(body, key=key, digest_size=_MAC).digest()


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

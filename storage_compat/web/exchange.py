"""A request whose body is a stream, and answers that are whole or streamed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from compat_base.asgi import ClientGoneError, send_response
from compat_base.values.http import Headers, HttpResponse
from storage_compat.rules.numbers import whole_number

Bytes = AsyncGenerator[bytes]


class Body:
    """The body of a request, read once, as it arrives; ClientGoneError on a cut."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._is_over = False

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The chunks that the server has."""
        while not self._is_over:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            self._is_over = not message.get("more_body", False)
            chunk: bytes = message.get("body", b"")
            if chunk:
                yield chunk

    async def read(self, most: int) -> bytes | None:
        """The whole body, None where it is longer than `most` bytes."""
        return await gathered(self.chunks(), most)


async def gathered(chunks: AsyncIterator[bytes], most: int) -> bytes | None:
    """All chunks in one piece, None where they are more than `most` bytes."""
    found = bytearray()
    async for chunk in chunks:
        found += chunk
        if len(found) > most:
            return None
    return bytes(found)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request: `raw_path` is below the service's mount point and not decoded.

    `address` is the client's, as the server or a gateway in the process reports it; else empty.
    """

    method: str
    raw_path: str
    query: str
    headers: Mapping[str, str]
    body: Body = field(compare=False, repr=False)
    scheme: str = "http"
    mount: str = ""
    address: str = ""

    @property
    def target(self) -> str:
        """The path with its query, as sent."""
        return f"{self.raw_path}?{self.query}" if self.query else self.raw_path

    @property
    def content_length(self) -> int | None:
        """The declared length of the body."""
        return whole_number(self.headers.get("content-length", ""))


@dataclass(frozen=True, slots=True)
class Streamed:
    """An answer of a known length whose bytes come as they are read."""

    status: int
    headers: Headers
    length: int
    pieces: Bytes


Answer = HttpResponse | Streamed


def incoming_of(scope: Scope, receive: Receive) -> Incoming:
    """The request of an ASGI scope; of a header that is repeated the values are joined."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), _text(raw_value).strip(" \t")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return Incoming(
        method=scope["method"],
        raw_path=path_of(scope),
        query=scope["query_string"].decode("latin-1"),
        headers=headers,
        body=Body(receive),
        scheme=scope.get("scheme", "http"),
        mount=scope.get("root_path", ""),
        address=(scope.get("client") or ("", 0))[0],
    )


def path_of(scope: Scope) -> str:
    """The path of an ASGI scope below the service's mount point, as it was sent."""
    raw_path: str = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
    return raw_path.removeprefix(scope.get("root_path", "")) or "/"


def _text(value: bytes) -> str:
    """A header's value: clients send other characters than ASCII as UTF-8 or as latin-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


async def send_answer(send: Send, answer: Answer, *, is_head: bool) -> None:
    """Send an answer; to HEAD its head alone."""
    if isinstance(answer, HttpResponse):
        await send_response(send, _headed(answer) if is_head else answer)
        return
    async with aclosing(answer.pieces):
        start = _start(answer.status, (*answer.headers, ("Content-Length", str(answer.length))))
        if is_head or answer.length == 0:
            await send(start)
            await send({"type": "http.response.body", "body": b""})
            return
        await _send_pieces(send, start, answer.pieces, answer.length)


async def _send_pieces(send: Send, start: Message, pieces: AsyncIterator[bytes], left: int) -> None:
    """The head goes with the first piece, so that a failure to read is still an answer."""
    is_started = False
    async for piece in pieces:
        if not is_started:
            await send(start)
            is_started = True
        left -= len(piece)
        await send({"type": "http.response.body", "body": piece, "more_body": left > 0})


def _headed(answer: HttpResponse) -> HttpResponse:
    headers = answer.headers
    if answer.content_length and answer.header("content-length") is None:
        headers += (("Content-Length", str(len(answer.body))),)
    return HttpResponse(answer.status, headers, content_length=False)


def _start(status: int, headers: Headers) -> Message:
    raw: list[tuple[bytes, Any]] = [
        (name.lower().encode("latin-1"), value.encode("utf-8")) for name, value in headers
    ]
    return {"type": "http.response.start", "status": status, "headers": raw}

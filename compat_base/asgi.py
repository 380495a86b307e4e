"""ASGI adapters: scopes to requests, responses to messages, body limits, errors, timing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from functools import lru_cache
from io import BytesIO
from typing import Self

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from compat_base.tasks import raise_if_cancelled
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.http import Headers, HttpRequest, HttpResponse

_NOT_CLOSED = "the application was not closed in time: it was cut off"
_NO_SOCKET = b'{"message":"There is no WebSocket at this path."}'

_OK = 200
_BODILESS = frozenset({204, 304})

Handler = Callable[[HttpRequest], Awaitable[HttpResponse]]


class BodyTooLargeError(Exception):
    """The request's body is larger than the limit."""


class ClientGoneError(Exception):
    """The client closed the connection before its request was complete."""


class ReasonedStatus(int):
    """A status with its own reason phrase, for servers that look for one; else a plain number."""

    reason: str

    def __new__(cls, status: int, reason: str) -> Self:
        """Keep the phrase beside the number."""
        made = super().__new__(cls, status)
        made.reason = reason
        return made


class Lifespan:
    """An ASGI application that exists between a context's entry and exit.

    A service opens its pools and listeners in an asynchronous context that yields its
    application; the server's lifespan messages enter and leave it. Where opening fails, the
    exception leaves through the server's start-up and `failure` keeps it for the command line.

    At shutdown the server cancels whatever has not ended in time. That is not an error of the
    application: a cancelled request logs nothing, and the application as a whole logs one sentence.
    """

    def __init__(self, opened: Callable[[], AbstractAsyncContextManager[ASGIApp]]) -> None:
        self._open = opened
        self._app: ASGIApp | None = None
        self.failure: Exception | None = None
        self._is_worded = False

    @contextmanager
    def failing(self) -> Generator[None]:
        """Raise `failure` after the block, if there is one, also in place of a SystemExit."""
        self._is_worded = True  # the caller reports it, so the server need not
        try:
            yield
        except SystemExit:
            if self.failure is None:
                raise
        if self.failure is not None:
            raise self.failure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve lifespan messages here and everything else by the opened application."""
        if scope["type"] != "lifespan":
            if self._app is None:
                message = "the application is not open"
                raise RuntimeError(message)
            with suppress(asyncio.CancelledError):
                await self._app(scope, receive, send)
            return
        await receive()
        try:
            await self._exist(send, receive)
        except asyncio.CancelledError:
            if self._app is not None:
                await send({"type": "lifespan.shutdown.failed", "message": _NOT_CLOSED})
            else:  # stopped during the start: no failure, so no traceback
                await send({"type": "lifespan.startup.failed", "message": ""})
            raise
        except Exception as error:  # noqa: BLE001 — reported to the server and kept for the caller
            self.failure = error
            stage = "shutdown" if self._app else "startup"
            await send(
                {
                    "type": f"lifespan.{stage}.failed",
                    "message": "" if self._is_worded else str(error),
                }
            )
            return
        await send({"type": "lifespan.shutdown.complete"})

    async def _exist(self, send: Send, receive: Receive) -> None:
        """Be open until the server says to close; CancelledError also where one got lost.

        What closes may fail because it is cancelled, or swallow that: neither says more.
        """
        try:
            async with self._open() as self._app:
                await send({"type": "lifespan.startup.complete"})
                await receive()
        finally:
            raise_if_cancelled()


class Endpoint:
    """An ASGI application around a handler of whole requests.

    `limit` is the largest body in bytes; `too_large` answers a larger one; `failed` answers an
    unexpected exception of the handler (it is observed, never sent). `reads_ahead`: a body longer
    than this is passed to the handler unread (`HttpRequest.rest`).
    """

    def __init__(  # noqa: PLR0913 — each is a decision of its own
        self,
        handler: Handler,
        *,
        limit: int,
        too_large: Callable[[], HttpResponse],
        failed: Callable[[], HttpResponse],
        observer: Observer,
        reads_ahead: int | None = None,
    ) -> None:
        self._handler = handler
        self._reads_ahead = reads_ahead
        self._limit = limit
        self._too_large = too_large
        self._failed = failed
        self._observer = observer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request; a WebSocket is refused."""
        if scope["type"] == "websocket":
            await refuse_socket(receive, send)
            return
        try:
            request = await read_request(scope, receive, self._limit, self._reads_ahead)
            answer = await self._answer(request)
        except ClientGoneError:
            return
        except BodyTooLargeError:
            answer = self._too_large()
        await send_response(send, answer)

    async def _answer(self, request: HttpRequest) -> HttpResponse:
        try:
            return await self._handler(request)
        except (BodyTooLargeError, ClientGoneError):
            raise
        except Exception as error:  # noqa: BLE001 — the outermost handler: no traceback may leave
            facts = {
                "method": request.method,
                "path": request.path,
                "error": f"{type(error).__name__}: {error}",
            }
            self._observer(Observation("request_failed", Severity.ERROR, facts))
            return self._failed()


class Timed:
    """Reports the status and duration of each HTTP response, with the request's scope.

    A request without a response, because the client was gone, is not reported.
    """

    def __init__(self, app: ASGIApp, observe: Callable[[Scope, int, float], None]) -> None:
        self._app = app
        self._observe = observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one scope; other scopes than HTTP requests are passed through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            await self._app(scope, receive, noted)
        finally:
            if status:
                self._observe(scope, status, clock() - begun)


async def read_request(
    scope: Scope, receive: Receive, limit: int, reads_ahead: int | None = None
) -> HttpRequest:
    """Read a request; BodyTooLargeError beyond the limit, ClientGoneError on a cut.

    A body of more than `reads_ahead` bytes is left to `HttpRequest.rest`; where its length says so,
    none of it is requested before (`Expect: 100-continue`).
    """
    root = scope.get("root_path", "")
    raw_path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
    client = scope.get("client")
    headers = _headers(scope)
    body = _Body(receive, limit)
    ahead = limit if reads_ahead is None else reads_ahead
    is_whole = body.declared(headers) <= ahead and await body.read(ahead)
    return HttpRequest(
        method=scope["method"],
        path=scope["path"].removeprefix(root),
        raw_path=raw_path.removeprefix(root),
        query=scope["query_string"].decode("latin-1"),
        headers=headers,
        body=body.joined() if is_whole else b"",
        rest=None if is_whole else body.rest,
        client=client[0] if client else None,
        scheme=scope.get("scheme", "http"),
    )


async def send_response(send: Send, response: HttpResponse) -> None:
    """Send a whole response; the Content-Length is added unless the response declines it.

    A status that has no body (RFC 9110, 15.2, 15.3.5, 15.4.5) is sent without: a client would read
    it as the beginning of the next response.
    """
    headers = [(name.encode("latin-1"), value.encode("utf-8")) for name, value in response.headers]
    body = response.body
    if response.status < _OK or response.status in _BODILESS:
        body = b""
    if response.content_length and response.status not in _BODILESS:
        headers.append((b"content-length", str(len(body)).encode()))
    status = response.status
    if response.reason is not None:
        status = ReasonedStatus(status, response.reason)
    start: Message = {"type": "http.response.start", "status": status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": body})


async def close_socket(receive: Receive, send: Send) -> None:
    """Refuse a WebSocket handshake by closing it: the server answers a bare 403."""
    await receive()
    await send({"type": "websocket.close", "code": 1000})


async def refuse_socket(receive: Receive, send: Send) -> None:
    """Refuse a WebSocket handshake at an HTTP path with 400."""
    await receive()
    headers = [(b"content-type", b"application/json")]
    await send({"type": "websocket.http.response.start", "status": 400, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": _NO_SOCKET})


def _headers(scope: Scope) -> Headers:
    return tuple(
        [(_name(name), value.decode("utf-8", "replace")) for name, value in scope["headers"]]
    )


@lru_cache(maxsize=1024)
def _name(raw: bytes) -> str:
    """A header's name; most requests have the same few."""
    return raw.decode("latin-1").lower()


class _Body:
    """A body that arrives in chunks."""

    __slots__ = ("_is_whole", "_limit", "_read", "_receive", "_size")

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._read = BytesIO()  # gives the whole without another copy
        self._size = 0
        self._is_whole = False

    def declared(self, headers: Headers) -> int:
        """The length that is declared, 0 for none; BodyTooLargeError beyond the limit."""
        lengths = [int(v) for name, v in headers if name == "content-length" and v.isdigit()]
        length = max(lengths, default=0)
        if length > self._limit:
            raise BodyTooLargeError
        return length

    async def read(self, most: int) -> bool:
        """Read to the end, or until there are more than so many bytes: False."""
        while self._size <= most:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            chunk = message.get("body", b"")
            self._size += len(chunk)
            if self._size > self._limit:
                raise BodyTooLargeError
            self._read.write(chunk)
            if not message.get("more_body", False):
                self._is_whole = True
                return self._size <= most
        return False

    async def rest(self, received: Callable[[int], None]) -> bytes:
        """Read what is left, and give the whole; `received` is called with each chunk's bytes."""
        if self._size:
            received(self._size)
        while not self._is_whole:
            before = self._size
            await self.read(before)
            received(self._size - before)
        return self.joined()

    def joined(self) -> bytes:
        """The chunks read so far, as one piece."""
        read, self._read = self._read, BytesIO()
        return read.getvalue()

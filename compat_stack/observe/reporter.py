"""Middleware around the gateway: the request id, metrics and the access log of each request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from compat_base.values.world import World
from compat_stack.observe.access_log import AccessLog, Subjects, line_of
from compat_stack.observe.metrics import Metrics
from compat_stack.observe.request_id import HEADER, RequestIds

_STARTS = frozenset({"http.response.start", "websocket.http.response.start", "websocket.accept"})
_SWITCHED, _FAILED, _NEVER_ACCEPTED = 101, 500, 403


def peer_of(scope: Mapping[str, Any]) -> str:
    """The peer address of a connection."""
    client = scope.get("client")
    return client[0] if client else ""


_NOBODY = Subjects(tuple)


@dataclass(frozen=True, slots=True)
class Sinks:
    """Where reports go; `client_of` gives the client's address, `subjects` whom a token names."""

    metrics: Metrics
    log: AccessLog | None
    client_of: Callable[[Mapping[str, Any]], str] = peer_of
    subjects: Subjects = _NOBODY


class Reporter:
    """An application that reports on every request to another."""

    def __init__(
        self,
        app: ASGIApp,
        prefixes: Mapping[str, str],
        world: World,
        sinks: Sinks,
        without_ids: frozenset[str] = frozenset(),
    ) -> None:
        """`prefixes`: first part of a path → the service's name.

        The services `without_ids` get only the ids that clients sent, while there is no access log.
        """
        self._without_ids = without_ids
        self._app = app
        self._prefixes = prefixes
        self._world = world
        self._ids = RequestIds(world.entropy)
        self._monotonic = world.clock.monotonic
        self._metrics = sinks.metrics
        self._log = sinks.log
        self._client_of = sinks.client_of
        self._subjects = sinks.subjects

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP or WebSocket scope."""
        service = self._prefixes.get(scope["path"][1:].partition("/")[0], "web")
        request_id, headers = self._ids.identify(
            scope["headers"],
            forward_generated=self._log is not None or service not in self._without_ids,
        )
        exchange = _ObservedResponse(send, request_id, self._metrics, service)
        started = self._monotonic()
        try:
            inner = scope if headers is scope["headers"] else {**scope, "headers": headers}
            await self._app(inner, receive, exchange.send)
        finally:
            seconds = self._monotonic() - started
            exchange.count_end(seconds)
            if self._log is not None:
                self._write(self._log, scope, exchange, seconds)

    def _write(
        self, log: AccessLog, scope: Scope, exchange: _ObservedResponse, seconds: float
    ) -> None:
        log.write(
            {
                **line_of(
                    scope,
                    self._world.clock.now(),
                    request_id=exchange.request_id,
                    service=exchange.service,
                    client=self._client_of(scope),
                ),
                "status": exchange.status,
                "bytes": exchange.size,
                "milliseconds": round(seconds * 1000, 1),
                **self._subjects.of(scope["headers"], exchange.status),
            }
        )


class _ObservedResponse:
    """Adds the request's id to a response, and notes its status and size."""

    __slots__ = ("_metrics", "_send", "request_id", "service", "size", "status")

    def __init__(self, send: Send, request_id: bytes, metrics: Metrics, service: str) -> None:
        self._send = send
        self._metrics = metrics
        self.service = service
        self.request_id = request_id
        self.status = _FAILED
        self.size = 0

    def count_end(self, seconds: float) -> None:
        """Count the response, or the socket's end."""
        if self.status == _SWITCHED:
            self._metrics.socket(self.service, -1)
        else:
            self._metrics.answered(self.service, self.status, seconds)

    async def send(self, message: Message) -> None:
        """Pass a message on."""
        kind = message["type"]
        if kind in _STARTS:
            self._start(message)
        elif kind == "websocket.close" and self.status == _FAILED:
            self.status = _NEVER_ACCEPTED
        elif "body" in message:
            self.size += len(message["body"])
        await self._send(message)

    def _start(self, message: Message) -> None:
        if message["type"] == "websocket.accept":
            self.status = _SWITCHED
            self._metrics.socket(self.service, 1)
        else:
            self.status = int(message["status"])
        headers = [pair for pair in message.get("headers") or () if pair[0].lower() != HEADER]
        headers.append((HEADER, self.request_id))
        message["headers"] = headers

"""The service as an ASGI application: its paths, start and end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from starlette.types import Receive, Scope, Send

from compat_base.asgi import Endpoint
from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.tasks import Supervisor
from compat_base.values.errors import Row
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.http import HttpRequest, HttpResponse
from compat_base.values.world import World
from realtime_compat import errors
from realtime_compat.access import records, topics
from realtime_compat.admin.endpoints import AdminEndpoints
from realtime_compat.admin.metrics import Figures, ObservationCounter, registry_of
from realtime_compat.app.composition import Dependencies, compose
from realtime_compat.app.nodes import make_bus, make_long_poll, start_stream
from realtime_compat.app.pools import open_pools
from realtime_compat.settings import Settings
from realtime_compat.transports import longpoll
from realtime_compat.transports.http_broadcast import PREFIX, Broadcasts, json_response
from realtime_compat.transports.service import Service
from realtime_compat.transports.websocket import refuse, serve_socket

_CORS = (
    ("access-control-allow-origin", "*"),
    ("access-control-allow-headers", "authorization, apikey, content-type, x-client-info"),
    ("access-control-allow-methods", "GET, POST, OPTIONS"),
)
SOCKET_PATHS = frozenset({"/websocket", "/socket/websocket"})
MAINTENANCE_SECONDS = 3600.0
RETRY_SECONDS = 5.0
DAY_SECONDS = 30.0  # between two looks at the calendar


@asynccontextmanager
async def open_service(
    settings: Settings, *, world: World, observer: Observer, broker: str | None = None
) -> AsyncGenerator[App]:
    """Open the service as an ASGI application until the block ends.

    `broker` is the socket of the machine's broker, where this is one of several workers.

    If the database is down at first, the service waits for it in the background.
    """
    async with AsyncExitStack() as stack:
        pools = await open_pools(stack, settings)
        counter = ObservationCounter(observer)
        supervisor = await stack.enter_async_context(Supervisor(counter))
        has_siblings = broker is not None or settings.redis_url is not None
        service = compose(
            Dependencies(settings, pools, world, counter, supervisor, has_siblings=has_siblings)
        )
        service.bus = make_bus(settings, service, broker)
        if service.bus is not None:
            service.bus.start()
            stack.push_async_callback(service.bus.stop)
        start_stream(settings, service, broker)
        stack.push_async_callback(service.replication.stop)
        service.revocation.start(supervisor)
        supervisor.keep_running(service.subscriptions.forget_gone, "forget-subscriptions")
        supervisor.keep_running(lambda: _prepare(settings, service), "prepare")
        yield App(settings, service, counter, broker)


class App:
    """Routes sockets and requests."""

    def __init__(
        self, settings: Settings, service: Service, counter: ObservationCounter, broker: str | None
    ) -> None:
        self._service = service
        self.figures = Figures(service, counter)
        self._admin = AdminEndpoints(settings, service, registry_of(service, counter))
        self._broadcasts = Broadcasts(
            service.rules,
            service.hub,
            service.database,
            service.world.clock,
            service.observer,
            service.revocation,
        )
        self._longpoll = make_long_poll(settings, service, broker)
        self._http = Endpoint(
            self._handle,
            limit=settings.limits.batch_bytes,
            too_large=lambda: _message(errors.HTTP_BODY_TOO_LARGE),
            failed=lambda: _message(errors.HTTP_FAILED),
            observer=service.observer,
        )

    @property
    def is_streaming(self) -> bool:
        """Whether changes are streamed from the database."""
        return self._service.replication.is_up

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP or WebSocket scope.

        By hand: one Endpoint bounds the bodies of all paths, and Starlette's Router, which would
        want one for each, takes 6 µs of a broadcast where this takes 0.3.
        """
        if scope["type"] != "websocket":
            await self._http(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if path.rstrip("/") in SOCKET_PATHS:
            await serve_socket(scope, receive, send, self._service)
        else:
            await receive()
            await refuse(send, 404, {"message": errors.HTTP_NOT_FOUND.message})

    async def _handle(self, request: HttpRequest) -> HttpResponse:
        path = request.path
        if request.method == "OPTIONS":
            return HttpResponse(204, _CORS)
        if path in longpoll.PATHS and request.method in longpoll.METHODS:
            answer = await self._longpoll.handle(request)
            return HttpResponse(answer.status, (*answer.headers, *_CORS), answer.body)
        if path == PREFIX or path.startswith(f"{PREFIX}/"):
            answer = await self._broadcasts.handle(request)
            return HttpResponse(answer.status, (*answer.headers, *_CORS), answer.body)
        if request.method not in {"GET", "HEAD"}:
            return _message(errors.HTTP_NOT_FOUND)
        answer = await self._admin.handle(request)
        if request.method == "HEAD":
            return HttpResponse(answer.status, answer.headers)
        return answer


def _message(row: Row) -> HttpResponse:
    return json_response(row.status, {"message": row.message})


async def _prepare(settings: Settings, service: Service) -> None:
    """Clear what crashed nodes left behind and keep the table of messages in shape, for ever.

    Once an hour, and on another day at once: a clock that was set to a day without a partition, or
    a machine that slept for days, would have no place for messages.
    """
    await service.revocation.is_held.wait()
    clock = service.world.clock
    while True:
        day, pause = clock.now().date(), MAINTENANCE_SECONDS
        try:
            await records.forget_dead_nodes(service.database)
            if settings.partitions:
                await topics.maintain(service.database)
        except (PgFault, PoolTimeout, Unavailable) as error:
            facts = {"error": str(error)}
            service.observer(Observation("maintenance_failed", Severity.WARNING, facts))
            pause = RETRY_SECONDS
        until = clock.monotonic() + pause
        while clock.now().date() == day and (left := until - clock.monotonic()) > 0:  # noqa: ASYNC110 — no event announces a day
            await asyncio.sleep(min(left, DAY_SECONDS))

"""Figures of requests for Prometheus, at an address of their own (auth reference 14)."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from functools import lru_cache

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
)
from prometheus_client.exposition import generate_latest
from starlette.types import ASGIApp, Scope

from compat_base.asgi import Endpoint, Lifespan, Timed
from compat_base.server import Server, serve
from compat_base.sockets import listen
from compat_base.tasks import Supervisor
from compat_base.values.events import Observer
from compat_base.values.http import HttpRequest, HttpResponse
from gotrue_compat.features.discovery.flow import VERSION
from gotrue_compat.web.routes import find_routes

_LIMIT = 1024  # bytes of a request's body, of which none is expected
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OTHER, _NO_ROUTE = "_OTHER", "noroute"  # as OpenTelemetry and the original name them
_PARTS = ("major", "minor", "patch")


class Figures:
    """How many answers there were by status and route, and how long they took."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._codes = Counter(
            "http_status_codes", "Number of returned HTTP status codes",
            ("code", "http_route"), registry=registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "http_server_request_duration_seconds", "Duration of HTTP server requests.",
            ("http_request_method", "http_response_status_code", "http_route"), registry=registry,
        )  # fmt: skip
        Gauge("gotrue_running", "Whether it is running (always 1)", registry=registry).set(1)
        for part, number in zip(_PARTS, VERSION.removeprefix("v").split("."), strict=False):
            name = f"global_auth_version_{part}"
            Gauge(name, f"The {part} version number", registry=registry).set(int(number))

    def count(self, scope: Scope, status: int, seconds: float) -> None:
        """Count one answer."""
        method = scope["method"] if scope["method"] in _METHODS else _OTHER
        route = _route(scope["path"])
        self._codes.labels(status, route).inc()
        self._seconds.labels(method, status, route).observe(seconds)

    async def handle(self, _request: HttpRequest) -> HttpResponse:
        """Answer with the metrics at every path, as the original does."""
        headers = (("Content-Type", CONTENT_TYPE_LATEST),)
        return HttpResponse(200, headers, generate_latest(self._registry))


@lru_cache(maxsize=1024)
def _route(path: str) -> str:
    """The route's path as a label, of which there are only as many as routes."""
    for routes in find_routes(path).by_method.values():
        return routes[0].path
    return _NO_ROUTE


@asynccontextmanager
async def open_metrics(
    app: ASGIApp, address: tuple[str, int], observer: Observer
) -> AsyncGenerator[ASGIApp]:
    """The application with its requests measured, and a server of the metrics at the address."""
    figures = Figures()
    endpoint = Endpoint(
        figures.handle, limit=_LIMIT, too_large=lambda: HttpResponse(413),
        failed=lambda: HttpResponse(500), observer=observer,
    )  # fmt: skip
    bound = listen(*address)
    async with Supervisor(observer) as tasks:
        server = Server(Lifespan(lambda: nullcontext(endpoint)), handles_signals=False)
        running = tasks.start(serve(server, [bound]), "metrics server")
        try:
            yield Timed(app, figures.count)
        finally:
            server.should_exit = True
            await running

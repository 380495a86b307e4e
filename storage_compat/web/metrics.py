"""`/metrics`: figures of requests for Prometheus, where they are set (storage reference 14)."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, ProcessCollector
from prometheus_client.exposition import generate_latest
from starlette.types import ASGIApp, Receive, Scope, Send

from compat_base.asgi import Timed, send_response
from compat_base.values.http import HttpResponse
from storage_compat.web.exchange import path_of
from storage_compat.web.routes import BadUrlError, match

_PATH, _METHODS = "/metrics", frozenset({"GET", "HEAD"})
_UNKNOWN = "unknown"
_S3 = "storage.s3"
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)  # seconds


class Metered:
    """Measures an application's responses by method, operation and status."""

    def __init__(self, app: ASGIApp) -> None:
        self._timed = Timed(app, self._count)
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._seconds = Histogram(
            "storage_api_http_request_duration_seconds", "HTTP request duration in seconds",
            ("method", "operation", "status_code"), registry=self._registry, buckets=_BUCKETS,
        )  # fmt: skip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request and count it, unless it is one for /metrics."""
        if scope["type"] != "http" or scope["method"] not in _METHODS or path_of(scope) != _PATH:
            await self._timed(scope, receive, send)
            return
        headers = (("Content-Type", CONTENT_TYPE_LATEST),)
        await send_response(send, HttpResponse(200, headers, generate_latest(self._registry)))

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        method, operation = _named(scope["method"], path_of(scope))
        self._seconds.labels(method, operation, status).observe(seconds)


def _named(method: str, raw_path: str) -> tuple[str, str]:
    """Method and operation of a request; of unknown routes neither is the client's to name."""
    try:
        found = match(method, raw_path)
    except BadUrlError:
        found = None
    if found is None:
        return _UNKNOWN, _UNKNOWN
    is_s3 = found.route.path.startswith("/s3")
    return method, _S3 if is_s3 else found.route.operation or _UNKNOWN

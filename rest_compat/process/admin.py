"""The admin server: live, ready, metrics and the schema cache (rest reference 16)."""

from __future__ import annotations

from collections.abc import Callable

from compat_base.values import jsontext
from compat_base.values.http import HttpRequest, HttpResponse
from rest_compat.app import Service
from rest_compat.catalog.dump import schema_cache_json
from rest_compat.response.headers import SERVER


class Admin:
    """Answers the admin server's requests; `listens`: whether the main socket is up."""

    def __init__(self, service: Service, listens: Callable[[], bool]) -> None:
        self._service = service
        self._listens = listens

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one request."""
        match request.path:
            case "/live":
                return HttpResponse(200 if self._listens() else 500, SERVER)
            case "/ready":
                return HttpResponse(await self._readiness(), SERVER)
            case "/metrics":
                headers = (*SERVER, ("Content-Type", "text/plain; charset=utf-8"))
                return HttpResponse(200, headers, metrics(self._service).encode())
            case "/schema_cache":
                cache = self._service.manager.snapshot.cache
                text = b"" if cache is None else jsontext.encode_bytes(schema_cache_json(cache))
                return HttpResponse(200, SERVER, text)
            case _:
                return HttpResponse(404, SERVER)

    async def _readiness(self) -> int:
        if self._service.manager.pending or not await self._is_connected():
            return 503
        return 200 if self._listens() else 500

    async def _is_connected(self) -> bool:
        """Whether the listener is up; where there is none, whether the database answers."""
        manager = self._service.manager
        if manager.snapshot.settings.channel_enabled:
            return manager.listener.listening
        return await self._service.database.is_reachable()


_HELP = {
    "pgrst_schema_cache_loads_total": "The total number of times the schema cache was loaded",
    "pgrst_schema_cache_query_time_seconds": (
        "The query time in seconds of the last schema cache load"
    ),
    "pgrst_db_pool_available": "Available connections in the pool",
    "pgrst_db_pool_waiting": "Requests waiting to acquire a pool connection",
    "pgrst_db_pool_max": "Max pool connections",
    "pgrst_db_pool_timeouts_total": "The total number of pool connection timeouts",
    "pgrst_jwt_cache_requests_total": "The total number of JWT cache lookups",
    "pgrst_jwt_cache_hits_total": "The total number of JWT cache hits",
    "pgrst_jwt_cache_evictions_total": "The total number of JWT cache evictions",
}


def metrics(service: Service) -> str:
    """Prometheus text, in the original's order.

    Written here: prometheus_client, which the stack loads later and beside others, would be a tenth
    of the processor time of a start (60 ms of 650 ms) for nine figures without histograms.
    """
    manager, tokens, pool = service.manager, service.authenticator.cache, service.pool
    values: tuple[tuple[str, str, str, float], ...] = (
        ("pgrst_jwt_cache_evictions_total", "counter", "", tokens.evictions),
        ("pgrst_jwt_cache_hits_total", "counter", "", tokens.hits),
        ("pgrst_jwt_cache_requests_total", "counter", "", tokens.requests),
        ("pgrst_schema_cache_query_time_seconds", "gauge", "", manager.load_seconds),
        *(
            ("pgrst_schema_cache_loads_total", "counter", f'{{status="{status}"}}', count)
            for status, count in manager.loads.items()
        ),
        ("pgrst_db_pool_max", "gauge", "", pool.settings.maximum),
        ("pgrst_db_pool_waiting", "gauge", "", pool.waiting),
        ("pgrst_db_pool_available", "gauge", "", pool.size()[1]),
        ("pgrst_db_pool_timeouts_total", "counter", "", service.reporter.pool_timeouts),
    )
    lines: list[str] = []
    seen: set[str] = set()
    for name, kind, labels, value in values:
        if name not in seen:
            lines.append(f"# HELP {name} {_HELP[name]}")
            lines.append(f"# TYPE {name} {kind}")
            seen.add(name)
        lines.append(f"{name}{labels} {float(value)}")
    return "\n".join(lines) + "\n"

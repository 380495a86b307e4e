"""The stack's figures for Prometheus: requests by service, sockets, pools, the event loop.

The services' own figures follow in their own names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics import Counter, Gauge, Histogram
from prometheus_client.registry import Collector

from compat_base.postgres.pool import open_pools

CONTENT_TYPE = CONTENT_TYPE_LATEST
_LAG_SECONDS = 0.5  # between two looks at the event loop
_TOO_MANY = 429
_BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counts requests and sockets; `service` is a name of few, never a client's text."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "compat_http_requests", "Answers by service and class of status.",
            ("service", "status"), registry=registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "compat_http_request_duration_seconds", "From a request's head to its answer's end.",
            ("service",), registry=registry, buckets=_BUCKETS,
        )  # fmt: skip
        self._refusals = Counter(
            "compat_rate_limit_refusals", "Answers with status 429.", ("service",),
            registry=registry,
        )  # fmt: skip
        self._sockets = Gauge(
            "compat_open_sockets", "Open WebSockets.", ("service",), registry=registry
        )
        self._lag = Gauge(
            "compat_event_loop_lag_seconds", "The longest wait for the event loop in 10 s.",
            registry=registry,
        )  # fmt: skip
        self._dropped = Gauge(
            "compat_access_log_dropped_lines", "Lines that nobody read in time.", registry=registry
        )
        registry.register(_Pools())
        ProcessCollector(registry=registry)
        self._texts: list[Callable[[], str]] = []
        self._counters: dict[tuple[str, int], Counter] = {}
        self._histograms: dict[str, Histogram] = {}

    def register(self, collector: Collector) -> None:
        """Show a service's own figures too."""
        self._registry.register(collector)

    def register_text(self, read: Callable[[], str]) -> None:
        """Show figures that a service words itself."""
        self._texts.append(read)

    def answered(self, service: str, status: int, seconds: float) -> None:
        """Count one answer to a request."""
        family = status // 100
        counter = self._counters.get((service, family))
        if counter is None:
            counter = self._requests.labels(service, f"{family}xx")
            self._counters[service, family] = counter
        counter.inc()
        histogram = self._histograms.get(service)
        if histogram is None:
            histogram = self._histograms[service] = self._seconds.labels(service)
        histogram.observe(seconds)
        if status == _TOO_MANY:
            self._refusals.labels(service).inc()

    def socket(self, service: str, change: int) -> None:
        """A socket was opened (1) or closed (-1)."""
        self._sockets.labels(service).inc(change)

    def watch_log(self, dropped: Callable[[], float]) -> None:
        """Show how many lines the access log has dropped."""
        self._dropped.set_function(dropped)

    async def watch_loop(self) -> None:
        """Measure for ever how late the event loop wakes who waits."""
        loop, recent = asyncio.get_running_loop(), [0.0] * int(10 / _LAG_SECONDS)
        while True:
            wanted = loop.time() + _LAG_SECONDS
            await asyncio.sleep(_LAG_SECONDS)
            recent = [*recent[1:], max(0.0, loop.time() - wanted)]
            self._lag.set(max(recent))

    def exposition(self) -> bytes:
        """The figures of this moment in Prometheus' text format."""
        own = "".join(read() for read in self._texts)
        return generate_latest(self._registry) + own.encode()


class _Pools(Collector):
    def collect(self) -> Iterator[Metric]:
        figures = [
            GaugeMetricFamily(f"compat_pool_{name}", meaning, labels=("pool",))
            for name, meaning in (
                ("connections", "Open connections to PostgreSQL."),
                ("connections_in_use", "Connections that a request works on."),
                ("connections_max", "The most that there may be."),
                ("waiting", "Requests that wait for a connection."),
            )
        ]
        for pool in open_pools():
            opened, idle = pool.size()
            values = (opened, opened - idle, pool.settings.maximum, pool.waiting)
            for family, value in zip(figures, values, strict=True):
                family.add_metric((pool.settings.application_name,), value)
        yield from figures

"""The stack's metrics for Prometheus: requests by service, sockets, pools, the event loop.

The services' own metrics follow under their own names.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics import Gauge
from prometheus_client.registry import Collector

from compat_base.postgres.pool import open_pools

CONTENT_TYPE = CONTENT_TYPE_LATEST
_LAG_SECONDS = 0.5  # between measurements of the event loop
_TOO_MANY = 429
_BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counts requests and sockets; `service` is one of few names, never a client's text.

    Requests are counted in plain numbers, and exposed when they are scraped: the library's own
    counters and histograms take a lock for each, 1.5 µs a request instead of 0.4.
    """

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests: dict[str, _Requests] = {}
        self._sockets: dict[str, int] = {}
        self._lag = Gauge(
            "compat_event_loop_lag_seconds", "The longest wait for the event loop in 10 s.",
            registry=registry,
        )  # fmt: skip
        self._dropped = Gauge(
            "compat_access_log_dropped_lines", "Lines that nobody read in time.", registry=registry
        )
        self._clock = Gauge(
            "compat_clock_offset_seconds", "Added to this machine's clock for the database's.",
            registry=registry,
        )  # fmt: skip
        registry.register(_RequestFigures(self._requests, self._sockets))
        registry.register(_PoolFigures())
        ProcessCollector(registry=registry)
        self._texts: list[Callable[[], str]] = []

    def register(self, collector: Collector) -> None:
        """Expose a service's own collector too."""
        self._registry.register(collector)

    def register_text(self, read: Callable[[], str]) -> None:
        """Expose metrics that a service writes as text itself."""
        self._texts.append(read)

    def answered(self, service: str, status: int, seconds: float) -> None:
        """Count one response."""
        requests = self._requests.get(service)
        if requests is None:
            requests = self._requests[service] = _Requests()
        requests.statuses[status // 100] += 1
        requests.buckets[bisect_left(_BUCKETS, seconds)] += 1
        requests.seconds += seconds
        if status == _TOO_MANY:
            requests.refusals += 1

    def socket(self, service: str, change: int) -> None:
        """Count a socket that was opened (1) or closed (-1)."""
        self._sockets[service] = self._sockets.get(service, 0) + change

    def watch_log(self, dropped: Callable[[], float]) -> None:
        """Expose how many lines the access log has dropped."""
        self._dropped.set_function(dropped)

    def watch_clock(self, offset: Callable[[], float]) -> None:
        """Show how far this machine's clock is from the database's."""
        self._clock.set_function(offset)

    async def watch_loop(self) -> None:
        """Measure the event loop's lag, for ever."""
        loop, recent = asyncio.get_running_loop(), [0.0] * int(10 / _LAG_SECONDS)
        while True:
            wanted = loop.time() + _LAG_SECONDS
            await asyncio.sleep(_LAG_SECONDS)
            recent = [*recent[1:], max(0.0, loop.time() - wanted)]
            self._lag.set(max(recent))

    def exposition(self) -> bytes:
        """The metrics in Prometheus' text format."""
        own = "".join(read() for read in self._texts)
        return generate_latest(self._registry) + own.encode()


class _Requests:
    """Counters of one service's requests: by status class, and by duration."""

    __slots__ = ("buckets", "refusals", "seconds", "statuses")

    def __init__(self) -> None:
        self.statuses = [0] * 10  # by the first digit; a function of the database may say 999
        self.buckets = [0] * (len(_BUCKETS) + 1)
        self.seconds = 0.0
        self.refusals = 0


class _RequestFigures(Collector):
    def __init__(self, requests: Mapping[str, _Requests], sockets: Mapping[str, int]) -> None:
        self._requests = requests
        self._sockets = sockets

    def collect(self) -> Iterator[Metric]:
        answers = CounterMetricFamily(
            "compat_http_requests", "Answers by service and class of status.",
            labels=("service", "status"),
        )  # fmt: skip
        seconds = HistogramMetricFamily(
            "compat_http_request_duration_seconds", "From a request's head to its answer's end.",
            labels=("service",),
        )  # fmt: skip
        refusals = CounterMetricFamily(
            "compat_rate_limit_refusals", "Answers with status 429.", labels=("service",)
        )
        sockets = GaugeMetricFamily("compat_open_sockets", "Open WebSockets.", labels=("service",))
        for service, requests in self._requests.items():
            for family, count in enumerate(requests.statuses):
                if count:
                    answers.add_metric((service, f"{family}xx"), count)
            names = (*map(str, _BUCKETS), "+Inf")
            buckets = list(zip(names, accumulate(requests.buckets), strict=True))
            seconds.add_metric((service,), buckets, requests.seconds)
            if requests.refusals:
                refusals.add_metric((service,), requests.refusals)
        for service, count in self._sockets.items():
            sockets.add_metric((service,), count)
        yield from (answers, seconds, refusals, sockets)


class _PoolFigures(Collector):
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

"""Prometheus metrics of this service, collected at each scrape.

Names that the original has too mean the same here; without its tenant label, as there is one
project.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

from compat_base.values.events import Observation, Observer
from realtime_compat.cluster.outgoing import Loss
from realtime_compat.cluster.signing import Refusal
from realtime_compat.transports.service import Service

CONTENT_TYPE = CONTENT_TYPE_LATEST


class ObservationCounter:
    """Counts observations by name on their way to another observer."""

    def __init__(self, observer: Observer) -> None:
        self.counted: Counter[str] = Counter()
        self._observer = observer

    def __call__(self, observation: Observation) -> None:
        """Count one and pass it on."""
        self.counted[observation.name] += 1
        self._observer(observation)


class Figures(Collector):
    """The service's gauges and counters at this moment."""

    def __init__(self, service: Service, counter: ObservationCounter) -> None:
        self._service = service
        self._counter = counter

    def collect(self) -> Iterator[Metric]:
        """Every metric with its value."""
        yield from self._gauges()
        yield from self._counters()

    def _gauges(self) -> Iterator[Metric]:
        service, bus = self._service, self._service.bus
        values = (
            ("connections_connected", "Open sockets on this node.", len(service.sockets)),
            ("channels_joined", "Channels that are joined on this node.", service.hub.channels),
            ("rooms", "Topics with at least one member on this node.", service.hub.rooms),
            (
                "subscribed_channels",
                "Channels that changes of tables are delivered to.",
                service.subscriptions.index.count,
            ),
            (
                "replication_connected",
                "1 while changes are streamed from the database.",
                int(service.replication.is_up),
            ),
            (
                "replication_guarded",
                "1 while a second slot keeps changes from being lost where the stream is cut.",
                int(service.replication.has_standby),
            ),
            (
                "bus_connected",
                "1 while the other nodes or workers are reached.",
                int(bus.is_up if bus else 0),
            ),
            (
                "tasks_failing",
                "Background tasks that failed less than half a minute ago.",
                len(service.supervisor.failing),
            ),
            (
                "bus_waiting_bytes",
                "Messages that are not on their way to the others yet.",
                bus.waiting_bytes if bus else 0,
            ),
            ("nodes", "Nodes that work together.", bus.size if bus else 1),
        )
        for name, meaning, value in values:
            yield GaugeMetricFamily(f"realtime_{name}", meaning, value)

    def _counters(self) -> Iterator[Metric]:
        rates = self._service.rules.rates
        delivered = self._service.replication.router.fanout.delivered
        values = (
            ("channel_events", "Messages sent and delivered.", rates.events.counted),
            ("channel_presence_events", "Presence calls.", rates.presence.counted),
            ("channel_joins", "Channels that asked to join.", rates.joins.counted),
            ("channel_db_events", "Messages about changes of tables.", delivered.messages),
        )
        for name, meaning, value in values:
            yield CounterMetricFamily(f"realtime_{name}", meaning, value)
        yield CounterMetricFamily(
            "realtime_tasks_restarted",
            "Background tasks that failed and were started again.",
            self._service.supervisor.restarts,
        )
        yield CounterMetricFamily(
            "realtime_revoked",
            "Channels and sockets that ended with their user's session.",
            self._service.revocation.closed,
        )
        yield self._refused_messages()
        yield self._lost_messages()
        yield SummaryMetricFamily(
            "realtime_changes_delay_seconds",
            "From a change's commit to its delivery.",
            delivered.changes,
            delivered.delay,
        )
        observations = CounterMetricFamily(
            "realtime_observations", "Lines of the log by name.", labels=("name",)
        )
        for name, count in self._counter.counted.items():
            observations.add_metric((name,), count)
        yield observations

    def _refused_messages(self) -> Metric:
        bus = self._service.bus
        refused = CounterMetricFamily(
            "realtime_bus_refused", "Messages of others that were dropped.", labels=("reason",)
        )
        for reason in Refusal:
            refused.add_metric((reason.value,), bus.refused.get(reason, 0) if bus else 0)
        return refused

    def _lost_messages(self) -> Metric:
        bus = self._service.bus
        lost = CounterMetricFamily(
            "realtime_bus_lost", "Messages between nodes that were lost.", labels=("reason",)
        )
        for loss in Loss:
            lost.add_metric((loss.value,), bus.losses.get(loss, 0) if bus else 0)
        return lost


def registry_of(service: Service, counter: ObservationCounter) -> CollectorRegistry:
    """A registry of the service's and its process's metrics."""
    registry = CollectorRegistry()
    registry.register(Figures(service, counter))
    ProcessCollector(registry=registry)
    return registry


def exposition(registry: CollectorRegistry) -> bytes:
    """The metrics in Prometheus' text format."""
    return generate_latest(registry)

"""The metrics of all workers merged: counters are added up, gauges labelled by worker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prometheus_client.core import Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector, CollectorRegistry
from prometheus_client.samples import Sample

_ADDED = frozenset({"counter", "histogram", "summary"})
LABEL = "worker"


def merged(expositions: Mapping[int, bytes]) -> bytes:
    """One exposition out of those of several workers, by their slots."""
    registry = CollectorRegistry()
    registry.register(_Merged(expositions))
    return generate_latest(registry)


class _Merged(Collector):
    def __init__(self, expositions: Mapping[int, bytes]) -> None:
        self._expositions = expositions

    def collect(self) -> Iterator[Metric]:
        families: dict[str, Metric] = {}
        for slot, text in sorted(self._expositions.items()):
            for found in text_string_to_metric_families(text.decode()):
                family = families.setdefault(
                    found.name, Metric(found.name, found.documentation, found.type)
                )
                _add(family, found.samples, slot)
        yield from families.values()


def _add(family: Metric, samples: list[Sample], slot: int) -> None:
    if family.type not in _ADDED:
        for each in samples:
            family.add_sample(each.name, {**each.labels, LABEL: str(slot + 1)}, each.value)
        return
    places = {_key(each): number for number, each in enumerate(family.samples)}
    for each in samples:
        number = places.get(_key(each))
        if number is None:
            family.add_sample(each.name, each.labels, each.value)
        elif not each.name.endswith("_created"):
            old = family.samples[number]
            family.samples[number] = Sample(old.name, old.labels, old.value + each.value)


def _key(sample: Sample) -> tuple[str, frozenset[tuple[str, str]]]:
    return sample.name, frozenset(sample.labels.items())

"""The subscriptions by table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from realtime_compat.changes.audience import Subscription, Views
from realtime_compat.changes.index import TableIndex


class Subscribers:
    """Subscriptions by table, replaced and removed by channel."""

    def __init__(self) -> None:
        self._views = Views()
        self._by_table: dict[int, TableIndex] = {}
        self._by_channel: dict[Hashable, tuple[Subscription, ...]] = {}

    def put(self, channel: Hashable, subscriptions: Iterable[Subscription]) -> None:
        """Replace a channel's subscriptions."""
        old = self._take_out(channel)
        kept = self._by_channel[channel] = tuple(subscriptions)
        for one in kept:
            if one.table not in self._by_table:
                self._by_table[one.table] = TableIndex(self._views)
            self._by_table[one.table].add(one)
        self._drop_empty(old)

    def remove(self, channel: Hashable) -> None:
        """Remove a channel's subscriptions."""
        self._drop_empty(self._take_out(channel))

    def _take_out(self, channel: Hashable) -> Iterable[Subscription]:
        old = self._by_channel.pop(channel, ())
        for one in old:
            self._by_table[one.table].remove(one)
        return old

    def _drop_empty(self, old: Iterable[Subscription]) -> None:
        """Drop an empty index last: a running search must see a channel's new entries."""
        for one in old:
            if one.table in self._by_table and not self._by_table[one.table]:
                del self._by_table[one.table]

    def channels(self) -> tuple[Hashable, ...]:
        """Every subscribed channel."""
        return tuple(self._by_channel)

    @property
    def count(self) -> int:
        """The number of subscribed channels."""
        return len(self._by_channel)

    def table(self, oid: int) -> TableIndex | None:
        """The subscriptions to a table, if any."""
        return self._by_table.get(oid)

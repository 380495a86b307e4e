"""Who asked for the changes of which table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from realtime_compat.changes.entries import ANY
from realtime_compat.changes.filters import Condition
from realtime_compat.changes.model import Action
from realtime_compat.tokens import Caller


@dataclass(frozen=True, slots=True, eq=False)
class Subscription:
    """One entry of one channel for one table.

    Changes whose commit stands before `since` in the log are not its own.
    """

    channel: Hashable
    entry: int
    table: int
    event: str
    conditions: tuple[Condition, ...]
    select: tuple[str, ...] | None
    viewer: Caller
    since: int = 0


class Subscribers:
    """Subscriptions by table, replaced and removed by channel."""

    def __init__(self) -> None:
        self._by_table: dict[int, dict[Subscription, None]] = {}
        self._by_channel: dict[Hashable, tuple[Subscription, ...]] = {}

    def put(self, channel: Hashable, subscriptions: Iterable[Subscription]) -> None:
        """Set what a channel is subscribed to, in place of what it was."""
        self.remove(channel)
        kept = self._by_channel[channel] = tuple(subscriptions)
        for subscription in kept:
            self._by_table.setdefault(subscription.table, {})[subscription] = None

    def remove(self, channel: Hashable) -> None:
        """Forget a channel."""
        for subscription in self._by_channel.pop(channel, ()):
            table = self._by_table[subscription.table]
            del table[subscription]
            if not table:
                del self._by_table[subscription.table]

    def channels(self) -> tuple[Hashable, ...]:
        """Every channel that is subscribed to something."""
        return tuple(self._by_channel)

    def has(self, table: int) -> bool:
        """Whether anybody wants changes of a table."""
        return table in self._by_table

    def of(self, table: int, action: Action, lsn: int) -> list[Subscription]:
        """The subscriptions that want an action on a table, committed at `lsn`."""
        return [
            subscription
            for subscription in self._by_table.get(table, ())
            if subscription.event in {ANY, action.value} and subscription.since <= lsn
        ]

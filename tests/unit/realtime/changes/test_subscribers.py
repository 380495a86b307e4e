"""Subscribers of a table are found, replaced and removed."""

from __future__ import annotations

from realtime_compat.changes.audience import Subscription
from realtime_compat.changes.model import Action
from realtime_compat.changes.subscribers import Subscribers
from tests.harness_realtime import caller
from tests.unit.realtime.changes.test_index import recipients_of


def test_subscribers_are_found_replaced_and_removed():
    index = Subscribers()

    def subscription(channel: int, table: int, event: str = "*", since: int = 0) -> Subscription:
        return Subscription(channel, 1, table, event, (), None, caller(), since)

    def recipients(action: Action, lsn: int) -> set[object]:
        table = index.table(7)
        return set() if table is None else recipients_of(table, action, {}, lsn)

    one, two = subscription(1, 7), subscription(2, 7, "INSERT", since=50)
    index.put(1, [one])
    index.put(2, [two])
    assert recipients(Action.INSERT, 50) == {(1, (1,)), (2, (1,))}
    assert recipients(Action.INSERT, 49) == {(1, (1,))}
    assert recipients(Action.DELETE, 99) == {(1, (1,))}
    index.put(1, [subscription(1, 8)])
    assert recipients(Action.INSERT, 99) == {(2, (1,))}
    index.remove(2)
    assert index.table(7) is None
    assert index.channels() == (1,)

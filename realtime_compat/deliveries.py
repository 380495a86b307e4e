"""A change and the subscriptions that may hear of it, made into frames for their channels.

A channel gets one frame with all its matching entries; two only where entries differ in `select`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from compat_base.world import Clock
from realtime_compat import errors
from realtime_compat.access.catalog import Catalog
from realtime_compat.access.rows import Sight
from realtime_compat.changes.payload import Resolved, data_json, message_json, refused_json
from realtime_compat.changes.subscribers import Subscription
from realtime_compat.hub import Hub
from realtime_compat.protocol.effects import ChangeDelivery, ChangesLost, Notice, SharedPayload
from realtime_compat.tokens import Caller

CHANGES = "postgres_changes"
TELL_AGAIN_SECONDS = 10.0  # a policy that raises for every change is told of once in a while

Select = tuple[str, ...] | None


@dataclass(slots=True)
class Deliveries:
    """Gives changes to channels through the hub."""

    hub: Hub
    catalog: Catalog
    clock: Clock
    _told_at: dict[Caller, float] = field(default_factory=dict[Caller, float])

    def deliver(
        self,
        change: Resolved,
        subscriptions: Sequence[Subscription],
        sights: Mapping[Caller, Sight] | None,
    ) -> None:
        """Deliver to those who see the row; `sights` is None where nobody had to be asked about."""
        if sights is not None:
            self._tell_errors(change, subscriptions, sights)
            subscriptions = [
                s for s in subscriptions if (sight := sights.get(s.viewer)) and sight.visible
            ]
        data: dict[tuple[frozenset[str], Select], str] = {}

        def render(subscription: Subscription) -> str:
            role = subscription.viewer.role
            wanted = (self.catalog.readable(change.table.oid, role), subscription.select)
            if wanted not in data:
                data[wanted] = data_json(change, *wanted)
            return data[wanted]

        self._send([(subscription, render(subscription)) for subscription in subscriptions])

    def refuse(self, change: Resolved, subscriptions: Sequence[Subscription], error: str) -> None:
        """Tell those who may not read the table's key."""
        data = refused_json(change, error)
        self._send([(subscription, data) for subscription in subscriptions])

    def lose(self, channels: Sequence[Hashable], notice: str | None = None) -> None:
        """Tell channels that changes were missed, so that their clients join anew and reload."""
        for channel in channels:
            if notice is not None:
                self._give(channel, Notice(CHANGES, notice, is_error=True))
            self._give(channel, ChangesLost())

    def _send(self, rendered: Sequence[tuple[Subscription, str]]) -> None:
        by_channel: dict[tuple[Hashable, str], list[int]] = {}
        for subscription, data in rendered:
            by_channel.setdefault((subscription.channel, data), []).append(subscription.entry)
        payloads: dict[tuple[str, tuple[int, ...]], SharedPayload] = {}
        for (channel, data), entries in by_channel.items():
            ids = tuple(dict.fromkeys(entries))
            if (data, ids) not in payloads:
                payloads[data, ids] = SharedPayload(CHANGES, message_json(ids, data))
            self._give(channel, ChangeDelivery(payloads[data, ids]))

    def _tell_errors(
        self,
        change: Resolved,
        subscriptions: Sequence[Subscription],
        sights: Mapping[Caller, Sight],
    ) -> None:
        failed = {caller: sight.error for caller, sight in sights.items() if sight.error}
        if not failed:
            return
        now = self.clock.monotonic()
        self._told_at = {c: at for c, at in self._told_at.items() if now - at < TELL_AGAIN_SECONDS}
        told = {caller for caller in failed if caller not in self._told_at}
        self._told_at |= dict.fromkeys(told, now)
        channels = {s.channel: s.viewer for s in subscriptions if s.viewer in told}
        for channel, caller in channels.items():
            message = errors.POLICY_RAISED.format(table=change.table.name, error=failed[caller])
            self._give(channel, Notice(CHANGES, message, is_error=True))

    def _give(self, channel: Hashable, delivery: ChangeDelivery | Notice | ChangesLost) -> None:
        self.hub.deliver(cast("int", channel), delivery)

"""A change and those who may hear of it, made into frames for their channels.

A channel gets one frame with all its matching entries; two only where entries differ in `select`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from compat_base.world import Clock
from realtime_compat import errors
from realtime_compat.access.catalog import Catalog
from realtime_compat.changes.payload import Resolved, data_json, message_json, refused_json
from realtime_compat.changes.subscribers import Ear, Select
from realtime_compat.hub import Hub
from realtime_compat.protocol.effects import (
    ChangeDelivery,
    ChangesLost,
    Delivery,
    Notice,
    SharedPayload,
)
from realtime_compat.tokens import Caller

CHANGES = "postgres_changes"
TELL_AGAIN_SECONDS = 10.0  # a policy that raises for every change is told of once in a while


class Frames:
    """The payloads of one change, each rendered once: by role, columns and entries."""

    def __init__(self, change: Resolved, catalog: Catalog, error: str | None) -> None:
        self._change = change
        self._catalog = catalog
        self._error = error
        self._data: dict[tuple[frozenset[str], Select], str] = {}
        self._deliveries: dict[tuple[str, Select, tuple[int, ...]], ChangeDelivery] = {}

    def delivery(self, role: str, ear: Ear) -> ChangeDelivery:
        """What a channel of a role is given."""
        place = (role, ear.select, ear.entries)
        delivery = self._deliveries.get(place)
        if delivery is None:
            message = message_json(ear.entries, self._render(role, ear.select))
            delivery = self._deliveries[place] = ChangeDelivery(SharedPayload(CHANGES, message))
        return delivery

    def _render(self, role: str, select: Select) -> str:
        if self._error is not None:
            return refused_json(self._change, self._error)
        wanted = (self._catalog.readable(self._change.table.oid, role), select)
        if wanted not in self._data:
            self._data[wanted] = data_json(self._change, *wanted)
        return self._data[wanted]


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
        ears: Iterable[tuple[Caller, tuple[Ear, ...]]],
        error: str | None = None,
    ) -> None:
        """Deliver a change to channels by caller, or the error that these callers get for it."""
        frames = Frames(change, self.catalog, error)
        for caller, own in ears:
            for ear in own:
                self._give(ear.channel, frames.delivery(caller.role, ear))

    def lose(self, channels: Iterable[Hashable], notice: str | None = None) -> None:
        """Tell channels that changes were missed, so that their clients join anew and reload."""
        for channel in channels:
            if notice is not None:
                self._give(channel, Notice(CHANGES, notice, is_error=True))
            self._give(channel, ChangesLost())

    def tell_errors(
        self,
        change: Resolved,
        failed: Mapping[Caller, str],
        ears: Mapping[Caller, tuple[Ear, ...]],
    ) -> None:
        """Tell callers whose own policies raised; nobody else is touched."""
        now = self.clock.monotonic()
        self._told_at = {c: at for c, at in self._told_at.items() if now - at < TELL_AGAIN_SECONDS}
        for caller, error in failed.items():
            if caller in self._told_at:
                continue
            self._told_at[caller] = now
            message = errors.POLICY_RAISED.format(table=change.table.name, error=error)
            for channel in {ear.channel for ear in ears.get(caller, ())}:
                self._give(channel, Notice(CHANGES, message, is_error=True))

    def _give(self, channel: Hashable, delivery: Delivery) -> None:
        self.hub.deliver(cast("int", channel), delivery)

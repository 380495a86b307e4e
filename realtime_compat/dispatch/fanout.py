"""Fan-out of changes: payloads rendered once for each view, batched by channel and delivered.

A channel gets one message a change with all its matching entries; two only where entries differ in
`select`. The messages of one batch go to each channel at once, and channels with equal messages
share one delivery, which is encoded once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import cast

from compat_base.slices import Slices
from compat_base.values.world import Clock
from realtime_compat import errors
from realtime_compat.access.catalog import Catalog
from realtime_compat.auth import Caller
from realtime_compat.changes.audience import Recipient, Select, View
from realtime_compat.changes.payload import Resolved, data_json, message_json, refused_json
from realtime_compat.hub import Hub
from realtime_compat.protocol.deliveries import (
    ChangeDelivery,
    ChangesLost,
    Delivery,
    SharedPayloads,
)
from realtime_compat.protocol.messages import BROADCAST, CHANGES
from realtime_compat.protocol.questions import Notice

NOTIFY_AGAIN_SECONDS = 10.0  # between two notices to a caller whose policy raises


class Payloads(dict[View, str]):
    """The payloads of one change by view, rendered on demand."""

    def __init__(self, change: Resolved, catalog: Catalog, error: str | None) -> None:
        super().__init__()
        self._change = change
        self._catalog = catalog
        self._error = error
        self._data: dict[tuple[frozenset[str], Select], str] = {}

    def __missing__(self, view: View) -> str:
        """Render a payload."""
        payload = self[view] = message_json(view.entries, self._render(view))
        return payload

    def _render(self, view: View) -> str:
        if self._error is not None:
            return refused_json(self._change, self._error)
        wanted = (self._catalog.readable(self._change.table.oid, view.role), view.select)
        if wanted not in self._data:
            self._data[wanted] = data_json(self._change, *wanted)
        return self._data[wanted]


class Batch:
    """The messages of one batch of changes, by channel."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._messages: defaultdict[Hashable, list[str]] = defaultdict(list)
        self.commits: list[int] = []

    @property
    def messages(self) -> int:
        """How many messages there are."""
        return sum(map(len, self._messages.values()))

    def add(
        self,
        change: Resolved,
        recipients: Iterable[tuple[Recipient, ...]],
        error: str | None = None,
    ) -> None:
        """Add a change, or an error in its place, for these recipients."""
        self.commits.append(change.committed_at)
        payloads, messages = Payloads(change, self._catalog, error), self._messages
        for recipient in chain.from_iterable(recipients):
            messages[recipient.channel].append(payloads[recipient.view])

    def deliveries(self) -> Iterator[tuple[int, ChangeDelivery]]:
        """One delivery a channel; channels with equal messages share it."""
        made: dict[tuple[str, ...], ChangeDelivery] = {}
        for channel, messages in self._messages.items():
            payloads = tuple(messages)
            delivery = made.get(payloads)
            if delivery is None:
                delivery = made[payloads] = ChangeDelivery(SharedPayloads(CHANGES, payloads))
            yield cast("int", channel), delivery


@dataclass(slots=True)
class Delivered:
    """Counters of deliveries; `delay` sums the seconds from each change's commit."""

    changes: int = 0
    messages: int = 0
    delay: float = 0.0


@dataclass(slots=True)
class FanOut:
    """Delivers batches and notices to channels through the hub."""

    hub: Hub
    catalog: Catalog
    clock: Clock
    delivered: Delivered = field(default_factory=Delivered)
    _notified_at: dict[Caller, float] = field(default_factory=dict[Caller, float])

    def batch(self) -> Batch:
        """An empty batch."""
        return Batch(self.catalog)

    async def send(self, batch: Batch) -> None:
        """Deliver a batch, yielding to the event loop."""
        now = self.clock.now().timestamp()
        self.delivered.changes += len(batch.commits)
        self.delivered.messages += batch.messages
        self.delivered.delay += sum(now - commit / 1e6 for commit in batch.commits)
        slices = Slices(self.clock)
        for channel, delivery in batch.deliveries():
            self.hub.deliver(channel, delivery)
            await slices.rest()

    def notify_lost(self, channels: Iterable[Hashable], notice: str | None = None) -> None:
        """Send `phx_error` for missed changes, so that clients join anew and reload."""
        for channel in channels:
            if notice is not None:
                self._deliver(channel, Notice(CHANGES, notice, is_error=True))
            self._deliver(channel, ChangesLost())

    async def notify_all_lost(self, live: Iterable[Hashable], requested: Iterable[int]) -> None:
        """Send `phx_error` to channels with live changes, and a notice to those without changes.

        The notice is of messages that the database sent, which any room may have had. A channel
        whose changes were requested and are not live yet reloads when it is notified that they are.
        """
        without_changes = frozenset(self.hub.joined()).difference(requested)
        lost = Notice(BROADCAST, errors.STORED_MESSAGES_LOST, is_error=True)
        notices: dict[Hashable, Delivery] = dict.fromkeys(live, ChangesLost())
        notices |= dict.fromkeys(without_changes, lost)
        slices = Slices(self.clock)
        for channel, notice in notices.items():
            self._deliver(channel, notice)
            await slices.rest()

    def notify_errors(
        self,
        change: Resolved,
        failed: Mapping[Caller, str],
        recipients: Mapping[Caller, tuple[Recipient, ...]],
    ) -> None:
        """Notify callers of errors in their policies, once in `NOTIFY_AGAIN_SECONDS`."""
        now = self.clock.monotonic()
        self._notified_at = {
            c: at for c, at in self._notified_at.items() if now - at < NOTIFY_AGAIN_SECONDS
        }
        for caller, error in failed.items():
            if caller in self._notified_at:
                continue
            self._notified_at[caller] = now
            message = errors.POLICY_RAISED.format(table=change.table.name, error=error)
            for channel in {recipient.channel for recipient in recipients.get(caller, ())}:
                self._deliver(channel, Notice(CHANGES, message, is_error=True))

    def _deliver(self, channel: Hashable, delivery: Delivery) -> None:
        self.hub.deliver(cast("int", channel), delivery)

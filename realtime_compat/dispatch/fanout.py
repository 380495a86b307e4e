"""Changes and those who may hear of them, made into frames for their channels.

A channel gets one frame with all its matching entries; two only where entries differ in `select`.
What channels hear of one batch of changes is gathered, so that each is given it at once, and
channels that hear the same are given the same object.
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
from realtime_compat.changes.audience import Ear, Select, View
from realtime_compat.changes.payload import Resolved, data_json, message_json, refused_json
from realtime_compat.hub import Hub
from realtime_compat.protocol.effects import (
    ChangeDelivery,
    ChangesLost,
    Delivery,
    Notice,
    SharedPayloads,
)

CHANGES = "postgres_changes"
TELL_AGAIN_SECONDS = 10.0  # a policy that raises for every change is told of once in a while


class Payloads(dict[View, str]):
    """The payloads of one change by what is told of it, each rendered when it is asked for."""

    def __init__(self, change: Resolved, catalog: Catalog, error: str | None) -> None:
        super().__init__()
        self._change = change
        self._catalog = catalog
        self._error = error
        self._data: dict[tuple[frozenset[str], Select], str] = {}

    def __missing__(self, view: View) -> str:
        """Render what was not asked for before."""
        payload = self[view] = message_json(view.entries, self._render(view))
        return payload

    def _render(self, view: View) -> str:
        if self._error is not None:
            return refused_json(self._change, self._error)
        wanted = (self._catalog.readable(self._change.table.oid, view.role), view.select)
        if wanted not in self._data:
            self._data[wanted] = data_json(self._change, *wanted)
        return self._data[wanted]


class Round:
    """What the channels hear of one batch of changes."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._heard: defaultdict[Hashable, list[str]] = defaultdict(list)
        self.commits: list[int] = []

    @property
    def messages(self) -> int:
        """How many messages the channels hear together."""
        return sum(map(len, self._heard.values()))

    def add(
        self,
        change: Resolved,
        ears: Iterable[tuple[Ear, ...]],
        error: str | None = None,
    ) -> None:
        """Let the channels of callers hear of a change, or of the error that they get for it."""
        self.commits.append(change.committed_at)
        payloads, heard = Payloads(change, self._catalog, error), self._heard
        for ear in chain.from_iterable(ears):
            heard[ear.channel].append(payloads[ear.view])

    def deliveries(self) -> Iterator[tuple[int, ChangeDelivery]]:
        """What each channel is given: the same object for those who hear the same."""
        made: dict[tuple[str, ...], ChangeDelivery] = {}
        for channel, heard in self._heard.items():
            payloads = tuple(heard)
            delivery = made.get(payloads)
            if delivery is None:
                delivery = made[payloads] = ChangeDelivery(SharedPayloads(CHANGES, payloads))
            yield cast("int", channel), delivery


@dataclass(slots=True)
class Told:
    """What was delivered so far, and the sum of the changes' delays since their commits."""

    changes: int = 0
    messages: int = 0
    delay: float = 0.0


@dataclass(slots=True)
class Deliveries:
    """Gives changes to channels through the hub."""

    hub: Hub
    catalog: Catalog
    clock: Clock
    told: Told = field(default_factory=Told)
    _told_at: dict[Caller, float] = field(default_factory=dict[Caller, float])

    def round(self) -> Round:
        """A round that nobody has heard anything in."""
        return Round(self.catalog)

    async def give(self, round_: Round) -> None:
        """Give the channels what they hear in a round, a few at a time."""
        now = self.clock.now().timestamp()
        self.told.changes += len(round_.commits)
        self.told.messages += round_.messages
        self.told.delay += sum(now - commit / 1e6 for commit in round_.commits)
        slices = Slices(self.clock)
        for channel, delivery in round_.deliveries():
            self.hub.deliver(channel, delivery)
            await slices.rest()

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

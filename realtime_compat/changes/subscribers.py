"""Who asked for the changes of which table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from realtime_compat.changes.entries import ANY
from realtime_compat.changes.filters import Condition
from realtime_compat.changes.model import Action
from realtime_compat.tokens import Caller

Select: TypeAlias = tuple[str, ...] | None


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
    select: Select
    viewer: Caller
    since: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What of a change is told: the entries that are answered, and the columns a role is shown.

    Channels of an audience that are told the same share one, so that it is a key at no cost.
    """

    role: str
    entries: tuple[int, ...]
    select: Select


@dataclass(frozen=True, slots=True)
class Ear:
    """One frame for one channel."""

    channel: Hashable
    view: View


class Audience:
    """Subscriptions arranged for delivery: made once and used for change after change."""

    __slots__ = ("by_viewer", "conditions", "roles", "since", "subscriptions", "viewers")

    def __init__(self, subscriptions: Iterable[Subscription]) -> None:
        self.subscriptions = tuple(subscriptions)
        self.conditions = frozenset(c for s in self.subscriptions for c in s.conditions)
        self.since = max((s.since for s in self.subscriptions), default=0)
        self.by_viewer = _ears(self.subscriptions)
        self.viewers = frozenset(self.by_viewer)
        self.roles = frozenset(viewer.role for viewer in self.viewers)

    def __bool__(self) -> bool:
        """Whether anybody is in it."""
        return bool(self.subscriptions)

    def keep(self, wanted: Callable[[Subscription], bool]) -> Audience:
        """The audience of those subscriptions that are wanted: itself where all are."""
        kept = tuple(s for s in self.subscriptions if wanted(s))
        return self if len(kept) == len(self.subscriptions) else Audience(kept)

    def passing(self, holding: Collection[Condition]) -> Audience:
        """Those whose conditions all hold."""
        return self.keep(lambda s: all(condition in holding for condition in s.conditions))


def _ears(subscriptions: Iterable[Subscription]) -> dict[Caller, tuple[Ear, ...]]:
    entries: defaultdict[Caller, dict[tuple[Hashable, Select], dict[int, None]]] = defaultdict(dict)
    for s in subscriptions:
        entries[s.viewer].setdefault((s.channel, s.select), {})[s.entry] = None
    views: dict[tuple[str, tuple[int, ...], Select], View] = {}

    def view(*what: Any) -> View:
        return views.get(what) or views.setdefault(what, View(*what))

    return {
        viewer: tuple(
            Ear(channel, view(viewer.role, tuple(ids), select))
            for (channel, select), ids in ears.items()
        )
        for viewer, ears in entries.items()
    }


class Subscribers:
    """Subscriptions by table, replaced and removed by channel."""

    def __init__(self) -> None:
        self._by_table: dict[int, dict[Subscription, None]] = {}
        self._by_channel: dict[Hashable, tuple[Subscription, ...]] = {}
        self._audiences: dict[tuple[int, Action], Audience] = {}

    def put(self, channel: Hashable, subscriptions: Iterable[Subscription]) -> None:
        """Set what a channel is subscribed to, in place of what it was."""
        self.remove(channel)
        kept = self._by_channel[channel] = tuple(subscriptions)
        for subscription in kept:
            self._by_table.setdefault(subscription.table, {})[subscription] = None
            self._forget_audiences(subscription.table)

    def remove(self, channel: Hashable) -> None:
        """Forget a channel."""
        for subscription in self._by_channel.pop(channel, ()):
            table = self._by_table[subscription.table]
            del table[subscription]
            self._forget_audiences(subscription.table)
            if not table:
                del self._by_table[subscription.table]

    def channels(self) -> tuple[Hashable, ...]:
        """Every channel that is subscribed to something."""
        return tuple(self._by_channel)

    def audience(self, table: int, action: Action, lsn: int) -> Audience:
        """Who wants an action on a table that was committed at `lsn`."""
        audience = self._audiences.get((table, action))
        if audience is None:
            wanted = {ANY, action.value}
            subscriptions = (s for s in self._by_table.get(table, ()) if s.event in wanted)
            audience = self._audiences[table, action] = Audience(subscriptions)
        return audience if audience.since <= lsn else audience.keep(lambda s: s.since <= lsn)

    def _forget_audiences(self, table: int) -> None:
        for action in Action:
            self._audiences.pop((table, action), None)

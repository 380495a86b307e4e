"""The recipients of a change: subscriptions grouped by caller and channel, kept up to date."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias
from weakref import WeakValueDictionary

from realtime_compat.auth import Caller
from realtime_compat.changes.filters import Condition

Select: TypeAlias = tuple[str, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class Subscription:
    """One entry of one channel for one table.

    Changes committed before `since` in the log are not delivered to it.
    """

    channel: Hashable
    entry: int
    table: int
    event: str
    conditions: tuple[Condition, ...]
    select: Select
    viewer: Caller
    since: int = 0


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class View:
    """How a change is rendered: the entries it answers, and the columns shown.

    Channels with the same rendering share one object, so that it is a cheap key.
    """

    role: str
    entries: tuple[int, ...]
    select: Select


@dataclass(frozen=True, slots=True)
class Recipient:
    """One frame for one channel."""

    channel: Hashable
    view: View


class Views:
    """One View for each rendering."""

    def __init__(self) -> None:
        self._views: WeakValueDictionary[tuple[str, tuple[int, ...], Select], View] = (
            WeakValueDictionary()
        )

    def view(self, role: str, entries: tuple[int, ...], select: Select) -> View:
        """The view, made at its first use."""
        view = self._views.get((role, entries, select))
        if view is None:
            view = self._views[role, entries, select] = View(role, entries, select)
        return view


@dataclass(frozen=True, slots=True)
class Audience:
    """The possible recipients of a change, as of one moment."""

    by_viewer: dict[Caller, tuple[Recipient, ...]] = field(
        default_factory=dict[Caller, tuple[Recipient, ...]]
    )
    viewers: frozenset[Caller] = frozenset()
    roles: frozenset[str] = frozenset()

    def channels(self) -> Iterator[Hashable]:
        """The channels; one may come twice."""
        return (
            recipient.channel for recipients in self.by_viewer.values() for recipient in recipients
        )

    def of_roles(self, roles: Collection[str]) -> Audience:
        """Those whose callers have one of these roles."""
        if self.roles.issubset(roles):
            return self
        return _audience(
            {v: recipients for v, recipients in self.by_viewer.items() if v.role in roles}
        )

    def without(self, channels: Collection[Hashable]) -> Audience:
        """Those that are none of these channels."""
        if not channels:
            return self
        kept = {
            viewer: tuple(
                recipient for recipient in recipients if recipient.channel not in channels
            )
            for viewer, recipients in self.by_viewer.items()
        }
        return _audience({viewer: recipients for viewer, recipients in kept.items() if recipients})


NOBODY = Audience()


class Group:
    """Subscriptions with the same event and conditions.

    A channel that joins or leaves costs no more than its own entry.
    """

    __slots__ = ("_audience", "_places", "_recipients", "_stale", "_views")

    def __init__(self, views: Views) -> None:
        self._views = views
        self._places: dict[Caller, dict[tuple[Hashable, Select], Recipient]] = {}
        self._recipients: dict[Caller, tuple[Recipient, ...]] = {}
        self._stale: set[Caller] = set()
        self._audience: Audience | None = None

    def __bool__(self) -> bool:
        """Whether anybody is in it."""
        return bool(self._places)

    def add(self, one: Subscription) -> None:
        """Add a subscription."""
        places = self._places.setdefault(one.viewer, {})
        place = (one.channel, one.select)
        recipient = places.get(place)
        entries = recipient.view.entries if recipient else ()
        if one.entry not in entries:
            view = self._views.view(one.viewer.role, (*entries, one.entry), one.select)
            places[place] = Recipient(one.channel, view)
            self._changed(one.viewer)

    def drop_channel(self, one: Subscription) -> None:
        """Remove a subscription, with its channel's others of the same view."""
        places = self._places.get(one.viewer)
        if places is not None and places.pop((one.channel, one.select), None):
            if not places:
                del self._places[one.viewer]
            self._changed(one.viewer)

    def audience(self) -> Audience:
        """The subscriptions in it now."""
        if self._audience is None:
            recipients = self._recipients = dict(self._recipients)
            for viewer in self._stale:
                places = self._places.get(viewer)
                if places:
                    recipients[viewer] = tuple(places.values())
                else:
                    recipients.pop(viewer, None)
            self._stale.clear()
            self._audience = _audience(recipients)
        return self._audience

    def _changed(self, viewer: Caller) -> None:
        self._stale.add(viewer)
        self._audience = None


def merge(audiences: Sequence[Audience], views: Views) -> Audience:
    """The union; a channel in several of them gets one frame for each `select`."""
    if len(audiences) < 2:  # noqa: PLR2004 — one or none
        return audiences[0] if audiences else NOBODY
    largest = max(audiences, key=lambda audience: len(audience.by_viewer))
    several: defaultdict[Caller, list[Recipient]] = defaultdict(list)
    for audience in audiences:
        if audience is not largest:
            for viewer, recipients in audience.by_viewer.items():
                several[viewer] += recipients
    merged = dict(largest.by_viewer)
    for viewer, recipients in several.items():
        merged[viewer] = _joined((*merged.get(viewer, ()), *recipients), views)
    return _audience(merged)


def _joined(recipients: tuple[Recipient, ...], views: Views) -> tuple[Recipient, ...]:
    """A caller's recipients, those of one channel and `select` merged with all their entries."""
    places: dict[tuple[Hashable, Select], Recipient] = {}
    for recipient in recipients:
        place = (recipient.channel, recipient.view.select)
        other = places.get(place)
        if other is None:
            places[place] = recipient
        else:
            entries = tuple(dict.fromkeys(other.view.entries + recipient.view.entries))
            view = views.view(recipient.view.role, entries, recipient.view.select)
            places[place] = Recipient(recipient.channel, view)
    return tuple(places.values()) if len(places) < len(recipients) else recipients


def _audience(by_viewer: dict[Caller, tuple[Recipient, ...]]) -> Audience:
    roles = frozenset({viewer.role for viewer in by_viewer})
    return Audience(by_viewer, frozenset(by_viewer), roles)

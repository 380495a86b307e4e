"""Callers whose policies are too slow: each has a lane of its own, so that only it waits.

Everything for such a caller goes through its lane, in order, also what needs no policy. A lane
lives on for a while after its last slow answer; one that overflows or that the database does not
answer is emptied, and its channels are told that changes were lost.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from compat_base.postgres.faults import PoolTimeout, Unavailable
from compat_base.tasks import Supervisor
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
from realtime_compat import errors
from realtime_compat.access.rows import TooSlowError
from realtime_compat.auth import Caller
from realtime_compat.changes.audience import Ear
from realtime_compat.changes.payload import Resolved
from realtime_compat.dispatch.fanout import Deliveries
from realtime_compat.dispatch.visibility import Oracle

MAX_WAITING = 1000  # changes in one lane
TRIES = 3
PAUSE_SECONDS = 1.0
PROBATION_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Parcel:
    """A change, and the channels of one caller that may hear of it."""

    change: Resolved
    ears: tuple[Ear, ...]
    needs_sight: bool


@dataclass(slots=True)
class _Lane:
    parcels: deque[Parcel] = field(default_factory=deque[Parcel])
    slow_at: float = 0.0
    is_running: bool = False


@dataclass(slots=True)
class Lanes:
    """The slow callers and what waits for them."""

    oracle: Oracle
    deliveries: Deliveries
    supervisor: Supervisor
    clock: Clock
    observer: Observer
    _lanes: dict[Caller, _Lane] = field(default_factory=dict[Caller, _Lane])

    def slow(self, callers: frozenset[Caller]) -> frozenset[Caller]:
        """Those of the callers who are served by lanes of their own."""
        if not self._lanes:
            return frozenset()
        return frozenset(c for c in tuple(self._lanes) if c in callers and self._is_slow(c))

    def _is_slow(self, caller: Caller) -> bool:
        lane = self._lanes[caller]
        if lane.is_running or self.clock.monotonic() - lane.slow_at < PROBATION_SECONDS:
            return True
        del self._lanes[caller]
        return False

    def set_apart(self, caller: Caller) -> None:
        """A caller was too slow to be waited for."""
        self._lanes.setdefault(caller, _Lane()).slow_at = self.clock.monotonic()
        facts = {"role": caller.role, "subject": caller.subject}
        self.observer(Observation("policy_too_slow", Severity.WARNING, facts))

    def put(self, caller: Caller, parcel: Parcel) -> None:
        """Let a slow caller's channels hear of a change when its turn comes."""
        lane = self._lanes.setdefault(caller, _Lane())
        lane.parcels.append(parcel)
        if len(lane.parcels) > MAX_WAITING:
            self._give_up(lane)
        elif not lane.is_running:
            lane.is_running = True
            self.supervisor.start(self._run(caller, lane), "slow-lane")

    async def _run(self, caller: Caller, lane: _Lane) -> None:
        try:
            while lane.parcels:
                parcel = lane.parcels[0]
                sees = not parcel.needs_sight or await self._sees(caller, lane, parcel)
                if lane.parcels and lane.parcels[0] is parcel:
                    lane.parcels.popleft()
                    if sees:
                        round_ = self.deliveries.round()
                        round_.add(parcel.change, [parcel.ears])
                        await self.deliveries.give(round_)
        finally:
            lane.is_running = False

    async def _sees(self, caller: Caller, lane: _Lane, parcel: Parcel) -> bool:
        for _ in range(TRIES):
            try:
                answers = await self.oracle.look_alone(parcel.change, caller)
            except TooSlowError:
                lane.slow_at = self.clock.monotonic()
            except (PoolTimeout, Unavailable):
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                ears = {caller: parcel.ears}
                self.deliveries.tell_errors(parcel.change, answers.failed[0], ears)
                return bool(answers.seen[0])
        self._give_up(lane)
        return False

    def _give_up(self, lane: _Lane) -> None:
        channels = {ear.channel for parcel in lane.parcels for ear in parcel.ears}
        lane.parcels.clear()
        self.deliveries.lose(channels, errors.DATABASE_TIMEOUTS)

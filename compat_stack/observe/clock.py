"""The clock of all nodes on one database: the database's own, where a machine's differs from it.

Two machines whose clocks are minutes apart would refuse each other's tokens as not issued yet, end
each other's sessions and codes early, and delete what the other still keeps.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from compat_base.postgres.database import Database
from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock

_TOLERANCE = 1.0  # seconds by which clocks may differ without a step of time
_LONGEST_QUERY = 2.0  # seconds; an answer that took longer is too inexact
_PAUSE = 10.0  # seconds between two queries
_SHORT_PAUSE = 1.0  # seconds after one that was not answered
_TIMEOUT = 5.0  # seconds for one of them
_NOW = "select clock_timestamp()"


class DatabaseClock:
    """A clock that is set by the database's, and goes on by the machine's monotonic one.

    So the machine's own clock may be wrong, and corrected at any moment, without effect.
    """

    def __init__(self, clock: Clock, observer: Observer) -> None:
        self._clock = clock
        self._observer = observer
        self._set_to, self._set_at = clock.now(), clock.monotonic()
        self.offset = 0.0
        """The seconds by which the database's clock was last found ahead of the machine's."""

    def now(self) -> datetime:
        """The present moment, in UTC, with its zone."""
        return self._set_to + timedelta(seconds=self._clock.monotonic() - self._set_at)

    def monotonic(self) -> float:
        """Seconds of the machine's clock that never goes back."""
        return self._clock.monotonic()

    async def follow(self, database: Database) -> None:
        """Set the clock periodically, for ever."""
        pause = _PAUSE
        while True:
            await asyncio.sleep(pause)
            pause = _PAUSE if await self.synchronise(database) else _SHORT_PAUSE

    async def synchronise(self, database: Database) -> bool:
        """Set the clock by the database's; False where it does not answer in time."""
        try:
            async with asyncio.timeout(_TIMEOUT), database.acquire() as connection:
                began = self._clock.monotonic()
                found: datetime = await connection.fetchval(_NOW)
                took = self._clock.monotonic() - began
        except (PgFault, PoolTimeout, Unavailable, TimeoutError):
            return False
        if took > _LONGEST_QUERY:
            return False
        self.adjust(found + timedelta(seconds=took / 2))
        return True

    def adjust(self, theirs: datetime) -> None:
        """Set the clock to the database's, where they differ by more than the tolerance.

        A difference from the machine's clock that has changed is logged.
        """
        offset = (theirs - self._clock.now()).total_seconds()
        if abs(offset - self.offset) > _TOLERANCE:
            facts = {"seconds": round(offset, 1), "effect": "the database's clock counts"}
            self._observer(Observation("clock_differs", Severity.WARNING, facts))
        self.offset = offset
        if abs((theirs - self.now()).total_seconds()) > _TOLERANCE:
            self._set_to, self._set_at = theirs, self._clock.monotonic()

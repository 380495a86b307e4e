"""Callers whose row-level security checks time out: each has a queue, so that only it waits.

All changes for such a caller go through its queue in order, also those that need no check. A queue
is kept for `PROBATION_SECONDS` after the last timeout. One that overflows (`MAX_WAITING`), or that
the database does not answer after `TRIES`, is cleared, and its channels get an error.
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
from realtime_compat.changes.audience import Recipient
from realtime_compat.changes.payload import Resolved
from realtime_compat.dispatch.fanout import FanOut
from realtime_compat.dispatch.visibility import VisibilityChecker

MAX_WAITING = 1000  # changes in one queue
TRIES = 3
PAUSE_SECONDS = 1.0
PROBATION_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class QueuedChange:
    """A change, and the recipients of one caller that it is for."""

    change: Resolved
    recipients: tuple[Recipient, ...]
    needs_check: bool


@dataclass(slots=True)
class _Queue:
    changes: deque[QueuedChange] = field(default_factory=deque[QueuedChange])
    slow_at: float = 0.0
    is_running: bool = False


@dataclass(slots=True)
class SlowCallers:
    """The slow callers and their queues."""

    visibility: VisibilityChecker
    fanout: FanOut
    supervisor: Supervisor
    clock: Clock
    observer: Observer
    _queues: dict[Caller, _Queue] = field(default_factory=dict[Caller, _Queue])

    def among(self, callers: frozenset[Caller]) -> frozenset[Caller]:
        """Those of the callers that are slow at present."""
        if not self._queues:
            return frozenset()
        return frozenset(c for c in tuple(self._queues) if c in callers and self._is_slow(c))

    def _is_slow(self, caller: Caller) -> bool:
        queue = self._queues[caller]
        if queue.is_running or self.clock.monotonic() - queue.slow_at < PROBATION_SECONDS:
            return True
        del self._queues[caller]
        return False

    def add(self, caller: Caller) -> None:
        """Mark a caller as slow, after a check that timed out."""
        self._queues.setdefault(caller, _Queue()).slow_at = self.clock.monotonic()
        facts = {"role": caller.role, "subject": caller.subject}
        self.observer(Observation("policy_too_slow", Severity.WARNING, facts))

    def put(self, caller: Caller, queued: QueuedChange) -> None:
        """Queue a change for a slow caller."""
        queue = self._queues.setdefault(caller, _Queue())
        queue.changes.append(queued)
        if len(queue.changes) > MAX_WAITING:
            self._give_up(queue)
        elif not queue.is_running:
            queue.is_running = True
            self.supervisor.start(self._run(caller, queue), "slow-caller")

    async def _run(self, caller: Caller, queue: _Queue) -> None:
        try:
            while queue.changes:
                queued = queue.changes[0]
                sees = not queued.needs_check or await self._sees(caller, queue, queued)
                if queue.changes and queue.changes[0] is queued:
                    queue.changes.popleft()
                    if sees:
                        batch = self.fanout.batch()
                        batch.add(queued.change, [queued.recipients])
                        await self.fanout.send(batch)
        finally:
            queue.is_running = False

    async def _sees(self, caller: Caller, queue: _Queue, queued: QueuedChange) -> bool:
        for _ in range(TRIES):
            try:
                answers = await self.visibility.check_one(queued.change, caller)
            except TooSlowError:
                queue.slow_at = self.clock.monotonic()
            except (PoolTimeout, Unavailable):
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                recipients = {caller: queued.recipients}
                self.fanout.notify_errors(queued.change, answers.failed[0], recipients)
                return bool(answers.seen[0])
        self._give_up(queue)
        return False

    def _give_up(self, queue: _Queue) -> None:
        channels = {
            recipient.channel for queued in queue.changes for recipient in queued.recipients
        }
        queue.changes.clear()
        self.fanout.notify_lost(channels, errors.DATABASE_TIMEOUTS)

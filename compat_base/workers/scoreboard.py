"""Which workers are ready: a few bytes of memory that the supervisor writes and workers read."""

from __future__ import annotations

import mmap
from dataclasses import dataclass

from compat_base.workers.shared_times import SharedTimes


@dataclass(frozen=True, slots=True)
class Siblings:
    """What a worker knows of the others: who is ready, the machine's broker, who wrote recently."""

    scoreboard: Scoreboard
    slot: int
    broker: str
    writers: SharedTimes


class Scoreboard:
    """One flag for each slot, and one of all; made before the forks: all have the same memory."""

    def __init__(self, slots: int) -> None:
        self._flags = mmap.mmap(-1, slots + 1)
        self.slots = slots

    def set(self, slot: int, *, is_ready: bool) -> None:
        """Say whether the slot has a ready worker."""
        self._flags[slot] = int(is_ready)

    @property
    def ready(self) -> int:
        """How many slots have one."""
        return sum(self._flags[slot] for slot in range(self.slots))

    @property
    def is_draining(self) -> bool:
        """Whether a balancer is to send nobody here any more, while requests are still served."""
        return bool(self._flags[self.slots])

    def drain(self) -> None:
        """Mark this machine as draining, for every process that reads the flags."""
        self._flags[self.slots] = 1

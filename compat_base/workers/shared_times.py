"""When something last happened to a key, in memory that all forked processes share."""

from __future__ import annotations

import mmap
from collections.abc import Hashable

_PLACES = 65_536
_SIZE = 8  # bytes of a float


class SharedTimes:
    """The last time of each key; made before the forks, which share the hash seed and the clock.

    A hash table without collision handling: keys in the same place share its time, so a key may
    seem to have the time of another. Half a megabyte serves any number of keys, without clean-up.
    """

    def __init__(self) -> None:
        self._times = memoryview(mmap.mmap(-1, _PLACES * _SIZE)).cast("d")

    def put(self, key: Hashable, time: float) -> None:
        """Note a time; an earlier one than is there changes nothing."""
        place = hash(key) % _PLACES
        self._times[place] = max(self._times[place], time)

    def get(self, key: Hashable) -> float:
        """The last time; 0 where there is none."""
        return self._times[hash(key) % _PLACES]

"""How many bytes of large request bodies are in memory, of all callers and of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager

_SHARE = 2  # a caller holds at most so many times what is free


class BodyBytes:
    """Bytes that are held: at most `most`, and of one caller at most two thirds of it.

    The bound of a caller is that of `compat_base.fair_semaphore`, so that others find room whatever
    it sends. Callers without a name have no bound but that of all.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._free = most
        self._held = Counter[str]()

    @contextmanager
    def counted(self, caller: str) -> Generator[Callable[[int], bool]]:
        """Count one body for the block: a function that takes further bytes, False for too many."""
        size = 0

        def take(more: int) -> bool:
            nonlocal size
            size += more
            return self._take(caller, more)

        try:
            yield take
        finally:
            self._take(caller, -size)
            if not self._held[caller]:
                del self._held[caller]

    def _take(self, caller: str, size: int) -> bool:
        self._free -= size
        self._held[caller] += size
        return self._free >= 0 and (not caller or self._held[caller] <= _SHARE * self._free)

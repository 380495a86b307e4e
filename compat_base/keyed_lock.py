"""A mutex for each key (keyed lock), in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class KeyedLock:
    """A lock for each key that is held or waited for; between processes the database decides.

    Without it, requests for one row would each hold a database connection while they wait.
    """

    def __init__(self) -> None:
        self._queues: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncGenerator[None]:
        """Hold the key's lock for the block; waiters get it in order of arrival."""
        lock, waiting = self._queues.get(key, (asyncio.Lock(), 0))
        self._queues[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._queues[key]
            if waiting == 1:
                del self._queues[key]
            else:
                self._queues[key] = (lock, waiting - 1)

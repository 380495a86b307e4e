"""A mapping of bounded size: the oldest entry goes first."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(dict[K, V]):
    """At most `limit` entries."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def put(self, key: K, value: V) -> V:
        """Add an entry, and give its value back."""
        if len(self) >= self._limit:
            del self[next(iter(self))]
        self[key] = value
        return value

"""What was made before, by what it was made from: bounded, the oldest goes first."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(dict[K, V]):
    """At most so many values."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def keep(self, key: K, value: V) -> V:
        """Remember a value, and give it back."""
        if len(self) >= self._most:
            del self[next(iter(self))]
        self[key] = value
        return value

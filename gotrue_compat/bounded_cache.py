"""An LRU cache bounded by the weight of its entries."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def _one(_key: object, _value: object) -> int:
    return 1


class BoundedCache(Generic[K, V]):
    """Keeps the entries used last; `weigh` gives an entry's weight, by default 1.

    Keys may be a client's: an entry heavier than the whole cache is not kept.
    """

    def __init__(self, most: int, weigh: Callable[[K, V], int] = _one) -> None:
        self._most = most
        self._weigh = weigh
        self._weight = 0
        self._entries: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """The value of a key, which becomes the most recently used; None without one."""
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Store a value; the least recently used entries are evicted to make room."""
        self._drop(key)
        self._entries[key] = value
        self._weight += self._weigh(key, value)
        while self._weight > self._most:
            self._drop(next(iter(self._entries)))

    def _drop(self, key: K) -> None:
        value = self._entries.pop(key, None)
        if value is not None:
            self._weight -= self._weigh(key, value)

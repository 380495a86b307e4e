"""The prepared statements of a session: which to keep, which to close (LRU)."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple


class Name(NamedTuple):
    """A statement's name; which to close first, and whether it must be prepared."""

    name: bytes
    closes: bytes | None = None
    is_new: bool = False


class PreparedNames:
    """At most so many names by their text; the least recently used is closed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._names: OrderedDict[str, bytes] = OrderedDict()
        self._made = 0
        self._unconfirmed: set[str] = set()

    def __bool__(self) -> bool:
        """Whether statements are prepared at all."""
        return self._most > 0

    def use(self, text: str) -> Name:
        """The name for a statement that is about to be sent."""
        name = self._names.get(text)
        if name is not None:
            self._names.move_to_end(text)
            return Name(name)
        closes = None
        if len(self._names) >= self._most:
            _, closes = self._names.popitem(last=False)
        self._made += 1
        self._names[text] = b"s%d" % self._made
        self._unconfirmed.add(text)
        return Name(self._names[text], closes, is_new=True)

    def confirm(self, text: str) -> None:
        """The server has prepared the statement."""
        self._unconfirmed.discard(text)

    def forget_unconfirmed(self) -> None:
        """The pipeline is over: forget statements that were not prepared."""
        for text in self._unconfirmed:
            self._names.pop(text, None)
        self._unconfirmed.clear()

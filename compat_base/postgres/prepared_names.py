"""The prepared statements of a session: which to keep, which to close (LRU)."""

from __future__ import annotations

from collections import OrderedDict


class PreparedNames:
    """At most so many names by their text; the least recently used is closed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._names: OrderedDict[str, bytes] = OrderedDict()
        self._made = 0
        self._unconfirmed: set[str] = set()

    def known(self, text: str) -> bytes | None:
        """The name of a statement that is about to be used, where it has one."""
        name = self._names.get(text)
        if name is not None:
            self._names.move_to_end(text)
        return name

    def add(self, text: str) -> tuple[bytes, bytes | None]:
        """A name for a statement that is about to be prepared, and which one to close first."""
        closes = None
        if len(self._names) >= self._most:
            _, closes = self._names.popitem(last=False)
        self._made += 1
        self._unconfirmed.add(text)
        name = self._names[text] = b"s%d" % self._made
        return name, closes

    def confirm(self, text: str) -> None:
        """The server has prepared the statement."""
        self._unconfirmed.discard(text)

    def forget_unconfirmed(self) -> None:
        """The pipeline is over: forget statements that were not prepared."""
        for text in self._unconfirmed:
            self._names.pop(text, None)
        self._unconfirmed.clear()

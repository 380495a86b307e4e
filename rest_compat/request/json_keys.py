"""The keys of a large JSON body, found in slices and without holding its values.

Entries of the outermost array or object are decoded a window at a time. Of an entry that is longer
than a window only the end is looked for: its inside is for PostgreSQL to read.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import repeat
from operator import eq, methodcaller
from typing import Any, cast

from compat_base.values import jsontext
from rest_compat.request.slices import WINDOW, Slices, check_utf8

MOST_KEYS = 1_601  # one more than PostgreSQL has columns: of more keys one is surely unknown
_MOST_DEPTH = 900  # of arrays and objects; the decoder of small bodies ends near there

_BLANKS = re.compile(rb"[ \t\r\n]*+")
_KEY = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")[ \t\r\n]*+:[ \t\r\n]*+', re.DOTALL)
_TEXT_BLANKS = re.compile(r"[ \t\r\n]*+")
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_IN_SCALAR = re.compile(rb"[^ \t\r\n,:\[\]{}\"]*+")
_CLOSED_STRINGS = re.compile(rb'(?:[^"]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
_NO_BRACKETS = re.compile(rb'(?:[^\[\]{}"]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")++', re.DOTALL)
_BRACKETS = re.compile(rb"[\[{]++|[\]}]++")
_BETWEEN_ROWS = re.compile(rb"\}(?=[ \t\r\n]*+,[ \t\r\n]*+\{)")
_KEYS_OF_ROW = methodcaller("keys")
_TAIL = 4_096  # bytes of a window in which the last row's end is looked for


@dataclass(frozen=True, slots=True)
class Keys:
    """What a body's JSON is: an object, an array of objects that have the same keys, or neither.

    `found` are the smallest `MOST_KEYS` of the keys. `alike` is False for an array of other values,
    or of objects with different keys. `proved` is False where only PostgreSQL will see whether all
    of it is JSON.
    """

    found: frozenset[str] = frozenset()
    is_object: bool = False
    is_empty: bool = False
    alike: bool = True
    proved: bool = True


def keys_of(body: bytes) -> Slices[Keys]:
    """Read a body; raises InvalidJsonError, or UnicodeDecodeError."""
    yield from check_utf8(body)
    start = _blanks_end(body, 0)
    match body[start : start + 1]:
        case b"[":
            entries = _Entries(body, start + 1, b"]")
            found = yield from _keys_of_array(entries)
            end = entries.position
        case b"{":
            entries = _Entries(body, start + 1, b"}")
            names = yield from _keys_of_object(entries)
            found, end = Keys(names, is_object=True, proved=entries.proved), entries.position
        case _:
            end = yield from _end_of_value(body, start)
            found = Keys(is_empty=True, proved=False)
    if _blanks_end(body, end) != len(body):
        raise _invalid("more follows")
    return found


def _keys_of_array(entries: _Entries) -> Slices[Keys]:
    first: AbstractSet[str] | None = None
    alike = is_empty = True
    while not entries.at_end():
        is_empty = False
        batch = entries.batch()
        if batch is None:
            batch = [(yield from _long_row(entries))]
        if first is None:
            first = next(map(_names, batch))
        alike = alike and first is not None and _all_have(first, batch)
        yield
    found = frozenset(first or ())
    return Keys(found, is_empty=is_empty, alike=alike, proved=entries.proved)


def _long_row(entries: _Entries) -> Slices[AbstractSet[str] | None]:
    """The keys of an entry longer than a window; None where it is no object."""
    body, start = entries.body, entries.position
    if not body.startswith(b"{", start):
        yield from entries.long_one()
        return None
    inner = _Entries(body, start + 1, b"}")
    names = yield from _keys_of_object(inner)
    entries.go_on(inner.position, proved=inner.proved)
    return names


def _keys_of_object(entries: _Entries) -> Slices[frozenset[str]]:
    names: set[str] = set()
    while not entries.at_end():
        batch = entries.batch()
        if batch is None:
            names.add((yield from entries.long_one()))
        else:
            names.update(batch)
        if len(names) > 8 * MOST_KEYS:
            names = {*heapq.nsmallest(MOST_KEYS, names)}
        yield
    return frozenset(heapq.nsmallest(MOST_KEYS, names) if len(names) > MOST_KEYS else names)


def _names(row: Any) -> AbstractSet[str] | None:
    """The keys that stand for a row; None for what is none."""
    if isinstance(row, dict):
        names: AbstractSet[str] = cast("dict[str, Any]", row).keys()
        if len(names) > MOST_KEYS:
            return frozenset(heapq.nsmallest(MOST_KEYS, names))
        return names
    return cast("frozenset[str]", row) if isinstance(row, frozenset) else None


def _all_have(names: AbstractSet[str], rows: list[Any]) -> bool:
    if len(names) < MOST_KEYS and {*map(type, rows)} == {dict}:
        return all(map(eq, repeat(names), map(_KEYS_OF_ROW, rows)))
    return all(map(eq, repeat(names), map(_names, rows)))


class _Entries:
    """The entries of an array or object, from behind its opening bracket on."""

    def __init__(self, body: bytes, start: int, closing: bytes) -> None:
        self.body = body
        self.position = _blanks_end(body, start)
        self.proved = True
        self._closing = closing
        self._is_object = closing == b"}"
        self._is_first = True
        self._ended = False

    def at_end(self) -> bool:
        """Whether no entry follows; if one does, the position is at its start."""
        return self._ended or (self._is_first and self._closes())

    def batch(self) -> list[Any] | None:
        """The entries that end within a window: values, or keys; None where the next does not."""
        window = self.body[self.position : self.position + WINDOW]
        found = self._up_to_last(window)
        if found is None:
            found = self._one_by_one(window)
        return found

    def long_one(self) -> Slices[str]:
        """Pass over an entry of any length, and give its key in an object."""
        start, key = self.position, ""
        position = start
        if self._is_object:
            if not self.body.startswith(b'"', start):
                raise _invalid("no key")
            end = yield from _scalar_end(self.body, start)
            key = jsontext.decode(self.body[start:end])
            position = _blanks_end(self.body, end)
            if not self.body.startswith(b":", position):
                raise _invalid("no colon")
            position = _blanks_end(self.body, position + 1)
        end = yield from _end_of_value(self.body, position)
        if _blanks_end(self.body, end) - start < WINDOW // 2:
            raise _invalid("what would have been in sight is no value")
        self.go_on(end, proved=False)
        return key

    def go_on(self, end: int, *, proved: bool) -> None:
        """Go on behind an entry that ends there: past the comma, or the closing bracket."""
        self.proved = self.proved and proved
        self._is_first = False
        self.position = _blanks_end(self.body, end)
        if self._closes():
            return
        if not self.body.startswith(b",", self.position):
            raise _invalid("no comma")
        self.position = _blanks_end(self.body, self.position + 1)

    def _closes(self) -> bool:
        if self.body.startswith(self._closing, self.position):
            self.position += 1
            self._ended = True
        return self._ended

    def _up_to_last(self, window: bytes) -> list[Any] | None:
        """All up to what looks like the end of the last whole entry, if it is that."""
        end = -1 if self._is_object else _last_row_end(window)
        if end <= 0:
            end = window.rfind(b",")
        if end <= 0:
            return None
        opening = b"{" if self._is_object else b"["
        try:
            found = jsontext.decode(opening + window[:end] + self._closing, as_written=True)
        except jsontext.InvalidJsonError:
            return None
        self.go_on(self.position + end, proved=True)
        return [*found]

    def _one_by_one(self, window: bytes) -> list[Any] | None:
        text = window.decode(errors="ignore")  # the last character may be cut
        found: list[Any] = []
        start = stop = 0
        while (entry := self._entry(text, start)) is not None:
            value, stop = entry
            found.append(value)
            separator = _text_blanks_end(text, stop)
            if text[separator] != ",":
                break
            start = _text_blanks_end(text, separator + 1)
        if not found:
            return None
        self.go_on(self.position + len(text[:stop].encode()), proved=True)
        return found

    def _entry(self, text: str, start: int) -> tuple[Any, int] | None:
        """An entry's value or key, and its end; None where it or what follows is not in sight."""
        key = _KEY.match(text, start) if self._is_object else None
        if self._is_object and key is None:
            return None
        try:
            value, end = jsontext.decode_at(text, start if key is None else key.end())
        except jsontext.InvalidJsonError:
            return None
        behind = _text_blanks_end(text, end)
        if text[behind : behind + 1] not in {",", "]", "}"}:
            return None
        return (value if key is None else jsontext.decode(key.group(1))), end


def _last_row_end(window: bytes) -> int:
    ends = [found.end() for found in _BETWEEN_ROWS.finditer(window, max(0, len(window) - _TAIL))]
    return ends[-1] if ends else window.rfind(b"}") + 1


def _end_of_value(body: bytes, start: int) -> Slices[int]:
    """Where a value ends whose inside is not read; raises InvalidJsonError where it never does."""
    if body[start : start + 1] not in {b"[", b"{"}:
        return (yield from _scalar_end(body, start))
    position, depth = start + 1, 1
    while True:
        end = _end_of(_CLOSED_STRINGS, body, position)
        brackets = _NO_BRACKETS.sub(b"", body[position:end])
        lowest, depth_then = _depths(brackets, depth)
        if lowest <= 0:
            return _closing_of(body, position, end, depth)
        if body.startswith(b'"', end):
            end = yield from _scalar_end(body, end)
        elif end == position:
            raise _invalid("a bracket is not closed")
        position, depth = end, depth_then
        yield


def _depths(brackets: bytes, depth: int) -> tuple[int, int]:
    """The lowest depth that brackets lead to, and the last; InvalidJsonError for a great one."""
    for _ in range(3):
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    lowest = highest = depth
    for run in _BRACKETS.findall(brackets):
        depth += len(run) if run[:1] in {b"[", b"{"} else -len(run)
        lowest = min(lowest, depth)
        highest = max(highest, depth)
        if lowest <= 0:
            break
    if highest > _MOST_DEPTH:
        raise _invalid("nested too deeply")
    return lowest, depth


def _closing_of(body: bytes, start: int, end: int, depth: int) -> int:
    """Behind the bracket that leads to depth 0."""
    position = start
    while True:
        passed = _NO_BRACKETS.match(body, position, end)
        position = position if passed is None else passed.end()
        run = _BRACKETS.match(body, position, end)
        if run is None:
            raise _invalid("a bracket is not closed")
        size = run.end() - position
        if run.group()[:1] in {b"[", b"{"}:
            depth += size
        elif depth <= size:
            return position + depth
        else:
            depth -= size
        position = run.end()


def _scalar_end(body: bytes, start: int) -> Slices[int]:
    """Where a string, number or word ends."""
    if not body.startswith(b'"', start):
        end = start
        while (further := _end_of(_IN_SCALAR, body, end)) > end:
            end = further
            yield
        if end == start:
            raise _invalid("no value")
        return end
    end = start + 1
    while not body.startswith(b'"', end):
        further = _end_of(_IN_STRING, body, end)
        if further == end:
            raise _invalid("a string does not end")
        end = further
        yield
    return end + 1


def _end_of(pattern: re.Pattern[bytes], body: bytes, start: int) -> int:
    found = pattern.match(body, start, start + WINDOW)
    return start if found is None else found.end()


def _blanks_end(body: bytes, start: int) -> int:
    found = _BLANKS.match(body, start)
    return start if found is None else found.end()


def _text_blanks_end(text: str, start: int) -> int:
    found = _TEXT_BLANKS.match(text, start)
    return start if found is None else found.end()


def _invalid(why: str) -> jsontext.InvalidJsonError:
    return jsontext.InvalidJsonError(why)

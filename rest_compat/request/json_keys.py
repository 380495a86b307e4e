"""The keys of a JSON body, found without decoding its values.

A small body is read at once, a large one a window at a time: what stands between two cuts is
completed to JSON of its own by the brackets that are open there, and the decoder judges it. The
inside of a value that is longer than a window is left to PostgreSQL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import islice, repeat
from operator import eq
from typing import TypeAlias, TypeVar

import msgspec

from compat_base.values import jsontext
from rest_compat.request.slices import WINDOW, Slices, check_utf8

T = TypeVar("T")

MOST_KEYS = 1_601  # one more than PostgreSQL has columns: of more keys one is surely unknown
_MOST_DEPTH = 900  # of arrays and objects

_Row: TypeAlias = dict[str, msgspec.Raw]
_read_rows = msgspec.json.Decoder(list[_Row]).decode
_read_row = msgspec.json.Decoder(_Row).decode
_check = msgspec.json.Decoder(msgspec.Raw).decode

_BLANK = b" \t\r\n"
_EVERY_BYTE = bytes(range(0x100))
_MARKS = (b"[", b"]", b"{", b"}", b",", b":")
_NO_MARKS = _EVERY_BYTE.translate(None, b"".join(_MARKS))
_NO_BRACKETS = _EVERY_BYTE.translate(None, b"[]{}")
_HIDE_MARKS = bytes.maketrans(b"[]{},:", b"______")
_CLOSING = bytes.maketrans(b"[{", b"]}")
_BLANKS = re.compile(rb"[ \t\r\n]*+")
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_IN_SCALAR = re.compile(rb"[^ \t\r\n,:\[\]{}\"]*+")
_RUN = re.compile(rb"[\[{]++|[\]}]++")


@dataclass(frozen=True, slots=True)
class Keys:
    """What a body's JSON is: an object, an array of objects that have the same keys, or neither.

    `found`: the keys; the smallest `MOST_KEYS` where a large body has more. `rows`: how many
    objects a small array has. `alike` is False for an array of other values, or of objects with
    different keys. `proved` is False where only PostgreSQL will see whether all of it is JSON.
    """

    found: frozenset[str] = frozenset()
    rows: int = 0
    is_object: bool = False
    is_empty: bool = False
    alike: bool = True
    proved: bool = True


def small_keys(body: bytes) -> Keys:
    """Read a body at once; raises InvalidJsonError, or UnicodeDecodeError."""
    body.decode()
    body = body.strip(_BLANK)
    if body.startswith(b"{"):
        return Keys(frozenset(_decoded(_read_row, body)), is_object=True)
    if not body.startswith(b"["):
        _decoded(_check, body)
        return Keys(is_empty=True)
    rows = _decoded(_rows_of, body)
    if rows is None:
        return Keys(alike=False)
    if not rows:
        return Keys(is_empty=True)
    names = frozenset(rows[0])
    alike = all(map(eq, repeat(names), map(frozenset, {*map(tuple, rows)})))
    return Keys(names, len(rows), alike=alike)


def keys_of(body: bytes) -> Slices[Keys]:
    """Read a body in slices; raises InvalidJsonError, or UnicodeDecodeError."""
    yield from check_utf8(body)
    body = body.strip(_BLANK)
    if body[:1] not in {b"[", b"{"}:
        if (yield from _scalar_end(body, 0)) != len(body):
            raise _invalid("more follows")
        return Keys(is_empty=True, proved=False)
    windows = _Windows(body)
    found = yield from (_keys_of_array if body.startswith(b"[") else _keys_of_object)(windows)
    return found


def _keys_of_object(windows: _Windows) -> Slices[Keys]:
    names = _Names()
    while (window := (yield from windows.next())) is not None:
        row = _decoded(_read_row, window)
        names.add(row)
        windows.know_key(row)
    return Keys(names.smallest(), is_object=True, proved=windows.proved)


def _keys_of_array(windows: _Windows) -> Slices[Keys]:
    first: _FirstRow | None = None
    begun: _Names | None = None  # of the row that goes on in the next window
    alike = True
    is_empty = windows.is_empty_array()
    while (window := (yield from windows.next())) is not None:
        rows = _decoded(_rows_of if alike else _check_only, window)
        if rows is None:
            alike = False
            continue
        if windows.began_between_rows:
            del rows[0]
        if windows.is_within_row():
            windows.know_key(rows[-1])
        if begun is not None:
            begun.add(rows[0])
            if len(rows) == 1 and windows.is_within_row():
                continue
            names = begun.smallest()
            first = first or _FirstRow(names)
            alike = names == first.names
            del rows[0]
        begun = None
        if windows.is_within_row():
            begun = _Names(None if first is None else first.last)
            begun.add(rows.pop())
        if rows:
            first = first or _FirstRow(_smallest(rows[0]))
            alike = alike and first.is_like(rows)
    found = frozenset[str]() if first is None else first.names
    return Keys(found, is_empty=is_empty, alike=alike, proved=windows.proved)


class _FirstRow:
    """The smallest `MOST_KEYS` of the keys of an array's first row; where so many, the `last`."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names
        self.last = max(names) if len(names) >= MOST_KEYS else None

    def is_like(self, rows: list[_Row]) -> bool:
        """Whether other rows have the same keys."""
        orders = {*map(tuple, rows)}  # a client writes its keys in few orders
        if self.last is None:
            return all(map(eq, repeat(self.names), map(frozenset, orders)))
        return all({*filter(self.last.__ge__, order)} == self.names for order in orders)


class _Names:
    """The smallest `MOST_KEYS` of the keys that are added, up to a `last` where there is one."""

    def __init__(self, last: str | None = None) -> None:
        self._names: set[str] = set()
        self._last = last

    def add(self, names: Iterable[str]) -> None:
        """Add the keys of a piece of a row."""
        self._names.update(names if self._last is None else filter(self._last.__ge__, names))
        if len(self._names) > 8 * MOST_KEYS:
            self._names = {*sorted(self._names)[:MOST_KEYS]}
            self._last = max(self._names)

    def smallest(self) -> frozenset[str]:
        """The smallest of all that was added."""
        return _smallest(self._names)


class _Windows:
    """A body's array or object as pieces that are JSON of their own.

    A piece ends at the last mark of a window: a bracket, comma or colon outside of strings. Where
    an entry goes on from the piece before, something stands for what was passed: the key of the
    row it belongs to, so that reading the piece finds no key that the body has not.
    """

    def __init__(self, body: bytes) -> None:
        self.proved = True
        self.began_between_rows = False
        self._body = body
        self._position = 0
        self._held = b""  # what stands for a value longer than a window
        self._open = b""  # the brackets that are open
        self._after = b""  # the mark at which the last piece ended
        self._row_level = 1 if body.startswith(b"[") else 0
        self._key = b'""'

    def is_empty_array(self) -> bool:
        """Whether there is nothing between the outermost brackets."""
        return self._body[1:].lstrip(_BLANK) == b"]"

    def is_within_row(self) -> bool:
        """Whether the next piece begins within a row."""
        return self._open.startswith(b"[{")

    def know_key(self, row: _Row) -> None:
        """Take a key of the row that is open."""
        self._key = jsontext.encode(min(islice(row, 9), key=len, default="")).encode()

    def next(self) -> Slices[bytes | None]:
        """The next piece, completed; None behind the last. Raises InvalidJsonError."""
        if self._position >= len(self._body):
            return None
        while True:
            yield
            window = self._held + self._body[self._position : self._position + WINDOW]
            if self._position + WINDOW >= len(self._body):
                return self._last(window)
            marks = _marks(window)
            cut = max(map(marks.rfind, _MARKS))
            if cut >= 0:
                return self._piece(window, marks, cut)
            yield from self._pass_over_long()

    def _last(self, window: bytes) -> bytes:
        piece = self._beginning() + window
        self._position = len(self._body)
        self._open = b""
        return piece

    def _piece(self, window: bytes, marks: bytes, cut: int) -> bytes:
        mark = window[cut : cut + 1]
        before = marks[:cut].rstrip(_BLANK)[-1:] or self._after
        if mark == b"," and before in {b"", b",", b":", b"[", b"{"}:
            raise _invalid("a comma follows no value")
        beginning = self._beginning()
        self._open = _still_open(self._open, marks[: cut + 1].translate(None, _NO_BRACKETS))
        if not self._open:
            raise _invalid("more follows")
        self._position += cut + 1 - len(self._held)
        self._held, self._after = b"", mark
        end = {b",": b"", b":": b":0"}.get(mark, mark)
        return beginning + window[:cut] + end + self._open[::-1].translate(_CLOSING)

    def _beginning(self) -> bytes:
        """What stands for all that was passed."""
        outer, within = self._open[:-1], self._open[-1:]
        self.began_between_rows = self._open == b"[" and self._after in {b",", b"]", b"}"}
        row, inner = outer[: self._row_level + 1], outer[self._row_level + 1 :]
        outer = row.replace(b"{", b"{%b:" % self._key) + inner.replace(b"{", b'{"":')
        if self._after in {b"", b"[", b"{"}:
            return outer + within
        key = self._key if len(self._open) == self._row_level + 1 else b'""'
        value = b"{}" if self.began_between_rows else b"0"
        if within == b"{":
            value = key + (b":" if self._after == b":" else b":0")
        return outer + within + value + (b"," if self._after == b"," else b"")

    def _pass_over_long(self) -> Slices[None]:
        """Pass over a value that is longer than a window, or over blanks."""
        start = self._position
        while (end := _end_of(_BLANKS, self._body, self._position)) > self._position:
            self._position = end
            yield
        if self._position > start:
            return
        if self._held:
            raise _invalid("two values in a row")
        self._position = yield from _scalar_end(self._body, start)
        if self._open.endswith(b"{") and self._after in {b"{", b","}:
            self._held = self._body[start : self._position]
        else:
            self._held = b'""' if self._body.startswith(b'"', start) else b"0"
            self.proved = False


def _marks(window: bytes) -> bytes:
    """A window in which only the marks outside of strings are left; a string cut off is left out.

    Nothing moves: each byte stands where it stood.
    """
    if b"\\" in window:
        window = window.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    pieces = window.split(b'"')
    inside = b'"'.join(pieces[1::2])
    if inside.translate(None, _NO_MARKS):
        pieces[1::2] = inside.translate(_HIDE_MARKS).split(b'"')
    if len(pieces) % 2 == 0:
        pieces[-1] = b""
    return b'"'.join(pieces)


def _still_open(opened: bytes, brackets: bytes) -> bytes:
    """The brackets that are open behind others; InvalidJsonError for too many, or for none."""
    shorter = True
    while shorter:
        size = len(brackets)
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
        shorter = len(brackets) < size - size // 8
    for run in _RUN.findall(brackets):
        if run[:1] in {b"[", b"{"}:
            opened += run
        elif len(run) > len(opened):
            raise _invalid("a bracket was not opened")
        else:
            opened = opened[: -len(run)]
        if len(opened) > _MOST_DEPTH:
            raise _invalid("nested too deeply")
    return opened


def _rows_of(text: bytes) -> list[_Row] | None:
    """The objects of an array, their values as they are; None where others are among them."""
    try:
        return _read_rows(text)
    except msgspec.ValidationError:
        return _check_only(text)


def _check_only(text: bytes) -> None:
    _check(text)


def _decoded(decode: Callable[[bytes], T], text: bytes) -> T:
    """What a decoder finds; raises InvalidJsonError, also for half a character."""
    try:
        return decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _invalid(str(error)) from error


def _smallest(names: Collection[str]) -> frozenset[str]:
    return frozenset(names if len(names) <= MOST_KEYS else sorted(names)[:MOST_KEYS])


def _scalar_end(body: bytes, start: int) -> Slices[int]:
    """Where a string, number or word ends; InvalidJsonError where there is none."""
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


def _invalid(why: str) -> jsontext.InvalidJsonError:
    return jsontext.InvalidJsonError(why)

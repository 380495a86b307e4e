"""The keys of a JSON body, found without decoding its values.

A small body is read at once, a large one a window at a time: each window is completed to valid
JSON by the brackets that are open there, and given to the decoder.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, TypeVar

import msgspec

from rest_compat.request.json_windows import JsonWindows, invalid_json, scalar_end
from rest_compat.request.slices import BLANK, LONGEST_NAME, Slices, check_utf8, stripped

T = TypeVar("T")

MOST_KEYS = 1_601  # one more than PostgreSQL has columns: of more keys one is surely unknown

_Row: TypeAlias = dict[str, msgspec.Raw]
_read_rows = msgspec.json.Decoder(list[_Row]).decode
_read_row = msgspec.json.Decoder(_Row).decode
_check = msgspec.json.Decoder(msgspec.Raw).decode


@dataclass(frozen=True, slots=True)
class Keys:
    """The kind of a JSON body: an object, an array of objects with the same keys, or neither.

    `found`: the keys; the smallest `MOST_KEYS` where a large body has more, and of each as many
    characters as no column's name has. `rows`: how many
    objects a small array has. `alike` is False for an array with other values or different keys.
    """

    found: frozenset[str] = frozenset()
    rows: int = 0
    is_object: bool = False
    is_empty: bool = False
    alike: bool = True


def small_keys(body: bytes) -> Keys:
    """Read a body at once; raises InvalidJsonError, or UnicodeDecodeError."""
    body.decode()
    body = body.strip(BLANK)
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
    return Keys(names, len(rows), alike=_have_keys(rows, names))


def keys_of(body: bytes) -> Slices[Keys]:
    """Read a body in slices; raises InvalidJsonError, or UnicodeDecodeError."""
    yield from check_utf8(body)
    body = yield from stripped(body)
    if body[:1] not in {b"[", b"{"}:
        if (yield from scalar_end(body, 0)) != len(body):
            raise invalid_json("more follows")
        return Keys(is_empty=True)
    windows = JsonWindows(body)
    found = yield from (_keys_of_array if body.startswith(b"[") else _keys_of_object)(windows)
    return found


def _keys_of_object(windows: JsonWindows) -> Slices[Keys]:
    names = _Names()
    while windows.has_more():
        row = yield from windows.next(partial(_decoded, _read_row))
        names.add(row)
        windows.set_key(row)
    return Keys(_shortened(names.smallest()), is_object=True)


def _keys_of_array(windows: JsonWindows) -> Slices[Keys]:
    first: _FirstRow | None = None
    begun: _Names | None = None  # of the row that goes on in the next window
    alike = True
    is_empty = yield from windows.is_empty_array()
    while windows.has_more():
        read = _rows_of if alike else _check_only
        rows = yield from windows.next(partial(_decoded, read))
        if rows is None:
            alike = False
            continue
        if windows.began_between_rows:
            del rows[0]
        if windows.is_within_row():
            windows.set_key(rows[-1])
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
    found = frozenset[str]() if first is None else _shortened(first.names)
    return Keys(found, is_empty=is_empty, alike=alike)


class _FirstRow:
    """The smallest `MOST_KEYS` of the keys of an array's first row; where so many, the `last`."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names
        self.last = max(names) if len(names) >= MOST_KEYS else None

    def is_like(self, rows: list[_Row]) -> bool:
        """Whether other rows have the same keys."""
        if self.last is None:
            return _have_keys(rows, self.names)
        orders = {*map(tuple, rows)}  # a client writes its keys in few orders
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


def _have_keys(rows: list[_Row], names: frozenset[str]) -> bool:
    """Whether every row has these keys and no other."""
    return {*map(len, rows)} == {len(names)} and (not names or names >= set[str]().union(*rows))


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
        raise invalid_json(str(error)) from error


def _smallest(names: Collection[str]) -> frozenset[str]:
    return frozenset(names if len(names) <= MOST_KEYS else sorted(names)[:MOST_KEYS])


def _shortened(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name[:LONGEST_NAME] for name in names)

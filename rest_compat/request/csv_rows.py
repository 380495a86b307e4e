"""CSV as the original reads it (rest reference 7.5), in slices: RFC 4180 with any line ending.

Rows become JSON at once, window by window, because a Python object for each field of a large body
costs more than the rest of its insert.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO
from itertools import chain

from compat_base.values import jsontext
from rest_compat.request.csv_records import CsvRecords, Field
from rest_compat.request.slices import Slices, TooLongError, check_utf8

_PARTS = 50  # of a long record at once: each a window at most
_NO_SEPARATOR = bytes(code for code in range(0x100) if code not in b",\n")


class UnlikeRowsError(Exception):
    """Rows have different numbers of fields."""


def csv_as_json(body: bytes, most: int) -> Slices[tuple[frozenset[str], bytes]]:
    """The keys of the rows, and the rows as a JSON array of at most so many bytes.

    Lines with nothing in them are no rows; a lone NULL is null. Raises CsvProblem,
    LongNameError, UnlikeRowsError, TooLongError, and UnicodeDecodeError.
    """
    yield from check_utf8(body)
    source = CsvRecords(body)
    header = yield from source.header()
    rows = _Rows([jsontext.decode(b'"%b"' % name) for name in header], most)
    while not source.at_end():
        lines = source.lines()
        if lines is not None:
            rows.add_lines(lines)
        else:
            record = yield from source.long_record(most)
            if any(map(any, record)) or len(record) > 1:
                yield from rows.add(record)
        yield
    return rows.keys(), rows.json()


class _Rows:
    """JSON rows under the names of a header; fields come as JSON escapes them."""

    def __init__(self, names: Sequence[str], most: int) -> None:
        self._names = names
        self._most = most
        self._keys: frozenset[str] | None = None
        self._names_as_json: list[bytes] = []
        self._before: list[bytes] = []  # what stands before each field of a row
        self._width = 0
        self._made = BytesIO()  # gives the whole without another copy
        self._size = 2
        self._whole_fields = re.compile(rb"(?m)^(?:[^,\n]*+,){0,%d}+[^,\n]*+" % (len(names) - 1))

    def keys(self) -> frozenset[str]:
        """The names that the rows have a field for; none where there are no rows."""
        return self._keys or frozenset()

    def json(self) -> bytes:
        """The rows as a JSON array."""
        self._made.write(b"]" if self._keys else b"[]")
        return self._made.getvalue()

    def add_lines(self, lines: bytes) -> None:
        """Add lines that `_escaped` has made."""
        if not lines:
            return
        count = 1 + lines.count(b"\n")
        commas = lines.partition(b"\n")[0].count(b",")
        if not _has_commas(lines, commas, count):
            # Fields that the header has no name for may differ in number.
            lines = b"\n".join(self._whole_fields.findall(lines))
            commas = min(commas, len(self._names) - 1)
            if not _has_commas(lines, commas, count):
                raise UnlikeRowsError
        self._take(commas + 1)
        self._grow(count, len(lines) - count * commas)
        if commas < self._width <= 2:  # noqa: PLR2004 — fields
            # One comma in each row: what stands for it is the same everywhere.
            self._put(lines.replace(b",", self._before[-1]))
        elif commas < self._width:
            # Ends of lines are separated from commas afterwards: one field fewer in each.
            self._put(_between(lines.split(b","), self._before[1:] * count))
        else:
            fields = lines.replace(b"\n", b",").split(b",")
            between = self._before[1:] + self._before[:1]
            self._put(_between(_cut(fields, commas + 1, self._width), between * count))

    def add(self, record: Sequence[Field]) -> Slices[None]:
        """Add a record of any length."""
        self._take(len(record))
        fields = record[: self._width]
        self._grow(1, sum(sum(map(len, field)) for field in fields))
        parts = [b"," if self._made.tell() else b"[", b"{"]
        for key, field in zip(self._names_as_json, fields, strict=False):
            parts += (key, b"null") if [*field] == [b"NULL"] else (key, b'"', *field, b'"')
            parts.append(b",")
        parts[-1] = b"}"
        for start in range(0, len(parts), _PARTS):
            self._made.writelines(parts[start : start + _PARTS])
            yield

    def _take(self, width: int) -> None:
        """Check a row's number of fields."""
        width = min(width, len(self._names))
        if width == self._width:
            return
        if self._keys is not None:
            raise UnlikeRowsError
        self._keys, self._width = frozenset(self._names[:width]), width
        keys = self._names_as_json = [
            b"%b:" % jsontext.encode_bytes(name) for name in self._names[:width]
        ]
        self._before = [b'"},{%b"' % keys[0], *(b'",%b"' % key for key in keys[1:])]

    def _grow(self, count: int, size: int) -> None:
        """Count so many rows, whose fields are at most so many bytes."""
        self._size += count * sum(map(len, self._before)) + size
        if self._size > self._most:
            raise TooLongError

    def _put(self, rows: bytes) -> None:
        """Add short rows at once, of which only their beginnings and ends are missing."""
        beginning = self._before[0].removeprefix(b'"},')
        made = b'%b%b"}' % (beginning, rows.replace(b"\n", self._before[0]))
        self._made.write(b"," if self._made.tell() else b"[")
        self._made.write(made.replace(b':"NULL"', b":null") if b"NULL" in made else made)


def _between(fields: Sequence[bytes], between: Sequence[bytes]) -> bytes:
    """Fields, and what stands between each two of them."""
    pieces = [b""] * (2 * len(fields) - 1)
    pieces[::2] = fields
    pieces[1::2] = between[: len(fields) - 1]
    return b"".join(pieces)


def _has_commas(text: bytes, commas: int, lines: int) -> bool:
    """Whether each of so many lines has so many commas."""
    return text.translate(None, _NO_SEPARATOR) == ((b"\n" + b"," * commas) * lines)[1:]


def _cut(fields: list[bytes], has: int, width: int) -> list[bytes]:
    """The first fields of each row, where each row has so many."""
    if width * has > len(fields):
        starts = range(0, len(fields), has)
        return [*chain.from_iterable(fields[start : start + width] for start in starts)]
    found = [b""] * (len(fields) // has * width)
    for place in range(width):
        found[place::width] = fields[place::has]
    return found

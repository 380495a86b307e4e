"""CSV as the original reads it (rest reference 7.5), in slices: RFC 4180 with any line ending.

Rows become JSON at once, window by window, because a Python object for each field of a large body
costs more than the rest of its insert.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO

from compat_base.values import jsontext
from rest_compat.request.cursor import shown
from rest_compat.request.json_keys import MOST_KEYS
from rest_compat.request.slices import Slices, json_string

_QUOTED = rb'"(?:[^"]++|"")*+"'
_FIELD = rb"(?:" + _QUOTED + rb'|[^",\r\n]*+)'
_RECORDS = re.compile(rb"(?:(?:" + _FIELD + rb",)*+" + _FIELD + rb"(?:\r\n|\n|\r))*+")
_FIELDS_WITH_COMMA = re.compile(rb"(?:" + _FIELD + rb",)*+")
_IN_QUOTES = re.compile(rb'[^"]*+(?:""[^"]*+)*+')
_NO_MARK = re.compile(rb'[^",\r\n]*+')
_LINE_END = re.compile(rb"\r\n|\n|\r")
_CONTROLS = bytes(code for code in range(0x20) if code not in b"\r\n")
_ESCAPES = {code: f"\\u{code:04x}" for code in _CONTROLS}
_NO_MARKS = bytes(code for code in range(0x100) if code not in b",\n")
WINDOW = 1 << 13  # bytes of a slice; a field takes one of them at least
_MOST_SHOWN = 100  # characters of what could not be read
_NULL = '"NULL"'


class CsvProblem(Exception):  # noqa: N818 — told to the user as a message
    """The text is no CSV; the message says where."""


class UnlikeRowsError(Exception):
    """Rows have different numbers of fields."""


class TooLongError(Exception):
    """The rows would be too many bytes as JSON, where each repeats the header's names."""


def csv_as_json(body: bytes, most: int) -> Slices[tuple[frozenset[str], bytes]]:
    """The keys of the rows, and the rows as a JSON array of at most so many bytes.

    Lines with nothing in them are no rows; a lone NULL is null. Raises CsvProblem,
    UnlikeRowsError, TooLongError, and UnicodeDecodeError.
    """
    source = _Source(body)
    header = yield from source.header()
    rows = _Rows(["NULL" if name == "null" else jsontext.decode(name) for name in header], most)
    while not source.at_end():
        lines = source.lines()
        if lines is not None:
            rows.add_lines(lines)
        else:
            record = yield from source.long_record()
            rows.add([] if record == ['""'] else [record])
        yield
    return rows.keys(), rows.json()


class _Rows:
    """JSON rows under the names of a header."""

    def __init__(self, names: Sequence[str], most: int) -> None:
        self._names = names
        self._most = most
        self._keys: frozenset[str] | None = None
        self._before: list[str] = []  # what stands before each field of a row, and ends the last
        self._width = 0
        self._made = BytesIO()  # gives the whole without another copy
        self._size = 2

    def keys(self) -> frozenset[str]:
        """The names that the rows have a field for; none where there are no rows."""
        return self._keys or frozenset()

    def json(self) -> bytes:
        """The array."""
        self._made.write(b"}]" if self._keys else b"[]")
        return self._made.getvalue()

    def add_lines(self, lines: Sequence[bytes]) -> None:
        """Add lines that `_escaped` has made."""
        if not lines:
            return
        text = b"\n".join(lines)
        commas = lines[0].count(b",")
        if text.translate(None, _NO_MARKS) != ((b"\n" + b"," * commas) * len(lines))[1:]:
            self.add([_literals(line).split(",") for line in lines])
            return
        literals = _literals(text.replace(b"\n", b","))
        self._take(commas + 1)
        fields = literals.split(",")
        if commas >= self._width:
            fields = [
                field for place, field in enumerate(fields) if place % (commas + 1) < self._width
            ]
        self._put(len(lines), fields, len(literals) - len(fields) + 1)

    def add(self, records: Sequence[Sequence[str]]) -> None:
        """Add records, each field as JSON."""
        fields: list[str] = []
        for record in records:
            self._take(len(record))
            fields += record[: self._width]
        self._put(len(records), fields, sum(map(len, fields)))

    def _take(self, width: int) -> None:
        """Check a row's number of fields."""
        width = min(width, len(self._names))
        if width == self._width:
            return
        if self._keys is not None:
            raise UnlikeRowsError
        self._keys, self._width = frozenset(self._names[:width]), width
        keys = [f"{jsontext.encode(name)}:" for name in self._names[:width]]
        self._before = [f"}},{{{keys[0]}", *(f",{key}" for key in keys[1:])]

    def _put(self, count: int, fields: Sequence[str], size: int) -> None:
        """Add so many rows of fields, which are so many characters."""
        if not count:
            return
        self._size += count * sum(map(len, self._before)) + size
        if self._size > self._most:
            raise TooLongError
        pieces = [""] * (2 * len(fields))
        pieces[::2] = self._before * count
        pieces[1::2] = fields
        made = "".join(pieces).encode(errors="replace")
        self._made.write(made if self._made.tell() else b"[" + made.removeprefix(b"},"))


class _Source:
    """A body read record by record, or many at once."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._position = 0
        self._is_header = True

    def at_end(self) -> bool:
        """Whether nothing follows."""
        return self._position >= len(self._body)

    def header(self) -> Slices[list[str]]:
        """The first record's fields, as JSON; a line must end it."""
        fields = yield from self.long_record()
        self._is_header = False
        return fields

    def lines(self) -> list[bytes] | None:
        """The lines that end within a window, `_escaped`; None where the next one does not."""
        start = self._position
        limit = min(start + WINDOW, len(self._body))
        quote = self._body.find(b'"', start, limit)
        if 0 <= quote < start + WINDOW // 4:
            found = _RECORDS.match(self._body, start, limit)
            limit = start if found is None else found.end()
        else:
            limit = limit if quote < 0 else quote
            if limit < len(self._body):
                end = max(self._body.rfind(mark, start, limit) for mark in (b"\n", b"\r"))
                limit = end + 1
        if limit <= start:
            return None
        self._position = limit
        return [*filter(None, _escaped(self._body[start:limit]).splitlines())]

    def long_record(self) -> Slices[list[str]]:
        """A record of any length: its first `MOST_KEYS` fields, a window of them at a time."""
        fields: list[str] = []
        while True:
            start = self._position
            found = _FIELDS_WITH_COMMA.match(self._body, start, start + WINDOW)
            if found is not None and found.group():
                self._position = found.end()
                fields += _literals(_escaped(found.group()[:-1])).split(",")
                del fields[MOST_KEYS:]
                yield
                continue
            fields.append((yield from self._long_field()))
            if not self._at_comma():
                return fields

    def _at_comma(self) -> bool:
        """Pass over what ends a field: True for a comma, False for the record's end."""
        if self._body.startswith(b",", self._position):
            self._position += 1
            return True
        ended = _LINE_END.match(self._body, self._position)
        if ended is not None:
            self._position = ended.end()
        elif not self.at_end():
            raise self._problem("Failed reading: satisfy" if self._is_header else "endOfInput")
        elif self._is_header:
            raise _problem("not enough input", b"")
        return False

    def _long_field(self) -> Slices[str]:
        """A field of any length as JSON; a quote that is never closed takes the last character."""
        start, body = self._position, self._body
        is_quoted = body.startswith(b'"', start)
        position, pattern = (start + 1, _IN_QUOTES) if is_quoted else (start, _NO_MARK)
        while True:
            found = pattern.match(body, position, position + WINDOW)
            if found is None or found.end() == position:
                # A quote at a window's end may be the first of two.
                if not (is_quoted and body.startswith(b'""', position)):
                    break
                position += 2
                continue
            position = found.end()
            yield
        if not is_quoted:
            self._position = position
            return (yield from _long_literal(body[start:position].decode()))
        is_closed = position < len(body)
        self._position = position + 1 if is_closed else position
        text = body[start + 1 : position].decode()
        text = (text if is_closed else text[:-1]).replace('""', '"')
        return (yield from _long_literal(text))

    def _problem(self, why: str) -> CsvProblem:
        return _problem(why, self._body[self._position :])


def _long_literal(text: str) -> Slices[str]:
    return "null" if text == "NULL" else (yield from json_string(text))


def _escaped(text: bytes) -> bytes:
    """Whole records as JSON escapes them, without their quotes: each mark left is a separator."""
    text = text.replace(b"\\", b"\\\\")
    if len(text.translate(None, _CONTROLS)) < len(text):
        text = text.decode().translate(_ESCAPES).encode()
    pieces = text.split(b'"')
    if len(pieces) == 1:
        return text
    quoted = b'"'.join(pieces[1::2]).replace(b",", b"\\u002c")
    pieces[1::2] = quoted.replace(b"\n", b"\\n").replace(b"\r", b"\\r").split(b'"')
    # Nothing stands between two quotes that mean one.
    pieces[2:-1:2] = [piece or b"\\u0022" for piece in pieces[2:-1:2]]
    return b"".join(pieces)


def _literals(text: bytes) -> str:
    """Fields that `_escaped` has made, commas between, each as JSON."""
    literals = '"{}"'.format(text.replace(b",", b'","').decode())
    return literals.replace(_NULL, "null") if "NULL" in literals else literals


def _problem(why: str, rest: bytes) -> CsvProblem:
    start = rest[: _MOST_SHOWN + 1].decode("latin-1")
    is_long = len(rest) > _MOST_SHOWN
    where = f"{start[:_MOST_SHOWN]} (truncated)" if is_long else shown(start)
    return CsvProblem(f"parse error ({why}) at {where}")

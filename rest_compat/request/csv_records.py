"""The records of a CSV, a window at a time, in slices: RFC 4180 with any line ending.

Fields come as JSON escapes them, without their quotes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from rest_compat.request.json_keys import MOST_KEYS
from rest_compat.request.slices import (
    LONGEST_NAME,
    LongNameError,
    Slices,
    TooLongError,
    escaped_controls,
    escaped_value,
)
from rest_compat.request.syntax_failures import shown

Field: TypeAlias = Sequence[bytes]
"""A field of a long record, in pieces."""

_QUOTED = rb'"(?:[^"]++|"")*+"'
_FIELD = rb"(?:" + _QUOTED + rb'|[^",\r\n]*+)'
_RECORDS = re.compile(rb"(?:(?:" + _FIELD + rb",)*+" + _FIELD + rb"(?:\r\n|\n|\r))*+")
_FIELDS_WITH_COMMA = re.compile(rb"(?:" + _FIELD + rb",)*+")
_IN_QUOTES = re.compile(rb'[^"]*+(?:""[^"]*+)*+')
_NO_MARK = re.compile(rb'[^",\r\n]*+')
_LINE_END = re.compile(rb"\r\n|\n|\r")
_QUOTES = bytes(0xFF if code in b'"' else 0 for code in range(0x100))
# Within quotes, marks are other bytes, none of which UTF-8 has; so is a quote that opens a field.
_OPENS = b"\xfb"
_INSIDE = bytes.maketrans(b',\n\r"', b"\xf8\xf9\xfa" + _OPENS)
_INSIDE_ESCAPES = ((b"\xf8", b"\\u002c"), (b"\xf9", b"\\n"), (b"\xfa", b"\\r"))
_CLASSES = bytes(
    code if code in b'"' + _OPENS else ord("," if code in b",\r\n" else "x")
    for code in range(0x100)
)
WINDOW = 1 << 13  # bytes of a slice; a field takes one of them at least
_MOST_SHOWN = 100  # characters of what could not be read


class CsvProblem(Exception):  # noqa: N818 — its text is the message of the answer
    """The text is no CSV; the message says where."""


class CsvRecords:
    """A body read record by record, or many at once."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._position = 0
        self._is_header = True

    def at_end(self) -> bool:
        """Whether nothing follows."""
        return self._position >= len(self._body)

    def header(self) -> Slices[list[bytes]]:
        """The first record's fields, as JSON; a line must end it. Raises LongNameError."""
        try:
            fields = yield from self.long_record(LONGEST_NAME)
        except TooLongError as error:
            raise LongNameError from error
        self._is_header = False
        return [b"".join(pieces) for pieces in fields]

    def lines(self) -> bytes | None:
        """The lines that end within a window, `escaped`; None where the next one does not.

        Each ends in a newline but the last, and none is empty.
        """
        start = self._position
        limit = min(start + WINDOW, len(self._body))
        if self._body.find(b'"', start, limit) < 0:
            if limit < len(self._body):
                limit = 1 + max(self._body.rfind(mark, start, limit) for mark in (b"\n", b"\r"))
            escaped = _escaped(self._body[start : max(start, limit)])
        else:
            window = self._body[start:limit]
            read = _records(window)
            if read is None:
                found = _RECORDS.match(window)
                read = _records(b"" if found is None else found.group())
            size, escaped = (0, b"") if read is None else read
            limit = start + size
        if limit <= start:
            return None
        self._position = limit
        escaped = escaped.replace(b"\r\n", b"\n").replace(b"\r", b"\n").strip(b"\n")
        while b"\n\n" in escaped:
            escaped = escaped.replace(b"\n\n", b"\n")
        return escaped

    def long_record(self, most: int) -> Slices[list[Field]]:
        """A record of any length: its first `MOST_KEYS` fields, a window of them at a time.

        Raises TooLongError where one of them has more bytes than that.
        """
        fields: list[Field] = []
        while True:
            read = self._whole_fields()
            if read:
                self._position += len(read)
                short = _escaped(read[:-1]).split(b",")[: MOST_KEYS - len(fields)]
                if short and max(map(len, short)) > most:
                    raise TooLongError
                fields += [(each,) for each in short]
                yield
                continue
            fields.append((yield from self._long_field(most)))
            if not self._at_comma():
                return fields

    def _whole_fields(self) -> bytes:
        """The record's next fields that a comma ends within a window."""
        window = self._body[self._position : self._position + WINDOW]
        if b'"' in window:
            found = _FIELDS_WITH_COMMA.match(window)
            return b"" if found is None else found.group()
        line = window.partition(b"\n")[0].partition(b"\r")[0]
        return line[: line.rfind(b",") + 1]

    def _at_comma(self) -> bool:
        """Pass over what ends a field: True for a comma, False for the record's end."""
        if self._body.startswith(b",", self._position):
            self._position += 1
            return True
        ended = _LINE_END.match(self._body, self._position)
        if ended is not None:
            self._position = ended.end()
        elif not self.at_end():
            raise _problem("Failed reading: satisfy", self._body[self._position :])
        elif self._is_header:
            raise _problem("not enough input", b"")
        return False

    def _long_field(self, most: int) -> Slices[Field]:
        """A field of any length, escaped; a quote that is never closed takes the last character."""
        start, body = self._position, self._body
        is_quoted = body.startswith(b'"', start)
        position, pattern = (start + 1, _IN_QUOTES) if is_quoted else (start, _NO_MARK)
        pieces: list[bytes] = []
        size = 0
        while True:
            found = pattern.match(body, position, position + WINDOW)
            end = position if found is None else found.end()
            if end == position:
                # A quote at a window's end may be the first of two.
                if not (is_quoted and body.startswith(b'""', position)):
                    break
                end += 2
            is_cut = is_quoted and end == len(body)
            if is_cut and body.endswith(b'"'):
                raise _problem("Failed reading: insufficient input", b"")  # half of two is left
            text = body[position : _last_character(body) if is_cut else end]
            pieces.append(escaped_value(text.replace(b'""', b'"') if is_quoted else text))
            size += len(pieces[-1])
            if size > most:
                raise TooLongError
            position = end
            yield
        if is_quoted and not pieces and position == len(body):
            raise _problem("Failed reading: trailing double quote", b"")
        self._position = position + 1 if is_quoted and position < len(body) else position
        return pieces


def _last_character(text: bytes) -> int:
    """Where the last character of UTF-8 begins."""
    return max(text.rfind(b"%c" % lead, -4) for lead in {*text[-4:]} if lead & 0xC0 != 0x80)  # noqa: PLR2004 — the bits of a further byte


def _records(window: bytes) -> tuple[int, bytes] | None:
    """The records that end within a window: how many bytes they are, and as `escaped` makes them.

    None where a quote stands where CSV has none.
    """
    marked = _marked(window)
    classes = marked.replace(b'"' + _OPENS, b"").translate(_CLASSES)
    if b"x" + _OPENS in classes or b'"x' in classes:
        return None
    size = 1 + max(marked.rfind(b"\n"), marked.rfind(b"\r"))
    return size, _unquoted(marked[:size])


def _escaped(text: bytes) -> bytes:
    """Whole records as JSON escapes them, without their quotes: each mark left is a separator."""
    return _unquoted(_marked(text)) if b'"' in text else escaped_controls(text)


def _marked(text: bytes) -> bytes:
    """Whole records, in which what stands within quotes has `_INSIDE`'s marks; nothing moves."""
    size = len(text)
    # A byte is within quotes where the quotes up to it are odd in number. The sums of all prefixes
    # are had by doubling: so the time does not depend on how many quotes there are.
    within = int.from_bytes(text.translate(_QUOTES), "little")
    bits = 8
    while bits < 8 * size:
        within ^= within << bits
        bits *= 2
    whole = int.from_bytes(text, "little")
    inside = whole & within
    marked = inside.to_bytes(size, "little").translate(_INSIDE)
    return (whole ^ inside | int.from_bytes(marked, "little")).to_bytes(size, "little")


def _unquoted(marked: bytes) -> bytes:
    """Marked records as JSON escapes them."""
    text = escaped_controls(marked).replace(b'"' + _OPENS, b"\\u0022")
    text = text.translate(None, b'"' + _OPENS)
    for mark, escape in _INSIDE_ESCAPES:
        text = text.replace(mark, escape)
    return text


def _problem(why: str, rest: bytes) -> CsvProblem:
    start = rest[: _MOST_SHOWN + 1].decode("latin-1")
    is_long = len(rest) > _MOST_SHOWN
    where = f"{start[:_MOST_SHOWN]} (truncated)" if is_long else shown(start)
    return CsvProblem(f"parse error ({why}) at {where}")

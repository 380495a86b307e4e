"""CSV as the original reads it (rest reference, 7.5): RFC 4180, any line ending, and its errors."""

from __future__ import annotations

import re

from rest_compat.request.cursor import shown

_FIELD = re.compile(r'"((?:[^"]|"")*)(")?|([^",\r\n]*)')
_END = re.compile(r",|\r\n|\n|\r|\Z")
_MOST_SHOWN = 100  # characters of what could not be read


class CsvProblem(Exception):  # noqa: N818 — told to the user as a message
    """The text is no CSV; the message says where."""


def csv_rows(text: str) -> tuple[list[str], list[list[str]]]:
    """The header and the rows; lines with nothing in them are no rows."""
    header, position, end = _record(text, 0)
    if end is None:
        raise _problem("Failed reading: satisfy", text[position:])
    if not end:
        raise _problem("not enough input", "")
    rows: list[list[str]] = []
    while end:
        row, position, end = _record(text, position)
        if row != [""]:
            rows.append(row)
    if end is None:
        raise _problem("endOfInput", text[position:])
    return header, rows


def _record(text: str, position: int) -> tuple[list[str], int, str | None]:
    """One record, where it stops, and its line ending: empty at the end, None where none comes."""
    fields: list[str] = []
    while (found := _FIELD.match(text, position)) is not None:
        quoted, is_closed, plain = found.groups()
        if quoted is None:
            fields.append(plain)
        else:
            # A quote that is never closed takes the last character for its end.
            fields.append((quoted if is_closed else quoted[:-1]).replace('""', '"'))
        position = found.end()
        end = _END.match(text, position)
        if end is None:
            break
        position = end.end()
        if end.group() != ",":
            return fields, position, end.group()
    return fields, position, None


def _problem(why: str, rest: str) -> CsvProblem:
    rest = rest.encode().decode("latin-1")
    is_long = len(rest) > _MOST_SHOWN
    where = f"{rest[:_MOST_SHOWN]} (truncated)" if is_long else shown(rest)
    return CsvProblem(f"parse error ({why}) at {where}")

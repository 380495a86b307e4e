r"""What psql alone understands in a file of SQL: its lines, and rows behind `copy … from stdin`.

Dumps have both. A line such as `\connect` or `\restrict` is passed over; one that would bring
something else in (`\i`, `\copy`, `\gset`) is refused, because the file would mean another thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from compat_base.postgres.statements import statement_spans

_NAME = r'"(?:[^"]|"")+"|[A-Za-z_][\w$]*'
_COPY = re.compile(
    rf"copy\s+(?:(?P<schema>{_NAME})\s*\.\s*)?(?P<table>{_NAME})\s*(?:\((?P<columns>[^)]*)\))?"
    r"\s*from\s+stdin\b(?P<options>.*)",
    re.IGNORECASE | re.DOTALL,
)
_KEYWORDS = re.compile(r"^\s*\\|\bfrom\s+stdin\b", re.IGNORECASE | re.MULTILINE)
_COMMAND = re.compile(r"\\(\S*)")
_END_OF_DATA = re.compile(r"^\\\.[ \t\r]*$", re.MULTILINE)
_PASSED_OVER = frozenset({
    "restrict", "unrestrict", "connect", "c", "echo", "qecho", "warn", "set", "unset", "timing",
    "pset", "encoding", "o", "t", "a", "x", "r", ".",
})  # fmt: skip


class PsqlError(ValueError):
    """A command that only psql has; `position` is its index in the script, from 1."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.position = position


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements, and the place of their text in the script."""

    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows for a table in the text format of COPY; `columns` is None where the order is its own."""

    start: int
    schema: str | None
    table: str
    columns: tuple[str, ...] | None
    data: str


def parts(script: str) -> Iterator[Statements | Rows]:
    """A script as statements and COPY data, in order. Raises PsqlError.

    One without psql's lines is one part.
    """
    begin = 0
    may_have = "\\" in script or "stdin" in script.lower()  # a search takes 20 times as long
    if may_have and _KEYWORDS.search(script) is not None:
        while (found := _next(script, begin)) is not None:
            start, end = found
            yield Statements(begin, script[begin:start])
            if script[start] == "\\":
                begin = _after_line(script, start)
            else:
                rows, begin = _rows(script, start, end)
                yield rows
    yield Statements(begin, script[begin:])


def _next(script: str, begin: int) -> tuple[int, int] | None:
    """The next statement that is psql's."""
    for span in statement_spans(script, begin):
        if script[span.start] == "\\":
            command = _COMMAND.match(script, span.start)
            name = command[1] if command is not None else ""
            if name not in _PASSED_OVER:
                reason = f"\\{name} is a command of psql's, which does not run this file"
                raise PsqlError(reason, span.start + 1)
            return span.start, span.end
        if _COPY.fullmatch(script[span.start : span.end]):
            return span.start, span.end
    return None


def _rows(script: str, start: int, end: int) -> tuple[Rows, int]:
    copy = _COPY.fullmatch(script[start:end])
    assert copy is not None  # noqa: S101 — it was found by it
    if copy["options"].strip():
        reason = "rows in the file are read in the text format alone, without options of COPY"
        raise PsqlError(reason, start + 1)
    first = _after_line(script, end)
    last = _END_OF_DATA.search(script, first)
    if last is None:
        raise PsqlError(r"the rows of COPY have no end, which is a line \.", start + 1)
    columns = copy["columns"]
    rows = Rows(
        start,
        _plain(copy["schema"]) if copy["schema"] else None,
        _plain(copy["table"]),
        None if columns is None else tuple(map(_plain, re.findall(_NAME, columns))),
        script[first : last.start()],
    )
    return rows, last.end()


def _after_line(script: str, at: int) -> int:
    end = script.find("\n", at)
    return len(script) if end < 0 else end + 1


def _plain(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()

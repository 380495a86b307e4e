"""The result of a statement in a pipeline: its rows, in PostgreSQL's binary form, or its fault."""

from __future__ import annotations

from typing import Any, TypeAlias

import psycopg
from psycopg import pq
from psycopg.adapt import AdaptersMap, Transformer
from psycopg.types.string import TextBinaryLoader

from compat_base.postgres.faults import Fault

BinaryRow: TypeAlias = dict[str, bytes | None]
"""Column name to value, in PostgreSQL's binary form."""

# Read by psycopg, but for JSON, which stays the text that it is.
_READ = AdaptersMap(psycopg.adapters)
_READ.register_loader("json", TextBinaryLoader)


class Result:
    """The result of one statement, decoded on demand."""

    __slots__ = ("_result",)

    def __init__(self, result: pq.abc.PGresult) -> None:
        self._result = result

    def rows(self) -> list[BinaryRow]:
        """All rows."""
        result = self._result
        names = [(result.fname(place) or b"").decode() for place in range(result.nfields)]
        return [
            {name: result.get_value(row, place) for place, name in enumerate(names)}
            for row in range(result.ntuples)
        ]

    def records(self) -> list[dict[str, Any]]:
        """All rows decoded: text and JSON as str, numbers as int, arrays as list."""
        result = self._result
        names = [(result.fname(place) or b"").decode() for place in range(result.nfields)]
        reader = Transformer(_READ)
        reader.set_pgresult(result)
        return reader.load_rows(0, result.ntuples, lambda row: dict(zip(names, row, strict=True)))

    @property
    def affected(self) -> int:
        """The number of rows written, by the command tag."""
        return self._result.command_tuples or 0

    def first(self) -> list[bytes | None]:
        """The first row's values in order; empty without rows."""
        result = self._result
        if not result.ntuples:
            return []
        return [result.get_value(0, place) for place in range(result.nfields)]


def fault_of(result: pq.abc.PGresult) -> Fault:
    """The fields of a server error."""

    def field(name: pq.DiagnosticField) -> str | None:
        value = result.error_field(name)
        return None if value is None else value.decode(errors="replace")

    message = field(pq.DiagnosticField.MESSAGE_PRIMARY)
    return Fault(
        sqlstate=field(pq.DiagnosticField.SQLSTATE) or "XX000",
        message=result.get_error_message() if message is None else message,
        detail=field(pq.DiagnosticField.MESSAGE_DETAIL),
        hint=field(pq.DiagnosticField.MESSAGE_HINT),
        constraint=field(pq.DiagnosticField.CONSTRAINT_NAME),
        table=field(pq.DiagnosticField.TABLE_NAME),
        column=field(pq.DiagnosticField.COLUMN_NAME),
    )

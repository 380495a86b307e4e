"""What a plan must know of a body: its keys and kind (rest reference, 7).

The body itself is passed on to PostgreSQL as it came; only forms and CSV are rewritten to JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from compat_base import jsontext
from rest_compat.media_types import Kind, MediaType
from rest_compat.request.csv_rows import CsvProblem, csv_rows
from rest_compat.request.model import Payload, PayloadKind
from rest_compat.request.query_string import Pairs, decode_pairs
from rest_compat.request.rows import FlatRows, columns_of, flat_rows

_MOST_UNASKED = 1 << 20  # bytes of a body that is read though its columns are given
_RAW_KINDS = frozenset({Kind.TEXT, Kind.XML, Kind.BYTES})


class BodyProblem(Exception):  # noqa: N818 — told to the user as a message
    """The body cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Body:
    """A payload with the bytes that go to PostgreSQL, its rows where they are flat, or a form."""

    payload: Payload
    text: bytes = b""
    rows: FlatRows | None = None
    arguments: Pairs = ()


def read_body(body: bytes, content_type: MediaType, *, for_routine: bool, given: bool) -> Body:
    """Look at a body; `given`: the request names the columns, so the body's keys do not matter.

    Raises BodyProblem.
    """
    match content_type.kind:
        case Kind.JSON:
            return _json(body, for_routine=for_routine, given=given)
        case Kind.CSV:
            return _csv(body)
        case Kind.FORM:
            return _form(body, for_routine=for_routine)
        case kind if for_routine and kind in _RAW_KINDS:
            return Body(Payload(PayloadKind.RAW), body)
        case _:
            raise BodyProblem(f"Content-Type not acceptable: {content_type.mime()}")


def _json(body: bytes, *, for_routine: bool, given: bool) -> Body:
    is_object = body.lstrip(b" \t\r\n")[:1] == b"{"
    if given:
        is_read = not (is_object or for_routine) and len(body) <= _MOST_UNASKED
        rows = _rows_unasked(body) if is_read else None
        payload = Payload(PayloadKind.JSON, frozenset(), is_object, is_flat=rows is not None)
        return Body(payload, body, rows)
    if for_routine and not body:
        return Body(Payload(PayloadKind.JSON), body)
    try:
        value = jsontext.decode(body.decode(), as_written=True)
    except (UnicodeDecodeError, jsontext.InvalidJsonError) as error:
        raise BodyProblem("Empty or invalid json") from error
    if isinstance(value, dict):
        keys = frozenset(cast("dict[str, Any]", value))
        return Body(Payload(PayloadKind.JSON, keys, is_object=True), body)
    if not isinstance(value, list) or not value:
        return Body(Payload(PayloadKind.JSON), b"[]")
    columns = columns_of(cast("list[Any]", value))
    if columns is None:
        raise BodyProblem("All object keys must match")
    rows = None if for_routine else flat_rows(columns, body)
    payload = Payload(PayloadKind.JSON, frozenset(columns), is_flat=rows is not None)
    return Body(payload, body, rows)


def _rows_unasked(body: bytes) -> FlatRows | None:
    """The rows of a body that need not be understood: PostgreSQL refuses what is no JSON."""
    try:
        columns = columns_of(jsontext.decode(body.decode(), as_written=True))
    except (UnicodeDecodeError, jsontext.InvalidJsonError):
        return None
    return None if columns is None else flat_rows(columns, body)


def _csv(body: bytes) -> Body:
    try:
        names, lines = csv_rows(body.decode())
    except UnicodeDecodeError as error:
        raise BodyProblem("Empty or invalid csv") from error
    except CsvProblem as error:
        raise BodyProblem(str(error)) from error
    rows = [
        {name: None if text == "NULL" else text for name, text in zip(names, line, strict=False)}
        for line in lines
    ]
    if any(row.keys() != rows[0].keys() for row in rows):
        raise BodyProblem("All lines must have same number of fields")
    keys = frozenset(rows[0] if rows else ())
    return Body(Payload(PayloadKind.JSON, keys), jsontext.encode_bytes(rows))


def _form(body: bytes, *, for_routine: bool) -> Body:
    try:
        pairs = tuple((key, value or "") for key, value in decode_pairs(body.decode("latin-1")))
    except UnicodeDecodeError as error:
        raise BodyProblem("Empty or invalid form") from error
    keys = frozenset(key for key, _ in pairs)
    if for_routine:
        return Body(Payload(PayloadKind.ARGUMENTS, keys), arguments=pairs)
    return Body(Payload(PayloadKind.JSON, keys, is_object=True), jsontext.encode_bytes(dict(pairs)))

"""Keys and kind of a body, for its plan (rest reference 7).

The body itself is sent to PostgreSQL as it came; only forms and CSV are rewritten to JSON.
"""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values import jsontext
from rest_compat.api_request.model import Payload, PayloadKind
from rest_compat.http.media_types import MediaKind, MediaType
from rest_compat.request.csv_records import CsvProblem
from rest_compat.request.csv_rows import UnlikeRowsError, csv_as_json
from rest_compat.request.json_keys import keys_of, small_keys
from rest_compat.request.query_string import (
    MOST_FIELDS,
    Pairs,
    TooManyFieldsError,
    decode_form,
    form_as_json,
)
from rest_compat.request.rows import FlatRows, flat_rows
from rest_compat.request.slices import BLANK, LONGEST_NAME, LongNameError, Slices, stripped

LARGE = 1 << 17  # bytes: a body beyond them is read in slices
_RAW_KINDS = frozenset({MediaKind.TEXT, MediaKind.XML, MediaKind.BYTES})


class BodyProblem(Exception):  # noqa: N818 — its text is the message of the answer
    """The body cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Body:
    """A payload with the bytes for PostgreSQL, its rows where they are flat, or a form."""

    payload: Payload
    text: bytes = b""
    rows: FlatRows | None = None
    arguments: Pairs = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """How a body is read.

    `given`: the request names the columns, so the body's keys do not matter. `most`: the largest
    JSON, in bytes, that is made of another format.
    """

    content_type: MediaType
    for_routine: bool
    given: bool
    most: int


def read_body(body: bytes, how: Reading) -> Slices[Body]:
    """Look at a body; raises BodyProblem, and TooLongError for one that is too long as JSON."""
    try:
        return (yield from _read(body, how))
    except LongNameError as error:
        raise BodyProblem(f"A field's name has more than {LONGEST_NAME} bytes") from error


def _read(body: bytes, how: Reading) -> Slices[Body]:
    match how.content_type.kind:
        case MediaKind.JSON:
            return (yield from _json(body, how))
        case MediaKind.CSV:
            return (yield from _csv(body, how.most))
        case MediaKind.FORM:
            return (yield from _form(body, how))
        case kind if how.for_routine and kind in _RAW_KINDS:
            # A text ends at a NUL, as libpq reads it.
            return Body(
                Payload(PayloadKind.RAW),
                body if kind is MediaKind.BYTES else body.partition(b"\0")[0],
            )
        case _:
            raise BodyProblem(f"Content-Type not acceptable: {how.content_type.mime()}")


def _json(body: bytes, how: Reading) -> Slices[Body]:
    is_large = len(body) > LARGE
    bare = (yield from stripped(body)) if is_large else body.lstrip(BLANK)
    is_object = bare.startswith(b"{")
    if how.for_routine and not body:
        return Body(Payload(PayloadKind.JSON), body)
    if how.given and (is_large or is_object or how.for_routine):
        return Body(Payload(PayloadKind.JSON, frozenset(), is_object), body)
    try:
        keys = (yield from keys_of(body)) if is_large else small_keys(body)
    except (UnicodeDecodeError, jsontext.InvalidJsonError) as error:
        if how.given:
            return Body(Payload(PayloadKind.JSON), body)
        raise BodyProblem("Empty or invalid json") from error
    rows = None if how.for_routine else flat_rows(keys, body)
    if how.given:
        return Body(Payload(PayloadKind.JSON, is_flat=rows is not None), body, rows)
    if keys.is_empty:
        return Body(Payload(PayloadKind.JSON), b"[]")
    if not keys.alike:
        raise BodyProblem("All object keys must match")
    payload = Payload(PayloadKind.JSON, keys.found, keys.is_object, is_flat=rows is not None)
    return Body(payload, body, rows)


def _csv(body: bytes, most: int) -> Slices[Body]:
    try:
        keys, rows = yield from csv_as_json(body, most)
    except UnicodeDecodeError as error:
        raise BodyProblem("Empty or invalid csv") from error
    except CsvProblem as error:
        raise BodyProblem(str(error)) from error
    except UnlikeRowsError as error:
        raise BodyProblem("All lines must have same number of fields") from error
    return Body(Payload(PayloadKind.JSON, keys), rows)


def _form(body: bytes, how: Reading) -> Slices[Body]:
    try:
        if how.for_routine:
            pairs = yield from decode_form(body)
            keys = frozenset(key for key, _ in pairs)
            return Body(Payload(PayloadKind.ARGUMENTS, keys), arguments=pairs)
        keys, text = yield from form_as_json(body, how.most)
    except UnicodeDecodeError as error:
        raise BodyProblem("Empty or invalid form") from error
    except TooManyFieldsError as error:
        raise BodyProblem(f"The form has more than {MOST_FIELDS} fields") from error
    return Body(Payload(PayloadKind.JSON, keys, is_object=True), text)

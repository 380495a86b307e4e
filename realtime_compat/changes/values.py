"""PostgreSQL's text output to JSON text, as `to_jsonb` would give it (realtime reference 10).

Digits of numbers pass through; nothing becomes a float on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from compat_base.values import jsontext
from realtime_compat.changes.model import JsonForm, PgType

NULL = "null"
_BRACES = 2

_PLAIN_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_OFFSET = re.compile(r"([+-]\d\d)(:\d\d)?(?=$| BC$)")
_ARRAY_PIECE = re.compile(r'[{}]|"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_HSTORE_PAIR = re.compile(r'"((?:[^"\\]|\\.)*)"=>(?:"((?:[^"\\]|\\.)*)"|NULL)', re.DOTALL)


def to_json(text: str | None, pg_type: PgType) -> str:
    """One value as JSON text; NULL is null."""
    if text is None:
        return NULL
    match pg_type.json_form:
        case JsonForm.TEXT:
            return jsontext.encode(text)
        case JsonForm.NUMBER:
            return _number(text)
        case JsonForm.BOOLEAN:
            return "true" if text == "t" else "false"
        case JsonForm.JSON:
            return text
        case JsonForm.TIMESTAMP:
            return jsontext.encode(text.replace(" ", "T", 1))
        case JsonForm.TIMESTAMPTZ:
            return jsontext.encode(_with_minutes(text.replace(" ", "T", 1)))
        case JsonForm.BYTES:
            return jsontext.encode(text.removeprefix("\\x"))
        case JsonForm.ARRAY:
            return _array(text, pg_type)
        case JsonForm.COMPOSITE:
            return _composite(text, pg_type)
        case JsonForm.HSTORE:
            return _hstore(text)


def _number(text: str) -> str:
    """Digits as printed; what JSON has no digits for is null; an exponent is written out."""
    if _PLAIN_NUMBER.fullmatch(text):
        return "0" if text == "-0" else text
    try:
        number = Decimal(text)
    except InvalidOperation:
        return jsontext.encode(text)
    return format(number, "f") if number.is_finite() else NULL


def _with_minutes(text: str) -> str:
    """An offset of whole hours with its minutes: `+00` is `+00:00` in JSON."""
    return _OFFSET.sub(lambda match: match[1] + (match[2] or ":00"), text, count=1)


def _array(text: str, pg_type: PgType) -> str:
    """An array literal, nested for more dimensions; `[0:1]=` before it gives bounds only."""
    element = pg_type.element
    start = text.find("{")
    if element is None or start < 0:
        return jsontext.encode(text)
    out: list[str] = []
    for piece in _array_pieces(text[start:], pg_type.delimiter):
        if piece in {"{", "}"}:
            out.append("[" if piece == "{" else "]")
        elif piece == pg_type.delimiter:
            out.append(",")
        else:
            out.append(_member(piece, element))
    return "".join(out)


def _array_pieces(text: str, delimiter: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        char = text[position]
        if char == '"':
            match = _ARRAY_PIECE.match(text, position)
            piece = match.group() if match else text[position:]
        elif char in "{}" or char == delimiter:
            piece = char
        else:
            end = position
            while end < len(text) and text[end] not in "{}" and text[end] != delimiter:
                end += 1
            piece = text[position:end]
        yield piece
        position += len(piece)


def _member(piece: str, element: PgType) -> str:
    if piece.startswith('"'):
        return to_json(_ESCAPE.sub(r"\1", piece[1:-1]), element)
    return to_json(None if piece.upper() == "NULL" else piece, element)


def _composite(text: str, pg_type: PgType) -> str:
    values = list(_composite_fields(text[1:-1]))
    if len(values) != len(pg_type.fields):
        return jsontext.encode(text)
    members = (
        f"{jsontext.encode(name)}:{to_json(value, field_type)}"
        for (name, field_type), value in zip(pg_type.fields, values, strict=True)
    )
    return "{" + ",".join(members) + "}"


def _composite_fields(text: str) -> Iterator[str | None]:
    """The fields of a row literal: nothing at all is NULL, a doubled quote stands for one."""
    field: list[str] = []
    is_null, is_quoted = True, False
    position = 0
    while position < len(text):
        char = text[position]
        following = text[position + 1 : position + 2]
        if char == "\\" or (char == '"' and is_quoted and following == '"'):
            field.append(following)
            is_null = False
            position += 1
        elif char == '"':
            is_quoted, is_null = not is_quoted, False
        elif char == "," and not is_quoted:
            yield None if is_null else "".join(field)
            field, is_null = [], True
        else:
            field.append(char)
            is_null = False
        position += 1
    yield None if is_null else "".join(field)


def _hstore(text: str) -> str:
    members: list[str] = []
    for match in _HSTORE_PAIR.finditer(text):
        key, value = match.group(1), match.group(2)
        shown = NULL if value is None else jsontext.encode(_ESCAPE.sub(r"\1", value))
        name = jsontext.encode(_ESCAPE.sub(r"\1", key))
        members.append(f"{name}:{shown}")
    return "{" + ",".join(members) + "}"


def array_members(text: str) -> list[str | None] | None:
    """The members of a one-dimensional array literal as texts; None for any other text.

    White space around a bare member does not belong to it, as PostgreSQL reads it.
    """
    pieces = list(_array_pieces(text, ","))
    if len(pieces) < _BRACES or pieces[0] != "{" or pieces[-1] != "}":
        return None
    inner = pieces[1:-1]
    if not inner or any(piece in {"{", "}"} for piece in inner):
        return None
    members: list[str | None] = []
    for position, piece in enumerate(inner):
        if (piece == ",") != (position % 2 == 1):
            return None
        if piece != ",":
            members.append(_bare_member(piece))
    return members if len(inner) % 2 == 1 else None


def _bare_member(piece: str) -> str | None:
    if piece.startswith('"'):
        return _ESCAPE.sub(r"\1", piece[1:-1])
    bare = piece.strip()
    return None if bare.upper() == "NULL" else _ESCAPE.sub(r"\1", bare)

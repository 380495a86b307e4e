"""Query strings as pairs, decoded, and back again in their canonical form."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterable
from functools import partial
from io import BytesIO
from urllib.parse import quote, unquote_to_bytes

from compat_base.values.jsontext import encode_bytes
from compat_base.values.percent import unquoted, unquoted_windows
from rest_compat.request.slices import (
    LONGEST_NAME,
    WINDOW,
    LongNameError,
    Slices,
    TooLongError,
    check_utf8,
    escaped_value,
)

Pairs = tuple[tuple[str, str], ...]

MOST_FIELDS = 2_000  # of a form; a table has 1,600 columns at most, a function 100 parameters
_FIELDS_OF_A_SLICE = 100

_SHORT = 256  # bytes
_SEPARATOR = re.compile("[&;]")
_ESCAPED = re.compile(r"[%+]")
_NOT_BARE = re.compile(rb'[\x00-\x1f"\\]')
_percent = partial(quote, safe="")


class TooManyFieldsError(Exception):
    """A form has more than `MOST_FIELDS` fields."""


def decode_pairs(query: str) -> tuple[tuple[str, str | None], ...]:
    """Keys and values, percent-decoded, `+` as a space; a key without `=` has no value.

    The text holds raw bytes as Latin-1. Raises UnicodeDecodeError where the decoded bytes are
    not UTF-8.
    """
    pairs: list[tuple[str, str | None]] = []
    parts = _SEPARATOR.split(query)
    for part in parts if parts[-1] else parts[:-1]:
        if not part:  # tens of thousands fit between separators
            pairs.append(("", None))
            continue
        key, separator, value = part.partition("=")
        pairs.append((_decoded(key), _decoded(value) if separator else None))
    return tuple(pairs)


def decode_form(body: bytes) -> Slices[Pairs]:
    """The fields of a form in slices, which must not be more than `MOST_FIELDS`.

    Raises TooManyFieldsError, LongNameError, and UnicodeDecodeError.
    """
    pairs: list[tuple[str, str]] = []
    pending = 0
    for key, start, end in (yield from _fields(body)):
        pending += end - start + WINDOW // _FIELDS_OF_A_SLICE
        if pending > WINDOW:
            pending = 0
            yield
        if end - start <= WINDOW:
            pairs.append((key, unquoted(body[start:end]).decode()))
            continue
        decoder = getincrementaldecoder("utf-8")()
        pieces: list[str] = []
        for piece in unquoted_windows(body, start, end, WINDOW):
            pieces.append(decoder.decode(piece))
            yield
        pieces.append(decoder.decode(b"", final=True))
        pairs.append((key, "".join(pieces)))
        yield
    return tuple(pairs)


def form_as_json(body: bytes, most: int) -> Slices[tuple[frozenset[str], bytes]]:
    """The names of a form's fields and a JSON object of them; of a repeated name the last counts.

    The object has at most so many bytes. Raises TooManyFieldsError, LongNameError, TooLongError,
    and UnicodeDecodeError.
    """
    fields = {key: (start, end) for key, start, end in (yield from _fields(body))}
    made = BytesIO()  # gives the whole without another copy
    pending = 0
    for key, place in fields.items():
        name = encode_bytes(key)
        made.write(b'%b%b:"' % (b"," if made.tell() else b"{", name))
        pending += len(name)
        for piece in (yield from _unquoted_slices(body, *place)):
            made.write(escaped_value(piece) if _NOT_BARE.search(piece) else piece)
            pending += len(piece) + WINDOW // _FIELDS_OF_A_SLICE
            if pending > WINDOW:
                pending = 0
                if made.tell() > most:
                    raise TooLongError
                yield
        made.write(b'"')
    made.write(b"}" if fields else b"{}")
    text = made.getvalue()
    yield from check_utf8(text)
    return frozenset(fields), text


def _fields(body: bytes) -> Slices[list[tuple[str, int, int]]]:
    """The names of a form's fields, and where their values begin and end."""
    count = body.count(b"&")
    yield
    if count + body.count(b";") >= MOST_FIELDS:
        raise TooManyFieldsError
    fields: list[tuple[str, int, int]] = []
    ends = {mark: body.find(mark) % (len(body) + 1) for mark in (b"&", b";")}
    start = pending = 0
    while start < len(body):
        end = min(ends.values())
        equals = body.find(b"=", start, end) % (end + 1)
        if equals - start > LONGEST_NAME:
            raise LongNameError
        fields.append((unquoted(body[start:equals]).decode(), min(equals + 1, end), end))
        pending += equals - start + WINDOW // _FIELDS_OF_A_SLICE
        start = end + 1
        ends = {
            mark: body.find(mark, start) % (len(body) + 1) if found < start else found
            for mark, found in ends.items()
        }
        if pending > WINDOW:
            pending = 0
            yield
    return fields


def _unquoted_slices(body: bytes, start: int, end: int) -> Slices[list[bytes]]:
    """A field's bytes, percent-decoded a window at a time."""
    pieces: list[bytes] = []
    for piece in unquoted_windows(body, start, end, WINDOW):
        if pieces:
            yield
        pieces.append(piece)
    return pieces


def canonical(query: str) -> str:
    """All parameters sorted by key and percent-encoded; the values of a repeated key joined."""
    joined: dict[str, list[str]] = {}
    pairs = decode_pairs(query)
    for key, value in sorted(pairs, key=lambda pair: pair[0].encode()):
        joined.setdefault(key, []).append(value or "")
    return "&".join(
        f"{_encoded(key)}={','.join(map(_encoded, values))}" for key, values in joined.items()
    )


def encode_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """A query string of pairs, percent-encoded, with its question mark; empty for none."""
    text = "&".join(f"{_percent(key)}={_percent(value)}" for key, value in pairs)
    return f"?{text}" if text else ""


def _decoded(text: str) -> str:
    if not _ESCAPED.search(text):
        return text if text.isascii() else text.encode("latin-1").decode()
    raw = text.encode("latin-1")
    if len(raw) > _SHORT:  # which may be percent signs alone
        return unquoted(raw).decode()
    return unquote_to_bytes(raw.replace(b"+", b" ")).decode()


def _encoded(text: str) -> str:
    # The original encodes each UTF-8 byte as if it were a character of its own.
    return _percent(text if text.isascii() else text.encode().decode("latin-1"))

"""Query strings as pairs, decoded, and back again in their canonical form."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from rest_compat.request.slices import WINDOW, Slices

Pairs = tuple[tuple[str, str], ...]

MOST_FIELDS = 10_000  # of a form; a table has 1,600 columns at most, a function 100 parameters

_SEPARATOR = re.compile("[&;]")
_ESCAPED = re.compile(r"[%+]")
_NO_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")


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
        key, separator, value = part.partition("=")
        pairs.append((_decoded(key), _decoded(value) if separator else None))
    return tuple(pairs)


def decode_form(body: bytes) -> Slices[Pairs]:
    """The fields of a form in slices, which must not be more than `MOST_FIELDS`.

    Raises TooManyFieldsError, and UnicodeDecodeError.
    """
    if body.count(b"&") + body.count(b";") >= MOST_FIELDS:
        raise TooManyFieldsError
    pairs: list[tuple[str, str]] = []
    pending = 0
    parts = body.replace(b";", b"&").split(b"&")
    for part in parts if parts[-1] else parts[:-1]:
        key, _, value = part.partition(b"=")
        decoded_key = yield from _decoded_slices(key)
        pairs.append((decoded_key, (yield from _decoded_slices(value))))
        pending += 100 + len(part)
        if pending > WINDOW:
            pending = 0
            yield
    return tuple(pairs)


def _decoded_slices(text: bytes) -> Slices[str]:
    pieces: list[bytes] = []
    position = 0
    while position < len(text):
        piece = text[position : position + WINDOW]
        if len(piece) == WINDOW:
            # An escape is not cut in two.
            cut = piece.rfind(b"%", WINDOW - 2)
            piece = piece if cut < 0 else piece[:cut]
        pieces.append(_unquoted(piece))
        position += len(piece)
        if position < len(text):
            yield
    return b"".join(pieces).decode()


def _unquoted(piece: bytes) -> bytes:
    """Percent-decoded, `+` as a space; what is no escape stays.

    By the codec of Python's escapes: five times as fast as a search for each one.
    """
    if b"%" in piece:
        whole = _NO_ESCAPE.sub(b"%25", piece).replace(b"\\", b"\\\\")
        spaced = whole.replace(b"+", b" ").replace(b"%", b"\\x")
        return codecs.unicode_escape_decode(spaced)[0].encode("latin-1")
    return piece.replace(b"+", b" ")


@lru_cache(maxsize=2_000)
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
    return unquote_to_bytes(text.replace("+", " ").encode("latin-1")).decode()


def _encoded(text: str) -> str:
    # The original encodes each UTF-8 byte as if it were a character of its own.
    return _percent(text if text.isascii() else text.encode().decode("latin-1"))


def _percent(text: str) -> str:
    return "".join(
        character if character in _PLAIN else "".join(f"%{byte:02X}" for byte in character.encode())
        for character in text
    )

"""The one JSON policy: compact, UTF-8, times as RFC 3339 in UTC, decimals with their digits."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

import msgspec

_STEERING = {
    code: f"\\u{code:04x}"
    for first, last in (
        (0x7F, 0x9F), (0x200E, 0x200F), (0x2028, 0x202E), (0x2066, 0x2069),
    )
    for code in range(first, last + 1)
}  # fmt: skip
_WITHOUT_FRACTION = len("2026-11-21T10:00:00")
_WITH_FRACTION = len("2026-11-21T10:00:00.500000")


class InvalidJsonError(ValueError):
    """The text is not JSON; the message says where and why."""


def decode(text: str | bytes, *, as_written: bool = False) -> Any:
    """Read one JSON value; NaN and Infinity, which RFC 8259 does not know, are refused.

    `as_written`: each number is its own digits, a string. Raises InvalidJsonError, also for nesting
    beyond the interpreter's depth and lone surrogates.
    """
    if not as_written:
        with suppress(InvalidJsonError):
            return decode_finite(text)
    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text), "surrogatepass")
        return (_AS_WRITTEN if as_written else _DECODER).decode(text)
    except (ValueError, RecursionError) as error:
        raise InvalidJsonError(str(error)) from error


def decode_finite(text: str | bytes) -> Any:
    """Read one JSON value in UTF-8 whose numbers are finite and whose surrogates are pairs.

    In half of the time that `decode` takes for what this refuses, by InvalidJsonError.
    """
    try:
        return _FINITE.decode(text)
    except (ValueError, RecursionError) as error:
        raise InvalidJsonError(str(error)) from error


def decode_object(text: str | bytes) -> dict[str, Any]:
    """Read one JSON object; InvalidJsonError for any other value too."""
    value = decode(text)
    if not isinstance(value, dict):
        message = "not a JSON object"
        raise InvalidJsonError(message)
    return cast("dict[str, Any]", value)


def encode(value: Any) -> str:
    """Write a value as compact JSON text."""
    return _ENCODER.encode(value)


def encode_line(value: Any) -> str:
    """Write a value as JSON for a line of a log, without what ends a line or steers a terminal.

    JSON itself escapes the ASCII controls; DEL, the C1 controls, the Unicode line separators and
    the marks that turn the direction of text are escaped too.
    """
    return encode(value).translate(_STEERING)


def encode_bytes(value: Any) -> bytes:
    """Write a value as compact UTF-8 JSON."""
    return encode(value).encode("utf-8", "replace")


def time_text(moment: datetime) -> str:
    """A moment as RFC 3339 in UTC without trailing zeros: `2026-11-21T10:00:00.5Z`."""
    zone = moment.tzinfo
    utc = moment if zone is UTC or zone is None else moment.astimezone(UTC)
    text = utc.isoformat()[: _WITH_FRACTION if utc.microsecond else _WITHOUT_FRACTION]
    return f"{text.rstrip('0')}Z" if utc.microsecond else f"{text}Z"


def base64url(value: bytes) -> str:
    """Bytes as base64url text without padding, the form that JSON web formats use (RFC 7515)."""
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def _refuse_constant(name: str) -> Any:
    message = f"{name} is not JSON"
    raise ValueError(message)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    message = f"{type(value).__name__} has no JSON form"
    raise TypeError(message)


# Made once: the making costs more than the reading or writing of a short text.
_FINITE = msgspec.json.Decoder()
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_AS_WRITTEN = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=str, parse_float=str)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)

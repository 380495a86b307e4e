"""JSON, the same way everywhere: compact, UTF-8, RFC 3339 times, decimals with their digits."""

from __future__ import annotations

import base64
import gc
import json
import math
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from itertools import chain, zip_longest
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
_MANY = 65_536  # characters
MOST_DIGITS = 1 << 20  # of the numbers of a value that is kept; a body's text has no more
LONG = 1 << 14  # characters; numbers of a shorter text have a million digits at most
_WITHOUT_FRACTION = len("2026-11-21T10:00:00")
_WITH_FRACTION = len("2026-11-21T10:00:00.500000")


class InvalidJsonError(ValueError):
    """The text is not JSON; the message says where and why."""


class TooManyDigitsError(InvalidJsonError):
    """The numbers of a text would be too long if they were written without exponents."""


class BoundedNumbers:
    """Reads numbers with a fraction or an exponent, `MOST_DIGITS` digits of them in all.

    The digits are those that jsonb writes, where `1e300` has 301: a megabyte of such numbers would
    be fifty wherever it is read again.
    """

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MOST_DIGITS

    def read(self, digits: str) -> float:
        """One number, infinite where it is out of range."""
        value = float(digits)
        self._left -= abs(math.frexp(value)[1]) // 3  # bits
        if self._left < 0:
            message = f"too many digits of numbers (max {MOST_DIGITS})"
            raise TooManyDigitsError(message)
        return value

    def read_finite(self, digits: str) -> float:
        """One number; ValueError where it is out of range."""
        return _checked(self.read(digits), digits)


class ObjectText(Mapping[str, Any]):
    """A JSON object kept as text until a member is read, and written as that text.

    For large ones that mostly pass through. Reading raises InvalidJsonError where the text is no
    object.
    """

    __slots__ = ("_members", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._members: dict[str, Any] | None = None

    def decoded(self) -> dict[str, Any]:
        """Its members, which are not to be changed."""
        if self._members is None:
            self._members = decode_object(self.text)
        return self._members

    def __getitem__(self, key: str) -> Any:
        """A member's value; the others are not decoded for it."""
        if self._members is None:
            with suppress(msgspec.DecodeError, ValueError, RecursionError):
                value = _member_decoder(key).decode(self.text).value
                if value is msgspec.UNSET:
                    raise KeyError(key)
                return value
        return self.decoded()[key]

    def __iter__(self) -> Iterator[str]:
        """The members' names."""
        return iter(self.decoded())

    def __len__(self) -> int:
        """How many members there are."""
        return len(self.decoded())

    def __bool__(self) -> bool:
        """Whether there is any; without looking for it."""
        return ":" in self.text


def members(value: Mapping[str, Any]) -> dict[str, Any]:
    """The members for `{**…}`, without a call for each. Not to be changed."""
    return value.decoded() if isinstance(value, ObjectText) else cast("dict[str, Any]", value)


def decode(text: str | bytes, *, as_written: bool = False) -> Any:
    """Decode one JSON value; NaN and Infinity, which RFC 8259 does not know, are refused.

    `as_written`: each number is its own digits, a string. Raises InvalidJsonError, also for nesting
    beyond the interpreter's depth and lone surrogates.
    """
    with uncollected(text):
        if not as_written:
            with suppress(InvalidJsonError):
                return decode_finite(text)
        return _decode(text, _AS_WRITTEN if as_written else _DECODER)


def decode_bounded(text: str | bytes) -> Any:
    """Decode a JSON value that will be kept as jsonb; TooManyDigitsError beyond `MOST_DIGITS`."""
    if len(text) <= LONG:
        return decode(text)
    with uncollected(text):
        with suppress(InvalidJsonError):
            return decode_finite(text, BoundedNumbers())
        numbers = BoundedNumbers()
        return _decode(
            text, json.JSONDecoder(parse_constant=_refuse_constant, parse_float=numbers.read)
        )


@contextmanager
def uncollected(text: str | bytes) -> Generator[None]:
    """No garbage collection while a long text is decoded, nor one of what comes of it at once.

    The collector looks at a list of lists many times while it grows.
    """
    if len(text) <= _MANY or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _decode(text: str | bytes, decoder: json.JSONDecoder) -> Any:
    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text), "surrogatepass")
        return decoder.decode(text)
    except TooManyDigitsError:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidJsonError(str(error)) from error


def decode_finite(text: str | bytes, numbers: BoundedNumbers | None = None) -> Any:
    """Decode one JSON value in UTF-8 with finite numbers and paired surrogates.

    Anything else raises InvalidJsonError, in half of the time that `decode` takes. `numbers`
    bounds those of a long text; a decoder of its own takes 20 µs.
    """
    try:
        if numbers is not None:
            return msgspec.json.Decoder(float_hook=numbers.read_finite).decode(text)
        return _FINITE.decode(text)
    except (ValueError, RecursionError) as error:
        raise InvalidJsonError(str(error)) from error


def decode_object(text: str | bytes) -> dict[str, Any]:
    """Decode one JSON object; InvalidJsonError for any other value too."""
    value = decode(text)
    if not isinstance(value, dict):
        message = "not a JSON object"
        raise InvalidJsonError(message)
    return cast("dict[str, Any]", value)


def encode(value: Any) -> str:
    """Encode a value as compact JSON text; an ObjectText as it is."""
    try:
        return _ENCODER.encode(value)
    except _HasTextError:
        return _encode_around_texts(value)


def encode_line(value: Any) -> str:
    """Encode a value for a line of a log, without characters that control a terminal.

    JSON itself escapes the ASCII controls; DEL, the C1 controls, the Unicode line separators and
    the bidirectional marks are escaped too.
    """
    return encode(value).translate(_STEERING)


def encode_bytes(value: Any) -> bytes:
    """Encode a value as compact UTF-8 JSON."""
    return encode(value).encode("utf-8", "replace")


def encode_texts(value: Any) -> bytes:
    """The same for JSON's own types and ObjectText alone, in an eighth of the time.

    Moments, decimals and UUIDs must be texts already: they would be encoded in another form.
    """
    try:
        return _TEXTS_ENCODER.encode(value)
    except (ValueError, OverflowError, RecursionError):  # half surrogates, integers above 64 bits
        return encode_bytes(value)


def time_text(moment: datetime) -> str:
    """A moment as RFC 3339 in UTC without trailing zeros: `2026-11-21T10:00:00.5Z`."""
    zone = moment.tzinfo
    utc = moment if zone is UTC or zone is None else moment.astimezone(UTC)
    text = utc.isoformat()
    if len(text) > _WITH_FRACTION or (zone is None and len(text) == _WITH_FRACTION):
        return f"{text[:_WITH_FRACTION].rstrip('0')}Z"
    return f"{text[:_WITHOUT_FRACTION]}Z"


def base64url(value: bytes) -> str:
    """Bytes as base64url text without padding, the form that JSON web formats use (RFC 7515)."""
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


@lru_cache(maxsize=64)
def _member_decoder(name: str) -> msgspec.json.Decoder[Any]:
    """Reads one member of an object and passes over the others."""
    one = msgspec.defstruct("_One", [("value", Any, msgspec.UNSET)], rename={"value": name})
    return msgspec.json.Decoder(one, float_hook=_finite)


class _HasTextError(Exception):
    """A value holds an ObjectText, for which the encoder has no form."""


def _encode_around_texts(value: Any) -> str:
    texts: list[str] = []

    def leave_place(part: Any) -> Any:
        if not isinstance(part, ObjectText):
            return _plain(part)
        texts.append(part.text)
        return _PLACE_OF_TEXT

    encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=leave_place)
    around = encoder.encode(value).split(_WRITTEN_PLACE)
    return "".join(chain.from_iterable(zip_longest(around, texts, fillvalue="")))


def _refuse_constant(name: str) -> Any:
    message = f"{name} is not JSON"
    raise ValueError(message)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, ObjectText):
        raise _HasTextError
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    message = f"{type(value).__name__} has no JSON form"
    raise TypeError(message)


def _raw_text(value: Any) -> msgspec.Raw:
    if isinstance(value, ObjectText):
        return msgspec.Raw(value.text.encode())
    message = f"{type(value).__name__} is to be a text already"
    raise TypeError(message)


def _finite(digits: str) -> float:
    """A number with a fraction or an exponent, read by Python.

    msgspec needs 10 µs for one near the ends of a double's range (1e-323): a megabyte of them would
    be 1.5 s in which no other thread runs.
    """
    return _checked(float(digits), digits)


def _checked(value: float, digits: str) -> float:
    if math.isfinite(value):
        return value
    message = f"{digits[:20]} is out of range"
    raise ValueError(message)


# Made once: the making costs more than the reading or writing of a short text.
_FINITE = msgspec.json.Decoder(float_hook=_finite)
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_AS_WRITTEN = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=str, parse_float=str)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)
_TEXTS_ENCODER = msgspec.json.Encoder(enc_hook=_raw_text)

# No string's inside can be read as this place, as quotes in strings are escaped, and no value
# that was decoded holds NaN.
_PLACE_OF_TEXT = {"": math.nan}
_WRITTEN_PLACE = _ENCODER.encode(_PLACE_OF_TEXT)

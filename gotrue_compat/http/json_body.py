"""JSON bodies as Go's decoder reads them, with its words for what is wrong (auth reference 1.2)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from json import JSONDecodeError, JSONDecoder
from typing import Any, NoReturn, cast

from compat_base.values import jsontext

DEEPEST = 200  # objects and arrays inside one another; the original takes 10,000
MOST_CONTAINERS = 50_000  # objects and arrays of a body: brackets, wherever they stand
MOST_MEMBERS = 1_000  # of a body itself, whose names are looked up in any case
KINDS: Mapping[type[Any], str] = {str: "string", bool: "bool", dict: "object", list: "array"}
_SQUARE = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_BLANKS = " \t\n\r"
_END = "unexpected end of JSON input"
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_PLACES = {
    "Expecting value": "looking for beginning of value",
    "Expecting property name": "looking for beginning of object key string",
    "Expecting ':' delimiter": "after object key",
    "Extra data": "after top-level value",
    "Invalid control character at": "in string",
}
_WORDS = {"t": "true", "f": "false", "n": "null"}
_LITERALS = re.compile("t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?")
_NUMBER_STARTS = re.compile(r"-|\.|[eE][+-]?")  # after which Go wants a digit
_ESCAPES = {
    "\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v",
    "'": r"\'", "\\": r"\\",
}  # fmt: skip
NUL_IN_TEXT = "invalid character '\\x00' in string"
_UNSTORABLE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_HALF = re.compile("[\ud800-\udfff]")
_WINDOW = 1 << 15
_INFINITE = (math.inf, -math.inf)
_NOT_A_NUMBER = "json: cannot unmarshal number into Go value of type float64"


class NotJsonError(ValueError):
    """A body that is no JSON object, in the words of Go's decoder."""


class NotObjectError(NotJsonError):
    """A body that is a JSON value, but no object."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"json: cannot unmarshal {kind} into Go value of type object")
        self.kind = kind

    def of(self, name: str) -> str:
        """The error for a value of this type."""
        return f"json: cannot unmarshal {self.kind} into Go value of type {name}"


class _ConstantError(ValueError):
    """NaN or Infinity, which Python reads and Go does not."""

    def __init__(self, name: str) -> None:
        place = "in numeric literal" if name[0] == "-" else "looking for beginning of value"
        self.reason = f"invalid character '{name.lstrip('-')[0]}' {place}"
        super().__init__(self.reason)


def decode_first(body: bytes) -> Mapping[str, Any]:
    """The members of the first JSON value of a body, as Go's stream decoder reads it.

    What follows that value is not looked at, and the end of the body has words of its own.
    """
    text = body.decode("utf-8", "surrogateescape").lstrip(_BLANKS)
    if not text:
        raise NotJsonError("EOF")
    _containers(body)
    try:
        _, end = _decoder(jsontext.BoundedNumbers().read).raw_decode(text)
    except JSONDecodeError as error:
        reason, is_cut = _reason(error)
        raise NotJsonError("unexpected EOF" if is_cut else reason) from error
    except (RecursionError, ValueError):
        return decode_body(body)
    return decode_body(text[:end].encode("utf-8", "surrogateescape"))


def decode_body(body: bytes) -> Mapping[str, Any]:
    """The members of a JSON body; `null` has none, like the original's empty struct.

    NotJsonError for anything but an object, for NUL or a number beyond a double inside a member
    that is an object or array, and beyond 200 levels, 1,000 members, 50,000 brackets or a
    million digits. A member that is itself a number beyond a double becomes 0, and NUL in a member
    that is a string is refused by whoever reads that member. Bytes that are not UTF-8 and lone
    surrogates become U+FFFD, as with the original.
    """
    text = body.decode("utf-8", "surrogateescape")
    if not text.strip(_BLANKS):
        raise NotJsonError(_END)
    containers = _containers(body)
    value = _decoded(text)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise NotObjectError(kind_of(value))
    members = cast("dict[str, Any]", value)
    if len(members) > MOST_MEMBERS:
        raise NotJsonError(f"too many members (max {MOST_MEMBERS})")
    if containers > DEEPEST and _is_too_deep(body):
        raise NotJsonError("exceeded max depth")
    if not _UNSTORABLE.search(body) and not _HALF.search(text):
        return members
    return {_paired(name): _storable_member(member) for name, member in members.items()}


def kind_of(value: Any) -> str:
    """What Go calls a value."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    return KINDS.get(cast("type[Any]", type(value)), "value")


def _decoded(text: str) -> Any:
    with jsontext.uncollected(text):
        return _decoded_at_once(text)


def _decoded_at_once(text: str) -> Any:
    is_long = len(text) > jsontext.LONG
    with suppress(jsontext.InvalidJsonError):
        return jsontext.decode_finite(text, jsontext.BoundedNumbers() if is_long else None)
    decoder = _decoder(jsontext.BoundedNumbers().read) if is_long else _DECODER
    try:
        return _without_overflow(decoder.decode(text))
    except jsontext.TooManyDigitsError as error:
        raise NotJsonError(str(error)) from error
    except JSONDecodeError as error:
        raise NotJsonError(_reason(error)[0]) from error
    except _ConstantError as error:
        raise NotJsonError(error.reason) from error
    except RecursionError as error:
        raise NotJsonError("exceeded max depth") from error
    except ValueError as error:  # a number of too many digits
        raise NotJsonError(_NOT_A_NUMBER) from error


def _containers(body: bytes) -> int:
    """How many brackets open in a body; NotJsonError beyond what is read in some milliseconds."""
    count = body.count(b"{") + body.count(b"[")
    if count > MOST_CONTAINERS:
        raise NotJsonError(f"too many objects and arrays (max {MOST_CONTAINERS})")
    return count


def _reason(error: JSONDecodeError) -> tuple[str, bool]:
    """Why a text is none, and whether because it ends too early."""
    position, text = error.pos, error.doc
    escape = ""
    if error.msg.startswith(r"Invalid \escape"):
        escape = _bytes_of(text[position : position + 2], 2)
        position += 1
    elif error.msg.startswith(r"Invalid \uXXXX"):
        escape = _bytes_of(text[position - 1 : position + 5], 6)
        digits = re.compile("[0-9A-Fa-f]*").match(text, position + 1)
        position = digits.end() if digits else position
    if position >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return _END, True
    if escape:
        return f"invalid escape sequence {_quoted(escape)} in string", False
    number = _NUMBER_STARTS.match(text, position)
    if number is not None and (text[position] == "-" or text[position - 1].isdigit()):
        place, position = "in numeric literal", number.end()
    elif error.msg == "Expecting ',' delimiter":
        place = _after(text[: error.pos])
    else:
        place = _PLACES.get(error.msg.partition(" enclosed")[0], "looking for beginning of value")
        literal = _LITERALS.match(text, position) if place.endswith("of value") else None
        if literal:
            word, read = _WORDS[text[position]], literal.end() - position
            position += read
            place = f"in literal {word} (expecting '{word[read]}')"
    if position >= len(text):
        return _END, True
    return f"invalid character '{_shown(text[position])}' {place}", False


def _bytes_of(text: str, most: int) -> str:
    """The first bytes of a text, of which the last letter may be cut."""
    return text.encode("utf-8", "surrogateescape")[:most].decode("utf-8", "surrogateescape")


def _quoted(text: str) -> str:
    """A text as Go quotes it: as it is where it has neither controls nor backquotes."""
    if text.isprintable() and "`" not in text:
        return f"`{text}`"
    marks = {"'": "'", '"': '\\"'}
    return '"' + "".join(marks.get(mark) or _shown(mark) for mark in text) + '"'


def _after(text: str) -> str:
    """Where a comma is missing, by the innermost object or array that a text leaves open."""
    opened: list[str] = []
    for mark in re.findall(r"[\[\]{}]", _STRING.sub("", text)):
        if mark in "[{":
            opened.append(mark)
        elif opened:
            opened.pop()
    return "after object key:value pair" if opened[-1:] == ["{"] else "after array element"


def _shown(character: str) -> str:
    """A character as Go's decoder quotes it, a byte that is not of UTF-8 by its number."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004 — an escaped byte
        return f"\\x{code - 0xDC00:02x}"
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    if code < 0x80:  # noqa: PLR2004 — controls
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 — as Go's


def _is_too_deep(body: bytes) -> bool:
    """Whether a valid text nests objects and arrays too deeply.

    Of the brackets outside strings, the innermost pairs are removed level by level.
    """
    outside = b"".join(body.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2])
    brackets = outside.translate(_SQUARE, _NO_BRACKETS)
    for _ in range(DEEPEST):
        brackets = brackets.replace(b"[]", b"")
        if not brackets:
            return False
    return True


def _storable_member(value: Any) -> Any:
    """The same of a body's member, except that NUL in a string is left to its reader."""
    return _paired(value) if isinstance(value, str) else _storable(value)


def _storable(value: Any) -> Any:
    """The value without what PostgreSQL cannot store: lone surrogates become U+FFFD.

    NUL, which no text of PostgreSQL holds, is refused.
    """
    if isinstance(value, str):
        if "\0" in value:
            raise NotJsonError(NUL_IN_TEXT)
        return _paired(value)
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {_storable(name): _storable(member) for name, member in members.items()}
    if isinstance(value, list):
        return [_storable(member) for member in cast("list[Any]", value)]
    return value


def _paired(text: str) -> str:
    """The text with U+FFFD for each half of a pair; the decoders have joined whole pairs.

    In windows: a megabyte of halves takes a tenth of a second.
    """
    if not _HALF.search(text):
        return text
    starts = range(0, len(text), _WINDOW)
    return "".join(_HALF.sub("\ufffd", text[start : start + _WINDOW]) for start in starts)


def _without_overflow(value: Any) -> Any:
    """The value with 0 for each member that is a number beyond a double; ValueError for one deeper.

    Such a member is ignored if it is unknown, and else has the wrong type as any number would.
    """
    if not isinstance(value, dict):
        return _finite(value)
    members = cast("dict[str, Any]", value)
    return {name: 0 if member in _INFINITE else _finite(member) for name, member in members.items()}


def _finite(value: Any) -> Any:
    if isinstance(value, float) and value in _INFINITE:
        raise ValueError(value)
    parts: Iterable[Any] = ()
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value).values()
    elif isinstance(value, list):
        parts = cast("list[Any]", value)
    for part in parts:
        _finite(part)
    return cast("Any", value)


def _refuse_constant(name: str) -> NoReturn:
    raise _ConstantError(name)


def _decoder(parse_float: Callable[[str], float] = float) -> JSONDecoder:
    return JSONDecoder(parse_constant=_refuse_constant, parse_float=parse_float)


_DECODER = _decoder()

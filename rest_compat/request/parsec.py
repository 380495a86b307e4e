"""Parsers of text that remember what they expected, and where.

A parser is a function from a text and an offset to a `Reply`. The error a failing parser leaves
is the furthest one, with everything that would have been accepted there; alternatives are only
tried where nothing was consumed (use `attempt` to give that back), so the messages are those of
a predictive parser: `unexpected "1" expecting "("` (rest reference 2.10).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")
U = TypeVar("U")


class _Message(IntEnum):
    """What a message says; also the order in which explanations list them."""

    SYSTEM = 0
    UNEXPECTED = 1
    EXPECTED = 2


class Failure(NamedTuple):
    """Where parsing went wrong, and the messages on it."""

    offset: int
    messages: tuple[tuple[_Message, str], ...]


class Reply(NamedTuple, Generic[T]):
    """What a parser gives: a value or not, where it stopped, whether it consumed anything."""

    ok: bool
    value: T
    offset: int
    consumed: bool
    failure: Failure


Parser = Callable[[str, int], Reply[T]]
_NOTHING: Any = None


class ParseError(Exception):
    """A text that does not follow its grammar: 1-based line and column, and the explanation."""

    def __init__(self, line: int, column: int, details: str) -> None:
        super().__init__(details)
        self.line = line
        self.column = column
        self.details = details


def run(parser: Parser[T], text: str) -> T:
    """The value of a text, which need not be consumed whole; ParseError where it fails."""
    reply = parser(text, 0)
    if reply.ok:
        return reply.value
    line, column = position(text, reply.failure.offset)
    raise ParseError(line, column, explain(reply.failure))


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset; a tab goes to the next multiple of eight."""
    line = column = 1
    for character in text[:offset]:
        if character == "\n":
            line, column = line + 1, 1
        elif character == "\t":
            column += 8 - (column - 1) % 8
        else:
            column += 1
    return line, column


def explain(failure: Failure) -> str:
    """The failure in words: `unexpected X expecting A, B or C`."""
    texts: dict[_Message, list[str]] = {note: [] for note in _Message}
    for note, text in failure.messages:
        texts[note].append(text)
    parts: list[str] = []
    if texts[_Message.UNEXPECTED]:
        parts.append(f"unexpected {_listed(texts[_Message.UNEXPECTED])}")
    elif texts[_Message.SYSTEM]:
        parts.append(f"unexpected {texts[_Message.SYSTEM][0] or 'end of input'}")
    if any(texts[_Message.EXPECTED]):
        parts.append(f"expecting {_listed(texts[_Message.EXPECTED])}")
    return " ".join(parts) or "unknown parse error"


def _listed(texts: list[str]) -> str:
    distinct = [text for text in dict.fromkeys(texts) if text]
    if len(distinct) < 2:  # noqa: PLR2004 — one thing needs no "or"
        return "".join(distinct)
    return f"{', '.join(distinct[:-1])} or {distinct[-1]}"


# ── primitives ─────────────────────────────────────────────────────────────────────────────────


def succeed(value: T) -> Parser[T]:
    """Consume nothing and give a value."""
    return lambda _text, offset: Reply(True, value, offset, False, Failure(offset, ()))


def fail(_text: str, offset: int) -> Reply[Any]:
    """Fail without a word."""
    return Reply(False, _NOTHING, offset, False, Failure(offset, ()))


def satisfy(accepts: Callable[[str], bool]) -> Parser[str]:
    """One character that is accepted."""

    def parse(text: str, offset: int) -> Reply[str]:
        if offset >= len(text):
            return _empty_error(offset, ((_Message.SYSTEM, ""),))
        character = text[offset]
        if not accepts(character):
            return _empty_error(offset, ((_Message.SYSTEM, shown(character)),))
        return Reply(True, character, offset + 1, True, Failure(offset + 1, ()))

    return parse


def char(wanted: str) -> Parser[str]:
    """One given character."""
    return label(satisfy(lambda character: character == wanted), shown(wanted))


def none_of(refused: str) -> Parser[str]:
    """Any character but these."""
    return satisfy(lambda character: character not in refused)


Span = Callable[[str, int], int]
"""Where, from an offset on, a run of characters ends."""


def span_of(accepted: str) -> Span:
    """The longest run of a class of characters, as regular expressions write one: `[a-z]`."""
    match = re.compile(f"{accepted}*").match
    return lambda text, offset: offset if (found := match(text, offset)) is None else found.end()


def run_of(span: Span, *expected: str, least: int = 0) -> Parser[str]:
    """A run of characters, `expected` by these names: what `many` of one gives, but at once."""
    messages = tuple((_Message.EXPECTED, name) for name in expected)

    def parse(text: str, offset: int) -> Reply[str]:
        end = span(text, offset)
        unexpected = shown(text[end]) if end < len(text) else ""
        failure = Failure(end, ((_Message.SYSTEM, unexpected), *messages))
        if end - offset < least:
            return Reply(False, _NOTHING, offset, False, failure)
        return Reply(True, text[offset:end], end, end > offset, failure)

    return parse


def string(wanted: str) -> Parser[str]:
    """A given text; where only its start is there, that start is consumed by the failure."""
    expected = (_Message.EXPECTED, shown(wanted))

    def parse(text: str, offset: int) -> Reply[str]:
        if text.startswith(wanted, offset):
            end = offset + len(wanted)
            return Reply(True, wanted, end, True, Failure(end, ()))
        matched = 0
        while text[offset + matched : offset + matched + 1] == wanted[matched]:
            matched += 1
        found = text[offset + matched : offset + matched + 1]
        messages = ((_Message.SYSTEM, shown(found) if found else ""), expected)
        return Reply(False, _NOTHING, offset, matched > 0, Failure(offset, messages))

    return parse


_END = (_Message.EXPECTED, "end of input")


def eof(text: str, offset: int) -> Reply[None]:
    """Nothing more may come; the end is also told among what was expected where it came."""
    if offset >= len(text):
        return Reply(True, None, offset, False, Failure(offset, ((_Message.SYSTEM, ""), _END)))
    messages = ((_Message.UNEXPECTED, shown_character(text[offset])), _END)
    return _empty_error(offset, messages)


letter: Parser[str]
digit: Parser[str]


# ── combinators ────────────────────────────────────────────────────────────────────────────────


def bind(parser: Parser[T], following: Callable[[T], Parser[U]]) -> Parser[U]:
    """Run a parser, then the one its value asks for."""

    def parse(text: str, offset: int) -> Reply[U]:
        first = parser(text, offset)
        if not first.ok:
            return first  # pyright: ignore[reportReturnType] a failure has no value
        second = following(first.value)(text, first.offset)
        if second.consumed:
            return second
        failure = _merged(first.failure, second.failure)
        return Reply(second.ok, second.value, second.offset, first.consumed, failure)

    return parse


def sequence(*parsers: Parser[Any]) -> Parser[tuple[Any, ...]]:
    """All of them one after the other, with their values."""

    def parse(text: str, offset: int) -> Reply[tuple[Any, ...]]:
        values: list[Any] = []
        consumed = False
        failure = Failure(offset, ())
        for parser in parsers:
            reply = parser(text, offset)
            failure = reply.failure if reply.consumed else _merged(failure, reply.failure)
            consumed = consumed or reply.consumed
            if not reply.ok:
                return Reply(False, _NOTHING, reply.offset, consumed, failure)
            values.append(reply.value)
            offset = reply.offset
        return Reply(True, tuple(values), offset, consumed, failure)

    return parse


def mapped(parser: Parser[T], make: Callable[[T], U]) -> Parser[U]:
    """The parser's value, turned into another."""

    def parse(text: str, offset: int) -> Reply[U]:
        reply = parser(text, offset)
        if not reply.ok:
            return reply  # pyright: ignore[reportReturnType] a failure has no value
        _, value, end, consumed, failure = reply
        return Reply(True, make(value), end, consumed, failure)

    return parse


def choice(*parsers: Parser[Any]) -> Parser[Any]:
    """The first that succeeds or consumes anything."""

    def parse(text: str, offset: int) -> Reply[Any]:
        failure: Failure | None = None
        reply: Reply[Any] = fail(text, offset)
        for parser in parsers:
            reply = parser(text, offset)
            if reply.consumed:
                return reply
            failure = reply.failure if failure is None else _merged(failure, reply.failure)
            if reply.ok:
                break
        if failure is None or failure is reply.failure:
            return reply
        return Reply(reply.ok, reply.value, reply.offset, False, failure)

    return parse


def attempt(parser: Parser[T]) -> Parser[T]:
    """The parser, giving back what it consumed when it fails."""

    def parse(text: str, offset: int) -> Reply[T]:
        reply = parser(text, offset)
        if reply.ok or not reply.consumed:
            return reply
        return Reply(False, _NOTHING, reply.offset, False, reply.failure)

    return parse


def look_ahead(parser: Parser[T]) -> Parser[T]:
    """The parser, without consuming what it accepts."""

    def parse(text: str, offset: int) -> Reply[T]:
        reply = parser(text, offset)
        if not reply.ok:
            return reply
        return Reply(True, reply.value, offset, False, Failure(offset, ()))

    return parse


def not_followed_by(parser: Parser[str]) -> Parser[None]:
    """Succeeds, without consuming, where the parser would not."""

    def parse(text: str, offset: int) -> Reply[None]:
        reply = parser(text, offset)
        if reply.ok:
            # The position reported is that behind what should not be there.
            messages = ((_Message.UNEXPECTED, shown_character(reply.value)),)
            failure = Failure(reply.offset, messages)
            return Reply(False, _NOTHING, offset, False, failure)
        # What would have been refused is told among what is expected, as Parsec does.
        return Reply(True, None, offset, False, reply.failure)

    return parse


def label(parser: Parser[T], name: str) -> Parser[T]:
    """The parser, named as a whole in messages about its first character."""

    def parse(text: str, offset: int) -> Reply[T]:
        reply = parser(text, offset)
        if reply.consumed or (reply.ok and not reply.failure.messages):
            return reply
        kept = tuple(note for note in reply.failure.messages if note[0] is not _Message.EXPECTED)
        failure = Failure(reply.failure.offset, (*kept, (_Message.EXPECTED, name)))
        return Reply(reply.ok, reply.value, reply.offset, False, failure)

    return parse


def many(parser: Parser[T]) -> Parser[list[T]]:
    """As often as it succeeds, also never."""

    def parse(text: str, offset: int) -> Reply[list[T]]:
        values: list[T] = []
        start = offset
        while True:
            reply = parser(text, offset)
            if not reply.ok:
                break
            values.append(reply.value)
            offset = reply.offset
        if reply.consumed:
            return Reply(False, _NOTHING, reply.offset, True, reply.failure)
        return Reply(True, values, offset, offset > start, reply.failure)

    return parse


def many1(parser: Parser[T]) -> Parser[list[T]]:
    """As often as it succeeds, at least once."""
    return mapped(sequence(parser, many(parser)), lambda pair: [pair[0], *pair[1]])


def sep_by1(parser: Parser[T], separator: Parser[Any]) -> Parser[list[T]]:
    """At least one, with separators between."""
    rest = many(mapped(sequence(separator, parser), lambda pair: pair[1]))
    return mapped(sequence(parser, rest), lambda pair: [pair[0], *pair[1]])


def sep_by(parser: Parser[T], separator: Parser[Any]) -> Parser[list[T]]:
    """Any number, with separators between."""
    return choice(sep_by1(parser, separator), succeed(list[T]()))


def option(default: U, parser: Parser[T]) -> Parser[T | U]:
    """The parser, or a default where it fails without consuming."""
    return choice(parser, succeed(default))


def option_maybe(parser: Parser[T]) -> Parser[T | None]:
    """The parser, or None where it fails without consuming."""
    return option(None, parser)


def between(opening: Parser[Any], closing: Parser[Any], parser: Parser[T]) -> Parser[T]:
    """The parser between two others."""
    return mapped(sequence(opening, parser, closing), lambda values: values[1])


def before(parser: Parser[T], following: Parser[Any]) -> Parser[T]:
    """The parser's value, with another behind it."""
    return mapped(sequence(parser, following), lambda values: values[0])


def after(preceding: Parser[Any], parser: Parser[T]) -> Parser[T]:
    """The parser's value, with another in front of it."""
    return mapped(sequence(preceding, parser), lambda values: values[1])


def regex(pattern: str, make: Callable[[re.Match[str]], T]) -> Parser[T]:
    """What a regular expression matches, as one; says nothing where it matches nothing.

    For the plain cases of a grammar, in front of it: only where something must follow that no
    message can point back from.
    """
    match = re.compile(pattern).match

    def parse(text: str, offset: int) -> Reply[T]:
        found = match(text, offset)
        if found is None:
            return fail(text, offset)
        return Reply(True, make(found), found.end(), True, Failure(found.end(), ()))

    return parse


def lazy(make: Callable[[], Parser[T]]) -> Parser[T]:
    """A parser named before it is defined, for grammars that nest."""
    return lambda text, offset: make()(text, offset)  # noqa: PLW0108 — make() only once it is defined


def _merged(first: Failure, second: Failure) -> Failure:
    if first.messages and not second.messages:
        return first
    if second.messages and not first.messages:
        return second
    if first.offset != second.offset:
        return max(first, second, key=lambda failure: failure.offset)
    return Failure(first.offset, first.messages + second.messages)


def _empty_error(offset: int, messages: tuple[tuple[_Message, str], ...]) -> Reply[Any]:
    return Reply(False, _NOTHING, offset, False, Failure(offset, messages))


# ── how messages show text ─────────────────────────────────────────────────────────────────────

_CONTROLS = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "a", "b", "t", "n", "v", "f", "r", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS",
    "RS", "US",
)  # fmt: skip
_ESCAPES = {chr(code): f"\\{name}" for code, name in enumerate(_CONTROLS)} | {
    "\\": "\\\\", "\x7f": "\\DEL",
}  # fmt: skip
# What would read on into an escape is kept apart from it.
_READ_ON = re.compile(r"(\\[0-9]+)\0(?=[0-9])|(\\SO)\0(?=H)|\0")


@lru_cache(maxsize=2_000)  # failures that are only tried show the same few characters
def shown(text: str) -> str:
    """Text in double quotes, with escapes for what is not printable ASCII."""
    pieces = ('\\"' if c == '"' else _escaped(c) for c in text)
    marked = "".join(f"{piece}\0" if len(piece) > 2 else piece for piece in pieces)  # noqa: PLR2004 — longer than one escaped character
    return f'"{_READ_ON.sub(_kept_apart, marked)}"'


def _kept_apart(found: re.Match[str]) -> str:
    escape = found.group(1) or found.group(2)
    return f"{escape}\\&" if escape else ""


def shown_character(character: str) -> str:
    """One character in single quotes."""
    return "'" + ("\\'" if character == "'" else _escaped(character)) + "'"


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if " " <= character <= "~" else f"\\{ord(character)}"


letter = label(satisfy(str.isalpha), "letter")
digit = label(satisfy("0123456789".__contains__), "digit")

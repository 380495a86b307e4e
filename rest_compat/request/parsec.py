"""Parsers of text that remember what they expected, and where.

A parser is a function from a text and an offset to a `Reply`. The error a failing parser leaves
is the furthest one, with everything that would have been accepted there; alternatives are only
tried where nothing was consumed (use `attempt` to give that back), so the messages are those of
a predictive parser: `unexpected "1" expecting "("` (rest reference 2.10).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from rest_compat.request.syntax_failures import (
    Failure,
    Note,
    ParseError,
    explain,
    position,
    shown,
    shown_character,
)

T = TypeVar("T")
U = TypeVar("U")


class Reply(NamedTuple, Generic[T]):
    """What a parser gives: a value or not, where it stopped, whether it consumed anything."""

    ok: bool
    value: T
    offset: int
    consumed: bool
    failure: Failure


Parser = Callable[[str, int], Reply[T]]
_NOTHING: Any = None


def run(parser: Parser[T], text: str) -> T:
    """The value of a text, which need not be consumed whole; ParseError where it fails."""
    reply = parser(text, 0)
    if reply.ok:
        return reply.value
    line, column = position(text, reply.failure.offset)
    raise ParseError(line, column, explain(reply.failure))


def succeed(value: T) -> Parser[T]:
    """Consume nothing and give a value."""
    return lambda _text, offset: Reply(True, value, offset, False, Failure(offset, ()))


def fail(_text: str, offset: int) -> Reply[Any]:
    """Fail without a message."""
    return Reply(False, _NOTHING, offset, False, Failure(offset, ()))


def satisfy(accepts: Callable[[str], bool]) -> Parser[str]:
    """One character that is accepted."""

    def parse(text: str, offset: int) -> Reply[str]:
        if offset >= len(text):
            return _empty_error(offset, ((Note.SYSTEM, ""),))
        character = text[offset]
        if not accepts(character):
            return _empty_error(offset, ((Note.SYSTEM, shown(character)),))
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
    messages = tuple((Note.EXPECTED, name) for name in expected)

    def parse(text: str, offset: int) -> Reply[str]:
        end = span(text, offset)
        unexpected = shown(text[end]) if end < len(text) else ""
        failure = Failure(end, ((Note.SYSTEM, unexpected), *messages))
        if end - offset < least:
            return Reply(False, _NOTHING, offset, False, failure)
        return Reply(True, text[offset:end], end, end > offset, failure)

    return parse


def string(wanted: str) -> Parser[str]:
    """A given text; where only its start is there, that start is consumed by the failure."""
    expected = (Note.EXPECTED, shown(wanted))

    def parse(text: str, offset: int) -> Reply[str]:
        if text.startswith(wanted, offset):
            end = offset + len(wanted)
            return Reply(True, wanted, end, True, Failure(end, ()))
        matched = 0
        while text[offset + matched : offset + matched + 1] == wanted[matched]:
            matched += 1
        found = text[offset + matched : offset + matched + 1]
        messages = ((Note.SYSTEM, shown(found) if found else ""), expected)
        return Reply(False, _NOTHING, offset, matched > 0, Failure(offset, messages))

    return parse


_END = (Note.EXPECTED, "end of input")


def eof(text: str, offset: int) -> Reply[None]:
    """The end of the text; a later error at that place lists it as expected too."""
    if offset >= len(text):
        return Reply(True, None, offset, False, Failure(offset, ((Note.SYSTEM, ""), _END)))
    messages = ((Note.UNEXPECTED, shown_character(text[offset])), _END)
    return _empty_error(offset, messages)


def label(parser: Parser[T], name: str) -> Parser[T]:
    """The parser, named as a whole in messages about its first character."""

    def parse(text: str, offset: int) -> Reply[T]:
        reply = parser(text, offset)
        if reply.consumed or (reply.ok and not reply.failure.messages):
            return reply
        kept = tuple(note for note in reply.failure.messages if note[0] is not Note.EXPECTED)
        failure = Failure(reply.failure.offset, (*kept, (Note.EXPECTED, name)))
        return Reply(reply.ok, reply.value, reply.offset, False, failure)

    return parse


def regex(pattern: str, make: Callable[[re.Match[str]], T]) -> Parser[T]:
    """The match of a regular expression as one step; fails without a message.

    A fast path for the plain cases of the grammar behind it. It must not change messages: use it
    only before something required, so that no error can point back into the match.
    """
    match = re.compile(pattern).match

    def parse(text: str, offset: int) -> Reply[T]:
        found = match(text, offset)
        if found is None:
            return fail(text, offset)
        return Reply(True, make(found), found.end(), True, Failure(found.end(), ()))

    return parse


def _empty_error(offset: int, messages: tuple[tuple[Note, str], ...]) -> Reply[Any]:
    return Reply(False, _NOTHING, offset, False, Failure(offset, messages))


letter = label(satisfy(str.isalpha), "letter")
digit = label(satisfy("0123456789".__contains__), "digit")

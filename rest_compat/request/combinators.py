"""Parsers made of parsers.

Alternatives are only tried where nothing was consumed (`attempt` gives that back).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rest_compat.request.parsec import Parser, Reply, fail, succeed
from rest_compat.request.syntax_failures import Failure, Note, merged, shown_character

T = TypeVar("T")
U = TypeVar("U")
_NOTHING: Any = None


def bind(parser: Parser[T], following: Callable[[T], Parser[U]]) -> Parser[U]:
    """Run a parser, then the one that `following` makes of its value."""

    def parse(text: str, offset: int) -> Reply[U]:
        first = parser(text, offset)
        if not first.ok:
            return first  # pyright: ignore[reportReturnType] a failure has no value
        second = following(first.value)(text, first.offset)
        if second.consumed:
            return second
        failure = merged(first.failure, second.failure)
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
            failure = reply.failure if reply.consumed else merged(failure, reply.failure)
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
            failure = reply.failure if failure is None else merged(failure, reply.failure)
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
            messages = ((Note.UNEXPECTED, shown_character(reply.value)),)
            failure = Failure(reply.offset, messages)
            return Reply(False, _NOTHING, offset, False, failure)
        # What would have been refused is listed among what is expected, as Parsec does.
        return Reply(True, None, offset, False, reply.failure)

    return parse


def many(parser: Parser[T], *, merges: bool = False) -> Parser[list[T]]:
    """As often as it succeeds, also never.

    `merges`: a later error also lists what could have continued the last one, as with Haskell's
    own `many`, but not with Parsec's.
    """

    def parse(text: str, offset: int) -> Reply[list[T]]:
        values: list[T] = []
        start = offset
        last: Failure | None = None
        while True:
            reply = parser(text, offset)
            if not reply.ok:
                break
            values.append(reply.value)
            offset = reply.offset
            last = reply.failure if merges else None
        if reply.consumed:
            return Reply(False, _NOTHING, reply.offset, True, reply.failure)
        failure = reply.failure if last is None else merged(last, reply.failure)
        return Reply(True, values, offset, offset > start, failure)

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


def lazy(make: Callable[[], Parser[T]]) -> Parser[T]:
    """A parser named before it is defined, for grammars that nest."""
    return lambda text, offset: make()(text, offset)  # noqa: PLW0108 — make() only once it is defined

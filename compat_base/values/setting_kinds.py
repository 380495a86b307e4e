"""Parsers of a variable: each kind takes a reader and the variable's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from compat_base.values.settings import Reader, Secret

T = TypeVar("T")
Read = Callable[[Reader, str], T]


def text(default: str = "") -> Read[str]:
    """A text, or the default where it is unset or empty."""
    return lambda reader, name: reader.text(name, default)


def optional(reader: Reader, name: str) -> str | None:
    """A text, or None where it is unset or empty."""
    return reader.optional(name)


def secret(reader: Reader, name: str) -> Secret:
    """A text that is never shown."""
    return reader.secret(name)


def boolean(*, default: bool) -> Read[bool]:
    """A word for true or false."""
    return lambda reader, name: reader.boolean(name, default=default)


def integer(default: int, *, minimum: int | None = None) -> Read[int]:
    """A whole number, at least `minimum`."""
    return lambda reader, name: reader.integer(name, default, minimum=minimum)


def integer_or_none(reader: Reader, name: str) -> int | None:
    """A whole number; 0, the default, lets the program choose."""
    return reader.integer(name, 0, minimum=0) or None


def number(default: float) -> Read[float]:
    """A decimal number."""
    return lambda reader, name: reader.number(name, default)


def seconds(default: float) -> Read[float]:
    """A duration such as `90s` or `1h30m`, or a bare number of seconds."""
    return lambda reader, name: reader.seconds(name, default)


def nonzero(read: Read[T], default: T) -> Read[T]:
    """A number of this kind, where 0 stands for the default."""
    return lambda reader, name: read(reader, name) or default


def words(*default: str) -> Read[tuple[str, ...]]:
    """A comma-separated list."""
    return lambda reader, name: reader.words(name, default)


def choice(default: str, *others: str) -> Read[str]:
    """The default or one of the other words."""
    return lambda reader, name: reader.choice(name, default, (default, *others))

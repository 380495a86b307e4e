"""Values of config.toml as texts of variables; ValueError says what is expected.

Values are read as loosely as the CLI reads them: a number or a boolean may stand in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

Kind = Callable[[Any], str]

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgtp]?)(?:i?b)?\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_DURATION = re.compile(r"(?:0|(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+)")
_LARGEST_PORT = 65_535
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = "0123456789"
_SYMBOLS = r"""!@#$%^&*()_+-=[]{};'\\:"|<>?,./`~"""
_REQUIREMENTS = {
    "": "",
    "letters_digits": f"{_LETTERS}{_CAPITALS}:{_DIGITS}",
    "lower_upper_letters_digits": f"{_LETTERS}:{_CAPITALS}:{_DIGITS}",
    "lower_upper_letters_digits_symbols": f"{_LETTERS}:{_CAPITALS}:{_DIGITS}:{_SYMBOLS}",
}


def text(value: Any) -> str:
    """A string; a number is taken as it is written."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("a string")  # noqa: TRY004 — what is caught is that it is wrong
    return str(value)


def boolean(value: Any) -> str:
    """`true` or `false`."""
    word = str(value).lower() if isinstance(value, bool | str | int) else ""
    if word in {"true", "1", "t"}:
        return "true"
    if word in {"false", "0", "f"}:
        return "false"
    raise ValueError("true or false")


def negated(value: Any) -> str:
    """The opposite of a boolean, where the variable says `disable` and the key says `enable`."""
    return "false" if boolean(value) == "true" else "true"


def integer(value: Any) -> str:
    """A whole number of at least 0."""
    digits = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not digits.isascii() or not digits.isdigit() or len(digits) > 18:  # noqa: PLR2004 — of 64 bits
        raise ValueError("a whole number")
    return str(int(digits))


def port(value: Any) -> str:
    """A port from 1 to 65535."""
    number = int(integer(value))
    if not 0 < number <= _LARGEST_PORT:
        raise ValueError("a port from 1 to 65535")
    return str(number)


def duration(value: Any) -> str:
    """Go's form of a duration: `1h30m`, `5s`."""
    if not isinstance(value, str) or not _DURATION.fullmatch(value):
        raise ValueError('a duration such as "5s" or "1h30m"')
    return value


def limit(value: Any) -> str:
    """A duration of which 0 means unlimited, which Auth has no value for."""
    text = duration(value)
    return text if re.search("[1-9]", text) else ""


def size(value: Any) -> str:
    """Bytes: a number, or one with a unit as `50MiB`; units are powers of 1024."""
    found = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if found is not None:
        return str(int(float(found[1]) * 1024 ** _POWERS[found[2].lower()]))
    if isinstance(value, str):
        raise ValueError('a size such as "50MiB"')  # noqa: TRY004 — as above
    return integer(value)


def words(value: Any) -> str:
    """A list of strings, joined by commas; a string of them is taken as it is."""
    return value if isinstance(value, str) else ",".join(strings(value))


def strings(value: Any) -> tuple[str, ...]:
    """A list of strings."""
    items: Sequence[Any] = cast("list[Any]", value) if isinstance(value, list) else (value,)
    if not all(isinstance(item, str) for item in items):
        raise ValueError("a list of strings")
    return tuple(items)


def requirements(value: Any) -> str:
    """Named sets of characters a password must have, in GoTrue's notation."""
    if not isinstance(value, str) or value not in _REQUIREMENTS:
        raise ValueError(f"one of {', '.join(name or 'nothing' for name in _REQUIREMENTS)}")
    return _REQUIREMENTS[value]


def choice(*allowed: str) -> Kind:
    """One of some words."""

    def read(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return str(value)

    return read

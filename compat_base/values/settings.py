"""Reading settings: a mapping of text in, a frozen record out, all problems reported at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)")
_UNIT_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


class Secret:
    """Text that is never shown: its repr and str are masked; `reveal` gives it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return "Secret('***')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.reveal() == self._text

    def __hash__(self) -> int:
        return hash(self._text)


class SettingsError(Exception):
    """Everything that is wrong with the settings, one sentence each."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Variable:
    """A setting as a reader asks for it; its default is None where it must be set."""

    name: str
    kind: str
    default: Any


class Catalogue(dict[str, str]):
    """An environment that records which settings are read, for generated documents."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        super().__init__(values or {})
        self.variables: dict[str, Variable] = {}


class Reader:
    """Reads settings from a mapping and collects every problem until `finish`."""

    def __init__(self, values: Mapping[str, str], *, prefix: str = "") -> None:
        self._values = values
        self._prefix = prefix
        self._problems: list[str] = []

    def unprefixed(self) -> Reader:
        """A reader of the same values without a prefix; their problems are kept together."""
        reader = Reader(self._values)
        reader._problems = self._problems
        return reader

    def text(self, name: str, default: str = "") -> str:
        """The value, or the default where it is unset or empty."""
        self._note(name, "text", default)
        return self._values.get(self._prefix + name) or default

    def optional(self, name: str) -> str | None:
        """The value, or None where it is unset or empty."""
        self._note(name, "text", "")
        return self._values.get(self._prefix + name) or None

    def required(self, name: str) -> str:
        """The value; its absence is a problem."""
        self._note(name, "text", None)
        value = self.text(name)
        if not value:
            self._problems.append(f"{self._prefix}{name} must be set")
        return value

    def secret(self, name: str) -> Secret:
        """A value that is never shown."""
        self._note(name, "secret", "")
        return Secret(self.text(name))

    def boolean(self, name: str, *, default: bool) -> bool:
        """1, t, true, yes, on, or 0, f, false, no, off, in any case."""
        self._note(name, "boolean", default)
        return self._cast(name, default, boolean_from, "a boolean such as true or false")

    def integer(self, name: str, default: int, *, minimum: int | None = None) -> int:
        """A whole number, at least `minimum`."""
        self._note(name, "whole number", default)
        value = self._cast(name, default, _whole, "a whole number")
        if minimum is not None and value < minimum:
            self._problems.append(f"{self._prefix}{name} must be at least {minimum}")
        return value

    def number(self, name: str, default: float) -> float:
        """A decimal number."""
        self._note(name, "number", default)
        return self._cast(name, default, float, "a number")

    def seconds(self, name: str, default: float) -> float:
        """A duration such as `90s` or `1h30m`, or a bare number of seconds."""
        self._note(name, "duration", default)
        return self._cast(name, default, duration_seconds, "a duration such as 90s or 1h30m")

    def words(self, name: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A comma-separated list, blanks trimmed, empty parts dropped."""
        self._note(name, "list", default)
        value = self.optional(name)
        if value is None:
            return default
        return tuple(part.strip() for part in value.split(",") if part.strip())

    def choice(self, name: str, default: str, allowed: tuple[str, ...]) -> str:
        """One of the allowed words."""
        self._note(name, " | ".join(allowed), default)
        value = self.text(name, default)
        if value not in allowed:
            self._problems.append(f"{self._prefix}{name} must be one of {', '.join(allowed)}")
            return default
        return value

    def problem(self, sentence: str) -> None:
        """Remember a problem found outside the reader."""
        self._problems.append(sentence)

    def finish(self, record: T) -> T:
        """The record, or SettingsError with every problem."""
        if self._problems:
            raise SettingsError(tuple(self._problems))
        return record

    def _note(self, name: str, kind: str, default: Any) -> None:
        if isinstance(self._values, Catalogue):
            full = self._prefix + name
            self._values.variables.setdefault(full, Variable(full, kind, default))

    def _cast(self, name: str, default: T, cast: Callable[[str], T], wanted: str) -> T:
        value = self.optional(name)
        if value is None:
            return default
        try:
            return cast(value.strip())
        except ValueError:
            self._problems.append(f"{self._prefix}{name} must be {wanted}")
            return default


def boolean_from(text: str) -> bool:
    """Read a boolean word; raises ValueError for any other."""
    word = text.lower()
    if word in {"1", "t", "true", "yes", "on"}:
        return True
    if word in {"0", "f", "false", "no", "off"}:
        return False
    raise ValueError(text)


def _whole(text: str) -> int:
    """A whole number in ASCII digits; ValueError for others, which Python would read too."""
    if not text.isascii():
        raise ValueError(text)
    return int(text)


def duration_seconds(text: str) -> float:
    """Read Go's duration syntax (`1h30m`, `250ms`) or a bare number of seconds; else ValueError."""
    try:
        return float(text)
    except ValueError:
        pass
    matches = list(_DURATION.finditer(text))
    if not matches or "".join(m.group(0) for m in matches) != text.lstrip("+"):
        raise ValueError(text)
    return sum(float(m.group(1)) * _UNIT_SECONDS[m.group(2)] for m in matches)

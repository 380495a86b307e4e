"""A path as a tree of frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class JsonPathError(ValueError):
    """The text is not a path."""


@dataclass(frozen=True, slots=True)
class Name:
    """A member of an object; `dotted`: written `.name`."""

    name: str
    dotted: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """An element of an array, from the end where negative."""

    index: int


@dataclass(frozen=True, slots=True)
class Slice:
    """Elements from start to end, by a step (RFC 9535, section 2.3.4)."""

    start: int | None
    end: int | None
    step: int


@dataclass(frozen=True, slots=True)
class Wildcard:
    """Every member or element; `dotted`: written `.*`."""

    dotted: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """The members or elements of which a condition is true."""

    condition: Condition


Selector = Name | Index | Slice | Wildcard | Filter


@dataclass(frozen=True, slots=True)
class Segment:
    """Selectors applied to a value, in turn; `descends`: and to all of its descendants."""

    selectors: tuple[Selector, ...]
    descends: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """Segments from the root (`$`), or from a filter's current node (`@`)."""

    segments: tuple[Segment, ...]
    from_root: bool = True


@dataclass(frozen=True, slots=True)
class Literal:
    """A string, a number, true, false or null."""

    value: Any


Operand = Path | Literal


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two operands and the operator between them."""

    left: Operand
    operator: str
    right: Operand


@dataclass(frozen=True, slots=True)
class Search:
    """Whether a regular expression is found in a text."""

    text: Operand
    pattern: Operand


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether a path selects anything."""

    path: Path


@dataclass(frozen=True, slots=True)
class Not:
    """A negated condition: `!…`."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Group:
    """A condition in parentheses."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class All:
    """Conditions joined by `&&`."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """Conditions joined by `||`."""

    conditions: tuple[Condition, ...]


Condition = Comparison | Search | Exists | Not | Group | All | Either

"""Where a token's role stands: a path into its claims (rest reference, 11.9).

The present syntax is a subset of RFC 9535 (`$.app.roles[0]`, `$['a']`, `$.roles[?(@ == "x")]`);
the older one (`.app.roles[0]`, `.roles[?(@ ^== "x")]`) is still read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast


class RolePathError(ValueError):
    """The text is a path in neither syntax."""


@dataclass(frozen=True, slots=True)
class Name:
    """A member of an object."""

    name: str


@dataclass(frozen=True, slots=True)
class Index:
    """An element of an array, from the end where negative."""

    index: int


@dataclass(frozen=True, slots=True)
class Wildcard:
    """Every member or element."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Elements from start to end."""

    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class Match:
    """The elements (or a member of theirs) that compare with a value."""

    path: tuple[Segment, ...]
    operator: str
    value: Any


Segment = Name | Index | Wildcard | Slice | Match


@dataclass(frozen=True, slots=True)
class RolePath:
    """A path: `old` tells the older syntax; `text` is the canonical way to write it."""

    segments: tuple[Segment, ...]
    text: str
    old: bool = False


_NAME = re.compile(r"\.([A-Za-z_\u0080-\U0010ffff][\w\u0080-\U0010ffff]*)")
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_BRACKET_NAME = re.compile(rf"\[\s*({_QUOTED})\s*\]")
_INDEX = re.compile(r"\[\s*(-?(?:0|[1-9][0-9]*))\s*\]")
_SLICE = re.compile(r"\[\s*(-?[0-9]+)?\s*:\s*(-?[0-9]+)?\s*\]")
_STAR = re.compile(r"\.\*|\[\s*\*\s*\]")
_LITERAL = rf"({_QUOTED}|-?[0-9]+(?:\.[0-9]+)?|true|false|null)"
_FILTER = re.compile(
    rf"\[\s*\?\s*\(?\s*@((?:\.[A-Za-z_]\w*|\[\s*(?:{_QUOTED}|-?[0-9]+)\s*\])*)\s*"
    rf"(==|!=|<=|>=|<|>)\s*{_LITERAL}\s*\)?\s*\]"
)
_SEARCH = re.compile(
    rf"\[\s*\?\s*\(?\s*search\(\s*@((?:\.[A-Za-z_]\w*)*)\s*,\s*({_QUOTED})\s*\)\s*\)?\s*\]"
)
_OLD_KEY = re.compile(r"\.(?:([\w$@]+)|\"([^\"]*)\")")
_OLD_INDEX = re.compile(r"\[([0-9]+)\]")
_OLD_FILTER = re.compile(r"\[\?\(@\s*(==\^|==|!=|\^==|\*==)\s*\"([^\"]*)\"\)\]$")


def parse_role_path(text: str) -> RolePath:
    """Read a path in either syntax, or raise RolePathError."""
    if text.startswith("$"):
        return RolePath(_segments(text, 1), text)
    return _old_path(text)


def find_role(path: RolePath, claims: dict[str, Any]) -> Any:
    """The first value the path leads to, or None."""
    found: list[Any] = [claims]
    for segment in path.segments:
        found = [value for one in found for value in _step(segment, one)]
    return found[0] if found else None


def _segments(text: str, position: int) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    while position < len(text):
        segment, position = _segment(text, position)
        segments.append(segment)
    return tuple(segments)


def _segment(text: str, position: int) -> tuple[Segment, int]:
    readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Segment]], ...] = (
        (_NAME, lambda found: Name(found.group(1))),
        (_BRACKET_NAME, lambda found: Name(_unquoted(found.group(1)))),
        (_INDEX, lambda found: Index(int(found.group(1)))),
        (_STAR, lambda _: Wildcard()),
        (_SLICE, lambda found: Slice(_number(found.group(1)), _number(found.group(2)))),
        (
            _SEARCH,
            lambda found: Match(_segments(found.group(1), 0), "search", _unquoted(found.group(2))),
        ),
        (_FILTER, _match),
    )
    for pattern, make in readers:
        found = pattern.match(text, position)
        if found is not None:
            return make(found), found.end()
    raise RolePathError(text)


def _match(found: re.Match[str]) -> Match:
    return Match(_segments(found.group(1), 0), found.group(2), _value(found.group(3)))


def _old_path(text: str) -> RolePath:
    segments: list[Segment] = []
    written: list[str] = []
    position = 0
    while position < len(text):
        if found := _OLD_KEY.match(text, position):
            name = found.group(1) or found.group(2) or ""
            segments.append(Name(name))
            written.append(f'."{name}"')
        elif found := _OLD_INDEX.match(text, position):
            segments.append(Index(int(found.group(1))))
            written.append(f"[{int(found.group(1))}]")
        elif found := _OLD_FILTER.match(text, position):
            segments.append(Match((), found.group(1), found.group(2)))
            written.append(f'[?(@ {found.group(1)} "{found.group(2)}")]')
        else:
            raise RolePathError(text)
        position = found.end()
    if not segments:
        raise RolePathError(text)
    return RolePath(tuple(segments), "".join(written), old=True)


def _step(segment: Segment, value: Any) -> list[Any]:
    match segment, value:
        case Name(name), dict():
            members = cast("dict[str, Any]", value)
            return [members[name]] if name in members else []
        case Index(index), list():
            items = cast("list[Any]", value)
            return [items[index]] if -len(items) <= index < len(items) else []
        case Slice(start, end), list():
            return cast("list[Any]", value)[start:end]
        case Wildcard() | Match(), dict():
            return _chosen(segment, list(cast("dict[str, Any]", value).values()))
        case Wildcard() | Match(), list():
            return _chosen(segment, cast("list[Any]", value))
        case _:
            return []


def _chosen(segment: Wildcard | Match, values: list[Any]) -> list[Any]:
    if isinstance(segment, Wildcard):
        return values
    return [value for value in values if _matches(segment, value)]


def _matches(wanted: Match, value: Any) -> bool:
    found = [value]
    for segment in wanted.path:
        found = [inner for one in found for inner in _step(segment, one)]
    return any(_compares(one, wanted.operator, wanted.value) for one in found)


def _compares(value: Any, operator: str, wanted: Any) -> bool:
    match operator:
        case "==":
            return type(value) is type(wanted) and value == wanted
        case "!=":
            return not (type(value) is type(wanted) and value == wanted)
        case "<" | "<=" | ">" | ">=":
            return _is_ordered(value, operator, wanted)
        case "search":
            return isinstance(value, str) and re.search(wanted, value) is not None
        case "^==":
            return isinstance(value, str) and value.startswith(wanted)
        case "==^":
            return isinstance(value, str) and value.endswith(wanted)
        case _:
            return isinstance(value, str) and wanted in value


def _is_ordered(value: Any, operator: str, wanted: Any) -> bool:
    both_text = isinstance(value, str) and isinstance(wanted, str)
    both_numbers = all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in (value, wanted)
    )
    if not both_text and not both_numbers:
        return False
    if operator.startswith("<"):
        return value < wanted or (operator == "<=" and value == wanted)
    return value > wanted or (operator == ">=" and value == wanted)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _value(text: str) -> Any:
    if text[0] in "'\"":
        return _unquoted(text)
    words: dict[str, Any] = {"true": True, "false": False, "null": None}
    if text in words:
        return words[text]
    return float(text) if "." in text else int(text)

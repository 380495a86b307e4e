"""The path to the role in a token's claims (rest reference 11.9).

The present syntax is RFC 9535's (`$.app.roles[0]`); the older one (`.app.roles[0]`, `.roles[?(@ ^==
"x")]`) is still read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, cast

from rest_compat.auth.json_path import JsonPathError, Path, find, parse_json_path, text_of


class RoleClaimError(ValueError):
    """The text is a path in neither syntax."""


@dataclass(frozen=True, slots=True)
class Key:
    """A member of an object."""

    name: str


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an array."""

    index: int


@dataclass(frozen=True, slots=True)
class Match:
    """The first text of an array that compares with another."""

    operator: str
    text: str


OldPath = tuple[Key | Element | Match, ...]


@dataclass(frozen=True, slots=True)
class RoleClaimPath:
    """A path in one of the syntaxes; `text` is the canonical way to write it."""

    path: Path | OldPath
    text: str

    @property
    def is_old(self) -> bool:
        """Whether it is in the older syntax."""
        return not isinstance(self.path, Path)


_KEY = re.compile(r"\.(?:([\w$@]+)|\"([^\"]*)\")")
_PLACE = re.compile(r"\[([0-9]+)\]")
_MATCH = re.compile(r"\[\?\(@\s*(==\^|==|!=|\^==|\*==)\s*\"([^\"]*)\"\)\]$")


def parse_role_claim_path(text: str) -> RoleClaimPath:
    """Read a path in either syntax, or raise RoleClaimError."""
    try:
        path = parse_json_path(text)
    except JsonPathError:
        return _old_path(text)
    return RoleClaimPath(path, text_of(path))


def find_roles(path: RoleClaimPath, claims: dict[str, Any]) -> list[Any]:
    """The values that the path selects; null is a value like any other."""
    if isinstance(path.path, Path):
        return find(path.path, claims)
    found: list[Any] = [claims]
    for step in path.path:
        found = [inner for one in found for inner in _stepped(step, one)]
    return found


def _old_path(text: str) -> RoleClaimPath:
    steps: list[Key | Element | Match] = []
    written: list[str] = []
    position = 0
    while position < len(text):
        if found := _KEY.match(text, position):
            name = found.group(1) or found.group(2) or ""
            steps.append(Key(name))
            written.append(f'."{name}"')
        elif found := _PLACE.match(text, position):
            steps.append(Element(int(found.group(1))))
            written.append(f"[{int(found.group(1))}]")
        elif found := _MATCH.match(text, position):
            steps.append(Match(found.group(1), found.group(2)))
            written.append(f'[?(@ {found.group(1)} "{found.group(2)}")]')
        else:
            raise RoleClaimError(text)
        position = found.end()
    if not steps:
        raise RoleClaimError(text)
    return RoleClaimPath(tuple(steps), "".join(written))


def _stepped(step: Key | Element | Match, value: Any) -> list[Any]:
    match step, value:
        case Key(name), dict():
            members = cast("dict[str, Any]", value)
            return [members[name]] if name in members else []
        case Element(index), list():
            return cast("list[Any]", value)[index:][:1]
        case Match(), list():
            texts = (one for one in cast("list[Any]", value) if isinstance(one, str))
            return [one for one in texts if _matches(step, one)][:1]
        case _:
            return []


def _matches(wanted: Match, text: str) -> bool:
    match wanted.operator:
        case "==":
            return text == wanted.text
        case "!=":
            return text != wanted.text
        case "^==":
            return text.startswith(wanted.text)
        case "==^":
            return text.endswith(wanted.text)
        case _:
            return wanted.text in text

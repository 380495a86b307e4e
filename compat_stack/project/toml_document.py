"""TOML read with the line of each key, for error messages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

Path = tuple[str, ...]

_DEEPEST = 32
_TOO_DEEP = "values lie too deep inside one another"
_TABLE = re.compile(r"\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$")
_NAME = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_KEY = re.compile(rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=")
_PART = re.compile(_NAME)
_NAMES = re.compile(r"\(('[^()]*',?)\)")  # of a table, in tomllib's sentences
_WHERE = re.compile(r" ?\(at (?:line (\d+), column \d+|end of document)\)")


class BrokenTomlError(ValueError):
    """Not TOML: the reason and the line."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class Document:
    """A document's values, and the lines on which tables begin and keys stand."""

    tree: Mapping[str, Any]
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int:
        """The line of a key, or of the nearest table around it."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return 1

    def table(self, path: Path) -> Mapping[str, Any]:
        """The table at a path; empty where there is none."""
        found: Any = self.tree
        for part in path:
            found = cast("Mapping[str, Any]", found).get(part) if isinstance(found, dict) else None
        return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}

    def leaves(self) -> Iterator[tuple[Path, Any]]:
        """Every value that is no table, and every table that is empty, with its path."""
        return _leaves(self.tree, ())


def read_document(text: str) -> Document:
    """Read TOML; BrokenTomlError names the line."""
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _WHERE.search(str(error))
        line = int(found[1]) if found and found[1] else text.count("\n") + 1
        reason = _NAMES.sub(
            lambda found: f"[{'.'.join(_parts(found[1]))}]", _WHERE.sub("", str(error))
        )
        raise BrokenTomlError(reason[:1].lower() + reason[1:], line) from error
    except RecursionError as error:
        raise BrokenTomlError(_TOO_DEEP, 1) from error
    if _is_too_deep(tree):
        raise BrokenTomlError(_TOO_DEEP, 1)
    return Document(tree, _lines(text))


def _is_too_deep(tree: Mapping[str, Any]) -> bool:
    """Whether tables are nested deeper than any option of the CLI."""
    level: list[Any] = [tree]
    for _ in range(_DEEPEST):
        children = (child for parent in level for child in parent.values())
        level = [child for child in children if isinstance(child, dict)]
    return bool(level)


def _leaves(table: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for name, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(cast("Mapping[str, Any]", value), (*path, name))
        else:
            yield (*path, name), value


def _lines(text: str) -> dict[Path, int]:
    found: dict[Path, int] = {}
    table: Path = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            table = _parts(header[1])
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, *_parts(key[1])), number)
    return found


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))

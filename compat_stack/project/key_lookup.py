"""The row of a key of config.toml, its variable, and the table that switches it on or off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from compat_stack.project.keys import NAMES, ROWS, SWITCHED, Row
from compat_stack.project.toml_document import Path

ROW_BY_KEY: Mapping[str, Row] = {row.key: row for row in ROWS}


def row_of(key: str) -> Row | None:
    """The row of a key as it is written, else the first whose pattern `a.*.b` it matches."""
    row = ROW_BY_KEY.get(key)
    if row is not None:
        return row
    parts = key.split(".")
    for candidate in ROWS:
        pattern = candidate.key.split(".")
        if "*" in pattern and len(pattern) <= len(parts) and _matches(pattern, parts):
            return candidate
    return None


def _matches(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether a key is of a pattern; what the star stands for may have dots in it."""
    star = pattern.index("*")
    end = len(parts) - (len(pattern) - star - 1)
    name = ".".join(parts[star:end])
    allowed = NAMES.get(".".join(pattern[:star]))
    return (
        list(parts[:star]) == list(pattern[:star])
        and list(parts[end:]) == list(pattern[star + 1 :])
        and bool(name)
        and (allowed is None or name in allowed)
    )


def names_table(path: Path) -> bool:
    """Whether there are keys below a path, such that the table may be empty."""
    below = (*path, "*")
    return any(
        len(row.key.split(".")) >= len(below)
        and all(fnmatchcase(a, b) for a, b in zip(path, row.key.split("."), strict=False))
        for row in ROWS
    )


def variable_of(row: Row, path: Path) -> str:
    """The row's variable, with the name that the path has for its star, in capitals."""
    star = row.key.split(".").index("*") if "*" in row.key else None
    name = "" if star is None else path[star].upper()
    return (row.variable or "").replace("*", name)


def switch_of(path: Path) -> str | None:
    """The innermost table around a value that has an `enabled` of its own: `auth.sms.twilio`."""
    for length in range(len(path) - 1, 0, -1):
        table = ".".join(path[:length])
        patterns = [each for each in SWITCHED if len(each.split(".")) == length]
        if any(fnmatchcase(table, pattern) for pattern in patterns):
            return table
    return None

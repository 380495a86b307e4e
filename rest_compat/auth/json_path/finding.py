"""Evaluation of a path in a value."""

from __future__ import annotations

import re
from typing import Any, cast

from rest_compat.auth.json_path.model import (
    All,
    Comparison,
    Condition,
    Either,
    Exists,
    Filter,
    Group,
    Index,
    Literal,
    Name,
    Not,
    Operand,
    Path,
    Search,
    Selector,
    Slice,
    Wildcard,
)

_NOTHING = object()  # the operand of a path that selects nothing; equal to itself alone


def find(path: Path, root: Any, current: Any = None) -> list[Any]:
    """All values that the path selects, in order; `current` is the value of `@`."""
    found = [root if path.from_root else current]
    for segment in path.segments:
        if segment.descends:
            found = [inner for one in found for inner in _within(one)]
        found = [
            value
            for one in found
            for selector in segment.selectors
            for value in _selected(selector, one, root)
        ]
    return found


def _within(value: Any) -> list[Any]:
    if not isinstance(value, dict | list):
        return []
    inner = [deeper for one in _members(cast("Any", value)) for deeper in _within(one)]
    return [cast("Any", value), *inner]


def _members(value: Any) -> list[Any]:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return [members[name] for name in sorted(members)]
    return cast("list[Any]", value) if isinstance(value, list) else []


def _selected(selector: Selector, value: Any, root: Any) -> list[Any]:
    match selector:
        case Name(name):
            has = isinstance(value, dict) and name in value
            return [value[name]] if has else []
        case Index(index):
            has = isinstance(value, list) and -len(cast("list[Any]", value)) <= index
            return cast("list[Any]", value)[index:][:1] if has else []
        case Slice(start, end, step):
            is_slice = isinstance(value, list) and step != 0
            return cast("list[Any]", value)[start:end:step] if is_slice else []
        case Wildcard():
            return _members(value)
        case Filter(condition):
            return [one for one in _members(value) if _holds(condition, one, root)]


def _holds(condition: Condition, current: Any, root: Any) -> bool:
    match condition:
        case Comparison(left, operator, right):
            first, second = _single(left, current, root), _single(right, current, root)
            return _compares(first, operator, second)
        case Search(text, pattern):
            return _is_found(_single(text, current, root), _single(pattern, current, root))
        case Exists(path):
            return bool(find(path, root, current))
        case Not(inner):
            return not _holds(inner, current, root)
        case Group(inner):
            return _holds(inner, current, root)
        case All(conditions):
            return all(_holds(one, current, root) for one in conditions)
        case Either(conditions):
            return any(_holds(one, current, root) for one in conditions)


def _single(operand: Operand, current: Any, root: Any) -> Any:
    if isinstance(operand, Literal):
        return operand.value
    found = find(operand, root, current)
    return found[0] if len(found) == 1 else _NOTHING


def _compares(first: Any, operator: str, second: Any) -> bool:
    match operator:
        case "==":
            return _equals(first, second)
        case "!=":
            return not _equals(first, second)
        case "<":
            return _is_less(first, second)
        case ">":
            return _is_less(second, first)
        case "<=":
            return _is_less(first, second) or _equals(first, second)
        case _:
            return _is_less(second, first) or _equals(first, second)


def _equals(first: Any, second: Any) -> bool:
    # In Python true equals 1.
    return isinstance(first, bool) == isinstance(second, bool) and first == second


def _is_less(first: Any, second: Any) -> bool:
    if isinstance(first, str) and isinstance(second, str):
        return first < second
    return _is_number(first) and _is_number(second) and first < second


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_found(text: Any, pattern: Any) -> bool:
    if not isinstance(text, str) or not isinstance(pattern, str):
        return False
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return False

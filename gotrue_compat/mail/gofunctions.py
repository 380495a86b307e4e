"""The functions of Go's templates, as far as they make sense for texts.

Escaped results are `Safe`: they are not escaped once more.
"""

from __future__ import annotations

import html
import json
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote_plus

_VERB = re.compile(r"%([-+0]?)(\d*)(?:\.(\d+))?([svdqtfx%])")
_LONGEST = 10_000  # characters of a padded value


@dataclass(frozen=True, slots=True)
class Safe:
    """Text that is HTML already."""

    text: str

    def __str__(self) -> str:
        return self.text


def plain(value: Any) -> str:
    """A value as Go writes it; nothing for what is not there."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        members = sorted(cast("Mapping[str, Any]", value).items())
        return f"map[{' '.join(f'{name}:{plain(member)}' for name, member in members)}]"
    if isinstance(value, list | tuple):
        return f"[{' '.join(map(plain, cast('Sequence[Any]', value)))}]"
    return str(value)


def _equals(first: Any, *others: Any) -> bool:
    if not others:
        raise TypeError("eq needs two values")
    return any(first == other for other in others)


def _index(value: Any, *keys: Any) -> Any:
    for key in keys:
        if isinstance(value, Mapping):
            value = cast("Mapping[Any, Any]", value).get(key, "")
        else:
            value = cast("Sequence[Any]", value)[_position(key)]
    return value


def _slice(value: Any, *ends: Any) -> Any:
    start, stop = (*map(_position, ends), None, None)[:2]
    return value[start:stop]


def _position(key: Any) -> int:
    if not isinstance(key, int) or key < 0:
        raise IndexError(key)
    return key


def _printf(form: str, *values: Any) -> str:
    """Go's `Sprintf` for its usual verbs."""
    rest = list(values)

    def shown(found: re.Match[str]) -> str:
        flag, width, digits, verb = found.groups()
        if verb == "%":
            return "%"
        if not rest:
            return f"%!{verb}(MISSING)"
        text = _formatted(verb, rest.pop(0), digits)
        room = min(int(width or 0), _LONGEST)
        if flag == "-":
            return text.ljust(room)
        return text.zfill(room) if flag == "0" else text.rjust(room)

    return _VERB.sub(shown, form)


def _formatted(verb: str, value: Any, digits: str | None) -> str:
    if verb == "q":
        return json.dumps(plain(value), ensure_ascii=False)
    if verb == "d":
        return str(int(value))
    if verb == "x":
        return format(value, "x") if isinstance(value, int) else plain(value).encode().hex()
    if verb == "f":
        return f"{float(value):.{min(int(digits or 6), 50)}f}"
    text = plain(value)
    return text[: int(digits)] if digits else text


def _print(*values: Any) -> str:
    """Go's `Sprint`: a blank between two values neither of which is text."""
    parts: list[str] = []
    for at, value in enumerate(values):
        if at and not isinstance(value, str) and not isinstance(values[at - 1], str):
            parts.append(" ")
        parts.append(plain(value))
    return "".join(parts)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "eq": _equals,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "not": operator.not_,
    "and": lambda *values: next((v for v in values if not v), values[-1]),
    "or": lambda *values: next((v for v in values if v), values[-1]),
    "len": len,
    "index": _index,
    "slice": _slice,
    "print": _print,
    "println": lambda *values: " ".join(map(plain, values)) + "\n",
    "printf": _printf,
    "html": lambda *values: Safe(html.escape(_print(*values))),
    "js": lambda *values: json.dumps(_print(*values))[1:-1],
    "urlquery": lambda *values: Safe(quote_plus(_print(*values))),
}

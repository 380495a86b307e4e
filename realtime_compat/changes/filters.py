"""The filter grammar `col=op.value[,col=op.value…]` (realtime reference 10, filters)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS = frozenset(
    {"eq", "neq", "lt", "lte", "gt", "gte", "in", "like", "ilike", "match", "imatch", "is"}
    | {"isdistinct"}
)
NEGATION = "not."

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ELIXIR_ESCAPES = str.maketrans(
    {"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t", "\r": r"\r", "\0": r"\0"}
)


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a column; for `in` the value is an array literal `{…}`."""

    column: str
    op: str
    value: str
    negate: bool = False


class FilterError(Exception):
    """A filter that cannot be parsed; the message is for the client."""


def parse_filter(text: str) -> tuple[Condition, ...]:
    """Parse a filter; blank text is none. Raises FilterError."""
    if not text.strip():
        return ()
    parts = [part.strip() for part in _split(text)]
    if not all(parts):
        raise _error("filter must not contain empty segments (check for extra commas)")
    return tuple(_condition(part) for part in parts)


def elixir_text(text: str) -> str:
    """Text as the original's messages show it, in double quotes."""
    return f'"{text.translate(_ELIXIR_ESCAPES)}"'.replace("#{", "\\#{")


def elixir_list(texts: Iterator[str] | tuple[str, ...] | list[str]) -> str:
    """A list of texts as the original's messages show it."""
    return f"[{', '.join(elixir_text(text) for text in texts)}]"


def _error(what: str) -> FilterError:
    return FilterError(f"Error parsing `filter` params: {what}")


def _split(text: str) -> Iterator[str]:
    """Cut at commas outside parentheses and quotes; a quote opens only behind `.`, `(` or `,`."""
    depth = 0
    start = position = 0
    while position < len(text):
        char = text[position]
        if char == '"' and position and text[position - 1] in ".(,":
            position = _end_of_quote(text, position)
            continue
        if char == "(":
            depth += 1
        elif char == ")":
            depth = max(0, depth - 1)
        elif char == "," and depth == 0:
            yield text[start:position]
            start = position + 1
        position += 1
    yield text[start:]


def _end_of_quote(text: str, start: int) -> int:
    """The position behind a quoted stretch; an unterminated quote is an ordinary character."""
    match = _QUOTED.match(text, start)
    return match.end() if match else start + 1


def _condition(part: str) -> Condition:
    column, equals, rest = part.partition("=")
    if not equals:
        raise _error(elixir_list([part]))
    is_negated = rest.startswith(NEGATION)
    op, dot, value = rest.removeprefix(NEGATION).partition(".")
    if not dot or op not in OPERATORS:
        raise _error(elixir_list([op, value] if dot else [op]))
    if op == "in":
        if not (value.startswith("(") and value.endswith(")")):
            raise _error("`in` filter value must be wrapped by parentheses")
        return Condition(column, op, "{" + value[1:-1] + "}", is_negated)
    return Condition(column, op, _unquoted(value), is_negated)


def _unquoted(value: str) -> str:
    match = _QUOTED.fullmatch(value)
    return _ESCAPE.sub(r"\1", match.group(1)) if match else value

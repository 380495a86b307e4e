"""The statements of an SQL script, found without understanding them.

Only what can hide a semicolon is known: strings, quoted names, dollar quotes and comments. Bodies
after `begin atomic` come as several statements; whoever looks for a statement by its first words
is not misled by that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A string with backslashes is one that begins with E; what has no end goes to the end of the text.
_HIDDEN = re.compile(
    r"--[^\n]*"
    r"|/\*"
    r"|(?<![\w$])[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z)"
    r"|'[^']*(?:'|\Z)"
    r'|"[^"]*(?:"|\Z)'
    r"|(?<![\w$])\$(?P<tag>[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)?\$"
    r"|;",
    re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_BLANK = re.compile(r"(?:\s+|--[^\n]*)+")


@dataclass(frozen=True, slots=True)
class Span:
    """A statement's place in the script, from its first word to before its semicolon."""

    start: int
    end: int


def statements(script: str) -> Iterator[Span]:
    """The places of a script's statements, in their order; comments before them are left out."""
    begin = position = 0
    while (found := _HIDDEN.search(script, position)) is not None:
        position = found.end()
        if found[0] == ";":
            yield from _span(script, begin, found.start())
            begin = position
        elif found[0] == "/*":
            position = _comment_end(script, position)
        elif found[0].endswith("$"):
            closing = script.find(found[0], position)
            position = len(script) if closing < 0 else closing + len(found[0])
    yield from _span(script, begin, len(script))


def _span(script: str, begin: int, end: int) -> Iterator[Span]:
    while begin < end:
        blank = _BLANK.match(script, begin, end)
        if blank is not None:
            begin = blank.end()
        elif script.startswith("/*", begin):
            begin = _comment_end(script, begin + 2)
        else:
            yield Span(begin, end)
            return


def _comment_end(script: str, position: int) -> int:
    """Where a comment of the form /* … */ ends, which may hold others."""
    depth = 1
    while depth and (edge := _COMMENT_EDGE.search(script, position)) is not None:
        depth += 1 if edge[0] == "/*" else -1
        position = edge.end()
    return len(script) if depth else position

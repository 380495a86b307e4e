"""A script of SQL split into its statements, as the Supabase CLI records them.

Semicolons in strings, quoted names, comments, dollar quotes and `begin atomic` bodies end nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<line>--[^\n]*)
  | (?P<block>/\*)
  | (?P<escape>\b[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z))
  | (?P<string>'(?:[^']|'')*(?:'|\Z))
  | (?P<name>"(?:[^"]|"")*(?:"|\Z))
  | (?P<dollar>(?<![\w$])\$(?:[A-Za-z_\u0080-\U0010ffff][\w]*)?\$)
  | (?P<atomic>\bbegin\s+atomic\b)
  | (?P<case>\bcase\b)
  | (?P<end>\bend\b)
  | (?P<semicolon>;)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_BLOCK = re.compile(r"/\*|\*/")
_BLANK = re.compile(r"(?:\s+|--[^\n]*)+")


@dataclass(frozen=True, slots=True)
class ScriptStatement:
    """One statement without its semicolon, and the number of the line on which it begins."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Span:
    """A statement's place in its script, without its semicolon."""

    start: int
    end: int


def statement_spans(script: str, begin: int = 0) -> Iterator[Span]:
    """The places of a script's statements, from `begin` on; leading comments are left out."""
    for end in _ends(script, begin):
        yield from _span(script, begin, end - 1)
        begin = end
    yield from _span(script, begin, len(script))


def split_statements(script: str) -> tuple[ScriptStatement, ...]:
    """The statements of a script, each with the comments before it."""
    found: list[ScriptStatement] = []
    start, line = 0, 1
    for end in (*_ends(script), len(script)):
        part = script[start:end]
        text = part.strip().strip(";").strip()
        if text:
            before = len(part) - len(part.lstrip())
            found.append(ScriptStatement(text, line + part.count("\n", 0, before)))
        line += part.count("\n")
        start = end
    return tuple(found)


def pieces(script: str, size: int) -> Iterator[tuple[int, str]]:
    """A script in pieces of whole statements, of at least `size` characters, each with its place.

    A shorter script is one piece, and not parsed.
    """
    start = 0
    if len(script) > size:
        for end in _ends(script):
            if end - start >= size:
                yield start, script[start:end]
                start = end
    yield start, script[start:]


def _span(script: str, begin: int, end: int) -> Iterator[Span]:
    while begin < end:
        blank = _BLANK.match(script, begin, end)
        if blank is not None:
            begin = blank.end()
        elif script.startswith("/*", begin):
            begin = _after_block(script, begin + 2)
        else:
            yield Span(begin, end)
            return


def _ends(script: str, at: int = 0) -> Iterator[int]:
    """The positions behind semicolons that end a statement."""
    depth = 0  # of `case … end` within `begin atomic … end`
    while (token := _TOKEN.search(script, at)) is not None:
        at = token.end()
        kind = token.lastgroup
        if kind == "block":
            at = _after_block(script, at)
        elif kind == "dollar":
            close = script.find(token[0], at)
            at = len(script) if close < 0 else close + len(token[0])
        elif kind == "atomic" or (kind == "case" and depth):
            depth += 1
        elif kind == "end" and depth:
            depth -= 1
        elif kind == "semicolon" and not depth:
            yield at


def _after_block(script: str, at: int) -> int:
    """Where a comment ends; comments nest."""
    depth = 1
    while depth and (mark := _BLOCK.search(script, at)) is not None:
        depth += 1 if mark[0] == "/*" else -1
        at = mark.end()
    return len(script) if depth else at

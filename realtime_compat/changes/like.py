"""Patterns of LIKE, matched in time that grows with the text alone."""

from __future__ import annotations

import re

GRAM = 3  # symbols by which a pattern is found
_LONG = 16_384  # symbols of a text; `_` may cost as many steps at each as its piece is long
_MANY_SYMBOLS = 64


class Like:
    """A LIKE pattern as the pieces between its `%`: each is searched once, from left to right.

    The leftmost match of each piece is as good as any, so there is no backtracking and the time is
    linear in the text.
    """

    __slots__ = ("_first", "_has_wildcard", "_last", "_least", "_middle")

    def __init__(self, pieces: tuple[tuple[str | None, ...], ...]) -> None:
        self._has_wildcard = any(None in piece for piece in pieces)
        self._first, *middle = (_Piece(piece) for piece in pieces)
        self._last = middle.pop() if middle else None
        self._middle = [piece for piece in middle if piece.length]
        self._least = sum(map(len, pieces))

    def test(self, value: str) -> bool | None:
        """Whether the text matches; unknown where that would take long."""
        if self._has_wildcard and len(value) > _LONG:
            return None
        first, last, end = self._first, self._last, len(value)
        if last is None:
            return end == first.length and first.is_at(value, 0)
        if end < self._least or not first.is_at(value, 0):
            return False
        end -= last.length
        position = first.length
        for piece in self._middle:
            found = piece.find(value, position, end)
            if found < 0:
                return False
            position = found + piece.length
        return last.is_at(value, end)


class _Piece:
    """Symbols of a LIKE pattern in a row; `_` (any symbol) is None among them."""

    __slots__ = ("_expression", "_text", "length")

    def __init__(self, symbols: tuple[str | None, ...]) -> None:
        self.length = len(symbols)
        self._text = "".join(symbol or "" for symbol in symbols)
        self._expression = (
            re.compile("".join("." if s is None else re.escape(s) for s in symbols), re.DOTALL)
            if None in symbols
            else None
        )

    def is_at(self, value: str, position: int) -> bool:
        """Whether the piece matches at a position."""
        if self._expression is None:
            return value.startswith(self._text, position)
        return self._expression.match(value, position) is not None

    def find(self, value: str, start: int, end: int) -> int:
        """The first match between two positions, or -1."""
        if self._expression is None:
            return value.find(self._text, start, end)
        found = self._expression.search(value, start, end)
        return found.start() if found else -1


def like_pieces(pattern: str) -> list[tuple[str | None, ...]] | None:
    """The pieces between `%`; None for a pattern that ends in its escape character, or is long."""
    pieces: list[list[str | None]] = [[]]
    symbols = iter(pattern)
    for symbol in symbols:
        if symbol == "\\":
            following = next(symbols, None)
            if following is None:
                return None
            pieces[-1].append(following)
        elif symbol == "%":
            pieces.append([])
        else:
            pieces[-1].append(None if symbol == "_" else symbol)
    if any(None in piece and len(piece) > _MANY_SYMBOLS for piece in pieces):
        return None
    return [tuple(piece) for piece in pieces]


def rarest_gram(pattern: str) -> str | None:
    """A trigram that every matching text has; None where the pattern needs none.

    The last of its longest part without wildcards: the difference between the patterns of many
    callers (a number, an id) is rather there than at the beginning.
    """
    pieces = like_pieces(pattern)
    if pieces is None:
        return None
    runs = ("".join(s for s in piece if s) for piece in pieces if None not in piece)
    longest = max(runs, key=len, default="")
    return longest[-GRAM:] if len(longest) >= GRAM else None


def grams_of(text: str) -> set[str]:
    """All trigrams of a text."""
    return {text[start : start + GRAM] for start in range(len(text) - GRAM + 1)}

"""Text → path: the grammar of RFC 9535, with `search()` for a function."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from compat_base.values import jsontext
from rest_compat.auth.json_path.model import (
    All,
    Comparison,
    Condition,
    Either,
    Exists,
    Filter,
    Group,
    Index,
    JsonPathError,
    Literal,
    Name,
    Not,
    Operand,
    Path,
    Search,
    Segment,
    Selector,
    Slice,
    Wildcard,
)

T = TypeVar("T")

_BLANKS = re.compile(r"[ \t\r\n]*")
_DOTTED_NAME = re.compile(r"[A-Za-z_\u0080-\U0010ffff][\w\u0080-\U0010ffff]*")
_STRING = re.compile(
    r"'(?:[^'\\\x00-\x1f]|\\['bfnrt/\\]|\\u[0-9A-Fa-f]{4})*'"
    r'|"(?:[^"\\\x00-\x1f]|\\["bfnrt/\\]|\\u[0-9A-Fa-f]{4})*"'
)
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,15}")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS: tuple[tuple[str, Any], ...] = (("true", True), ("false", False), ("null", None))
_COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")


def parse_json_path(text: str) -> Path:
    """Read a whole path, which begins with `$`; JsonPathError where it is none."""
    reader = _Reader(text)
    path = reader.path("$")
    if reader.position != len(text):
        raise JsonPathError(text)
    return path


class _Reader:
    """A recursive-descent parser: each method reads its part from `position` on, or raises."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def path(self, start: str) -> Path:
        self._expect(start)
        segments: list[Segment] = []
        while (segment := self._attempt(self._spaced_segment)) is not None:
            segments.append(segment)
        return Path(tuple(segments), from_root=start == "$")

    def _spaced_segment(self) -> Segment:
        self._blanks()
        descends = self._take("..")
        if self._take("["):
            return Segment(self._selectors(), descends)
        if not descends:
            self._expect(".")
        if self._take("*"):
            return Segment((Wildcard(dotted=True),), descends)
        return Segment((Name(self._match(_DOTTED_NAME), dotted=True),), descends)

    def _selectors(self) -> tuple[Selector, ...]:
        selectors: list[Selector] = []
        while True:
            self._blanks()
            selectors.append(self._selector())
            self._blanks()
            if self._take("]"):
                return tuple(selectors)
            self._expect(",")

    def _selector(self) -> Selector:
        if self._take("*"):
            return Wildcard()
        if self._take("?"):
            self._blanks()
            return Filter(self._either())
        if self.text[self.position : self.position + 1] in {"'", '"'}:
            return Name(self._string())
        return self._attempt(self._slice) or Index(int(self._match(_INTEGER)))

    def _slice(self) -> Slice:
        start = self._bound()
        self._expect(":")
        self._blanks()
        end = self._bound()
        step = None
        if self._take(":"):
            self._blanks()
            step = self._bound()
        return Slice(start, end, 1 if step is None else step)

    def _bound(self) -> int | None:
        found = _INTEGER.match(self.text, self.position)
        if found is None:
            return None
        self.position = found.end()
        self._blanks()
        return int(found.group())

    # ── conditions ─────────────────────────────────────────────────────────────────────────────

    def _either(self) -> Condition:
        conditions = self._joined(self._all, "||")
        return conditions[0] if len(conditions) == 1 else Either(conditions)

    def _all(self) -> Condition:
        conditions = self._joined(self._basic, "&&")
        return conditions[0] if len(conditions) == 1 else All(conditions)

    def _joined(self, read: Callable[[], Condition], mark: str) -> tuple[Condition, ...]:
        def another() -> Condition:
            self._blanks()
            self._expect(mark)
            self._blanks()
            return read()

        conditions = [read()]
        while (condition := self._attempt(another)) is not None:
            conditions.append(condition)
        return tuple(conditions)

    def _basic(self) -> Condition:
        return self._attempt(self._comparison) or self._negated()

    def _negated(self) -> Condition:
        is_negated = self._take("!")
        if is_negated:
            self._blanks()
        condition = self._attempt(self._group) or self._attempt(self._search) or self._exists()
        return Not(condition) if is_negated else condition

    def _group(self) -> Condition:
        self._expect("(")
        self._blanks()
        condition = self._either()
        self._blanks()
        self._expect(")")
        return Group(condition)

    def _search(self) -> Condition:
        self._expect("search(")
        self._blanks()
        text = self._operand()
        self._blanks()
        self._expect(",")
        self._blanks()
        pattern = self._operand()
        self._blanks()
        self._expect(")")
        return Search(text, pattern)

    def _exists(self) -> Condition:
        return Exists(self._attempt(lambda: self.path("$")) or self.path("@"))

    def _comparison(self) -> Condition:
        left = self._operand()
        self._blanks()
        operator = next((one for one in _COMPARISONS if self._take(one)), None)
        if operator is None:
            raise JsonPathError(self.text)
        self._blanks()
        return Comparison(left, operator, self._operand())

    def _operand(self) -> Operand:
        for word, value in _WORDS:
            if self._take(word):
                return Literal(value)
        if self.text[self.position : self.position + 1] in {"'", '"'}:
            return Literal(self._string())
        if self.text[self.position : self.position + 1] in {"$", "@"}:
            return self.path(self.text[self.position])
        return Literal(jsontext.decode(self._match(_NUMBER)))

    # ── pieces of text ─────────────────────────────────────────────────────────────────────────

    def _string(self) -> str:
        inner = self._match(_STRING)[1:-1].replace("\\'", "'")
        try:
            return jsontext.decode(re.sub(r'(?<!\\)((?:\\\\)*)"', r'\1\\"', inner).join('""'))
        except jsontext.InvalidJsonError as error:
            raise JsonPathError(self.text) from error

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.position)
        if found is None:
            raise JsonPathError(self.text)
        self.position = found.end()
        return found.group()

    def _blanks(self) -> None:
        self._match(_BLANKS)

    def _take(self, mark: str) -> bool:
        is_there = self.text.startswith(mark, self.position)
        self.position += len(mark) * is_there
        return is_there

    def _expect(self, mark: str) -> None:
        if not self._take(mark):
            raise JsonPathError(self.text)

    def _attempt(self, read: Callable[[], T]) -> T | None:
        """What is read, or None with the position as it was."""
        before = self.position
        try:
            return read()
        except JsonPathError:
            self.position = before
            return None

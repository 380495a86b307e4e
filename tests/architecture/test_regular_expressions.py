"""The time of a regular expression grows with its text alone, whatever the text is.

Python's matcher holds the interpreter while it runs: one that tries each way to split a run of
blanks between two repeats takes half a minute for 20 KB, and nobody is served meanwhile.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from re import _constants as codes  # pyright: ignore[reportAttributeAccessIssue] — how `re` parses
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue] — is not public
from typing import Any

import pytest

# What reads requests. Migrations, project folders and archives are the operator's own.
PACKAGES = (
    "compat_base.server", "compat_base.values", "gotrue_compat", "rest_compat", "realtime_compat",
    "storage_compat", "compat_stack.gateway", "compat_stack.network", "compat_stack.observe",
)  # fmt: skip
OTHER = 256  # stands for every character beyond Latin-1
EVERY = frozenset(range(OTHER + 1))
FEW = 1_000  # repeats up to which a bound is one
CLASSES = {"SPACE": r"\s", "DIGIT": r"\d", "WORD": r"\w"}
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)

Characters = frozenset[int]


@dataclass(frozen=True)
class Part:
    """What a part of an expression begins with, and the repeats at its two ends, by character."""

    first: Characters = frozenset()
    alone: Characters = frozenset()  # what it matches as a text of one character
    is_empty: bool = True  # whether it matches no character too
    heads: tuple[Characters, ...] = ()
    tails: tuple[Characters, ...] = ()


def ambiguous(pattern: str | bytes, flags: int = 0) -> bool:
    """Whether two repeats side by side, or a repeat and its next round, share a character.

    A possessive repeat, or an atomic group, gives nothing back and is no such one.
    """
    flags &= ~re.UNICODE if isinstance(pattern, bytes) else ~0
    found: list[Characters] = []
    _sequence(parser.parse(pattern, flags), flags, found)
    return bool(found)


def _sequence(tree: Iterable[tuple[Any, Any]], flags: int, found: list[Characters]) -> Part:
    whole = Part()
    for code, value in tree:
        if code in {codes.AT, codes.ASSERT, codes.ASSERT_NOT}:
            continue
        part = _part(code, value, flags, found)
        found += [tail & head for tail in whole.tails for head in part.heads if tail & head]
        whole = Part(
            whole.first | (part.first if whole.is_empty else frozenset()),
            (part.alone if whole.is_empty else frozenset())
            | (whole.alone if part.is_empty else frozenset()),
            whole.is_empty and part.is_empty,
            whole.heads + (part.heads if whole.is_empty else ()),
            part.tails + (whole.tails if part.is_empty else ()),
        )
    return whole


def _part(code: Any, value: Any, flags: int, found: list[Characters]) -> Part:
    if code in REPEATS:
        return _repeat(code, value, flags, found)
    if code is codes.SUBPATTERN:
        return _sequence(value[3], (flags | value[1]) & ~value[2], found)
    if code is codes.ATOMIC_GROUP:
        part = _sequence(value, flags, found)
        return Part(part.first, part.alone, part.is_empty, part.heads)
    if code is codes.BRANCH:
        parts = [_sequence(each, flags, found) for each in value[1]]
        return Part(
            frozenset().union(*(part.first for part in parts)),
            frozenset().union(*(part.alone for part in parts)),
            any(part.is_empty for part in parts),
            sum((part.heads for part in parts), ()),
            sum((part.tails for part in parts), ()),
        )
    one = _one(code, value, flags)
    return Part(one, one, is_empty=False)


def _repeat(code: Any, value: Any, flags: int, found: list[Characters]) -> Part:
    least, most, body = value
    part = _sequence(body, flags, found)
    is_empty = least == 0 or part.is_empty
    if most is not codes.MAXREPEAT and most <= FEW:
        return Part(part.first, part.alone, is_empty, part.heads, part.tails)
    if code is codes.POSSESSIVE_REPEAT:
        return Part(part.first, part.alone, is_empty, (*part.heads, part.alone))
    found += [tail & part.first for tail in part.tails if tail & part.first]
    ends = (part.alone,) if part.alone else ()
    return Part(part.first, part.alone, is_empty, ends + part.heads, ends + part.tails)


def _one(code: Any, value: Any, flags: int) -> Characters:
    """The characters of an item that matches one."""
    if code is codes.ANY:
        return EVERY if flags & re.DOTALL else EVERY - {ord("\n")}
    if code is codes.NOT_LITERAL:
        return EVERY - _members([(codes.LITERAL, value)], flags)
    return _members(value if code is codes.IN else [(code, value)], flags)


def _members(items: Iterable[tuple[Any, Any]], flags: int) -> Characters:
    found: set[int] = set()
    is_negated = False
    for code, value in items:
        if code is codes.NEGATE:
            is_negated = True
        elif code is codes.RANGE:
            found.update(range(value[0], min(value[1], OTHER) + 1))
        elif code is codes.CATEGORY:
            found |= _category(str(value))
        else:
            assert code is codes.LITERAL, code
            found.add(min(value, OTHER))
    if flags & re.IGNORECASE:
        cased = [chr(each) for each in found if chr(each).isascii() and chr(each).isalpha()]
        found.update(ord(each.swapcase()) for each in cased)
    return frozenset(EVERY - found if is_negated else found)


def _category(name: str) -> Characters:
    kind = name.rpartition("_")[2]
    members = {each for each in range(OTHER) if re.match(CLASSES[kind], chr(each))}
    members |= {OTHER} if kind != "SPACE" else set()
    return EVERY - members if "_NOT_" in name else frozenset(members)


def _patterns_in(value: object, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    """The expressions in a module's value: alone, in a collection, in a record."""
    if isinstance(value, re.Pattern):
        yield value
        return
    parts: Iterable[object] = ()
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, tuple | list | set | frozenset):
        parts = value
    elif is_dataclass(value) and not isinstance(value, type):
        parts = (getattr(value, each.name, None) for each in fields(value))
    if depth:
        for part in list(parts)[:500]:
            yield from _patterns_in(part, depth - 1)


def _all_patterns() -> dict[re.Pattern[Any], str]:
    found: dict[re.Pattern[Any], str] = {}
    for name in PACKAGES:
        package = importlib.import_module(name)
        names = [name, *(each.name for each in pkgutil.walk_packages(package.__path__, f"{name}."))]
        for module in (importlib.import_module(each) for each in names if "__main__" not in each):
            for key, value in vars(module).items():
                for pattern in _patterns_in(value):
                    found.setdefault(pattern, f"{module.__name__}.{key}")
    return found


def test_no_expression_that_reads_requests_has_two_ways_to_read_a_run():
    patterns = _all_patterns()
    assert len(patterns) > 100
    assert [
        place for pattern, place in patterns.items() if ambiguous(pattern.pattern, pattern.flags)
    ] == []


@pytest.mark.parametrize(
    "pattern",
    [r"\s*\s*x", r"a*(b?)a*c", r"(a+)+x", r"(?:,\w+=[^$]*)*\$", r"[0-9]+\.?[0-9]*x", r"x*?\w+y"],
)
def test_two_ways_to_read_a_run_are_found(pattern: str):
    assert ambiguous(pattern)


@pytest.mark.parametrize(
    "pattern", [r"\s*+\s*x", r"\d+(\.\d*)?x", r"(?:[a-z]\.)+[a-z]+", r"(?:[^\"]|\"\")*\"", r"a*\d+"]
)
def test_a_run_that_is_read_in_one_way_is_none(pattern: str):
    assert not ambiguous(pattern)

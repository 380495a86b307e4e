"""Nearest names for hints: n-gram cosine similarity refined by edit distance.

The score of two texts is 1 for equal, and a hint is given from a threshold on; the measure is
that of Levenshtein's distance relative to the longer text, over the candidates that share
2- or 3-grams with the wanted name (rest reference 3.3, 9.4 and 13.7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import sqrt

_LONGEST = 1_000  # characters of the wanted name: the time grows with the product of both lengths
HINT_SCORE = 0.75
LOOSE_SCORE = 0.33


def nearest(candidates: Iterable[str], wanted: str, least: float) -> str | None:
    """The candidate most like the wanted text, if its score reaches `least`."""
    found = ranked(candidates, wanted, least)
    return found[0][1] if found else None


def ranked(candidates: Iterable[str], wanted: str, least: float) -> tuple[tuple[float, str], ...]:
    """All candidates that reach the score, best first."""
    by_folded: dict[str, str] = {}
    for candidate in candidates:
        by_folded.setdefault(candidate.lower(), candidate)
    folded = wanted.lower()
    if folded in by_folded:
        return ((1.0, by_folded[folded]),)
    if len(folded) > _LONGEST or not any(_may_score(folded, each, least) for each in by_folded):
        return ()
    for size in (3, 2):
        scored = _scored(by_folded, folded, size, least)
        if scored:
            return scored
    return ()


def _scored(
    by_folded: dict[str, str], wanted: str, size: int, least: float
) -> tuple[tuple[float, str], ...]:
    grams = _grams(wanted, size)
    length = _norm(grams)
    close: list[tuple[float, str]] = []
    for folded in by_folded:
        other = _grams(folded, size)
        shared = sum(count * other[gram] for gram, count in grams.items() if gram in other)
        if shared:
            close.append((shared / (length * _norm(other)), folded))
    close.sort(reverse=True)
    scored = [
        (_edit_score(wanted, folded), by_folded[folded])
        for _, folded in close[:50]
        if _may_score(wanted, folded, least)
    ]
    scored.sort(key=lambda entry: -entry[0])
    return tuple(entry for entry in scored if entry[0] >= least)


def _grams(text: str, size: int) -> Counter[str]:
    kept = "".join(mark for mark in text if mark.isalnum() or mark.isspace() or mark == ",")
    padded = f"-{kept}-"
    return Counter(padded[start : start + size] for start in range(len(padded) - size + 1))


def _norm(grams: Counter[str]) -> float:
    return sqrt(sum(count * count for count in grams.values()))


def _may_score(left: str, right: str, least: float) -> bool:
    """Whether the lengths alone leave a score that high: they are the least distance."""
    shorter, longer = sorted((len(left), len(right)))
    return shorter >= least * longer


def _edit_score(left: str, right: str) -> float:
    longest = max(len(left), len(right))
    return 1.0 - _distance(left, right) / longest if longest else 1.0


def _distance(left: str, right: str) -> int:
    previous = list(range(len(right) + 1))
    for row, character in enumerate(left, 1):
        current = [row]
        for column, other in enumerate(right, 1):
            substitution = previous[column - 1] + (character != other)
            current.append(min(substitution, previous[column] + 1, current[-1] + 1))
        previous = current
    return previous[-1]

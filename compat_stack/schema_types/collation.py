"""The order of names: the Unicode Collation Algorithm's, as JavaScript's `Intl.Collator` has it.

Letters go by their code points, which is the algorithm's order within nearly every script.
"""

from __future__ import annotations

import unicodedata
from typing import TypeAlias

_SIGNS = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_SIGN, _OTHER_SIGN, _DIGIT, _ALPHABETIC = range(4)

Weight: TypeAlias = tuple[int, int, str]
SortKey: TypeAlias = tuple[list[Weight], list[int], list[bool]]


def collated(name: str) -> SortKey:
    """A sort key: first by characters, then by their accents, then capitals after small letters."""
    characters: list[Weight] = []
    accents: list[int] = []
    capitals: list[bool] = []
    for each in unicodedata.normalize("NFD", name):
        if unicodedata.combining(each):
            accents.append(ord(each))
            continue
        weights = _weights(each)
        characters += weights
        accents += [0] * len(weights)
        capitals += [each.isupper() or len(weights) > 1] * len(weights)
    return characters, accents, capitals


def _weights(character: str) -> list[Weight]:
    """A character's weight; those of its letters where it is several, as the German ß is."""
    if character.isalpha():
        return [(_ALPHABETIC, 0, each) for each in character.casefold()]
    if (digit := unicodedata.digit(character, None)) is not None:
        return [(_DIGIT, digit, "")]
    place = _SIGNS.find(character)
    return [(_SIGN, place, "") if place >= 0 else (_OTHER_SIGN, ord(character), "")]

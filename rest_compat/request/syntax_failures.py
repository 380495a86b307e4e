"""Where parsing went wrong, and the words for it (rest reference 2.10)."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple


class Note(IntEnum):
    """What a message says; also the order in which explanations list them."""

    SYSTEM = 0
    UNEXPECTED = 1
    EXPECTED = 2


class Failure(NamedTuple):
    """Where parsing went wrong, and the messages on it."""

    offset: int
    messages: tuple[tuple[Note, str], ...]


class ParseError(Exception):
    """A text that does not follow its grammar: 1-based line and column, and the explanation."""

    def __init__(self, line: int, column: int, details: str) -> None:
        super().__init__(details)
        self.line = line
        self.column = column
        self.details = details


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset; a tab goes to the next multiple of eight."""
    line = column = 1
    for character in text[:offset]:
        if character == "\n":
            line, column = line + 1, 1
        elif character == "\t":
            column += 8 - (column - 1) % 8
        else:
            column += 1
    return line, column


def explain(failure: Failure) -> str:
    """The failure in words: `unexpected X expecting A, B or C`."""
    texts: dict[Note, list[str]] = {note: [] for note in Note}
    for note, text in failure.messages:
        texts[note].append(text)
    parts: list[str] = []
    if texts[Note.UNEXPECTED]:
        parts.append(f"unexpected {_listed(texts[Note.UNEXPECTED])}")
    elif texts[Note.SYSTEM]:
        parts.append(f"unexpected {texts[Note.SYSTEM][0] or 'end of input'}")
    if any(texts[Note.EXPECTED]):
        parts.append(f"expecting {_listed(texts[Note.EXPECTED])}")
    return " ".join(parts) or "unknown parse error"


def _listed(texts: list[str]) -> str:
    distinct = [text for text in dict.fromkeys(texts) if text]
    if len(distinct) < 2:  # noqa: PLR2004 — one thing needs no "or"
        return "".join(distinct)
    return f"{', '.join(distinct[:-1])} or {distinct[-1]}"


def merged(first: Failure, second: Failure) -> Failure:
    """The one that is further on, or both where they are at one place."""
    if first.messages and not second.messages:
        return first
    if second.messages and not first.messages:
        return second
    if first.offset != second.offset:
        return max(first, second, key=lambda failure: failure.offset)
    return Failure(first.offset, first.messages + second.messages)


_CONTROLS = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "a", "b", "t", "n", "v", "f", "r", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS",
    "RS", "US",
)  # fmt: skip
_ESCAPES = {chr(code): f"\\{name}" for code, name in enumerate(_CONTROLS)} | {
    "\\": "\\\\", "\x7f": "\\DEL",
}  # fmt: skip
# What would read on into an escape is kept apart from it.
_READ_ON = re.compile(r"(\\[0-9]+)\0(?=[0-9])|(\\SO)\0(?=H)|\0")


@lru_cache(maxsize=2_000)  # failures that are only tried show the same few characters
def shown(text: str) -> str:
    """Text in double quotes, with escapes for what is not printable ASCII."""
    pieces = ('\\"' if c == '"' else _escaped(c) for c in text)
    marked = "".join(f"{piece}\0" if len(piece) > 2 else piece for piece in pieces)  # noqa: PLR2004 — longer than one escaped character
    return f'"{_READ_ON.sub(_kept_apart, marked)}"'


def _kept_apart(found: re.Match[str]) -> str:
    escape = found.group(1) or found.group(2)
    return f"{escape}\\&" if escape else ""


def shown_character(character: str) -> str:
    """One character in single quotes."""
    return "'" + ("\\'" if character == "'" else _escaped(character)) + "'"


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if " " <= character <= "~" else f"\\{ord(character)}"

"""Long work in slices: a generator that pauses after each and returns the result at its end.

Whoever drives one decides what happens in the pauses: nothing (`at_once`), or the rest of the
event loop's work (`rest_compat.runtime.round_robin`).
"""

from __future__ import annotations

import codecs
from collections.abc import Generator
from json.encoder import encode_basestring
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Slices: TypeAlias = Generator[None, None, T]

WINDOW = 1 << 15  # bytes of a slice: a few milliseconds at worst


def at_once(work: Slices[T]) -> T:
    """The result of work that is short enough to be done without a pause."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def check_utf8(body: bytes) -> Slices[None]:
    """Raise UnicodeDecodeError where bytes are not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    step = 8 * WINDOW
    for start in range(0, len(body), step):
        decoder.decode(body[start : start + step])
        yield
    decoder.decode(b"", final=True)


def json_string(text: str) -> Slices[str]:
    """A text as a JSON string."""
    if len(text) <= WINDOW:
        return encode_basestring(text)
    pieces: list[str] = []
    for start in range(0, len(text), WINDOW):
        pieces.append(encode_basestring(text[start : start + WINDOW])[1:-1])
        yield
    return f'"{"".join(pieces)}"'

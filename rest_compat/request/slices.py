"""Long work in slices: a generator that pauses after each and returns the result at its end.

The caller decides what happens in the pauses: nothing (`at_once`), or the rest of the
event loop's work (`rest_compat.runtime.round_robin`).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Generator
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Slices: TypeAlias = Generator[None, None, T]

_CONTROLS = bytes(code for code in range(0x20) if code not in b"\r\n")
_ESCAPES = [(b"%c" % code, b"\\u%04x" % code) for code in _CONTROLS]
_NO_CONTROLS = bytes(code for code in range(0x100) if code not in _CONTROLS)
WINDOW = 1 << 15  # bytes of a slice: a few milliseconds at worst
LONGEST_NAME = 1_024  # bytes of a field's, as sent: of PostgreSQL 63, percent-encoded 189
BLANK = b" \t\r\n"  # JSON's
_BLANKS = re.compile(rb"[ \t\r\n]*+")


class LongNameError(Exception):
    """A form or a CSV has a field whose name has more than `LONGEST_NAME` bytes."""


class TooLongError(Exception):
    """A form or a CSV would be too many bytes as JSON, where each row repeats the names."""


def at_once(work: Slices[T]) -> T:
    """The result of work that is short enough to be done without a pause."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def behind_blanks(body: bytes, start: int) -> Slices[int]:
    """Where the blanks end that begin at a place, which may be megabytes."""
    while (found := end_of(_BLANKS, body, start)) > start:
        start = found
        yield
    return start


def stripped(body: bytes) -> Slices[bytes]:
    """A body without the blanks around it."""
    start, end = (yield from behind_blanks(body, 0)), len(body)
    while start < end:
        window = body[max(start, end - WINDOW) : end]
        kept = len(window.rstrip(BLANK))
        end -= len(window) - kept
        if kept:
            break
        yield
    return body[start:end]


def end_of(pattern: re.Pattern[bytes], body: bytes, start: int) -> int:
    """Where a pattern's match ends that reaches a window at most; the start without one."""
    found = pattern.match(body, start, start + WINDOW)
    return start if found is None else found.end()


def check_utf8(body: bytes) -> Slices[None]:
    """Raise UnicodeDecodeError where bytes are not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    step = 8 * WINDOW
    for start in range(0, len(body), step):
        decoder.decode(body[start : start + step])
        yield
    decoder.decode(b"", final=True)


def escaped_value(text: bytes) -> bytes:
    """What stands between the quotes of a JSON string."""
    text = escaped_controls(text).replace(b'"', b'\\"')
    return text.replace(b"\n", b"\\n").replace(b"\r", b"\\r")


def escaped_controls(text: bytes) -> bytes:
    """Backslashes and controls as JSON escapes them; quotes and line ends stay."""
    text = text.replace(b"\\", b"\\\\")
    if controls := text.translate(None, _NO_CONTROLS):
        for control, escape in _ESCAPES:
            if control in controls:
                text = text.replace(control, escape)
    return text

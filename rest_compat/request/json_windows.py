"""A JSON body's array or object as windows, each of them valid JSON.

A window is completed by the brackets that are open there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from typing import TypeVar

from compat_base.values import jsontext
from rest_compat.request.slices import (
    BLANK,
    LONGEST_NAME,
    WINDOW,
    Slices,
    behind_blanks,
    end_of,
)

T = TypeVar("T")

_MOST_DEPTH = 900  # of arrays and objects
_GUESSES = 2  # of where a piece ends: a string may look like a row's end
_MOST_PASSED = 63  # windows that are not guessed at, where guesses keep failing
_EVERY_BYTE = bytes(range(0x100))
_MARKS = (b"[", b"]", b"{", b"}", b",", b":")
_NO_MARKS = _EVERY_BYTE.translate(None, b"".join(_MARKS))
_NO_BRACKETS = _EVERY_BYTE.translate(None, b"[]{}")
_HIDE_MARKS = bytes.maketrans(b"[]{},:", b"______")
_CLOSING = bytes.maketrans(b"[{", b"]}")
_ESCAPE = (
    rb'\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}'
    rb"|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)
_IN_STRING = re.compile(rb'(?:[^"\\\x00-\x1f]++|%b)*+' % _ESCAPE)
_WORD = re.compile(rb"true|false|null")
_DIGITS = re.compile(rb"[0-9]*+")
_EXPONENT = re.compile(rb"[eE][+-]?(?=[0-9])")
_RUN = re.compile(rb"[\[{]++|[\]}]++")
_NO_VALUE_ENDS = {b"", b",", b":", b"[", b"{"}  # what stands before a comma that follows no value


class JsonWindows:
    """A body's array or object as pieces, each of them valid JSON.

    A piece ends where a row, or an entry of a row, seems to end: a decoder that reads the piece
    proves it. Else it ends at the last mark of a window: a bracket, comma or colon outside of
    strings, for which every string of the window must be found. Where an entry goes on from the
    piece before, something stands for what was passed: the key of the row it belongs to, so that
    reading the piece finds no key that the body has not.
    """

    def __init__(self, body: bytes) -> None:
        self.began_between_rows = False
        self._body = body
        self._position = 0
        self._held = b""  # what stands for a value longer than a window
        self._open = b""  # the brackets that are open
        self._after = b""  # the mark at which the last piece ended
        self._row_level = 1 if body.startswith(b"[") else 0
        self._key = b'""'
        self._to_pass = self._passed = 0  # windows that are not guessed at: now, and the last time

    def has_more(self) -> bool:
        """Whether anything follows."""
        return self._position < len(self._body)

    def is_empty_array(self) -> Slices[bool]:
        """Whether there is nothing between the outermost brackets."""
        start = yield from behind_blanks(self._body, 1)
        return start == len(self._body) - 1 and self._body.endswith(b"]")

    def is_within_row(self) -> bool:
        """Whether the next piece begins within a row."""
        return self._open.startswith(b"[{")

    def set_key(self, row: Iterable[str]) -> None:
        """Take a key of the open row, to complete the next piece with."""
        self._key = jsontext.encode(min(islice(row, 9), key=len, default="")).encode()

    def next(self, decode: Callable[[bytes], T]) -> Slices[T]:
        """What a decoder reads in the next piece. Raises InvalidJsonError, as the decoder does."""
        while True:
            yield
            window = self._held + self._body[self._position : self._position + WINDOW]
            if self._position + WINDOW >= len(self._body):
                return decode(self._last(window))
            for end, opened in self._likely_ends(window):
                with suppress(jsontext.InvalidJsonError):
                    read = decode(self._beginning() + window[:end] + _closed(opened))
                    self._position += end + 1
                    self._open, self._after = opened, b","
                    self._passed = 0
                    return read
            marks = _marks(window)
            cut = max(map(marks.rfind, _MARKS))
            if cut >= 0:
                return decode(self._piece(window, marks, cut))
            yield from self._pass_over_long()

    def _likely_ends(self, window: bytes) -> Iterable[tuple[int, bytes]]:
        """Commas that seem to follow a row, or a row's entry, and the brackets open there."""
        if self._held:
            return
        if self._to_pass:
            self._to_pass -= 1
            return
        end = len(window)
        for _ in range(_GUESSES):
            row_end = window.rfind(b"},", 0, end) if self._row_level else -1
            end, opened = (
                (row_end + 1, b"[")
                if row_end >= 0
                else (window.rfind(b",", 0, end), b"[{"[1 - self._row_level :])
            )
            if window[: max(end, 0)].rstrip(BLANK)[-1:] in _NO_VALUE_ENDS:
                break
            yield end, opened
        self._to_pass = self._passed = min(2 * self._passed + 1, _MOST_PASSED)

    def _last(self, window: bytes) -> bytes:
        piece = self._beginning() + window
        self._position = len(self._body)
        self._open = b""
        return piece

    def _piece(self, window: bytes, marks: bytes, cut: int) -> bytes:
        mark = window[cut : cut + 1]
        before = marks[:cut].rstrip(BLANK)[-1:] or self._after
        if mark == b"," and before in _NO_VALUE_ENDS:
            raise invalid_json("a comma follows no value")
        beginning = self._beginning()
        self._open = _still_open(self._open, marks[: cut + 1].translate(None, _NO_BRACKETS))
        if not self._open:
            raise invalid_json("more follows")
        self._position += cut + 1 - len(self._held)
        self._held, self._after = b"", mark
        end = {b",": b"", b":": b":0"}.get(mark, mark)
        return beginning + window[:cut] + end + _closed(self._open)

    def _beginning(self) -> bytes:
        """What stands for all that was passed."""
        outer, within = self._open[:-1], self._open[-1:]
        self.began_between_rows = self._open == b"[" and self._after in {b",", b"]", b"}"}
        row, inner = outer[: self._row_level + 1], outer[self._row_level + 1 :]
        outer = row.replace(b"{", b"{%b:" % self._key) + inner.replace(b"{", b'{"":')
        if self._after in {b"", b"[", b"{"}:
            return outer + within
        key = self._key if len(self._open) == self._row_level + 1 else b'""'
        value = b"{}" if self.began_between_rows else b"0"
        if within == b"{":
            value = key + (b":" if self._after == b":" else b":0")
        return outer + within + value + (b"," if self._after == b"," else b"")

    def _pass_over_long(self) -> Slices[None]:
        """Pass over a value that is longer than a window, or over blanks."""
        start = self._position
        self._position = yield from behind_blanks(self._body, start)
        if self._position > start:
            return
        if self._held:
            raise invalid_json("two values in a row")
        self._position = yield from scalar_end(self._body, start)
        if self._open.endswith(b"{") and self._after in {b"{", b","}:
            self._held = self._long_key(start, self._position)
        else:
            self._held = b"null"  # nothing that follows a word makes another value of it

    def _long_key(self, start: int, end: int) -> bytes:
        """What stands for a key: of one that no column can have its beginning."""
        if end - start <= LONGEST_NAME:
            return self._body[start:end]
        found = _IN_STRING.match(self._body, start + 1, start + LONGEST_NAME)
        whole = b"" if found is None else found.group().decode(errors="ignore").encode()
        return b'"%b"' % whole


def _closed(opened: bytes) -> bytes:
    """The brackets that close others."""
    return opened[::-1].translate(_CLOSING)


def _marks(window: bytes) -> bytes:
    """A window in which only the marks outside of strings are left; a string cut off is left out.

    Nothing moves: each byte stands where it stood.
    """
    if b"\\" in window:
        window = window.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    pieces = window.split(b'"')
    inside = b'"'.join(pieces[1::2])
    if inside.translate(None, _NO_MARKS):
        pieces[1::2] = inside.translate(_HIDE_MARKS).split(b'"')
    if len(pieces) % 2 == 0:
        pieces[-1] = b""
    return b'"'.join(pieces)


def _still_open(opened: bytes, brackets: bytes) -> bytes:
    """The brackets that are open behind others; InvalidJsonError for too many, or for none."""
    shorter = True
    while shorter:
        size = len(brackets)
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
        shorter = len(brackets) < size - size // 8
    for run in _RUN.findall(brackets):
        if run[:1] in {b"[", b"{"}:
            opened += run
        elif len(run) > len(opened):
            raise invalid_json("a bracket was not opened")
        else:
            opened = opened[: -len(run)]
        if len(opened) > _MOST_DEPTH:
            raise invalid_json("nested too deeply")
    return opened


def scalar_end(body: bytes, start: int) -> Slices[int]:
    """Where a string, number or word ends; InvalidJsonError where there is none."""
    if body.startswith(b'"', start):
        end = yield from _run_end(_IN_STRING, body, start + 1)
        if not body.startswith(b'"', end):
            raise invalid_json("a string does not end")
        return end + 1
    word = _WORD.match(body, start)
    return word.end() if word else (yield from _number_end(body, start))


def _number_end(body: bytes, start: int) -> Slices[int]:
    whole = start + body.startswith(b"-", start)
    end = yield from _digits_end(body, whole)
    if body.startswith(b"0", whole) and end > whole + 1:
        raise invalid_json("a number begins with zeros")
    if body.startswith(b".", end):
        end = yield from _digits_end(body, end + 1)
    exponent = _EXPONENT.match(body, end)
    return (yield from _digits_end(body, exponent.end())) if exponent else end


def _digits_end(body: bytes, start: int) -> Slices[int]:
    end = yield from _run_end(_DIGITS, body, start)
    if end == start:
        raise invalid_json("no value")
    return end


def _run_end(pattern: re.Pattern[bytes], body: bytes, start: int) -> Slices[int]:
    while (further := end_of(pattern, body, start)) > start:
        start = further
        yield
    return start


def invalid_json(why: str) -> jsontext.InvalidJsonError:
    """The error of a body that is no JSON."""
    return jsontext.InvalidJsonError(why)

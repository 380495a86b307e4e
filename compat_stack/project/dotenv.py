"""`.env` files as the CLI reads them: comments, `export`, quotes, and `$NAME` for earlier values.

A single-quoted value is taken as it is; in a double-quoted one a backslash and n end a line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*[=:][ \t]*")
_REFERENCE = re.compile(r"(\\)?\$(?:\{([A-Za-z0-9_]+)\}|([A-Za-z0-9_]+))")
_ESCAPES = {"n": "\n", "r": "\r"}


class BrokenEnvError(ValueError):
    """A line that is no assignment, or an unclosed quote; `line` is its number."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def read_dotenv(text: str) -> dict[str, str]:
    """Parse the assignments of a file. Raises BrokenEnvError, which shows no value."""
    values: dict[str, str] = {}
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        if not line.strip() or line.lstrip().startswith("#"):
            at = end + 1
            continue
        name = _LINE.match(text, at)
        if name is None or name.end() > end:
            raise BrokenEnvError("is no line of the form NAME=value", _line(text, at))
        values[name[1]], at = _value(text, name.end(), values)
    return values


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _value(text: str, start: int, known: Mapping[str, str]) -> tuple[str, int]:
    """The value that begins at a position, and the end of its line."""
    quote = text[start : start + 1]
    if quote not in {"'", '"'}:
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        plain = re.split(r"(?:^|\s)#", text[start:end], maxsplit=1)[0].strip()
        return _expanded(plain, known), end + 1
    close = start + 1
    while close < len(text) and (text[close] != quote or text[close - 1] == "\\"):
        close += 1
    if close >= len(text):
        raise BrokenEnvError("has a quote that is not closed", _line(text, start))
    inside = text[start + 1 : close]
    end = text.find("\n", close)
    rest = len(text) if end < 0 else end + 1
    if quote == "'":
        return inside, rest
    unescaped = re.sub(r"\\([^$])", lambda found: _ESCAPES.get(found[1], found[1]), inside)
    return _expanded(unescaped, known), rest


def _expanded(value: str, known: Mapping[str, str]) -> str:
    def replaced(found: re.Match[str]) -> str:
        return found[0][1:] if found[1] else known.get(found[2] or found[3], "")

    return _REFERENCE.sub(replaced, value)

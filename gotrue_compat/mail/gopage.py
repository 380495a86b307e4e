"""What a template writes, each value escaped as its place wants (Go's html/template).

In an attribute that holds a URL, a value behind `?` or `#` is one member of a query, and one that
begins the URL may not bring a scheme that runs code. Every other place is text.
"""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import quote

from gotrue_compat.mail.gofunctions import Safe, plain

_URL = re.compile(
    r"""\s(?:href|src|action|formaction|poster|cite|background)\s*=\s*(["'])((?:(?!\1).)*)$""",
    re.DOTALL | re.IGNORECASE,
)
_SCHEMES = frozenset({"http", "https", "mailto"})
_UNSAFE = "#ZgotmplZ"  # Go's own mark of a value that it refused
_RESERVED = "!#$&*+,/:;=?@[]%"


class Output:
    """Text that grows; `is_html` False where nothing is escaped."""

    def __init__(self, *, is_html: bool) -> None:
        self._is_html = is_html
        self._parts: list[str] = []
        self._tag = ""  # the template's own text since the last `<`, each value in it one letter

    def __str__(self) -> str:
        """All that was written."""
        return "".join(self._parts)

    def write(self, text: str) -> None:
        """Add the template's own text."""
        self._parts.append(text)
        whole = self._tag + text
        self._tag = whole[max(whole.rfind("<"), 0) :]

    def show(self, value: Any) -> None:
        """Add a value."""
        self._parts.append(self._escaped(value) if self._is_html else plain(value))
        self._tag += "x"

    def _escaped(self, value: Any) -> str:
        if isinstance(value, Safe):
            return value.text
        attribute = _URL.search(self._tag)
        text = plain(value)
        return html.escape(_in_url(text, attribute.group(2)) if attribute else text)


def _in_url(text: str, before: str) -> str:
    if "?" in before or "#" in before:
        return quote(text, safe="")
    scheme, colon, _ = text.partition(":")
    if not before and colon and "/" not in scheme and scheme.lower() not in _SCHEMES:
        return _UNSAFE
    return quote(text, safe=_RESERVED)

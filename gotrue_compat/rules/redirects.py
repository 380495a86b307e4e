"""Which addresses a browser may be sent back to (auth reference 1.5, 1.6)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from functools import cache
from urllib.parse import SplitResult, urlsplit

_DECIMAL_HOST = re.compile(r"[0-9]+")
_PLAIN_HOST = re.compile(r"[A-Za-z0-9.-]*")


def choose(candidates: Iterable[str], site_url: str, allow_list: tuple[str, ...]) -> str:
    """The first candidate that is allowed, else the site's own address."""
    for candidate in candidates:
        if candidate and is_allowed(candidate, site_url, allow_list):
            return candidate
    return site_url


def is_allowed(url: str, site_url: str, allow_list: tuple[str, ...]) -> bool:
    """Whether a redirect there is allowed."""
    wanted, site = _split(url), _split(site_url)
    if wanted is None or not wanted.scheme or _has_control_characters(url):
        return False
    host = wanted.hostname or ""
    if site is not None and host and _same_place(wanted, site):
        return True
    if _DECIMAL_HOST.fullmatch(host):
        return False
    address = _ip(host)
    if address is not None:
        return address.is_loopback
    if wanted.scheme in {"http", "https"} and not _PLAIN_HOST.fullmatch(host):
        return False
    plain = url.partition("#")[0]
    return any(_pattern(glob).fullmatch(plain) for glob in allow_list)


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # a malformed port raises only when read
    except ValueError:
        return None
    return parts


def _has_control_characters(url: str) -> bool:
    return any(ord(character) < 0x20 or ord(character) == 0x7F for character in url)  # noqa: PLR2004


def _same_place(wanted: SplitResult, site: SplitResult) -> bool:
    host = wanted.hostname or ""
    if wanted.scheme != site.scheme or host != (site.hostname or ""):
        return False
    address = _ip(host)
    is_loopback = host == "localhost" or (address is not None and address.is_loopback)
    return is_loopback or wanted.port == site.port


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    """A glob as a regular expression: `*` stops at `.` and `/`, `**` does not."""
    text: list[str] = []
    position = 0
    depth = 0
    while position < len(glob):
        character = glob[position]
        if glob.startswith("**", position):
            text.append(".*")
            position += 1
        elif character == "*":
            text.append("[^./]*")
        elif character == "?":
            text.append("[^./]")
        elif character == "[":
            end = glob.find("]", position + 1)
            if end < 0:
                text.append(r"\[")
            else:
                body = glob[position + 1 : end]
                negated = body[:1] in {"!", "^"}
                members = re.sub(r"([\\\[\]^])", r"\\\1", body[1:] if negated else body)
                text.append(f"[{'^' if negated else ''}{members}]")
                position = end
        elif character == "{":
            depth += 1
            text.append("(?:")
        elif character == "}" and depth:
            depth -= 1
            text.append(")")
        elif character == "," and depth:
            text.append("|")
        elif character == "\\" and position + 1 < len(glob):
            position += 1
            text.append(re.escape(glob[position]))
        else:
            text.append(re.escape(character))
        position += 1
    try:
        return re.compile("".join(text) + ")" * depth, re.DOTALL)
    except re.error:
        return re.compile(re.escape(glob))

"""Validation of redirect addresses, parsed as browsers do (auth reference 1.5, 1.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address

from compat_base.values.urls import ACTIVE_SCHEMES, DEFAULT_PORTS, Url, parse_url
from gotrue_compat.urls.globs import Glob, GlobError, read_glob

LONGEST = 4096  # characters; Chromium sends no longer Referer
_WEB = frozenset({"http", "https"})
_PLAIN_HOST = re.compile(r"[A-Za-z0-9.-]*")
_LOOPBACK = IPv4Network("127.0.0.0/8")
# A scheme; then, where slashes begin an authority, one without a user and without a backslash
_SHAPE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#\\@\s]*+)(?=[/?#]|\Z))?(.*)", re.DOTALL)
_PORT = re.compile(r":[0-9]*\Z")


def choose(candidates: Iterable[str], site_url: str, allow_list: tuple[str, ...]) -> str:
    """The first candidate that is allowed, in its parsed form, else the site's own address."""
    for candidate in candidates:
        found = allowed(candidate, site_url, allow_list) if candidate else None
        if found is not None:
            return found.text
    return site_url


def is_allowed(url: str, site_url: str, allow_list: tuple[str, ...]) -> bool:
    """Whether a redirect there is allowed."""
    return allowed(url, site_url, allow_list) is not None


def allowed(text: str, site_url: str, allow_list: tuple[str, ...]) -> Url | None:
    """The address of a redirect as it may be sent, None where it may not be."""
    url = followed(text)
    if url is None:
        return None
    site = parse_url(site_url)
    if site is not None and url.host and _same_place(url, site):
        return url
    address = url.address
    if address is not None:
        if not (_is_loopback(address) and _is_spelled_out(text, url)):
            return None
        if url.scheme in _WEB:
            return url
    if url.host.isdigit():
        return None
    if url.scheme in _WEB and not (_PLAIN_HOST.fullmatch(url.host) and _is_spelled_out(text, url)):
        return None
    globs = (_glob(glob) for glob in allow_list)
    return url if any(glob is not None and glob.matches(url) for glob in globs) else None


def followed(text: str) -> Url | None:
    """An address that a browser may be sent to, if it is allowed; None for one that never is.

    Refused are addresses that run or show what they hold, that name a user, that are longer than
    4,096 characters, and those that only a browser's leniency makes an address: control
    characters, backslashes around the host, missing slashes.
    """
    if len(text) > LONGEST or _has_control_characters(text):
        return None
    shape, url = _SHAPE.fullmatch(text), parse_url(text)
    if shape is None or url is None or url.has_user or url.scheme in ACTIVE_SCHEMES:
        return None
    authority, rest = shape.group(2), shape.group(3)
    if url.scheme in DEFAULT_PORTS and not authority:
        return None
    return None if authority is None and rest.startswith("//") else url


def allow_list_problems(allow_list: Iterable[str]) -> tuple[str, ...]:
    """What is wrong with the globs of an allow list, a sentence each without its subject."""
    problems: list[str] = []
    for glob in allow_list:
        try:
            read_glob(glob)
        except GlobError as error:
            problems.append(f"'{glob}' {error}")
    return tuple(problems)


@cache
def _glob(text: str) -> Glob | None:
    try:
        return read_glob(text)
    except GlobError:
        return None


def _has_control_characters(text: str) -> bool:
    return any(ord(character) < 0x20 or ord(character) == 0x7F for character in text)  # noqa: PLR2004


def _same_place(wanted: Url, site: Url) -> bool:
    if wanted.scheme != site.scheme or wanted.host != site.host:
        return False
    address = wanted.address
    is_local = wanted.host == "localhost" or (address is not None and _is_loopback(address))
    return is_local or wanted.port == site.port


def _is_loopback(address: IPv4Address | IPv6Address) -> bool:
    return address == IPv6Address(1) or address in _LOOPBACK


def _is_spelled_out(text: str, url: Url) -> bool:
    """Whether the host was written in its one usual form: no 127.1, no full-width letters."""
    shape = _SHAPE.fullmatch(text)
    authority = (shape.group(2) or "") if shape is not None else ""
    return url.host.startswith("[") or _PORT.sub("", authority).lower() == url.host.lower()

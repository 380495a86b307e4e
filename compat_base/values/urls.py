r"""URLs as browsers parse them (the WHATWG URL standard): the only import of ada_url.

The code that checks an address must parse it as the client that follows it does. `urllib.parse`
does not: in `http://evil.example\@our.example/` its host is our.example, a browser's is
evil.example.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from ada_url import URL

# Schemes that run or show what the address itself holds, or read the machine's files
ACTIVE_SCHEMES = frozenset(
    {"about", "blob", "data", "file", "filesystem", "javascript", "vbscript", "view-source"}
)
DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
_WITHOUT_PATH = re.compile(r"[^/\\?#:]*:[/\\]*[^/\\?#]*(?:[?#].*)?", re.DOTALL)
_DROPPED = re.compile(r"[\t\n\r]")


@dataclass(frozen=True, slots=True)
class Url:
    """A parsed address. `scheme`, `host` and the whole `href` are in their serialised form.

    `host` has brackets around an IPv6 address and is "" where there is none; `port` is None for
    the scheme's own; `query` and `fragment` stand without `?` and `#`. `text` is the href, without
    the slash that parsing adds to `http://host`: it parses to the same.
    """

    scheme: str
    host: str
    port: int | None
    path: str
    query: str
    fragment: str
    href: str
    origin: str
    text: str
    has_user: bool

    @property
    def authority(self) -> str:
        """The host, and the port where it is not the scheme's own."""
        return self.host if self.port is None else f"{self.host}:{self.port}"

    @property
    def real_port(self) -> int | None:
        """The port to connect to; None for a scheme that has none of its own."""
        return self.port if self.port is not None else DEFAULT_PORTS.get(self.scheme)

    @property
    def address(self) -> IPv4Address | IPv6Address | None:
        """The host as an IP address, None where it is a name."""
        return ip_address(self.host.strip("[]"))


def parse_url(text: str, base: str | None = None) -> Url | None:
    """The absolute address that browsers read in a text, or in one relative to a base.

    None where they refuse it.
    """
    try:
        found = URL(text, base)
    except (ValueError, UnicodeEncodeError):
        return None
    return Url(
        scheme=found.protocol[:-1],
        host=found.hostname,
        port=int(found.port) if found.port else None,
        path=found.pathname,
        query=found.search[1:],
        fragment=found.hash[1:],
        href=found.href,
        origin=found.origin,
        text=_text(found, text) if base is None else found.href,
        has_user=bool(found.username or found.password),
    )


def ip_address(text: str) -> IPv4Address | IPv6Address | None:
    """An IP address in its usual notation, None for any other text."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _text(found: URL, given: str) -> str:
    """The href, without the slash of an empty path where none was given."""
    if found.pathname != "/" or not _WITHOUT_PATH.fullmatch(_DROPPED.sub("", given)):
        return found.href
    tail = f"{found.search}{found.hash}"
    return found.href[: len(found.href) - len(tail)].removesuffix("/") + tail

"""The Host header, and whether it is an address of this machine itself.

Only what browsers send is accepted: one header, a name or an address, perhaps a port. A trusted
proxy's own Host is put into the scope before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address

from starlette.types import Scope

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}))(?::(\d{1,5}))?")


@dataclass(frozen=True, slots=True)
class Host:
    """A parsed Host header: `text` as sent, `name` in lower case without brackets."""

    text: str
    name: str
    port: int | None


def requested_host(scope: Scope) -> Host | None:
    """The Host of a request; None without one, with several, or with a malformed one."""
    sent = [value for name, value in scope["headers"] if name == b"host"]
    matched = _HOST.fullmatch(sent[0].decode("latin-1")) if len(sent) == 1 else None
    if matched is None:
        return None
    name = matched[1].strip("[]").lower().removesuffix(".")
    return Host(matched[0], name, int(matched[2]) if matched[2] else None)


def is_loopback(name: str) -> bool:
    """Whether a host name or address always means this machine (RFC 6761, 6.3)."""
    name = name.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def is_address(name: str) -> bool:
    """Whether a host is an IP address instead of a name."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True

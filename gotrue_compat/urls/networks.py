"""What a limit knows a caller by: an IPv4 address, the /64 of an IPv6 one, else the text."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

_PREFIX = 64  # bits of an IPv6 address that name a site; whoever has one has all of its addresses


_LONGEST = 64  # characters of what may be an address; longer text is not kept


def rate_limit_key(text: str) -> str:
    """The name under which a caller's events are counted."""
    return _rate_limit_key(text) if len(text) <= _LONGEST else text


@lru_cache(maxsize=4096)
def _rate_limit_key(text: str) -> str:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.IPv6Network((int(address), _PREFIX), strict=False))
    return str(address)

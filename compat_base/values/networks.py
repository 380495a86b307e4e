"""Which IP addresses are public (for calls to addresses that users set), and which count as one.

The judgement is by the registries of special-purpose addresses (RFC 6890 and its successors), not
by `ipaddress.is_global`, whose answer depends on Python's version.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from compat_base.values.urls import parse_url

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_KINDS = {
    "loopback": ("127.0.0.0/8", "::1/128"),
    "link-local": ("169.254.0.0/16", "fe80::/10"),
    "multicast": ("224.0.0.0/4", "ff00::/8"),
    "private network": (
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",
        "100.64.0.0/10",  # carrier-grade NAT
        "fc00::/7", "fec0::/10",  # unique local, site-local
    ),
    "reserved": (
        "0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
        "168.63.129.16/32",  # not private by its number: a cloud's own server of its machines
        "2001::/23", "2001:db8::/32", "3fff::/20",  # Teredo is in the first
    ),
}  # fmt: skip
_SPECIAL = tuple(
    (ip_network(network), kind) for kind, networks in _KINDS.items() for network in networks
)
_GLOBAL = IPv6Network("2000::/3")
# Where IPv6 addresses hold an IPv4 address, by how many bits it is shifted: mapped, NAT64, 6to4
_HOLDING = (
    (IPv6Network("::ffff:0:0/96"), 0),
    (IPv6Network("64:ff9b::/96"), 0),
    (IPv6Network("2002::/16"), 80),
)
_IPV4 = 0xFFFFFFFF
_ISATAP = (0x5EFE, 0x0200_5EFE)  # in front of the IPv4 address that a tunnel ends at (RFC 5214)
_SITE_BITS = 64  # of an IPv6 address: a client has all addresses of its site
_LONGEST = 64  # characters of what may be an address; longer text is not kept
_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Permitted:
    """Hosts, by name, and networks that may be called though they are not public."""

    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()

    def has_host(self, host: str) -> bool:
        """Whether a host may be called at any address."""
        return host.lower() in self.hosts

    def has_address(self, address: Address) -> bool:
        """Whether an address may be called: a public one, or one of the networks."""
        plain = _held(address) or address
        return is_public(address) or any(plain in network for network in self.networks)


def permitted(words: Iterable[str]) -> tuple[Permitted, tuple[str, ...]]:
    """The hosts and networks in a setting's words, and the words that are neither."""
    hosts: set[str] = set()
    networks: list[Network] = []
    unknown: list[str] = []
    for word in words:
        try:
            networks.append(ip_network(word.strip("[]")))
        except ValueError:
            url = parse_url(f"https://{word}/")
            if not _NAME.fullmatch(word) or url is None or url.host != word.lower():
                unknown.append(word)
            else:
                hosts.add(url.host)
    return Permitted(frozenset(hosts), tuple(networks)), tuple(unknown)


def kind_of(address: Address) -> str:
    """What a special address is (`loopback`, `private network`, …), "" for a public one."""
    held = _held(address)
    if held is not None:
        return kind_of(held)
    for network, kind in _SPECIAL:
        if address in network:
            return kind
    if isinstance(address, IPv4Address):
        return ""
    if address not in _GLOBAL:
        return "reserved"
    is_tunnel = int(address) >> 32 & _IPV4 in _ISATAP
    return kind_of(IPv4Address(int(address) & _IPV4)) if is_tunnel else ""


def is_public(address: Address) -> bool:
    """Whether an address is of the public internet, and so is the IPv4 address that it may hold."""
    return not kind_of(address)


def caller_network(text: str) -> str:
    """The key of a caller for limits: an IPv4 address, the /64 of an IPv6 one, else the text."""
    return _caller_network(text) if len(text) <= _LONGEST else text


@lru_cache(maxsize=4096)
def _caller_network(text: str) -> str:
    try:
        address = ip_address(text)
    except ValueError:
        return text
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Network((int(address), _SITE_BITS), strict=False))


def is_loopback(text: str) -> bool:
    """Whether an address is of this machine itself."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    return kind_of(address) == "loopback"


def _held(address: Address) -> IPv4Address | None:
    """The IPv4 address embedded in an IPv6 address (mapped, NAT64, 6to4)."""
    if isinstance(address, IPv6Address):
        for network, shift in _HOLDING:
            if address in network:
                return IPv4Address(int(address) >> shift & _IPV4)
    return None

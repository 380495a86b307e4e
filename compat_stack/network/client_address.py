"""The client's address, decided once for all services: the socket's peer, or as a proxy reports it.

Clients claim addresses in many headers. None of them reaches a service: the services get the
decided address as the scope's client and in one `X-Forwarded-For`. Only the header lines of a peer
within TRUSTED_PROXIES are believed, and of them only what trusted proxies added: read from the
right, the first address that is no trusted proxy is the client's.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from functools import lru_cache
from typing import Any

from compat_base.values.networks import is_loopback

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
RawHeaders = list[tuple[bytes, bytes]]

UNKNOWN = "unknown"  # RFC 7239, section 6.2; clients without an address share one limit
_LONGEST = 80  # characters of a hop; longer text is none, and is not kept
_FORWARDED = b"x-forwarded-"  # twelve bytes
_OF_PROXIES = frozenset({b"x-forwarded-host", b"x-forwarded-proto", b"x-forwarded-port"})
CLIENT_CLAIMS = frozenset({
    b"forwarded", b"x-forwarded", b"forwarded-for", b"x-real-ip", b"x-client-ip", b"client-ip",
    b"true-client-ip", b"cf-connecting-ip", b"cf-connecting-ipv6", b"cf-pseudo-ipv4",
    b"fastly-client-ip", b"fly-client-ip", b"sb-forwarded-for", b"x-cluster-client-ip",
    b"x-original-forwarded-for", b"x-envoy-external-address", b"x-azure-clientip",
    b"x-appengine-user-ip", b"x-proxyuser-ip", b"wl-proxy-client-ip", b"proxy-client-ip",
})  # fmt: skip
"""Headers by which a proxy, or a client that plays one, names the client's address."""


def read_networks(words: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and CIDR ranges as networks; ValueError for what is neither."""
    return tuple(ipaddress.ip_network(word, strict=False) for word in words)


def with_client(
    scope: MutableMapping[str, Any], headers: RawHeaders, proxies: Sequence[Network]
) -> dict[str, Any]:
    """The scope with the client's address, and without other forwarding headers."""
    peer = scope.get("client")
    is_proxy = is_proxied(scope, proxies)
    address = _caller(peer, headers, proxies) if is_proxy else peer_address(peer[0] if peer else "")
    kept = [
        pair
        for pair in headers
        if pair[0] not in CLIENT_CLAIMS
        and (pair[0][:12] != _FORWARDED or (is_proxy and pair[0] in _OF_PROXIES))
    ]
    kept.append((b"x-forwarded-for", address.encode()))
    return {**scope, "client": (address, 0 if is_proxy or not peer else peer[1]), "headers": kept}


def is_proxied(scope: Mapping[str, Any], proxies: Sequence[Network]) -> bool:
    """Whether a scope's peer is a trusted proxy."""
    peer = scope.get("client")
    return bool(proxies) and is_trusted(peer[0] if peer else "", proxies)


@lru_cache(maxsize=1024)
def peer_address(text: str) -> str:
    """A peer's address, normalised."""
    return client_address(text, (), ())


def caller_of(scope: Mapping[str, Any], proxies: Sequence[Network]) -> str:
    """The client's address of an unchanged scope."""
    return _caller(scope.get("client"), scope["headers"], proxies)


def _caller(
    peer: Sequence[Any] | None, headers: Iterable[tuple[bytes, bytes]], proxies: Sequence[Network]
) -> str:
    text = peer[0] if peer else ""
    if not is_trusted(text, proxies):
        return client_address(text, (), proxies)
    lines = [value for name, value in headers if name == b"x-forwarded-for"]
    return client_address(text, lines, proxies)


def client_address(peer: str, lines: Sequence[bytes], proxies: Sequence[Network]) -> str:
    """The client's address by the X-Forwarded-For lines of a trusted peer, normalised.

    Lines are one list (RFC 9110, section 5.2). A hop that is no address ends the walk at the last
    one that was; a walk through trusted proxies alone ends at the farthest of them.
    """
    found = parse_hop(peer)
    for hop in reversed(b",".join(lines).split(b",") if lines else ()):
        address = parse_hop(hop.decode("latin-1"))
        if address is None:
            break
        found = address
        if not is_trusted(str(address), proxies):
            break
    return str(found) if found is not None else UNKNOWN


def parse_hop(text: str) -> Address | None:
    """A hop's address without port and brackets; IPv4-mapped IPv6 is IPv4; None for others."""
    return _parse_hop(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=1024)
def _parse_hop(text: str) -> Address | None:
    text = text.strip()
    if text.startswith("["):
        text, closing, port = text[1:].partition("]")
        if not closing or (port and not port[1:].isdecimal()):
            return None
    elif text.count(":") == 1:
        text, _, port = text.partition(":")
        if not port.isdecimal():
            return None
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv4Address):
        return address
    return None if address.scope_id else address.ipv4_mapped or address


def is_shared_address(text: str, proxies: Sequence[Network]) -> bool:
    """Whether many clients share an address: a trusted proxy's, or this machine's.

    On this machine there may be a proxy that TRUSTED_PROXIES does not name.
    """
    return is_loopback(text) or is_trusted(text, proxies)


def is_trusted(text: str, proxies: Sequence[Network]) -> bool:
    """Whether an address is in TRUSTED_PROXIES."""
    if not proxies:
        return False
    address = parse_hop(text)
    return address is not None and any(address in network for network in proxies)

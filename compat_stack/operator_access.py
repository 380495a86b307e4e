"""Authorization of the operator: by the secret key, and on a private stack a local browser.

A request counts as local where the stack is private (BIND_HOST and PUBLIC_URL are loopback), its
Host is a loopback name with the stack's own port, it is HTTP/1.1 without any trace of a proxy, and
its connection comes from a process of the operator's own user or of root.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.types import Scope

from compat_stack.keys.comparison import find_secret
from compat_stack.keys.installation import Keys
from compat_stack.network.client_address import CLIENT_CLAIMS
from compat_stack.network.hosts import is_loopback, requested_host
from compat_stack.network.peers import is_ours
from compat_stack.settings import Settings

_PROXY_HEADERS = CLIENT_CLAIMS | {
    b"via", b"x-rewrite-url", b"x-host", b"x-request-start", b"cdn-loop", b"max-forwards",
    b"x-scheme",
}  # fmt: skip
_PROXY_PREFIXES = (
    b"x-forwarded", b"x-original-", b"cf-", b"x-envoy-", b"x-amzn-", b"x-azure-", b"x-appengine-",
    b"fly-", b"x-nginx-", b"x-varnish", b"x-vercel-", b"proxy-",
)  # fmt: skip
_DEFAULT_PORT = 80


class OperatorAccess:
    """Decides whether a request is the operator's."""

    def __init__(self, *, private: bool, tokens: tuple[str, ...]) -> None:
        self._private = private
        self._tokens = tokens
        self._looking_up = asyncio.Lock()

    async def admits(self, scope: Scope) -> bool:
        """Whether an HTTP request is the operator's."""
        if holds_token(scope, self._tokens):
            return True
        if not self._private or not is_direct(scope):
            return False
        async with self._looking_up:
            return await asyncio.to_thread(is_ours, scope["client"][:2], scope["server"][:2])


def operator_access(settings: Settings, keys: Keys) -> OperatorAccess:
    """The operator's access to a stack: by secret keys, and locally where it is private."""
    return OperatorAccess(private=is_private(settings), tokens=(keys.secret, keys.service_role))


def is_private(settings: Settings) -> bool:
    """Whether the stack listens on loopback and has no other public address."""
    public = urlsplit(settings.public_url).hostname if settings.public_url else None
    return is_loopback(settings.host) and (public is None or is_loopback(public))


def is_direct(scope: Scope) -> bool:
    """Whether a request came from a client on this machine without a proxy between."""
    client, server, host = scope.get("client"), scope.get("server"), requested_host(scope)
    if client is None or server is None or host is None or scope.get("http_version") == "1.0":
        return False
    if any(name in _PROXY_HEADERS or name.startswith(_PROXY_PREFIXES) for name in _names(scope)):
        return False
    is_ours_by_name = is_loopback(host.name) and (host.port or _DEFAULT_PORT) == server[1]
    return is_ours_by_name and is_loopback(client[0]) and is_loopback(server[0])


def holds_token(scope: Scope, tokens: Iterable[str]) -> bool:
    """Whether a request has one of the tokens: as apikey, Bearer, or Basic's password."""
    known = {token.encode(): True for token in tokens}
    given = [token for header in scope["headers"] if (token := _given(*header))]
    return any([find_secret(known, token) for token in given])  # noqa: C419 — each is compared


def _names(scope: Scope) -> Iterable[bytes]:
    return (name for name, _ in scope["headers"])


def _given(name: bytes, value: bytes) -> bytes | None:
    if name == b"apikey":
        return value
    scheme, _, credentials = value.partition(b" ")
    if name != b"authorization" or scheme.lower() not in {b"bearer", b"basic"}:
        return None
    if scheme.lower() == b"bearer":
        return credentials.strip()
    try:
        return base64.b64decode(credentials.strip(), validate=True).partition(b":")[2]
    except binascii.Error:
        return None

"""HTTP to addresses that users set (SSRF protection): only public ones are connected to.

The name is resolved here, every address found is checked, and the connection goes to a checked
address: a second DNS answer (rebinding) changes nothing. TLS and the Host header keep the name.
Redirects are not followed and no proxy of the environment is used, because a proxy would resolve
the name again.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import lru_cache, partial

import httpcore2
import httpx2

from compat_base.egress.bounded_network import BoundedNetwork
from compat_base.values.networks import Address, Permitted
from compat_base.values.urls import Url, ip_address, parse_url

_SCHEMES = frozenset({"http", "https"})
_LOOKUPS = 4  # names resolved at a time


class ForbiddenError(httpx2.TransportError):
    """The address may not be called: it is not public."""


class _BoundedTransport(httpx2.AsyncHTTPTransport):
    """Over connections that each serve one answer of a bounded size."""

    def __init__(self) -> None:
        context = tls_context()
        super().__init__(verify=context)
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=context, max_keepalive_connections=0, network_backend=BoundedNetwork()
        )


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Connects to checked addresses only.

    A connection serves one request: a kept one is found by its address, which two names may share.
    """

    def __init__(self, permitted: Permitted) -> None:
        self._permitted = permitted
        # slow name servers delay one another here, not other users of the loop's thread pool
        self._resolvers = ThreadPoolExecutor(_LOOKUPS, thread_name_prefix="resolver")
        self._inner = _BoundedTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Resolve, check, connect; ForbiddenError where any address of the name is not public."""
        url = parse_url(str(request.url))
        if url is None or url.scheme not in _SCHEMES or url.has_user:
            raise ForbiddenError("the address cannot be called")
        failure = httpx2.ConnectError("the name has no address")
        for address in await self._judged(url):
            try:
                answer = await self._inner.handle_async_request(_directed(request, url, address))
            except httpx2.ConnectError as error:
                failure = error
            else:
                if answer.headers.get("content-encoding", "identity") != "identity":
                    await answer.aclose()  # a small answer may unpack to a huge one
                    raise httpx2.DecodingError("the answer is packed, which was not asked for")
                return answer
        raise failure

    async def aclose(self) -> None:
        """Close what is open."""
        self._resolvers.shutdown(wait=False, cancel_futures=True)
        await self._inner.aclose()

    async def _judged(self, url: Url) -> tuple[Address, ...]:
        found = await self._resolved(url)
        if not self._permitted.has_host(url.host):
            for address in found:
                if not self._permitted.has_address(address):
                    raise ForbiddenError("the address is not public")
        return found

    async def _resolved(self, url: Url) -> tuple[Address, ...]:
        """Every address of the host, in the resolver's order; ConnectError without one."""
        if url.address is not None:
            return (url.address,)
        plain = url.host.rstrip(".")
        is_local = plain == "localhost" or plain.endswith(".localhost")  # RFC 6761, by any resolver
        name = "localhost" if is_local else url.host
        lookup = partial(socket.getaddrinfo, name, url.real_port, type=socket.SOCK_STREAM)
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._resolvers, lookup)
        except (OSError, UnicodeError) as error:
            raise httpx2.ConnectError("the name cannot be resolved") from error
        addresses = (ip_address(str(place[0])) for *_, place in found)
        return tuple(dict.fromkeys(address for address in addresses if address is not None))


def tls_context() -> ssl.SSLContext:
    """TLS by this machine's authorities, or those of SSL_CERT_FILE; reading them takes 30 ms."""
    return _tls_context(ssl.get_default_verify_paths())


@lru_cache(maxsize=1)
def _tls_context(_authorities: ssl.DefaultVerifyPaths) -> ssl.SSLContext:
    return httpx2.create_ssl_context()


def _directed(request: httpx2.Request, url: Url, address: Address) -> httpx2.Request:
    """The request, sent to one address under the name of its host."""
    headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"host"]
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=str(address)),
        headers=[(b"host", url.authority.encode()), *headers],
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": url.host.strip("[]").rstrip(".")},
    )


@asynccontextmanager
async def open_guarded(permitted: Permitted) -> AsyncGenerator[httpx2.AsyncClient]:
    """A client for addresses that users set, for the length of the block."""
    async with httpx2.AsyncClient(
        transport=GuardedTransport(permitted),
        follow_redirects=False,
        timeout=None,
        trust_env=False,
        headers={"accept-encoding": "identity"},
    ) as client:
        yield client

"""One origin: the services below their prefixes, the web app beside them, and the API keys.

A client of Supabase sends its key as `apikey`; opaque keys (`sb_publishable_…`, `sb_secret_…`)
are exchanged here for the tokens that the services understand.

The services are found in a table by the first part of the path. Starlette's Router with a Mount
for each finds the same 2.7 µs later (3.2 against 0.5, of some 40 µs that the server and the gateway
take for a request), and would have to be kept from redirecting to paths with a slash.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from compat_base.asgi import send_response
from compat_base.server.addresses import AddressShares
from compat_base.values import jsontext
from compat_base.values.http import HttpResponse
from compat_stack.gateway.missing_service import missing_service, no_service
from compat_stack.keys.comparison import find_secret
from compat_stack.keys.installation import Keys
from compat_stack.network.client_address import Network, RawHeaders, is_proxied, with_client

_NO_KEY = {
    "message": "No API key found in request",
    "hint": "No `apikey` request header or url param was found.",
}
_BAD_KEY = {
    "message": "Invalid API key",
    "hint": "Double check your Supabase `anon` or `service_role` API key.",
}

_SHARE = 1_000
_TOO_MANY = HttpResponse(
    429,
    (
        ("content-type", "application/json"),
        ("access-control-allow-origin", "*"),
        ("retry-after", "1"),
    ),
    jsontext.encode_bytes({"message": "Too many requests at once from one address."}),
)


@dataclass(frozen=True, slots=True)
class Mounted:
    """A service below its prefix; `open_paths` are the prefixes of paths that need no key.

    Where `needs_key` is False no path does, and a key that is sent is still exchanged.
    """

    prefix: str
    app: ASGIApp
    open_paths: tuple[str, ...] = ()
    needs_key: bool = True


@dataclass(frozen=True, slots=True)
class Pages:
    """Applications without an API key: pages by their exact path, and the website for the rest.

    They get each scope unchanged: the operator's access looks for traces of a proxy in it.
    """

    by_path: Mapping[str, ASGIApp]
    website: ASGIApp


class Gateway:
    """Routes each request to its service, with its API key exchanged for a token."""

    def __init__(
        self,
        services: tuple[Mounted, ...],
        pages: Pages,
        keys: Keys,
        proxies: tuple[Network, ...] = (),
        share: int = _SHARE,
    ) -> None:
        """`share`: requests and sockets at once of one caller behind a trusted proxy."""
        self._services = {service.prefix[1:].partition("/")[0]: service for service in services}
        self._pages = pages
        self._proxies = proxies
        self._shares = AddressShares(share)
        self._tokens = Tokens(keys)

    def forget(self, key: str) -> None:
        """Refuse a retired key from now on."""
        self._tokens.forget(key)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP or WebSocket scope."""
        service = self._service_at(scope["path"])
        if service is None:
            await self._serve_page(scope, receive, send)
            return
        headers: RawHeaders = scope["headers"]
        query: bytes = scope["query_string"]
        if not service.needs_key:
            headers = self._tokens.offered(headers, query)
        elif not _needs_no_key(scope, service):
            key = _header(headers, b"apikey") or _query_key(query)
            token = self._tokens.find(key) if key else None
            if token is None:
                await _refuse(scope, receive, send, _unauthorized(_BAD_KEY if key else _NO_KEY))
                return
            is_socket = scope["type"] == "websocket"
            headers = self._tokens.authorise(headers, token, is_socket=is_socket)
        inner = with_client(scope, headers, self._proxies)
        inner["query_string"] = without_key(query)
        inner["root_path"] = scope.get("root_path", "") + service.prefix
        if is_proxied(scope, self._proxies):
            await self._serve_share(service.app, inner, receive, send)
        else:  # the server has counted the caller's connections
            await service.app(inner, receive, send)

    def _service_at(self, path: str) -> Mounted | None:
        service = self._services.get(path[1:].partition("/")[0])
        if service is None:
            return None
        prefix = service.prefix
        is_below = path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in {"", "/"}
        return service if is_below else None

    async def _serve_page(self, scope: Scope, receive: Receive, send: Send) -> None:
        missing = missing_service(scope["path"])
        if missing is not None:
            await _refuse(scope, receive, send, no_service(missing, scope))
            return
        page = self._pages.by_path.get(scope["path"], self._pages.website)
        await page(scope, receive, send)

    async def _serve_share(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a caller behind a proxy within its share: it has no connections of its own."""
        caller = scope["client"][0]
        if not self._shares.take(caller):
            await _refuse(scope, receive, send, _TOO_MANY)
            return
        try:
            await app(scope, receive, send)
        finally:
            self._shares.give_back(caller)


class Tokens:
    """The tokens that API keys are exchanged for."""

    def __init__(self, keys: Keys) -> None:
        tokens = {
            keys.publishable: keys.anon,
            keys.secret: keys.service_role,
            keys.anon: keys.anon,
            keys.service_role: keys.service_role,
        }
        tokens |= {retired.key: getattr(keys, retired.role) for retired in keys.retired.api}
        self._tokens = {key.encode(): token.encode() for key, token in tokens.items()}

    def forget(self, key: str) -> None:
        """Refuse a key from now on."""
        self._tokens.pop(key.encode(), None)

    def find(self, key: bytes) -> bytes | None:
        """The token of a key."""
        return find_secret(self._tokens, key)

    def authorise(self, headers: RawHeaders, token: bytes, *, is_socket: bool) -> RawHeaders:
        """The headers with the key's token: always for a socket, else where no user's token is."""
        if is_socket:
            kept = [pair for pair in headers if pair[0] != b"x-api-key"]
            return [*kept, (b"x-api-key", token)]
        scheme, _, bearer = (_header(headers, b"authorization") or b"").partition(b" ")
        is_bearer = scheme.lower() == b"bearer" and bool(bearer)
        is_retired = self._tokens.get(bearer, bearer) != bearer  # an old anon or service_role key
        if is_bearer and not bearer.startswith(b"sb_") and not is_retired:
            return headers
        # An opaque or retired key sent as bearer is exchanged too. Without a bearer token, or with
        # another scheme, the key's token counts.
        exchanged = self.find(bearer) if is_bearer else token
        kept = [pair for pair in headers if pair[0] != b"authorization"]
        return [*kept, (b"authorization", b"Bearer " + (exchanged or bearer))]

    def offered(self, headers: RawHeaders, query: bytes) -> RawHeaders:
        """The headers where no key is needed: a key that is sent is exchanged for its token.

        A scheme other than Bearer is the client's own (AWS signatures), where no key comes with it.
        """
        key = _header(headers, b"apikey") or _query_key(query)
        token = self.find(key) if key else None
        authorization = _header(headers, b"authorization") or b""
        if token is None and authorization and authorization[:7].lower() != b"bearer ":
            return headers
        return self.authorise(headers, token or b"", is_socket=False)


def without_key(query: bytes) -> bytes:
    """The query without `apikey`, which a service would take for a column's name."""
    if b"apikey=" not in query:
        return query
    return b"&".join(part for part in query.split(b"&") if not part.startswith(b"apikey="))


def _needs_no_key(scope: Scope, service: Mounted) -> bool:
    is_preflight = scope["type"] == "http" and scope["method"] == "OPTIONS"
    return is_preflight or scope["path"].startswith(service.open_paths)


def _header(headers: RawHeaders, name: bytes) -> bytes | None:
    for key, value in headers:
        if key == name:
            return value
    return None


def _query_key(query: bytes) -> bytes | None:
    if b"apikey=" not in query:
        return None
    return parse_qs(query.decode("latin-1")).get("apikey", [""])[0].encode()


def _unauthorized(body: dict[str, str]) -> HttpResponse:
    headers = (("content-type", "application/json"), ("access-control-allow-origin", "*"))
    return HttpResponse(401, headers, jsontext.encode_bytes(body))


async def _refuse(scope: Scope, receive: Receive, send: Send, response: HttpResponse) -> None:
    if scope["type"] == "websocket":
        await receive()
        raw = [(n.encode(), v.encode()) for n, v in response.headers]
        await send(
            {"type": "websocket.http.response.start", "status": response.status, "headers": raw}
        )
        await send({"type": "websocket.http.response.body", "body": response.body})
        return
    await send_response(send, response)

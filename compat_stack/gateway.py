"""One origin: the services below their prefixes, the web app beside them, and the API keys.

A client of Supabase sends its key as `apikey`; opaque keys (`sb_publishable_…`, `sb_secret_…`)
are exchanged here for the tokens that the services understand.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from compat_base.asgi import send_response
from compat_base.values import jsontext
from compat_base.values.http import HttpResponse
from compat_stack.client_address import Network, with_client
from compat_stack.keys import Keys
from compat_stack.missing_service import missing_service, no_service

# What a person's browser or an identity provider opens without a key: links out of mails,
# redirects back, and published keys.
_OPEN_PATHS = (
    "/auth/v1/verify",
    "/auth/v1/callback",
    "/auth/v1/authorize",
    "/auth/v1/.well-known/",
    "/auth/v1/sso/saml/",
    "/auth/v1/oauth/",
    "/auth/v1/health",
)
_NO_KEY = {
    "message": "No API key found in request",
    "hint": "No `apikey` request header or url param was found.",
}
_BAD_KEY = {
    "message": "Invalid API key",
    "hint": "Double check your Supabase `anon` or `service_role` API key.",
}

RawHeaders = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Mounted:
    """A service below its prefix."""

    prefix: str
    app: ASGIApp


class Gateway:
    """Sends each request to its service with the token its key stands for, or to the web app."""

    def __init__(
        self,
        services: tuple[Mounted, ...],
        mailbox: Mounted,
        website: ASGIApp,
        keys: Keys,
        proxies: tuple[Network, ...] = (),
    ) -> None:
        self._services = services
        self._proxies = proxies
        self._mailbox = mailbox
        self._website = website
        self._tokens = {
            keys.publishable: keys.anon,
            keys.secret: keys.service_role,
            keys.anon: keys.anon,
            keys.service_role: keys.service_role,
        }
        for retired in keys.retired.api:
            self._tokens[retired.key] = getattr(keys, retired.role)

    def forget(self, key: str) -> None:
        """Take a retired key no longer."""
        self._tokens.pop(key, None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP or WebSocket scope."""
        service = _service_of(self._services, scope["path"])
        if service is None:
            # The mailbox's guard looks for traces of a proxy: the scope goes to it as it came.
            missing = missing_service(scope["path"])
            if missing is not None:
                await _refuse(scope, receive, send, no_service(missing, scope))
                return
            is_mailbox = scope["path"] == self._mailbox.prefix
            await (self._mailbox.app if is_mailbox else self._website)(scope, receive, send)
            return
        headers: RawHeaders = list(scope["headers"])
        if not _needs_no_key(scope):
            token, refusal = self._token(headers, scope["query_string"])
            if refusal is not None:
                await _refuse(scope, receive, send, refusal)
                return
            headers = _authorised(
                headers, token, self._tokens, websocket=scope["type"] == "websocket"
            )
        inner = {
            **with_client(scope, headers, self._proxies),
            "query_string": without_key(scope["query_string"]),
            "root_path": scope.get("root_path", "") + service.prefix,
        }
        await service.app(inner, receive, send)

    def _token(self, headers: RawHeaders, query: bytes) -> tuple[str, HttpResponse | None]:
        key = _header(headers, b"apikey") or _query_key(query)
        if not key:
            return "", _unauthorized(_NO_KEY)
        token = find_token(self._tokens, key)
        return token or "", None if token else _unauthorized(_BAD_KEY)


def find_token(tokens: Mapping[str, str], key: str) -> str | None:
    """The token a key stands for; every known key is compared, each in constant time."""
    found: str | None = None
    for known, token in tokens.items():
        if hmac.compare_digest(known.encode(), key.encode()):
            found = token
    return found


def without_key(query: bytes) -> bytes:
    """The query without its `apikey`: the gateway's, and to a service a column's name."""
    if b"apikey=" not in query:
        return query
    return b"&".join(part for part in query.split(b"&") if not part.startswith(b"apikey="))


def _service_of(services: tuple[Mounted, ...], path: str) -> Mounted | None:
    for service in services:
        if path == service.prefix or path.startswith(service.prefix + "/"):
            return service
    return None


def _needs_no_key(scope: Scope) -> bool:
    is_preflight = scope["type"] == "http" and scope["method"] == "OPTIONS"
    return is_preflight or scope["path"].startswith(_OPEN_PATHS)


def _authorised(
    headers: RawHeaders, token: str, tokens: Mapping[str, str], *, websocket: bool
) -> RawHeaders:
    """The headers with the key's token: for a socket always, else where no user's token is."""
    if websocket:
        kept = [(name, value) for name, value in headers if name != b"x-api-key"]
        return [*kept, (b"x-api-key", token.encode())]
    scheme, _, bearer = (_header(headers, b"authorization") or "").partition(" ")
    is_retired = tokens.get(bearer, bearer) != bearer  # an old anon or service_role key
    if scheme.lower() == "bearer" and bearer and not bearer.startswith("sb_") and not is_retired:
        return headers
    # An opaque or retired key as bearer is exchanged; no token, or another scheme than Bearer, is
    # the key's.
    is_bearer = scheme.lower() == "bearer" and bool(bearer)
    exchanged = find_token(tokens, bearer) if is_bearer else token
    kept = [(name, value) for name, value in headers if name != b"authorization"]
    return [*kept, (b"authorization", f"Bearer {exchanged or bearer}".encode())]


def _header(headers: RawHeaders, name: bytes) -> str | None:
    for key, value in headers:
        if key == name:
            return value.decode("utf-8", "replace")
    return None


def _query_key(query: bytes) -> str | None:
    return (
        parse_qs(query.decode("latin-1")).get("apikey", [None])[0] if b"apikey=" in query else None
    )


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

"""The built web app, from memory: compressed once, with its configuration put in when served.

Starlette's StaticFiles asks the file system in a thread for each request: 0.9 ms of processor time
for a script, against 4 µs here, and nothing compressed.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import mimetypes
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from starlette.types import Receive, Scope, Send

from compat_base.asgi import close_socket, send_response
from compat_base.values.http import HttpResponse
from compat_base.values.world import Entropy
from compat_stack.network.hosts import is_address, is_loopback, requested_host

CONFIGURATION_MARK = b"<!--planes-config-->"
_SCRIPT = b"<script "
_NONCE_BYTES = 18
_ROUTES = re.compile(rb'id="route-files">(.*?)</script>')
_ROOT_SCRIPT = re.compile(r"/[^/]+\.js")
_BUILT = "/assets/"
_COMPRESSIBLE = (".html", ".js", ".css", ".svg", ".json", ".webmanifest", ".txt", ".ico")
_POLICY = (
    "default-src 'self'; script-src {scripts}; connect-src 'self' {socket}; img-src 'self' data:;"
    " style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)
_MISDIRECTED = HttpResponse(
    421,
    (("content-type", "text/plain"),),
    b"this host is not one of ours: set PUBLIC_URL to the address that people use",
)
_NOT_BUILT = (
    b"<!doctype html><meta charset=utf-8><title>Planes en Pareja</title>"
    b"<p>The web app is not built: run <code>make web</code>. The services are running."
)


@dataclass(frozen=True, slots=True)
class Asset:
    """One file of the build, plain and compressed, with its ETag."""

    body: bytes
    compressed: bytes | None
    media_type: str
    etag: str
    immutable: bool


class Website:
    """Serves the build's files by path, and its index for the app's routes; 404 for other paths."""

    def __init__(  # noqa: PLR0913 — what the composition knows of the page
        self,
        assets: dict[str, Asset],
        *,
        key: str,
        public_url: str | None,
        bind_host: str,
        entropy: Entropy,
        push_key: str = "",
    ) -> None:
        self._assets = assets
        self._entropy = entropy
        self._bind_host = bind_host
        self._key = key
        self._push_key = push_key
        self._public_url = public_url
        self._routes = _routes(assets.get("/index.html"))
        self._scripts = (_BUILT, *(path for path in assets if _ROOT_SCRIPT.fullmatch(path)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; there are no sockets here."""
        if scope["type"] == "websocket":
            await close_socket(receive, send)
            return
        await send_response(send, self.respond(scope))

    def respond(self, scope: Scope) -> HttpResponse:
        """The response to a GET or HEAD of a path."""
        if scope["method"] not in {"GET", "HEAD"}:
            return HttpResponse(405, (("allow", "GET, HEAD"),))
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        asset = self._assets.get(scope["path"])
        if asset is not None and scope["path"] != "/index.html":
            return _file(asset, headers, head=scope["method"] == "HEAD")
        if scope["path"].startswith(_BUILT):
            return HttpResponse(404, (("content-type", "text/plain"),), b"not found")
        return self._index(scope)

    def _index(self, scope: Scope) -> HttpResponse:
        requested_origin = own_origin(scope, self._bind_host)
        origin = self._public_url or requested_origin
        if origin is None:
            return _MISDIRECTED
        origins = {origin, requested_origin or origin}
        nonce = self._entropy.bytes(_NONCE_BYTES).hex() if any(map(_is_unmatched, origins)) else ""
        scripts = script_sources(origins, self._scripts, nonce)
        index = self._assets.get("/index.html")
        page = index.body if index else _NOT_BUILT
        body = page.replace(CONFIGURATION_MARK, self._configuration(origin, nonce))
        if nonce:
            body = body.replace(_SCRIPT, b'%bnonce="%b" ' % (_SCRIPT, nonce.encode()))
        socket = "ws" + origin.removeprefix("http")
        known = self._routes is None or scope["path"] in self._routes
        return HttpResponse(
            200 if known else 404,
            (
                ("content-type", "text/html; charset=utf-8"),
                ("cache-control", "no-cache"),
                ("content-security-policy", _POLICY.format(scripts=scripts, socket=socket)),
            ),
            b"" if scope["method"] == "HEAD" else body,
        )

    def _configuration(self, origin: str, nonce: str) -> bytes:
        return (
            (f'<meta property="csp-nonce" nonce="{nonce}">' if nonce else "")
            + f'<meta name="supabase-url" content="{html.escape(origin)}">'
            f'<meta name="supabase-key" content="{html.escape(self._key)}">'
            f'<meta name="push-key" content="{html.escape(self._push_key)}">'
        ).encode()


def _routes(index: Asset | None) -> frozenset[str] | None:
    """The app's routes as the build lists them; None where it lists none."""
    listed = _ROUTES.search(index.body) if index else None
    return frozenset(json.loads(listed[1])) if listed else None


def load_assets(folder: Path) -> dict[str, Asset]:
    """Read a build folder whole: URL path → asset; empty where the folder does not exist."""
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []
    return {f"/{path.relative_to(folder).as_posix()}": _asset(path) for path in files}


def _asset(path: Path) -> Asset:
    body = path.read_bytes()
    compressed = gzip.compress(body, 9) if path.suffix in _COMPRESSIBLE else None
    if path.suffix == ".webmanifest":
        media_type = "application/manifest+json"
    else:
        media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    is_text = media_type.startswith("text/") or media_type.endswith(("javascript", "json"))
    return Asset(
        body=body,
        compressed=compressed if compressed and len(compressed) < len(body) else None,
        media_type=f"{media_type}; charset=utf-8" if is_text else media_type,
        etag=f'"{hashlib.sha256(body).hexdigest()[:20]}"',
        immutable=path.parent.name == "assets",
    )


def _file(asset: Asset, headers: dict[bytes, str], *, head: bool) -> HttpResponse:
    caching = "public, max-age=31536000, immutable" if asset.immutable else "no-cache"
    shared = (("etag", asset.etag), ("cache-control", caching), ("vary", "accept-encoding"))
    if asset.etag in headers.get(b"if-none-match", ""):
        return HttpResponse(304, shared, content_length=False)
    zipped = asset.compressed if "gzip" in headers.get(b"accept-encoding", "") else None
    encoding = (("content-encoding", "gzip"),) if zipped is not None else ()
    return HttpResponse(
        200,
        (("content-type", asset.media_type), *encoding, *shared),
        b"" if head else (zipped if zipped is not None else asset.body),
        content_length=not head,
    )


def script_sources(origins: Iterable[str], paths: Iterable[str], nonce: str) -> str:
    """The build's own scripts as sources of a Content-Security-Policy (CSP3, 2.3.1 and 6.7.2.7).

    `'self'` alone would let a file that somebody has stored, or an answer of REST's, run as a
    script of the page: all are of one origin. Where the host is an address other than 127.0.0.1,
    which no source of a policy need match, the page's own tags have a nonce; workers, which can
    have none, may be any of the origin's.
    """
    if nonce:
        return f"'nonce-{nonce}'; worker-src 'self'"
    listed, named = tuple(paths), sorted(origins)
    return " ".join(f"{origin}{path}" for origin in named for path in listed)


def _is_unmatched(origin: str) -> bool:
    host = urlsplit(origin).hostname or ""
    return is_address(host) and host != "127.0.0.1"


def own_origin(scope: Scope, bind_host: str) -> str | None:
    """The origin that a request's Host names, where it is one of ours; None for any other.

    Ours are the address that the connection reached, the one listened on, and this machine's own
    names where the connection reached a loopback address.
    """
    host, server = requested_host(scope), scope.get("server")
    if host is None or server is None:
        return None
    ours = {server[0].lower(), bind_host.lower()}
    if host.name not in ours and not (is_loopback(host.name) and is_loopback(server[0])):
        return None
    return f"{scope.get('scheme', 'http')}://{host.text}"

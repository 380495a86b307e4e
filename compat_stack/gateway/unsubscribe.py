"""List-Unsubscribe without signing in (RFC 8058): POST unsubscribes, GET asks first.

Scanners that only follow links end nothing. The project's function `baja_correo`, called through
the REST service, does it by the mail's token; every token is answered alike.
"""

from __future__ import annotations

import html
from http import HTTPStatus
from urllib.parse import parse_qs

import httpx2
from starlette.types import ASGIApp, Receive, Scope, Send

from compat_base.asgi import close_socket, send_response
from compat_base.values import jsontext
from compat_base.values.http import HttpResponse

_FUNCTION = "/rpc/baja_correo"
_LONGEST = 200  # characters of a token
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'"
)
_STYLE = (
    ":root{color-scheme:light dark}body{font:18px/1.5 system-ui,sans-serif;max-width:34rem;"
    "margin:3rem auto;padding:0 1rem}button{font:inherit;padding:.6rem 1rem;min-height:2.75rem}"
)
_CONFIRM = (
    "<h1>Correos de Planes en Pareja</h1><p>Dejarás de recibir recordatorios por correo.</p>"
    '<form method="post" action="?ficha={mail_token}"><button>No quiero más correos</button></form>'
)
_DONE = "<h1>No recibirás más correos</h1><p>Puedes volver a activarlos en los ajustes.</p>"
_FAILED = "<h1>Ahora no se ha podido</h1><p>Inténtalo de nuevo dentro de un momento.</p>"


class Unsubscribe:
    """The page of one application: `rest` is the REST service, `token` the anon role's."""

    def __init__(self, rest: ASGIApp, token: str) -> None:
        self._rest = rest
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; there are no sockets here."""
        if scope["type"] == "websocket":
            await close_socket(receive, send)
            return
        await send_response(send, await self._respond(scope))

    async def _respond(self, scope: Scope) -> HttpResponse:
        query = parse_qs(scope["query_string"].decode("latin-1"))
        mail_token = query.get("ficha", [""])[0][:_LONGEST]
        if scope["method"] in {"GET", "HEAD"}:
            return _page(
                200,
                _CONFIRM.format(mail_token=html.escape(mail_token)),
                head=scope["method"] == "HEAD",
            )
        if scope["method"] != "POST":
            return HttpResponse(405, (("allow", "GET, HEAD, POST"),))
        is_done = await self._end(mail_token)
        return _page(200, _DONE) if is_done else _page(503, _FAILED)

    async def _end(self, mail_token: str) -> bool:
        transport = httpx2.ASGITransport(self._rest)
        headers = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
        async with httpx2.AsyncClient(transport=transport, base_url="http://stack") as client:
            answer = await client.post(
                _FUNCTION, headers=headers, content=jsontext.encode_bytes({"ficha": mail_token})
            )
        # A malformed token is refused there, and answered like an unknown one.
        return answer.is_success or answer.status_code == HTTPStatus.BAD_REQUEST


def _page(status: int, body: str, *, head: bool = False) -> HttpResponse:
    page = (
        '<!doctype html><html lang="es"><meta charset="utf-8"><title>Correos</title>'
        '<meta name="robots" content="noindex">'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f"<main>{body}</main></html>"
    )
    headers = (
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-store"),
        ("content-security-policy", _POLICY),
    )
    return HttpResponse(status, headers, b"" if head else page.encode(), content_length=not head)

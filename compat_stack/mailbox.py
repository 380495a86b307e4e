"""The local mailbox: keeps mail while no SMTP server is set, and the page that shows it.

Mails are files of the data folder, or rows where nodes may share a database (`mail_stores`). The
page is the operator's (`operator_access`): neither the network nor a foreign web page can read a
confirmation link.
"""

from __future__ import annotations

import asyncio
import html
from collections.abc import Sequence
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast
from urllib.parse import parse_qs

from starlette.types import Receive, Scope, Send

from compat_base.asgi import close_socket, send_response
from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.values.http import HttpResponse
from compat_base.values.world import World
from compat_stack.mail_stores import DatabaseStore, FolderStore, MailStore
from compat_stack.operator_access import OperatorAccess
from compat_stack.services.service import Deployment
from compat_stack.settings import Settings
from gotrue_compat.adapters.smtp import SmtpMailer, set_body, set_recipient
from gotrue_compat.ports import DeliveryError, Mail, Mailer
from gotrue_compat.settings import read_smtp

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;"
    "color:#221c2e;background:#faf8f5}a{color:#5b3cc4}li{margin:.5rem 0}"
    "article{background:#fff;border:1px solid #e3ded8;border-radius:14px;padding:1rem 1.25rem}"
    "time{color:#625b71}"
)
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
_HEADERS = (
    ("cache-control", "no-store"),
    ("content-security-policy", _POLICY),
)
_AWAY = HttpResponse(503, (("content-type", "text/plain"), *_HEADERS), b"no database")
_ABSENT = HttpResponse(404, (("content-type", "text/plain"), *_HEADERS), b"not found")
_CHALLENGE = HttpResponse(
    401,
    (
        ("content-type", "text/plain"),
        ("www-authenticate", 'Basic realm="mailbox: the secret key is the password"'),
        *_HEADERS,
    ),
    b"the password is SUPABASE_SECRET_KEY of keys.env",
)


@dataclass(frozen=True, slots=True)
class KeptMail:
    """One mail; `name` is its file's, and its parameter on the page."""

    name: str
    message: EmailMessage


class Mailbox:
    """A mailer of the auth service that keeps mails."""

    def __init__(self, store: MailStore, world: World) -> None:
        self._store = store
        self._world = world

    async def send(self, mail: Mail) -> None:
        """Keep a mail; DeliveryError without a database, or without room, to keep it in."""
        now = self._world.clock.now()
        message = EmailMessage(policy=policy.SMTP)
        set_recipient(message, mail.recipient)
        message["Subject"] = " ".join(mail.subject.split())
        message["Date"] = now
        for header, value in mail.headers:
            message[header] = value
        set_body(message, mail)
        name = f"{now:%Y%m%dT%H%M%S%f}-{self._world.entropy.bytes(4).hex()}.eml"
        try:
            await self._store.add(name, message.as_bytes())
        except (PgFault, Unavailable, OSError) as error:
            raise DeliveryError(str(error)) from error

    async def mails(self) -> tuple[KeptMail, ...]:
        """All kept mails, newest first."""
        return await asyncio.to_thread(_parse_all, await self._store.all())

    async def find_mail(self, name: str) -> KeptMail | None:
        """A mail by its name."""
        content = await self._store.find(name)
        return None if content is None else _parsed(name, content)


def _parse_all(found: Sequence[tuple[str, bytes]]) -> tuple[KeptMail, ...]:
    return tuple(_parsed(name, content) for name, content in found)


def _parsed(name: str, content: bytes) -> KeptMail:
    message = message_from_bytes(content, policy=policy.default)
    assert isinstance(message, EmailMessage)  # noqa: S101 — what the default policy makes
    return KeptMail(name, message)


def mailbox_of(settings: Settings, deployment: Deployment, world: World) -> Mailbox:
    """The local mailbox: in the data folder, or in the database that nodes share.

    Raises OSError where mails will be kept in a folder that cannot be made.
    """
    if settings.database_url is not None:
        return Mailbox(DatabaseStore(deployment), world)
    store = FolderStore(settings.data_dir / "mailbox")
    if not settings.has_smtp:
        store.make()
    return Mailbox(store, world)


def mailer_of(settings: Settings, deployment: Deployment, world: World) -> Mailer:
    """The stack's mailer: the auth service's SMTP server, else the local mailbox."""
    if settings.has_smtp:
        return SmtpMailer(read_smtp(settings.environment))
    return mailbox_of(settings, deployment, world)


class MailboxPage:
    """`/mailbox`; `/mailbox?mail=NAME` is one mail, `/mailbox?login` asks for the secret key.

    It is a 404 to everybody but the operator.
    """

    def __init__(self, mailbox: Mailbox, access: OperatorAccess) -> None:
        self._mailbox = mailbox
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request of the operator."""
        if scope["type"] == "websocket":
            await close_socket(receive, send)
            return
        await send_response(send, await self._respond(scope))

    async def _respond(self, scope: Scope) -> HttpResponse:
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if not await self._access.admits(scope):
            return _CHALLENGE if "login" in query else _ABSENT
        if scope["method"] not in {"GET", "HEAD"}:
            return HttpResponse(405, (("allow", "GET, HEAD"), *_HEADERS))
        chosen = query.get("mail", [""])[0]
        try:
            mail = await self._mailbox.find_mail(chosen) if chosen else None
            body = _mail_page(mail) if mail else _list_page(await self._mailbox.mails())
        except (PgFault, Unavailable):
            return _AWAY
        return _page(body, head=scope["method"] == "HEAD")


def _page(body: str, *, head: bool) -> HttpResponse:
    page = (
        '<!doctype html><html lang="es"><meta charset="utf-8"><title>Buzón local</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>{body}</html>'
    )
    headers = (("content-type", "text/html; charset=utf-8"), *_HEADERS)
    return HttpResponse(200, headers, b"" if head else page.encode(), content_length=not head)


def _list_page(mails: tuple[KeptMail, ...]) -> str:
    if not mails:
        return (
            "<h1>Buzón local</h1>"
            "<p>No hay correos. Aquí llegan mientras no haya un servidor SMTP.</p>"
        )
    return f"<h1>Buzón local</h1><ul>{''.join(map(_list_item, mails))}</ul>"


def _list_item(mail: KeptMail) -> str:
    link = f'<a href="/mailbox?mail={html.escape(mail.name)}">{_header(mail, "Subject")}</a>'
    return f"<li>{link} · {_header(mail, 'To')} · <time>{_header(mail, 'Date')}</time></li>"


def _mail_page(mail: KeptMail) -> str:
    return (
        '<p><a href="/mailbox">← Todos los correos</a></p>'
        f"<h1>{_header(mail, 'Subject')}</h1><p>Para {_header(mail, 'To')}</p>"
        f"<article>{_content(mail)}</article>"
    )


def _header(mail: KeptMail, name: str) -> str:
    return html.escape(str(mail.message.get(name, "")))


def _content(mail: KeptMail) -> str:
    try:
        part = mail.message.get_body(("html",)) or mail.message
        return str(cast("EmailMessage", part).get_content())
    except (KeyError, LookupError, ValueError):
        return "<p>Este correo no se puede leer.</p>"

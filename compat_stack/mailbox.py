"""The local mailbox: where mail goes while no SMTP server is set, and the page that shows it.

Each mail is one `.eml` file in the data folder. The page is the operator's: it answers only
loopback addresses that came without a proxy and asked for a loopback host, so that neither the
network nor a foreign web page can read a confirmation link.
"""

from __future__ import annotations

import asyncio
import html
import os
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from starlette.types import Receive, Scope, Send

from compat_base.asgi import send_response
from compat_base.http import HttpResponse
from compat_base.world import World
from gotrue_compat.ports import Mail

KEPT = 200  # mails; the oldest go first
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;"
    "color:#221c2e;background:#faf8f5}a{color:#5b3cc4}li{margin:.5rem 0}"
    "article{background:#fff;border:1px solid #e3ded8;border-radius:14px;padding:1rem 1.25rem}"
    "time{color:#625b71}"
)


@dataclass(frozen=True, slots=True)
class KeptMail:
    """One mail of the mailbox; `name` is its file's, and its address on the page."""

    name: str
    message: EmailMessage


class Mailbox:
    """Keeps mails as files; a mailer of the auth service."""

    def __init__(self, folder: Path, world: World) -> None:
        self._folder = folder
        self._world = world

    async def send(self, mail: Mail) -> None:
        """Keep a mail."""
        now = self._world.clock.now()
        message = EmailMessage(policy=policy.SMTP)
        message["To"] = mail.recipient
        message["Subject"] = mail.subject
        message["Date"] = now
        message.set_content(mail.html, subtype="html")
        name = f"{now:%Y%m%dT%H%M%S%f}-{self._world.entropy.bytes(4).hex()}.eml"
        await asyncio.to_thread(self._write, name, message.as_bytes())

    def mails(self) -> tuple[KeptMail, ...]:
        """Every kept mail, newest first."""
        return tuple(self._read(path) for path in reversed(self._files()))

    def find_mail(self, name: str) -> KeptMail | None:
        """The mail of a name, if it is kept."""
        return next((self._read(path) for path in self._files() if path.name == name), None)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.eml"))

    def _read(self, path: Path) -> KeptMail:
        message = message_from_bytes(path.read_bytes(), policy=policy.default)
        assert isinstance(message, EmailMessage)  # noqa: S101 — what the default policy makes
        return KeptMail(path.name, message)

    def _write(self, name: str, content: bytes) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        for old in self._files()[:-KEPT]:
            old.unlink(missing_ok=True)


class MailboxPage:
    """`/mailbox`, and `/mailbox?mail=NAME` for one mail."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Serve one request of the operator; nobody else learns that the page exists."""
        if scope["type"] != "http" or not is_operator(scope):
            await send_response(
                send, HttpResponse(404, (("content-type", "text/plain"),), b"not found")
            )
            return
        chosen = parse_qs(scope["query_string"].decode("latin-1")).get("mail", [""])[0]
        mail = await asyncio.to_thread(self._mailbox.find_mail, chosen) if chosen else None
        body = (
            _mail_page(mail) if mail else _list_page(await asyncio.to_thread(self._mailbox.mails))
        )
        await send_response(send, _page(body))


def is_operator(scope: Scope) -> bool:
    """Whether a request comes from this machine itself, by an address of this machine."""
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    if b"x-forwarded-for" in headers or b"forwarded" in headers:
        return False
    client = scope.get("client")
    host = urlsplit(f"//{headers.get(b'host', '')}").hostname or ""
    return client is not None and _is_loopback(client[0]) and _is_loopback(host)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _page(body: str) -> HttpResponse:
    page = (
        '<!doctype html><html lang="es"><meta charset="utf-8"><title>Buzón local</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>{body}</html>'
    )
    headers = (
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-store"),
        ("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'"),
        ("x-frame-options", "DENY"),
    )
    return HttpResponse(200, headers, page.encode())


def _list_page(mails: tuple[KeptMail, ...]) -> str:
    if not mails:
        return (
            "<h1>Buzón local</h1>"
            "<p>No hay correos. Aquí llegan mientras no haya un servidor SMTP.</p>"
        )
    return f"<h1>Buzón local</h1><ul>{''.join(map(_list_item, mails))}</ul>"


def _list_item(mail: KeptMail) -> str:
    subject, recipient = html.escape(mail.message["Subject"]), html.escape(mail.message["To"])
    link = f'<a href="/mailbox?mail={html.escape(mail.name)}">{subject}</a>'
    return f"<li>{link} · {recipient} · <time>{html.escape(mail.message['Date'])}</time></li>"


def _mail_page(mail: KeptMail) -> str:
    subject, recipient = html.escape(mail.message["Subject"]), html.escape(mail.message["To"])
    return (
        f'<p><a href="/mailbox">← Todos los correos</a></p><h1>{subject}</h1>'
        f"<p>Para {recipient}</p><article>{mail.message.get_content()}</article>"
    )

"""Mails of the queue: composed with their List-Unsubscribe headers, and handed to the mailer."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import cast
from urllib.parse import quote

from compat_base.values.world import World
from compat_stack.background.deliveries import Delivered, Failed, Outcome, repeated
from compat_stack.background.push import Message
from gotrue_compat.ports import DeliveryError, Mail, Mailer

UNSUBSCRIBE_PATH = "/unsubscribe"
"""The page of List-Unsubscribe, `?ficha=` its token: `compat_stack.gateway.unsubscribe`."""
_MOST_PARAGRAPHS = 20


class MailSender:
    """Sends mails of the queue by the stack's mailer. `url` is the stack's public address."""

    def __init__(self, mailer: Mailer, url: str, world: World) -> None:
        self._mailer = mailer
        self._url = url
        self._world = world

    async def send(self, message: Message) -> Outcome:
        """Send a mail; a failure is an Outcome, not an exception."""
        mail = mail_of(message.target, message.content, self._url)
        if mail is None:
            return Failed("no mail")
        try:
            await self._mailer.send(mail)
        except DeliveryError as error:
            jitter = int.from_bytes(self._world.entropy.bytes(2)) / 65_535
            return repeated(str(error), message.tries, jitter)
        return Delivered()


def mail_of(target: Mapping[str, str], content: object, url: str) -> Mail | None:
    """A message of the queue as a mail; None where its content is malformed.

    `content` is {asunto, parrafos, enlace: {texto, ruta}, pie, baja}: plain texts, not HTML.
    """
    members = _members(content)
    address, subject = target.get("a", ""), _text(members, "asunto")
    if "@" not in address or not subject:
        return None
    link = _members(members.get("enlace"))
    path = _text(link, "ruta")
    action = (_text(link, "texto"), url + path) if path.startswith("/") else None
    mail_token = target.get("ficha", "")
    end = f"{url}{UNSUBSCRIBE_PATH}?ficha={quote(mail_token, safe='')}" if mail_token else ""
    ending = (_text(members, "baja"), end) if end else None
    paragraphs, footer = _paragraphs(members), _text(members, "pie")
    return Mail(
        recipient=address,
        subject=subject,
        html=_html(paragraphs, action, footer, ending),
        kind="reminder",
        headers=_headers(end),
        text=_plain(paragraphs, action, footer, ending),
    )


_Link = tuple[str, str] | None


def _headers(end: str) -> tuple[tuple[str, str], ...]:
    if not end:
        return ()
    return (
        ("List-Unsubscribe", f"<{end}>"),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ("Auto-Submitted", "auto-generated"),
    )


def _plain(paragraphs: list[str], action: _Link, footer: str, ending: _Link) -> str:
    links = [f"{words}: {url}" for words, url in (action,) if words] if action else []
    last = [f"{ending[0]}: {ending[1]}"] if ending else []
    return "\n\n".join([*paragraphs, *links, *filter(None, [footer]), *last]) + "\n"


def _html(paragraphs: list[str], action: _Link, footer: str, ending: _Link) -> str:
    first, *rest = [html.escape(text) for text in paragraphs] or [""]
    parts = [f"<h1 dir='auto'>{first}</h1>", *(f"<p dir='auto'>{text}</p>" for text in rest)]
    if action:
        parts.append(f"<p>{_anchor(*action)}</p>")
    if footer:
        parts.append(f"<p><small>{html.escape(footer)}</small></p>")
    if ending:
        parts.append(f"<p><small>{_anchor(*ending)}</small></p>")
    return f"<!doctype html><html lang='es'><body>{''.join(parts)}</body></html>"


def _anchor(words: str, url: str) -> str:
    return f'<a href="{html.escape(url)}">{html.escape(words)}</a>'


def _paragraphs(members: Mapping[str, object]) -> list[str]:
    found = members.get("parrafos")
    given = cast("list[object]", found)[:_MOST_PARAGRAPHS] if isinstance(found, list) else []
    return [text for text in given if isinstance(text, str) and text]


def _members(value: object) -> Mapping[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _text(members: Mapping[str, object], name: str) -> str:
    value = members.get(name)
    return value if isinstance(value, str) else ""

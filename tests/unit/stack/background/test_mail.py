"""Messages of the queue as mails: their texts, their links, the ways to end them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from compat_base.values.world import real_world
from compat_stack.background.deliveries import Delivered, Failed, Postponed
from compat_stack.background.mail import MailSender, mail_of
from compat_stack.background.push import Message
from gotrue_compat.adapters.smtp import message_of
from gotrue_compat.ports import DeliveryError, Mail
from gotrue_compat.settings import read_smtp

URL = "https://planes.example"
TARGET = {"a": "ana@example.com", "ficha": "a/b"}
CONTENT: dict[str, Any] = {
    "asunto": "Mañana: Cena <b>",
    "parrafos": ["Cena <b>", "dom 22 nov · 21:30"],
    "enlace": {"texto": "Ver el plan", "ruta": "/dashboard?plan=1"},
    "pie": "Recibes esto.",
    "baja": "No quiero más correos",
}


def test_c6_a_mail_says_it_as_text_and_as_html_and_how_to_end_it() -> None:
    mail = mail_of(TARGET, CONTENT, URL)
    assert mail is not None
    assert (mail.recipient, mail.subject) == ("ana@example.com", "Mañana: Cena <b>")
    assert "Cena <b>\n" in mail.text
    assert "Ver el plan: https://planes.example/dashboard?plan=1" in mail.text
    assert "No quiero más correos: https://planes.example/unsubscribe?ficha=a%2Fb" in mail.text
    assert "Cena &lt;b&gt;" in mail.html
    assert "<b>" not in mail.html
    assert dict(mail.headers) == {
        "List-Unsubscribe": "<https://planes.example/unsubscribe?ficha=a%2Fb>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }


def test_c6_the_message_has_both_parts_and_one_line_of_subject() -> None:
    mail = mail_of(TARGET, CONTENT | {"asunto": "Mañana:\nBcc: x@y.z"}, URL)
    assert mail is not None
    message = message_of(mail, read_smtp({"GOTRUE_SMTP_ADMIN_EMAIL": "planes@example.com"}))
    assert message["Subject"] == "Mañana: Bcc: x@y.z"
    assert message["Bcc"] is None
    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/alternative", "text/plain", "text/html",
    ]  # fmt: skip


def test_an_address_that_holds_another_in_a_headers_encoding_gets_no_mail() -> None:
    mail = mail_of(TARGET | {"a": "=?utf-8?q?me=40evil.example=2c?=x@example.com"}, CONTENT, URL)
    assert mail is not None
    with pytest.raises(DeliveryError):
        message_of(mail, read_smtp({"GOTRUE_SMTP_ADMIN_EMAIL": "planes@example.com"}))


@pytest.mark.parametrize(
    ("target", "content"),
    [
        ({}, CONTENT),
        ({"a": "nobody"}, CONTENT),
        (TARGET, None),
        (TARGET, []),
        (TARGET, CONTENT | {"asunto": 7}),
    ],
)
def test_what_is_no_mail_is_none(target: dict[str, str], content: object) -> None:
    assert mail_of(target, content, URL) is None


def test_a_link_leads_nowhere_else() -> None:
    content = CONTENT | {"enlace": {"texto": "x", "ruta": "https://evil.example"}}
    mail = mail_of({"a": "ana@example.com"}, content, URL)
    assert mail is not None
    assert "evil" not in mail.text + mail.html
    assert mail.headers == ()


class Refusing:
    """A mail server that takes nothing."""

    async def send(self, mail: Mail) -> None:
        raise DeliveryError("SMTPConnectError")


class Taking:
    """A mail server that takes everything."""

    def __init__(self) -> None:
        self.taken: list[Mail] = []

    async def send(self, mail: Mail) -> None:
        self.taken.append(mail)


def message(tries: int, content: object = None) -> Message:
    return Message(TARGET, content or CONTENT, datetime.now(UTC), tries)


async def test_c6_what_the_server_does_not_take_is_sent_again_and_then_failed() -> None:
    sender = MailSender(Refusing(), URL, real_world())
    assert isinstance(await sender.send(message(1)), Postponed)
    assert await sender.send(message(5)) == Failed("SMTPConnectError")
    taking = Taking()
    assert await MailSender(taking, URL, real_world()).send(message(1)) == Delivered()
    assert len(taking.taken) == 1
    assert await MailSender(taking, URL, real_world()).send(message(1, [1])) == Failed("no mail")

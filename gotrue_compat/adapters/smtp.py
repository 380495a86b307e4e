"""Mail over SMTP (auth reference 13), or nowhere."""

from __future__ import annotations

import contextlib
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import formataddr, formatdate, make_msgid
from ipaddress import ip_address

import aiosmtplib

from compat_base.values.networks import is_public
from gotrue_compat.ports import DeliveryError, Mail
from gotrue_compat.settings.addresses import SmtpSettings

_IMPLICIT_TLS_PORT = 465
_SECONDS = 10


class NoMailer:
    """Drops every mail: without a server, calls that would send one succeed."""

    async def send(self, mail: Mail) -> None:
        """Drop the mail."""


class SmtpMailer:
    """Sends each mail over a connection of its own."""

    def __init__(self, settings: SmtpSettings) -> None:
        self._settings = settings

    async def send(self, mail: Mail) -> None:
        """Send a mail; DeliveryError where the server refuses it.

        TLS is implicit on port 465 and by STARTTLS elsewhere where offered; AUTH where offered.
        """
        settings = self._settings
        client = aiosmtplib.SMTP(
            hostname=settings.host,
            port=settings.port,
            use_tls=settings.port == _IMPLICIT_TLS_PORT,
            timeout=_SECONDS,
        )
        try:
            await client.connect()
            if settings.user and client.supports_extension("auth"):
                is_encrypted = client.get_transport_info("sslcontext") is not None
                peer = str(client.get_transport_info("peername")[0])
                if not may_send_password(peer, is_encrypted=is_encrypted):
                    raise DeliveryError("the server offers no TLS, and a password would be read")
                await client.login(settings.user, settings.password.reveal())
            await client.send_message(message_of(mail, settings), recipients=[mail.recipient])
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            raise DeliveryError(type(error).__name__) from error
        finally:
            with contextlib.suppress(aiosmtplib.SMTPException, OSError):
                await client.quit()


def may_send_password(peer: str, *, is_encrypted: bool) -> bool:
    """Whether the password may be sent: over TLS, or to an address that is not public.

    A man in the middle could strip the offer of TLS from a public server's answer.
    """
    return is_encrypted or not is_public(ip_address(peer.partition("%")[0]))


def message_of(mail: Mail, settings: SmtpSettings) -> EmailMessage:
    """The mail as a message: HTML, beside its text where it has one, UTF-8, quoted-printable."""
    message = EmailMessage(policy=SMTP_POLICY)
    message["From"] = formataddr((settings.sender_name, settings.admin_email))
    set_recipient(message, mail.recipient)
    message["Subject"] = " ".join(mail.subject.split())
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=settings.admin_email.partition("@")[2] or None)
    for name, values in settings.headers.items():
        for value in values:
            message[name] = value.replace("$messageType", mail.kind)
    for name, value in mail.headers:
        message[name] = value
    set_body(message, mail)
    return message


def set_recipient(message: EmailMessage, recipient: str) -> None:
    """Give a message its one recipient; DeliveryError where the header would name another.

    Encoded words in an address (RFC 2047) are decoded in the header: `=?utf-8?q?a=40b=2c?=c@d`
    is one address by its form, and names two.
    """
    message["To"] = recipient
    named = [address.addr_spec.replace('"', "") for address in message["To"].addresses]
    if named != [recipient.replace('"', "")]:
        raise DeliveryError("the address names another one")


def set_body(message: EmailMessage, mail: Mail) -> None:
    """Give a message a mail's parts."""
    if not mail.text:
        message.set_content(mail.html, subtype="html", charset="utf-8", cte="quoted-printable")
        return
    message.set_content(mail.text, charset="utf-8", cte="quoted-printable")
    message.add_alternative(mail.html, subtype="html", charset="utf-8", cte="quoted-printable")

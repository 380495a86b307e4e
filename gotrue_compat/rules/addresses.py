"""Forms of e-mail addresses and phone numbers (auth reference 6)."""

from __future__ import annotations

import re

from compat_base.values.errors import ApiError
from gotrue_compat import errors

_LONGEST_EMAIL = 255
_EMAIL = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@"
    r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
)
# A word in a header's encoding (RFC 2047): what it decodes to may be another address
_ENCODED = re.compile(r"=\?[^?]*\?[bq]\?", re.IGNORECASE)
# Where nobody reads mail: names that RFC 2606 and RFC 6761 keep free, and what people type there
_RESERVED = re.compile(r"(?:.*\.)?(?:test|example|invalid|local|localhost)")
_DEAD_HOSTS = frozenset(
    {
        "example.com", "example.net", "example.org", "test.com", "gamil.com", "anonymous.com",
        "email.com",
    }
)  # fmt: skip
_DEAD_ADDRESSES = frozenset({"test@gmail.com", "example@gmail.com", "someone@gmail.com"})
_SHORTEST_GMAIL = 6
_PHONE = re.compile(r"[1-9][0-9]{1,14}")


def email_from(text: str) -> str:
    """The address in the form it is stored in (lower case); ApiError for any other form."""
    if not text:
        raise ApiError.of(errors.EMAIL_REQUIRED)
    if len(text.encode()) > _LONGEST_EMAIL:
        raise ApiError.of(errors.EMAIL_TOO_LONG)
    if not _EMAIL.fullmatch(text) or _ENCODED.search(text):
        raise ApiError.of(errors.EMAIL_FORM)
    return text.lower()


def lowered(email: str) -> str:
    """A provider's address in lower case: of its letters those of ASCII alone.

    Python's and Go's lower case make a `k` of the Kelvin sign: somebody else's address.
    """
    if email.isascii():
        return email.lower()
    return "".join(each.lower() if each.isascii() else each for each in email)


def phone_from(text: str) -> str:
    """The number in the form it is stored in: E.164 without the plus; ApiError for others."""
    phone = stored_phone(text)
    if not _PHONE.fullmatch(phone):
        raise ApiError.of(errors.PHONE_FORM)
    return phone


def stored_phone(text: str) -> str:
    """A number without blanks and without its leading plus."""
    return text.replace(" ", "").removeprefix("+")


def is_undeliverable(email: str) -> bool:
    """Whether an address cannot receive mail, by its own text (extended validation)."""
    local, _, host = email.lower().partition("@")
    if host == "gmail.com" and len(local.partition("+")[0]) < _SHORTEST_GMAIL:
        return True
    is_dead = host in _DEAD_HOSTS or _RESERVED.fullmatch(host) is not None
    return is_dead or email.lower() in _DEAD_ADDRESSES


def is_authorized(email: str, allowed: tuple[str, ...]) -> bool:
    """Whether mail may be sent there: no list means everywhere; `+label` is ignored."""
    if not allowed:
        return True
    local, _, host = email.lower().partition("@")
    return f"{local.partition('+')[0]}@{host}" in allowed

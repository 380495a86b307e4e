"""Strength of passwords, and supported hashes (auth reference 6)."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.settings.access import PasswordSettings

LONGEST = 72  # bytes: bcrypt reads no more
PWNED = "Password is known to be weak and easy to guess, please choose a different one."
_BCRYPT = re.compile(r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}")
_ARGON2 = re.compile(r"\$argon2(?:i|id)\$v=19\$m=\d+,t=\d+,p=\d+(?:,\w+=[^$]*)?\$[^$]+\$[^$]+")

# Firebase's: power, rounds, lanes; separator, key of the signer, salt and hash are base64
FBSCRYPT = re.compile(
    r"\$fbscrypt\$v=1,n=(0*[1-9]\d{0,8}),r=(0*[1-9]\d{0,8}),p=(0*[1-9]\d{0,8})"
    r"(?:,ss=([^,]+))?(?:,sk=([^$]+))?\$([^$]+)\$(.+)",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Weakness:
    """The reasons why a password is weak: sentences joined, and their codes."""

    text: str
    reasons: tuple[str, ...]


def check_length(password: str) -> None:
    """Refuse what bcrypt would cut off."""
    if len(password.encode()) > LONGEST:
        raise ApiError.of(errors.PASSWORD_TOO_LONG)


def weakness_of(
    password: str, settings: PasswordSettings, *, is_pwned: bool = False
) -> Weakness | None:
    """The password's weakness, or None: length, then characters, then known leaks."""
    found: list[tuple[str, str]] = []
    if len(password.encode()) < settings.min_length:
        found.append(("length", f"Password should be at least {settings.min_length} characters."))
    if any(not set(members) & set(password) for members in settings.required):
        sets = ", ".join(settings.required)
        found.append(
            ("characters", f"Password should contain at least one character of each: {sets}.")
        )
    if is_pwned:
        found.append(("pwned", PWNED))
    if not found:
        return None
    return Weakness(" ".join(text for _, text in found), tuple(reason for reason, _ in found))


def is_known_hash(text: str) -> bool:
    """Whether a stored hash has a form that sign-in can check."""
    if _BCRYPT.fullmatch(text) or _ARGON2.fullmatch(text):
        return True
    scrypt = FBSCRYPT.fullmatch(text)
    return scrypt is not None and all(_is_base64(part or "") for part in scrypt.groups()[3:])


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error:
        return False
    return True

"""The address of a TOTP key for authenticator apps, escaped as Go escapes (auth reference 8)."""

from __future__ import annotations

from urllib.parse import quote

_IN_PATH = "$&+,/:;=@"  # what Go leaves alone in a path
_IN_SEGMENT = "$&+:=@"  # and in a segment of one


def totp_uri(secret: str, issuer: str, account: str) -> str:
    """The key of an account at an issuer, in the form that a QR code carries."""
    pairs = (
        ("algorithm", "SHA1"), ("digits", "6"), ("issuer", issuer), ("period", "30"),
        ("secret", secret),
    )  # fmt: skip
    query = "&".join(f"{name}={quote(value, safe=_IN_SEGMENT)}" for name, value in pairs)
    return f"otpauth://totp/{quote(f'{issuer}:{account}', safe=_IN_PATH)}?{query}"

"""Rotation and reuse of refresh tokens; the version-2 format (auth reference 3.3, 5.2 to 5.7)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from compat_base.values.errors import ApiError, Row
from gotrue_compat import errors
from gotrue_compat.model.session import RefreshToken
from gotrue_compat.settings.access import SecuritySettings

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
LENGTH = 12
_V1 = re.compile(r"[a-z0-9]{12}")
_SIGNATURE, _CHECKSUM, _UUID = 16, 4, 16


@dataclass(frozen=True, slots=True)
class Rotate:
    """Revoke the token (where it is not yet) and issue a child."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """Answer with this token: the client lost the first answer; `cause` is for logs."""

    token: str
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer that the token was used; `ends_family` revokes its descendants."""

    ends_family: bool


Decision: TypeAlias = Rotate | Reuse | Refuse


@dataclass(frozen=True, slots=True)
class CountedToken:
    """A decoded version-2 token, not verified."""

    session_id: UUID
    counter: int
    signed: bytes
    signature: bytes


def decide(
    token: RefreshToken, active: RefreshToken | None, settings: SecuritySettings, now: datetime
) -> Decision:
    """The decision on a version-1 token; `active` is its session's unrevoked token."""
    if not token.revoked:
        return Rotate()
    if active is not None and active.parent == token.token:
        return Reuse(active.token)
    revoked_at = token.updated_at or now
    if abs((now - revoked_at).total_seconds()) <= settings.reuse_seconds:
        return Rotate()
    return Refuse(ends_family=settings.rotation)


def decide_counted(
    counter: int,
    current: int,
    refreshed_at: datetime,
    settings: SecuritySettings,
    now: datetime,
) -> Decision:
    """The decision on a version-2 token whose session is at `current`."""
    if counter > current:
        raise ApiError.of(errors.REFRESH_FOREIGN)
    if counter == current:
        return Rotate()
    causes = {
        "concurrent-refresh": abs((now - refreshed_at).total_seconds()) < settings.reuse_seconds,
        "fail-to-save": counter == current - 1,
        "always-allow": settings.allow_reuse,
    }
    if any(causes.values()):
        return Reuse("", ",".join(cause for cause, holds in causes.items() if holds))
    return Refuse(ends_family=settings.rotation)


def parse(text: str, refusal: Row = errors.REFRESH_MALFORMED) -> str | CountedToken:
    """A version-1 token as it is, a version-2 token taken apart; ApiError for neither."""
    if len(text) == LENGTH and _V1.fullmatch(text):
        return text
    token = _decode(text) if len(text) > LENGTH else None
    if token is None:
        raise ApiError.of(refusal)
    return token


def encode(session_id: UUID, counter: int, key: bytes) -> str:
    """A version-2 token: version, session, counter, HMAC, checksum, as base64url."""
    signed = b"\0" + session_id.bytes + _uvarint(counter)
    whole = signed + _sign(signed, key)
    return base64.urlsafe_b64encode(whole + _checksum(whole)).rstrip(b"=").decode()


def is_genuine(token: CountedToken, key: bytes) -> bool:
    """Whether the session's key signed the token."""
    return hmac.compare_digest(token.signature, _sign(token.signed, key))


def _decode(text: str) -> CountedToken | None:
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    whole, checksum = data[:-_CHECKSUM], data[-_CHECKSUM:]
    signed, signature = whole[:-_SIGNATURE], whole[-_SIGNATURE:]
    if len(signed) < _UUID + 2 or signed[0] != 0:
        return None
    counter, used = _read_uvarint(signed[_UUID + 1 :])
    is_whole = used == len(signed) - _UUID - 1
    if not is_whole or not hmac.compare_digest(checksum, _checksum(whole)):
        return None
    return CountedToken(UUID(bytes=signed[1 : _UUID + 1]), counter, signed, signature)


def _sign(signed: bytes, key: bytes) -> bytes:
    return hmac.digest(key, signed, hashlib.sha256)[:_SIGNATURE]


def _checksum(whole: bytes) -> bytes:
    return hashlib.sha256(whole).digest()[:_CHECKSUM]


def _uvarint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:  # noqa: PLR2004 — seven bits a byte
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_uvarint(data: bytes) -> tuple[int, int]:
    value = 0
    for position, byte in enumerate(data[:9]):
        value |= (byte & 0x7F) << (7 * position)
        if byte < 0x80:  # noqa: PLR2004 — the last byte
            return value, position + 1
    return 0, -1

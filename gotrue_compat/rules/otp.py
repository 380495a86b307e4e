"""One-time passwords: hashes, expiry, and the gap between two (auth reference 4.1)."""

from __future__ import annotations

import hashlib
import hmac
import math
from datetime import datetime, timedelta

from compat_base.values.errors import ApiError, Row

PKCE_PREFIX = "pkce_"
_SHORTEST_GAP = 1e-6  # seconds
_SKEW = 60.0  # seconds: differences of nodes' clocks, and the wait of a request in a queue


def token_hash(address: str, otp: str) -> str:
    """The stored form: hex of SHA-224 over the address and the OTP."""
    return hashlib.sha224((address + otp).encode()).hexdigest()


def with_flow(hashed: str, *, pkce: bool) -> str:
    """The hash as stored and sent: marked when a code will follow instead of a session."""
    return PKCE_PREFIX + hashed if pkce else hashed


def is_valid(given: str, stored: str, sent_at: datetime | None, life: float, now: datetime) -> bool:
    """Whether a computed hash is the stored one, in either form, and not expired."""
    if not stored or not given or is_expired(sent_at, life, now):
        return False
    plain, marked = given.encode(), (PKCE_PREFIX + given).encode()
    return hmac.compare_digest(plain, stored.encode()) or hmac.compare_digest(
        marked, stored.encode()
    )


def is_expired(sent_at: datetime | None, life: float, now: datetime) -> bool:
    """Whether what was sent or begun then is too old now; never sent counts as too old.

    A time in the future by more than `life` counts as too old as well: a fast clock set it, and
    it would stay valid until then.
    """
    if sent_at is None:
        return True
    age = (now - sent_at).total_seconds()
    return age > life or age < -max(life, _SKEW)


def times_alive(life: float, now: datetime) -> tuple[datetime, datetime]:
    """The earliest and the latest time of something with this lifetime that is valid now."""
    return now - timedelta(seconds=life), now + timedelta(seconds=max(life, _SKEW))


def check_gap(sent_at: datetime | None, gap: float, now: datetime, row: Row) -> None:
    """Refuse a second message of a kind before the gap has passed.

    `now` is when the request arrived: after waiting in a queue it may lie before the last message,
    and then the whole gap is left, not more. A message still further in the future was dated by a
    fast clock, and refuses nobody. Neither does a gap below a microsecond, the precision of times.
    """
    age = None if sent_at is None else (now - sent_at).total_seconds()
    if age is None or age < -max(gap, _SKEW):
        return
    left = gap - max(age, 0)
    if left >= _SHORTEST_GAP:
        headers = (("Retry-After", str(max(math.ceil(left), 1))),)
        raise ApiError.of(row, seconds=int(left), headers=headers)

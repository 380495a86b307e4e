"""Verification of tokens: signature, `role` and `exp` (realtime reference 15)."""

from __future__ import annotations

import hmac
import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from compat_base.values import jsontext, jwt
from compat_base.values.errors import ApiError
from realtime_compat.errors import (
    CLAIM_UNEXPECTED,
    CLAIMS_MISSING,
    SESSION_REVOKED,
    SIGNATURE_INVALID,
    SIGNER_OF_KID_UNKNOWN,
    SIGNER_UNKNOWN,
    TOKEN_EXPIRED,
    TOKEN_MALFORMED,
)

MAX_REVOKED = 10_000  # sessions that are remembered
_HMAC = ("HS256", "HS384", "HS512")


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a verified token: role, all claims, and expiry.

    `claims` is the JSON text that policies read; `expires` is in seconds since 1970; `session` is
    the user's session, where the token has one. Callers with equal role and claims are equal: one
    policy check serves them all.
    """

    role: str
    claims: str
    subject: str | None = field(compare=False)
    expires: int = field(compare=False)
    token: str = field(compare=False, repr=False)
    session: str | None = field(default=None, compare=False)

    def __hash__(self) -> int:
        """The text's own hash, which Python computes once: callers are looked up per change."""
        return hash(self.claims)


@dataclass(slots=True)
class Revoked:
    """The newest sessions known to be gone."""

    _sessions: dict[str, None] = field(default_factory=dict[str, None])

    def add(self, sessions: Iterable[str]) -> None:
        """Remember sessions, and forget the oldest beyond `MAX_REVOKED`."""
        self._sessions.update(dict.fromkeys(sessions))
        while len(self._sessions) > MAX_REVOKED:
            del self._sessions[next(iter(self._sessions))]

    def forget(self, sessions: Iterable[str]) -> None:
        """Remove sessions that exist, or exist again after a ban."""
        for session in sessions:
            self._sessions.pop(session, None)

    def all(self) -> frozenset[str]:
        """Every revoked session that is kept."""
        return frozenset(self._sessions)

    def check(self, caller: Caller) -> None:
        """ApiError where a caller's session is gone."""
        if caller.session is not None and caller.session in self._sessions:
            raise ApiError.of(SESSION_REVOKED)


@dataclass(frozen=True, slots=True)
class RetiredToken:
    """An API key signed by a replaced secret; valid until then (seconds since 1970)."""

    token: str = field(repr=False)
    until: float


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys and rules of verification: the project's secret, a key set, claims.

    A token with one of the `expected` claims must have that value. `retired` tokens are accepted
    although no present key signed them: clients send their API key in each join. `remote` keys are
    another issuer's, whose `miss` is called with an unknown kid.
    """

    secret: jwt.Key
    members: tuple[jwt.Key, ...] = ()
    expected: tuple[tuple[str, Any], ...] = ()
    retired: tuple[RetiredToken, ...] = ()
    remote: jwt.RemoteKeys | None = None

    def retired_until(self, token: str, now: float) -> float | None:
        """The expiry of a retired token; None for others, and after it."""
        found = None
        for each in self.retired:  # each is compared, in constant time
            if hmac.compare_digest(each.token.encode(), token.encode()) and each.until > now:
                found = each.until
        return found

    def candidates(self, token: jwt.Unpacked) -> tuple[jwt.Key, ...]:
        """The keys a token may be signed with: by `kid` and type, else the secret for HMAC."""
        if token.algorithm in _HMAC:
            named = self._named(token, token.kid) if token.kid else ()
            return named or (self.secret,)
        return self._named(token, token.kid) if token.kid else ()

    def _named(self, token: jwt.Unpacked, kid: str) -> tuple[jwt.Key, ...]:
        members = self.members if self.remote is None else (*self.members, *self.remote.keys)
        named = tuple(
            key for key in members if key.kid == kid and token.algorithm in key.algorithms
        )
        if not named and self.remote is not None:
            self.remote.miss(token)
        return named


def clean_token(text: str) -> str:
    """A token without the white space that copying puts in."""
    return "".join(text.split())


def verify(token: str, keys: Keys, now: float) -> Caller:
    """The caller of a token; ApiError with the row of the first rule it breaks."""
    try:
        unpacked = jwt.unpack(token)
    except jwt.TokenError as error:
        raise ApiError.of(TOKEN_MALFORMED) from error
    retired_until = keys.retired_until(token, now) if keys.retired else None
    if retired_until is None:
        _check_signature(unpacked, keys)
    try:
        claims = unpacked.claims()
    except jwt.TokenError as error:
        raise ApiError.of(TOKEN_MALFORMED) from error
    if any(name in claims and claims[name] != value for name, value in keys.expected):
        raise ApiError.of(CLAIM_UNEXPECTED)
    caller = _caller_of(token, claims, now)
    if retired_until is None:
        return caller
    return replace(caller, expires=min(caller.expires, int(retired_until)))


def is_signed(token: str, key: jwt.Key, now: float) -> bool:
    """Whether a key signed this token and it has not expired; nothing else is checked."""
    try:
        unpacked = jwt.unpack(clean_token(token))
        expires = unpacked.claims().get("exp")
    except jwt.TokenError:
        return False
    is_over = expires is not None and not (isinstance(expires, int | float) and expires > now)
    return jwt.is_signed_by(unpacked, key) and not is_over


def check_time(expires: int, now: float) -> None:
    """ApiError where an expiry has passed at `now`."""
    if expires <= now:
        raise ApiError.of(TOKEN_EXPIRED, seconds=int(now) - expires)


def _check_signature(unpacked: jwt.Unpacked, keys: Keys) -> None:
    candidates = keys.candidates(unpacked)
    if unpacked.algorithm not in jwt.known_algorithms() or not candidates:
        if unpacked.kid and unpacked.algorithm in jwt.known_algorithms():
            raise ApiError.of(SIGNER_OF_KID_UNKNOWN, kid=unpacked.kid)
        raise ApiError.of(SIGNER_UNKNOWN)
    if not any(jwt.is_signed_by(unpacked, key) for key in candidates):
        raise ApiError.of(SIGNATURE_INVALID)


def _caller_of(token: str, claims: dict[str, Any], now: float) -> Caller:
    if "exp" not in claims:
        raise ApiError.of(CLAIMS_MISSING)
    expires = _seconds(claims["exp"])
    if "iat" in claims:
        _seconds(claims["iat"])
    check_time(expires, now)
    role = claims.get("role")
    if not isinstance(role, str) or not role:
        raise ApiError.of(CLAIMS_MISSING)
    subject = claims.get("sub")
    return Caller(
        role=role,
        claims=jsontext.encode(claims),
        subject=subject if isinstance(subject, str) else None,
        expires=expires,
        token=token,
        session=_session(claims.get("session_id")),
    )


def _session(value: Any) -> str | None:
    """A session id as PostgreSQL writes a UUID; None for other text."""
    try:
        return str(UUID(value)) if isinstance(value, str) else None
    except ValueError:
        return None


def _seconds(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ApiError.of(TOKEN_MALFORMED)
    return round(value)

"""Bearer token → role and claims (rest reference 11).

Checked signatures are cached; times and audience are checked on every request.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, NoReturn, cast

from compat_base.values import jwt
from compat_base.values.errors import ApiError
from rest_compat.auth.claims_json import decode_claims, encode_claim
from rest_compat.auth.role_claim import RoleClaimPath, find_roles
from rest_compat.errors import (
    JWT_CLAIMS,
    JWT_UNREADABLE,
    NO_SECRET,
    anonymous_refused,
    unauthorized,
)

_SKEW = 30  # seconds
_LARGEST = 2**63 - 1

ALGORITHMS = (
    "EdDSA",
    *(f"{kind}{size}" for kind in ("HS", "RS", "ES") for size in (256, 384, 512)),
)
"""Of others, RSASSA-PSS among them, the original can read neither a key nor a token's header."""

_NO_KEY = "No suitable key or wrong key type"


@dataclass(frozen=True, slots=True)
class AuthRules:
    """The settings of authentication; where `keys` is None, no secret is set."""

    keys: tuple[jwt.Key, ...] | None
    audience: str | None
    role_claim_path: RoleClaimPath
    anon_role: str | None


@dataclass(frozen=True, slots=True)
class Identity:
    """The caller: the role, and the claims as JSON with that role in them."""

    role: str
    claims: str


@dataclass(frozen=True, slots=True)
class Verified:
    """A token with a verified signature: its claims, and its identity (if any)."""

    claims: dict[str, Any]
    identity: Identity | None


class TokenCache:
    """Verified tokens by their text, with SIEVE eviction; `capacity` 0 turns it off."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[str, list[Any]] = OrderedDict()
        self.requests = 0
        self.hits = 0
        self.evictions = 0

    def resize(self, capacity: int) -> None:
        """Change the capacity; excess entries are evicted at the next `put`."""
        self._capacity = capacity

    def get(self, token: str) -> Verified | None:
        """A cached token."""
        self.requests += 1
        entry = self._entries.get(token)
        if entry is None:
            return None
        self.hits += 1
        entry[1] = True
        return entry[0]

    def put(self, token: str, verified: Verified) -> None:
        """Cache a token."""
        if self._capacity <= 0:
            return
        while len(self._entries) >= self._capacity:
            self._evict()
        self._entries[token] = [verified, False]

    def _evict(self) -> None:
        """Drop the oldest entry not used since the hand last passed it."""
        while True:
            token, entry = self._entries.popitem(last=False)
            if not entry[1]:
                self.evictions += 1
                return
            entry[1] = False
            self._entries[token] = entry


def authenticate(token: str | None, rules: AuthRules, cache: TokenCache, now: float) -> Identity:
    """The identity of a token; `now` in seconds since 1970. ApiError where it is refused."""
    if token is None:
        if rules.anon_role is None:
            raise anonymous_refused()
        return _anonymous(rules.anon_role)
    if rules.keys is None:
        raise ApiError.of(NO_SECRET)
    if not token:
        raise unauthorized(JWT_UNREADABLE, "Empty JWT is sent in Authorization header")
    verified = cache.get(token)
    if verified is None:
        claims = _verified(token, rules.keys)
        verified = Verified(claims, _claimed(claims, rules))
        cache.put(token, verified)
    _check_claims(verified.claims, rules.audience, int(now))
    if verified.identity is None:
        raise anonymous_refused()
    return verified.identity


def _claimed(claims: dict[str, Any], rules: AuthRules) -> Identity | None:
    """The role of the claims, else the anonymous one."""
    roles = find_roles(rules.role_claim_path, claims)
    if not roles:
        return None if rules.anon_role is None else _identity(claims, rules.anon_role)
    role = roles[0]
    return _identity(claims, role if isinstance(role, str) else encode_claim(role))


@lru_cache(maxsize=10)
def _anonymous(role: str) -> Identity:
    return _identity({}, role)


def _identity(claims: dict[str, Any], role: str) -> Identity:
    return Identity(role, encode_claim(claims | {"role": role}))


def _verified(token: str, keys: tuple[jwt.Key, ...]) -> dict[str, Any]:
    try:
        unpacked = _readable(jwt.unpack(token))
        jwt.check_signature(unpacked, keys)
        return decode_claims(unpacked.payload)
    except jwt.TokenError as error:
        _refuse(error)


def _readable(unpacked: jwt.Unpacked) -> jwt.Unpacked:
    texts = (unpacked.header.get(name) for name in ("typ", "cty", "kid"))
    if unpacked.algorithm not in (*ALGORITHMS, "none") or not all(
        isinstance(text, str | None) for text in texts
    ):
        raise jwt.TokenError(jwt.TokenFault.UNKNOWN_ALGORITHM)
    return unpacked


def _refuse(error: jwt.TokenError) -> NoReturn:
    match error.fault:
        case jwt.TokenFault.SEGMENTS:
            raise unauthorized(
                JWT_UNREADABLE, f"Expected 3 parts in JWT; got {error.parts}"
            ) from error
        case jwt.TokenFault.UNSECURED:
            details = "JWT is unsecured but expected 'alg' was not 'none'"
            message = "Wrong or unsupported encoding algorithm"
            raise unauthorized(JWT_UNREADABLE, message, details) from error
        case jwt.TokenFault.NO_SUITABLE_KEY:
            details = "No suitable key was found to decode the JWT"
            raise unauthorized(JWT_UNREADABLE, _NO_KEY, details) from error
        case jwt.TokenFault.BAD_SIGNATURE:
            details = "None of the keys was able to decode the JWT"
            raise unauthorized(JWT_UNREADABLE, _NO_KEY, details) from error
        case jwt.TokenFault.CLAIMS:
            raise unauthorized(JWT_CLAIMS, "Parsing claims failed") from error
        case jwt.TokenFault.UNREADABLE | jwt.TokenFault.UNKNOWN_ALGORITHM:
            message = "JWT cryptographic operation failed"
            raise unauthorized(JWT_UNREADABLE, message) from error


def _check_claims(claims: dict[str, Any], audience: str | None, now: int) -> None:
    expires = _seconds(claims, "exp")
    if expires is not None and expires < now - _SKEW:
        raise unauthorized(JWT_CLAIMS, "JWT expired")
    begins = _seconds(claims, "nbf")
    if begins is not None and begins > now + _SKEW:
        raise unauthorized(JWT_CLAIMS, "JWT not yet valid")
    issued = _seconds(claims, "iat")
    if issued is not None and issued > now + _SKEW:
        raise unauthorized(JWT_CLAIMS, "JWT issued at future")
    _check_audience(claims.get("aud"), audience)


def _seconds(claims: dict[str, Any], name: str) -> int | None:
    """A time claim; what is no whole number, or too large for one, counts as 0."""
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise unauthorized(JWT_CLAIMS, f"The JWT '{name}' claim must be a number")
    # Compared, never computed with: Decimal's arithmetic ends at an exponent of 999,999.
    if not -_LARGEST <= value <= _LARGEST or value != int(value):
        return 0
    return int(value)


def _check_audience(value: Any, wanted: str | None) -> None:
    if value is None:
        return
    listed = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not all(isinstance(one, str) for one in listed):
        message = "The JWT 'aud' claim must be a string or an array of strings"
        raise unauthorized(JWT_CLAIMS, message)
    if wanted is not None and listed and wanted not in listed:
        raise unauthorized(JWT_CLAIMS, "JWT not in audience")

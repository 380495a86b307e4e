"""Callers' JSON Web Tokens (storage reference 2.1 to 2.4)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from compat_base.values import jsontext, jwt
from compat_base.values.errors import ApiError, Row
from storage_compat import errors
from storage_compat.model.caller import Caller

_COMPACT = "Invalid Compact JWS"
_HEADER = "JWS Protected Header is invalid"
_ALGORITHM = '"alg" (Algorithm) Header Parameter value not allowed'
_SIGNATURE = "signature verification failed"
_CLAIMS = "JWT Claims Set must be a top-level JSON object"


class InvalidTokenError(ValueError):
    """A token that is refused; the text says why, as the original does."""


def token_of(authorization: str) -> str:
    """The token of the Authorization header: `Bearer` in any case, or nothing before it."""
    scheme, _, rest = authorization.strip().partition(" ")
    return rest.strip() if scheme.lower() == "bearer" else authorization.strip()


def caller_of(token: str, keys: Iterable[jwt.Key], now: datetime, anon_role: str) -> Caller:
    """The caller of a token; ApiError for a refused one."""
    try:
        claims = verified_claims(token, keys, now)
    except InvalidTokenError as error:
        raise ApiError.of(errors.INVALID_TOKEN, reason=str(error)) from error
    claims = _in_unicode(claims)
    role = claims.get("role")
    return Caller(str(role) if role else anon_role, claims, token)


def _in_unicode(claims: dict[str, Any]) -> dict[str, Any]:
    """The claims with lone surrogates replaced, which PostgreSQL cannot store."""
    try:
        jsontext.encode(claims).encode()
    except UnicodeEncodeError:
        return jsontext.decode_object(jsontext.encode_bytes(claims))
    return claims


def verified_claims(token: str, keys: Iterable[jwt.Key], now: datetime) -> dict[str, Any]:
    """The claims of a signed and unexpired token; InvalidTokenError."""
    try:
        unpacked = jwt.unpack(token)
    except jwt.TokenError as error:
        raise InvalidTokenError(_unreadable(token, error)) from error
    candidates = [key for key in keys if unpacked.algorithm in key.algorithms]
    if not candidates:
        raise InvalidTokenError(_ALGORITHM)
    named = [key for key in candidates if key.kid is not None and key.kid == unpacked.kid]
    if not any(jwt.is_signed_by(unpacked, key) for key in named or candidates):
        raise InvalidTokenError(_SIGNATURE)
    try:
        claims = unpacked.claims()
    except jwt.TokenError as error:
        raise InvalidTokenError(_CLAIMS) from error
    _check_times(claims, now.timestamp())
    return claims


def _unreadable(token: str, error: jwt.TokenError) -> str:
    """Why a token cannot be decoded: its shape, header, or signature alone."""
    if error.fault is not jwt.TokenFault.UNREADABLE:
        return _COMPACT
    try:
        jwt.unpack(f"{token.rpartition('.')[0]}.")
    except jwt.TokenError:
        return _HEADER
    return _SIGNATURE


def _check_times(claims: dict[str, Any], now: float) -> None:
    for name in ("iat", "nbf", "exp"):
        if name not in claims:
            continue
        moment = claims[name]
        if not isinstance(moment, int | float) or isinstance(moment, bool):
            raise InvalidTokenError(f'"{name}" claim must be a number')
        if (name == "nbf" and moment > now) or (name == "exp" and moment <= now):
            raise InvalidTokenError(f'"{name}" claim timestamp check failed')


def require_role(caller: Caller, role: str, refused: Row = errors.INVALID_ROLE) -> None:
    """Refuse a caller of another role."""
    if caller.role != role:
        raise ApiError.of(refused)

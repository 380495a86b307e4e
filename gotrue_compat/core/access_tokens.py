"""Bearer tokens to claims (auth reference 1.12, 5.11)."""

from __future__ import annotations

import base64
import re
from datetime import datetime
from typing import Any, cast

from compat_base.values import jwt
from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.bounded_cache import BoundedCache
from gotrue_compat.http.go_struct import go_struct
from gotrue_compat.http.json_body import NotJsonError, NotObjectError, decode_body, kind_of
from gotrue_compat.settings.keys import JwtSettings

_CLAIMS = go_struct(
    "AccessTokenClaims", "email phone role aal session_id client_id scope",
    flags="is_anonymous", objects="app_metadata user_metadata",
)  # fmt: skip
_REGISTERED = go_struct("AccessTokenClaims.RegisteredClaims", "iss sub jti")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9_-]")
_MOST = 8_388_608  # characters of all tokens together: some 8,000 usual ones


class TokenReader:
    """Verifies tokens; signatures are cached, expiry is checked each time."""

    def __init__(self, settings: JwtSettings) -> None:
        self._settings = settings
        self._good: BoundedCache[str, jwt.Claims] = BoundedCache(_MOST, _length)

    def read(self, token: str, now: datetime) -> jwt.Claims:
        """The claims of a valid token; ApiError BAD_JWT with the reason for any other."""
        claims = self._good.get(token)
        if claims is None:
            claims = verified_claims(token, self._settings)
            self._good.put(token, claims)
        _check_times(claims, now)
        return claims


def _length(token: str, _claims: jwt.Claims) -> int:
    return len(token)


def verified_claims(token: str, settings: JwtSettings) -> jwt.Claims:
    """The claims of a token with a good signature."""
    try:
        unpacked = jwt.unpack(token)
        claims = unpacked.claims()
    except jwt.TokenError as error:
        raise _bad(_malformed(token, error)) from error
    reason = _mistyped(claims)
    if reason is not None:
        raise _bad(f"token is malformed: could not JSON decode claim: {reason}")
    if unpacked.algorithm not in settings.methods:
        raise _bad(f"token signature is invalid: signing method {unpacked.algorithm} is invalid")
    if not any(jwt.is_signed_by(unpacked, key) for key in _keys_for(unpacked, settings)):
        raise _bad("token signature is invalid: signature is invalid")
    return claims


def _keys_for(unpacked: jwt.Unpacked, settings: JwtSettings) -> tuple[jwt.Key, ...]:
    """The key the token names, or those without a name; HS256 may be by the secret too.

    A key verifies only by its own algorithm, so a public key is never taken for a secret.
    """
    named = tuple(
        key
        for key in settings.keys
        if key.kid == unpacked.kid and unpacked.algorithm in key.algorithms
    )
    if unpacked.algorithm == "HS256" and (not named or unpacked.kid is None):
        return (*named, settings.fallback)
    if not named:
        kid = unpacked.kid or "<nil>"
        reason = f"unrecognized JWT kid {kid} for algorithm {unpacked.algorithm}"
        raise _bad(f"token is unverifiable: error while executing keyfunc: {reason}")
    return named


def _check_times(claims: jwt.Claims, now: datetime) -> None:
    moment = now.timestamp()
    for name in ("exp", "nbf"):
        value = claims.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _bad(f"token is malformed: {name} is invalid")
        if name == "exp" and moment >= value:
            raise _bad("token has invalid claims: token is expired")
        if name == "nbf" and moment < value:
            raise _bad("token has invalid claims: token is not valid yet")


def _mistyped(claims: jwt.Claims) -> str | None:
    """What is wrong with a claim's type; None where all are what they must be."""
    audience = claims.get("aud")
    texts = audience if isinstance(audience, list) else [audience]  # pyright: ignore[reportUnknownVariableType]
    if audience is not None and not all(isinstance(text, str) for text in texts):  # pyright: ignore[reportUnknownVariableType]
        return "invalid type for claim"
    return _REGISTERED.mismatch(claims) or _CLAIMS.mismatch(claims) or _mistyped_methods(claims)


def _mistyped_methods(claims: jwt.Claims) -> str | None:
    """What is wrong with `amr`: names of methods, or objects with the time of each."""
    methods: Any = claims.get("amr")
    if methods is None:
        return None
    if not isinstance(methods, list):
        return f"json: cannot unmarshal {kind_of(methods)} into Go value of type []json.RawMessage"
    for method in cast("list[Any]", methods):
        if not isinstance(method, str | dict | None):
            kind = kind_of(method)
            return f"json: cannot unmarshal {kind} into Go value of type models.AMREntry"
    return None


def _malformed(token: str, error: jwt.TokenError) -> str:
    if error.fault is jwt.TokenFault.SEGMENTS:
        return "token is malformed: token contains an invalid number of segments"
    for place, segment in zip(("header", "claim", "signature"), token.split("."), strict=False):
        position = _base64_fault(segment)
        if position is not None:
            reason = f"illegal base64 data at input byte {position}"
            return f"token is malformed: could not base64 decode {place}: {reason}"
        reason = _json_fault(segment) if place != "signature" else None
        if reason is not None:
            return f"token is malformed: could not JSON decode {place}: {reason}"
    return "token is malformed: could not read the header"


def _base64_fault(segment: str) -> int | None:
    """Where Go's decoder stops at a segment, in bytes; None where it is base64url."""
    found = _NOT_BASE64.search(segment)
    if found:
        return len(segment[: found.start()].encode())
    return len(segment) - 1 if len(segment) % 4 == 1 else None


def _json_fault(segment: str) -> str | None:
    """What is wrong with a segment's JSON in Go's words; None where it is an object."""
    try:
        decode_body(base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4)))
    except NotObjectError as error:
        return error.of("map[string]interface {}")
    except NotJsonError as error:
        return str(error)
    return None


def _bad(reason: str) -> ApiError:
    return ApiError.of(errors.BAD_JWT, reason=reason)

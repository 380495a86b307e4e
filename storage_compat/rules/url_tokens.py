"""Tokens of signed URLs: one object, one purpose, an expiry (storage reference 6.3 to 6.6)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from compat_base.values import jwt
from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.rules.access_tokens import InvalidTokenError, verified_claims

_LAST_SECOND = 9_007_199_254_740  # whose milliseconds are a safe integer of JavaScript
_KEPT = "%23%24%25%26%2B%2C%2F%3A%3B%3D%3F%40"  # as decodeURI, and the percent sign itself


def signed(key: jwt.Key, claims: dict[str, Any], now: datetime, seconds: int) -> str:
    """A token with these claims for so many seconds; ApiError for too many."""
    issued = int(now.timestamp())
    if issued + seconds > _LAST_SECOND:
        raise ApiError.of(errors.INVALID_PARAMETER, name="expiresIn")
    return jwt.sign(claims | {"iat": issued, "exp": issued + seconds}, key)


def check_download(token: str, keys: Iterable[jwt.Key], url: str, now: datetime) -> dict[str, Any]:
    """The claims of a token for reading this object; ApiError for any other."""
    claims = _claims(token, keys, now)
    if claims.get("scope", "download") != "download" or "upsert" in claims:
        raise ApiError.of(errors.NOT_FOR_DOWNLOAD)
    if claims.get("url") != url:
        raise ApiError.of(errors.INVALID_SIGNATURE)
    return claims


def check_upload(token: str, keys: Iterable[jwt.Key], url: str, now: datetime) -> dict[str, Any]:
    """The claims of a token for writing this object; ApiError for any other."""
    claims = _claims(token, keys, now)
    scope = claims.get("scope")
    if scope != "upload" and (scope is not None or "upsert" not in claims):
        raise ApiError.of(errors.NOT_FOR_UPLOAD)
    if claims.get("url") != url:
        raise ApiError.of(errors.INVALID_SIGNATURE)
    return claims


def decoded_uri(raw_path: str) -> str:
    """A path decoded as JavaScript's decodeURI does: reserved characters stay encoded.

    So does the percent sign: no two paths become one.
    """
    parts: list[str] = []
    position = 0
    while (found := raw_path.find("%", position)) >= 0:
        code = raw_path[found : found + 3]
        parts.append(raw_path[position:found])
        is_kept = code.upper() in {_KEPT[i : i + 3] for i in range(0, len(_KEPT), 3)}
        parts.append(code.replace("%", "%25") if is_kept else code)
        position = found + 3
    return unquote("".join([*parts, raw_path[position:]]))


def _claims(token: str, keys: Iterable[jwt.Key], now: datetime) -> dict[str, Any]:
    try:
        return verified_claims(token, keys, now)
    except InvalidTokenError as error:
        raise ApiError.of(errors.INVALID_JWT, reason=str(error)) from error

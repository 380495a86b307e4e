"""OpenID Connect: cached discovery documents and key sets; verification of id tokens."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from compat_base.keyed_lock import KeyedLock
from compat_base.values import jsontext, jwt
from compat_base.values.jsontext import time_text
from compat_base.values.world import Clock
from gotrue_compat.bounded_cache import BoundedCache
from gotrue_compat.model.external_identity import ExternalEmail, ExternalIdentity
from gotrue_compat.model.rows import json_object
from gotrue_compat.ports import ExpectedClaims, HttpCall, HttpPort, ProviderError
from gotrue_compat.providers.transport import fetch_json

_ALGORITHMS = frozenset({"RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "EdDSA"})
_TEXTS = (
    "iss", "sub", "name", "family_name", "given_name", "middle_name", "nickname",
    "preferred_username", "profile", "picture", "website", "gender", "birthdate", "zoneinfo",
    "locale", "phone", "full_name", "avatar_url", "slug", "provider_id", "user_name",
)  # fmt: skip


_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})
_MOST_DOCUMENTS = 128  # discovery documents and key sets kept; those used longest ago go first
_LARGEST_DOCUMENT = 262_144  # bytes
_SKEW = 300.0  # seconds that a clock may be behind its issuer's
# Google leaves the scheme out of some tokens (OpenID Connect Core, section 15.6.2)
_OTHER_NAMES = {"https://accounts.google.com": "accounts.google.com"}
_LEAST_AGE = 10.0  # seconds before an unknown key has a key set fetched again


class CachedIdTokens:
    """Verifies id tokens of any issuer that publishes a discovery document.

    Callers may name issuers: at most 128 documents of 256 KiB are kept, each address is fetched
    by one request at a time, and unknown keys cause another fetch of a key set every ten seconds
    at most.
    """

    def __init__(self, http: HttpPort, clock: Clock, keep_seconds: float) -> None:
        self._http = http
        self._clock = clock
        self._keep = keep_seconds
        self._kept: BoundedCache[str, tuple[float, Any]] = BoundedCache(_MOST_DOCUMENTS)
        self._lock = KeyedLock()

    def __len__(self) -> int:
        return len(self._kept)

    async def metadata(self, issuer: str, url: str = "", *, fresh: bool = False) -> dict[str, Any]:
        """An issuer's discovery document; `url` where it is not at the usual place.

        One that is of no use is asked for again as `fresh`, so that it does not stay for its time.
        """
        place = url or f"{issuer.rstrip('/')}/.well-known/openid-configuration"
        return json_object(await self._fetch(place, fresh=fresh))

    async def verify(
        self, token: str, expected: ExpectedClaims, jwks_uri: str = ""
    ) -> dict[str, Any]:
        """The claims of a token; ProviderError where it is not what was expected."""
        try:
            unpacked = jwt.unpack(token)
            claims = unpacked.claims()
        except jwt.TokenError as error:
            raise ProviderError("the id token is malformed") from error
        if "crit" in unpacked.header:  # what must be understood is not (RFC 7515, 4.1.11)
            raise ProviderError("the id token has critical extensions")
        if unpacked.algorithm not in _ALGORITHMS:
            raise ProviderError("the id token's algorithm is not accepted")
        place = jwks_uri or str((await self.metadata(expected.issuer)).get("jwks_uri", ""))
        await self._check_signature(unpacked, place)
        _check_claims(claims, expected, self._clock.now().timestamp())
        return claims

    async def _check_signature(self, unpacked: jwt.Unpacked, place: str) -> None:
        for is_fresh in (False, True):  # a key we do not know yet may be new
            keys = _keys(await self._fetch(place, fresh=is_fresh))
            try:
                jwt.check_signature(unpacked, keys)
            except jwt.TokenError as error:
                if is_fresh:
                    raise ProviderError("the id token's signature is not good") from error
            else:
                return

    async def _fetch(self, url: str, *, fresh: bool = False) -> Any:
        """A document, kept for its time; where a fresh one is wanted, for ten seconds of it."""
        async with self._lock.hold(url):
            kept = self._kept.get(url)
            life = min(self._keep, _LEAST_AGE) if fresh else self._keep
            if kept is not None and self._clock.monotonic() < kept[0] + life:
                return kept[1]
            value = await fetch_json(self._http, HttpCall("GET", url, limit=_LARGEST_DOCUMENT))
            self._kept.put(url, (self._clock.monotonic(), value))
            return value


def _keys(value: Any) -> tuple[jwt.Key, ...]:
    """The keys of a set that can be read; a set may hold kinds we do not know."""
    found: list[jwt.Key] = []
    members: list[Any] = json_object(value).get("keys") or []
    for member in members:
        try:
            found.append(jwt.key_from_jwk(json_object(member)))
        except jwt.UnreadableKeyError:
            continue
    return tuple(found)


def _check_claims(claims: Mapping[str, Any], expected: ExpectedClaims, now: float) -> None:
    for name in ("nonce", "at_hash"):
        text_of(claims, name)
    if not _are_texts(claims.get("aud")):
        raise ProviderError("the claim aud is no text and no list of texts")
    issuers = {expected.issuer, _OTHER_NAMES.get(expected.issuer, expected.issuer)}
    if expected.check_issuer and claims.get("iss") not in issuers:
        raise ProviderError("the id token has another issuer")
    expiry, begin, _ = (_seconds(claims, name) for name in ("exp", "nbf", "iat"))
    if expiry is None or now >= expiry:
        raise ProviderError("the id token has expired")
    if begin is not None and now + _SKEW < begin:
        raise ProviderError("the id token does not hold yet")
    if expected.audiences and not set(audiences(claims)) & set(expected.audiences):
        raise ProviderError("the id token is for somebody else")


def _seconds(claims: Mapping[str, Any], name: str) -> float | None:
    """A time of the protocol, None where it is absent; ProviderError for what is no number."""
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float | None):
        raise ProviderError(f"the claim {name} is no number")
    return value


def audiences(claims: Mapping[str, Any]) -> tuple[str, ...]:
    """The audiences of a token."""
    aud = claims.get("aud")
    if isinstance(aud, list):
        return tuple(str(member) for member in aud)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] — decoded JSON
    return (aud,) if isinstance(aud, str) else ()


def _are_texts(value: Any) -> bool:
    """Whether an audience is absent, text or a list of texts."""
    members: list[Any] = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType] — decoded JSON
    return value is None or all(isinstance(member, str) for member in members)


def unverified_claims(token: str) -> dict[str, Any] | None:
    """The claims of a token nobody has verified, None where it is not one."""
    try:
        return jwt.unpack(token).claims()
    except jwt.TokenError:
        return None


def is_bound(access_token: str, claims: Mapping[str, Any], algorithm_bits: int = 256) -> bool:
    """Whether at_hash, where it is there, is the access token's (OIDC Core 3.1.3.6)."""
    value = claims.get("at_hash")
    if not value or not access_token:
        return True
    digest = hashlib.new(f"sha{algorithm_bits}", access_token.encode()).digest()
    half = base64.urlsafe_b64encode(digest[: len(digest) // 2]).rstrip(b"=").decode()
    return half == value


def identity_of_claims(
    claims: Mapping[str, Any], *, verified: bool | None = None
) -> ExternalIdentity:
    """The identity of standard claims; `verified` overrides `email_verified`.

    ProviderError for a claim of another type than the standard says.
    """
    data: dict[str, Any] = {name: text_of(claims, name) for name in _TEXTS}
    data |= {"iat": claims.get("iat"), "exp": claims.get("exp")}
    data["phone_verified"] = flag_of(claims, "phone_verified")
    data |= {"aud": list(audiences(claims)), "updated_at": _moment(claims.get("updated_at"))}
    data["custom_claims"] = json_object(claims.get("custom_claims"))
    is_verified = flag_of(claims, "email_verified")
    emails = email_of_claims(claims, verified=is_verified if verified is None else verified)
    return ExternalIdentity(
        text_of(claims, "sub"), emails, {name: value for name, value in data.items() if value}
    )


def email_of_claims(
    claims: Mapping[str, Any], *, verified: bool | None = None
) -> tuple[ExternalEmail, ...]:
    """The address in the claims; `verified` overrides `email_verified`."""
    email = text_of(claims, "email")
    is_verified = flag_of(claims, "email_verified") if verified is None else verified
    return (ExternalEmail(email, is_verified, primary=True),) if email else ()


def flag_of(claims: Mapping[str, Any], name: str) -> bool:
    """A claim that is true or false, which it is where it is absent; ProviderError for others."""
    value = claims.get(name)
    if not isinstance(value, bool | None):
        raise ProviderError(f"the claim {name} is neither true nor false")
    return bool(value)


def worded_flag_of(claims: Mapping[str, Any], name: str) -> bool | None:
    """A claim that is true or false, or one of Go's words for it; None where it is absent."""
    value = claims.get(name)
    if isinstance(value, bool | None):
        return value
    if isinstance(value, str) and value in _TRUE | _FALSE:
        return value in _TRUE
    raise ProviderError(f"the claim {name} is neither true nor false")


def text_of(claims: Mapping[str, Any], name: str) -> str:
    """A claim that is text, "" where it is absent; ProviderError for any other value."""
    value = claims.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ProviderError(f"the claim {name} is no text")
    return value


def _moment(value: Any) -> str:
    """A time in seconds, or text as it is: the form of times in user metadata."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return time_text(datetime.fromtimestamp(int(value), UTC))
        except (OverflowError, ValueError, OSError):
            return ""
    return value if isinstance(value, str) else ""


def readable(text: str) -> dict[str, Any]:
    """A JSON object in a form field, {} where it is none."""
    try:
        return jsontext.decode_object(text)
    except jsontext.InvalidJsonError:
        return {}

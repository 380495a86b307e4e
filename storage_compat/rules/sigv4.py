"""AWS Signature Version 4: who signed a request, by header or by query (storage reference 11)."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import parse_qsl, quote, unquote_to_bytes

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.rules.numbers import whole_number

ALGORITHM = "AWS4-HMAC-SHA256"
_FORWARDED = re.compile(r"""host="?([^";,]+)""", re.IGNORECASE)
_PORT = re.compile(r":[0-9]+$")
_USUAL_PORTS = ("80", "443")
_UNSIGNED = "UNSIGNED-PAYLOAD"
_SCOPE_PARTS = 5
_SAFE = "-_.~"
_MEANINGFUL = frozenset(
    {"x-amz-acl", "x-amz-copy-source", "x-amz-copy-source-range", "x-amz-metadata-directive"}
)


@dataclass(frozen=True, slots=True)
class Signature:
    """A request's signature; `date` is as sent, `session_token` a user's token."""

    access_key: str
    scope: tuple[str, str, str, str]
    signed_headers: tuple[str, ...]
    signature: str
    date: str
    payload_hash: str
    session_token: str | None
    expires: int | None = None


@dataclass(frozen=True, slots=True)
class Signed:
    """The signed parts: method, path and query as sent, headers.

    `hosts` are further names that the client may have signed for: proxies change Host.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    hosts: tuple[str, ...] = ()


def read_signature(signed: Signed) -> Signature:
    """Parse a request's signature; ApiError without one, or for another kind."""
    authorization = signed.headers.get("authorization", "")
    if authorization.startswith(f"{ALGORITHM} "):
        words = (part.partition("=") for part in authorization.removeprefix(ALGORITHM).split(","))
        found = {name.strip(): value.strip() for name, _, value in words}
        return _signature(
            found.get("Credential", ""),
            found.get("SignedHeaders", ""),
            found.get("Signature", ""),
            date=signed.headers.get("x-amz-date", ""),
            payload_hash=signed.headers.get("x-amz-content-sha256", _UNSIGNED),
            session_token=signed.headers.get("x-amz-security-token"),
        )
    values = dict(parse_qsl(signed.query, keep_blank_values=True))
    if "X-Amz-Credential" not in values:
        raise ApiError.of(errors.S3_NO_SIGNATURE)
    expires = values.get("X-Amz-Expires", "")
    if expires and whole_number(expires) is None:
        raise ApiError.of(errors.S3_EXPIRATION)
    return _signature(
        values.get("X-Amz-Credential", ""),
        values.get("X-Amz-SignedHeaders", ""),
        values.get("X-Amz-Signature", ""),
        date=values.get("X-Amz-Date", ""),
        payload_hash=signed.headers.get("x-amz-content-sha256", _UNSIGNED),
        session_token=values.get("X-Amz-Security-Token"),
        expires=whole_number(expires) or 0,
    )


def read_fields(fields: Mapping[str, str]) -> Signature:
    """Parse the signature of a form's policy; ApiError without one."""
    wanted = ("x-amz-credential", "x-amz-signature", "x-amz-date", "policy")
    if not all(fields.get(name) for name in wanted):
        raise ApiError.of(errors.S3_POLICY, reason="Invalid signature format")
    return _signature(
        fields["x-amz-credential"],
        "policy",
        fields["x-amz-signature"],
        date=fields["x-amz-date"],
        payload_hash=_UNSIGNED,
        session_token=fields.get("x-amz-security-token"),
    )


def _signature(  # noqa: PLR0913 — the parts of a signature
    credential: str,
    signed_headers: str,
    signature: str,
    *,
    date: str,
    payload_hash: str,
    session_token: str | None,
    expires: int | None = None,
) -> Signature:
    if not (credential and signed_headers and signature and date):
        raise ApiError.of(errors.S3_FORMAT)
    parts = credential.rsplit("/", 4)
    if len(parts) != _SCOPE_PARTS:
        raise ApiError.of(errors.S3_CREDENTIALS)
    access_key, day, region, service, end = parts
    if service != "s3":
        raise ApiError.of(errors.S3_SERVICE)
    return Signature(
        access_key, (day, region, service, end), tuple(signed_headers.lower().split(";")),
        signature, date, payload_hash, session_token, expires,
    )  # fmt: skip


def check_signature(
    signed: Signed, signature: Signature, secret: str, now: datetime, skew: int = 0
) -> None:
    """Refuse a request with a wrong signature, an unsigned header of meaning, or a late date.

    `skew` is the allowed difference of clocks in seconds; 0 accepts any date.
    """
    if any(map(_changes_meaning, signed.headers.keys() - set(signature.signed_headers))):
        raise ApiError.of(errors.S3_UNSIGNED_HEADERS)
    wanted = signature.signature.encode()
    made = (sign(each, signature, secret).encode() for each in _readings(signed))
    if not any(hmac.compare_digest(each, wanted) for each in made):
        is_session = signature.session_token is not None
        raise ApiError.of(errors.S3_SESSION_SIGNATURE if is_session else errors.S3_SIGNATURE)
    date = moment_of(signature.date)
    age = None if date is None else (now - date).total_seconds()
    if signature.expires is not None and (age is None or age > signature.expires):
        raise ApiError.of(errors.S3_EXPIRED)
    if skew and (age is None or age < -skew or (signature.expires is None and age > skew)):
        raise ApiError.of(errors.S3_TIME)


def _changes_meaning(header: str) -> bool:
    """Whether a header changes what a request does, so that a signed URL's user may not add it."""
    return header in _MEANINGFUL or header.startswith("x-amz-meta-")


def sign(signed: Signed, signature: Signature, secret: str) -> str:
    """The expected signature of a request, whose path is in canonical form."""
    canonical = "\n".join(
        (
            signed.method,
            signed.path,
            _canonical_query(signed.query),
            *(
                f"{name}:{_value(signed.headers.get(name, ''))}"
                for name in signature.signed_headers
            ),
            "",
            ";".join(signature.signed_headers),
            signature.payload_hash,
        )
    )
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    scope = "/".join(signature.scope)
    text = f"{ALGORITHM}\n{signature.date}\n{scope}\n{digest}"
    return hmac.new(signing_key(signature, secret), text.encode(), hashlib.sha256).hexdigest()


def signing_key(signature: Signature, secret: str) -> bytes:
    """The key of a day, region and service."""
    key = f"AWS4{secret}".encode()
    for part in signature.scope:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key


def moment_of(date: str) -> datetime | None:
    """The moment of an x-amz-date."""
    try:
        return datetime.strptime(date, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def _readings(signed: Signed) -> Iterator[Signed]:
    """The request as its client may have signed it.

    The path in AWS's canonical form or as it was sent, at the host that arrived or another name.
    """
    canonical = _encoded(unquote_to_bytes(signed.path.encode("latin-1")), "/")
    for host in (signed.headers.get("host", ""), *signed.hosts):
        for path in dict.fromkeys((canonical, signed.path)):
            yield replace(signed, path=path, headers={**signed.headers, "host": host})


def forwarded_hosts(headers: Mapping[str, str], *, is_standard: bool = False) -> tuple[str, ...]:
    """The host that a proxy forwards; with `is_standard` that of `Forwarded` (RFC 7239)."""
    found: list[str] = []
    standard = _FORWARDED.search(headers.get("forwarded", "")) if is_standard else None
    if standard is not None:
        found.append(standard[1])
    if host := headers.get("x-forwarded-host", ""):
        port = headers.get("x-forwarded-port", "")
        found.append(host if not port or port in _USUAL_PORTS else f"{_PORT.sub('', host)}:{port}")
    return tuple(host.lower() for host in found)


def _canonical_query(query: str) -> str:
    pairs: list[tuple[str, str]] = []
    for part in filter(None, query.split("&")):
        name, _, value = part.partition("=")
        if unquote_to_bytes(name) != b"X-Amz-Signature":
            decoded = (unquote_to_bytes(each.replace("+", "%20")) for each in (name, value))
            pairs.append(tuple(_encoded(each, "") for each in decoded))  # pyright: ignore[reportArgumentType]
    return "&".join(f"{name}={value}" for name, value in sorted(pairs))


def _encoded(data: bytes, safe: str) -> str:
    return quote(data, safe=_SAFE + safe)


def _value(value: str) -> str:
    return " ".join(value.split())

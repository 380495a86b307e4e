"""JSON Web Tokens over keys and bytes: unpack, check a signature, sign, publish a key set.

Times, audience and roles are the services' own rules (each original has different ones); this
module answers only whether the token is well formed and who signed it. The cryptography is
PyJWT's and cryptography's.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from typing import Any, Protocol, cast

from jwt.algorithms import Algorithm, get_default_algorithms
from jwt.exceptions import InvalidKeyError, PyJWTError

from compat_base.values import jsontext

Claims = dict[str, Any]

_EC_ALGORITHMS = {"P-256": "ES256", "P-384": "ES384", "P-521": "ES512", "secp256k1": "ES256K"}
_RSA_ALGORITHMS = ("RS256", "RS384", "RS512")
_HMAC_ALGORITHMS = ("HS256", "HS384", "HS512")
_PRIVATE_MEMBERS = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})


class TokenFault(Enum):
    """Why a token cannot be decoded or verified."""

    SEGMENTS = "segments"
    UNREADABLE = "unreadable"
    UNSECURED = "unsecured"
    UNKNOWN_ALGORITHM = "unknown algorithm"
    NO_SUITABLE_KEY = "no suitable key"
    BAD_SIGNATURE = "bad signature"
    CLAIMS = "claims"


class TokenError(Exception):
    """A token that cannot be verified: why, and for SEGMENTS how many parts it had."""

    def __init__(self, fault: TokenFault, parts: int = 0) -> None:
        super().__init__(fault.value)
        self.fault = fault
        self.parts = parts


class UnreadableKeyError(ValueError):
    """A key that cannot be read; the message never holds key material."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key: what it may verify with, and sign with where `private` is set.

    `algorithms` are those its type (or its `alg`) permits; `operations` is the JWK's `key_ops`.
    `issuer`, by the JWK's `iss`, is the only one whose tokens it verifies: one key may sign for
    many, as Google's does for every project of Firebase.
    """

    kid: str | None
    kty: str
    algorithms: tuple[str, ...]
    public: Any
    private: Any = None
    operations: tuple[str, ...] = ()
    jwk: tuple[tuple[str, Any], ...] = ()
    issuer: str | None = None


class RemoteKeys(Protocol):
    """The keys of another issuer, which may change while a service runs."""

    @property
    def keys(self) -> tuple[Key, ...]:
        """Those that are known at this moment: the same tuple until they change."""
        ...

    def miss(self, unpacked: Unpacked) -> None:
        """A token names a key that is not known: they may be fetched anew, in the background."""
        ...


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A decoded token that is not verified; `payload` is the JSON text of its claims."""

    algorithm: str
    kid: str | None
    header: Claims
    payload: bytes
    signed: bytes
    signature: bytes

    def claims(self) -> Claims:
        """The claims object; TokenError CLAIMS when the payload is not a JSON object."""
        try:
            value = jsontext.decode_bounded(self.payload.decode())
        except ValueError as error:
            raise TokenError(TokenFault.CLAIMS) from error
        if not isinstance(value, dict):
            raise TokenError(TokenFault.CLAIMS)
        return cast("Claims", value)


def secret_key(
    secret: str | bytes, *, kid: str | None = None, algorithms: tuple[str, ...] = _HMAC_ALGORITHMS
) -> Key:
    """A symmetric key of plain text or bytes."""
    material = secret.encode() if isinstance(secret, str) else secret
    return Key(kid, "oct", algorithms, material, material)


def key_from_jwk(jwk: Mapping[str, Any]) -> Key:
    """Read one JWK (RFC 7517), public or private; UnreadableKeyError where it cannot be read."""
    kty = str(jwk.get("kty", ""))
    algorithms = _algorithms_of(jwk)
    if not algorithms:
        message = f"unsupported key type {kty!r}"
        raise UnreadableKeyError(message)
    try:
        loaded: Any = _algorithm(algorithms[0]).from_jwk(dict(jwk))
    except (InvalidKeyError, ValueError, TypeError, KeyError, binascii.Error) as error:
        message = f"unreadable {kty} key"
        raise UnreadableKeyError(message) from error
    is_private = kty == "oct" or "d" in jwk
    public: Any = loaded.public_key() if is_private and kty != "oct" else loaded
    return Key(
        kid=_text_or_none(jwk.get("kid")),
        kty=kty,
        algorithms=algorithms,
        public=public,
        private=loaded if is_private else None,
        operations=tuple(str(op) for op in jwk.get("key_ops") or ()),
        jwk=tuple(jwk.items()),
        issuer=_text_or_none(jwk.get("iss")),
    )


def keys_from_json(text: str | bytes) -> tuple[Key, ...]:
    """Read a JWK, a JWKS, or a bare array of JWKs."""
    return tuple(map(key_from_jwk, jwks_from_json(text)))


def jwks_from_json(text: str | bytes) -> tuple[Claims, ...]:
    """The members of a JWK, a JWKS, or a bare array of JWKs, none of them read yet."""
    try:
        value = jsontext.decode(text)
    except jsontext.InvalidJsonError as error:
        message = "the key set is not JSON"
        raise UnreadableKeyError(message) from error
    members = cast("Claims", value).get("keys", [value]) if isinstance(value, dict) else value
    if not isinstance(members, list):
        message = "the key set must be a JWK, a JWKS or an array of JWKs"
        raise UnreadableKeyError(message)
    found = cast("list[Any]", members)
    if not all(isinstance(member, dict) for member in found):
        message = "a member of the key set is not an object"
        raise UnreadableKeyError(message)
    return tuple(found)


def unpack(token: str) -> Unpacked:
    """Decode a compact JWS (RFC 7515, section 7.1); TokenError where it is not one."""
    parts = token.split(".")
    if len(parts) != 3:  # noqa: PLR2004 — header, payload, signature
        raise TokenError(TokenFault.SEGMENTS, len(parts))
    try:
        header_text, payload, signature = (_base64url_decode(part) for part in parts)
        # As text: of bytes, one with a byte-order mark or in UTF-16 would be JSON too.
        header = jsontext.decode_object(header_text.decode())
    except ValueError as error:
        raise TokenError(TokenFault.UNREADABLE) from error
    if not isinstance(header.get("alg"), str):
        raise TokenError(TokenFault.UNREADABLE)
    return Unpacked(
        algorithm=header["alg"],
        kid=_text_or_none(header.get("kid")),
        header=header,
        payload=payload,
        signed=token.rpartition(".")[0].encode(),
        signature=signature,
    )


def check_signature(unpacked: Unpacked, keys: Iterable[Key]) -> Key:
    """The first key that signed the token; TokenError otherwise.

    A token with a `kid` matches only keys of that kid; one without tries every key whose
    algorithms hold the token's. Algorithm `none` is never accepted (RFC 8725, section 3.1).
    """
    if unpacked.algorithm.lower() == "none":
        raise TokenError(TokenFault.UNSECURED)
    if unpacked.algorithm not in known_algorithms():
        raise TokenError(TokenFault.UNKNOWN_ALGORITHM)
    candidates = [
        key
        for key in keys
        if unpacked.algorithm in key.algorithms and unpacked.kid in {None, key.kid}
    ]
    if not candidates:
        raise TokenError(TokenFault.NO_SUITABLE_KEY)
    for key in candidates:
        if is_signed_by(unpacked, key):
            return key
    raise TokenError(TokenFault.BAD_SIGNATURE)


def is_signed_by(unpacked: Unpacked, key: Key) -> bool:
    """Whether this key made the signature, for its own issuer where it has one.

    HMAC digests are compared in constant time.
    """
    if unpacked.algorithm not in key.algorithms:
        return False
    if key.issuer is not None and not is_issued_by(unpacked, key.issuer):
        return False
    try:
        return _algorithm(unpacked.algorithm).verify(
            unpacked.signed, key.public, unpacked.signature
        )
    except (PyJWTError, ValueError, TypeError):
        return False


def is_issued_by(unpacked: Unpacked, issuer: str) -> bool:
    """Whether a token says that it is this issuer's; nobody has checked that."""
    try:
        named = unpacked.claims().get("iss")
    except TokenError:
        return False
    # Auth0 names itself with a slash at the end.
    return isinstance(named, str) and named.rstrip("/") == issuer.rstrip("/")


def sign(claims: Mapping[str, Any], key: Key, *, algorithm: str | None = None) -> str:
    """Sign claims of JSON's own types; the header carries the key's kid where it has one."""
    chosen = algorithm or key.algorithms[0]
    signed = f"{_header(chosen, key.kid)}.{jsontext.base64url(jsontext.encode_texts(dict(claims)))}"
    signature = _algorithm(chosen).sign(signed.encode(), key.private)
    return f"{signed}.{jsontext.base64url(signature)}"


@lru_cache(maxsize=64)
def _header(algorithm: str, kid: str | None) -> str:
    """The first part of a token; there are few of them."""
    header: Claims = {"alg": algorithm, "typ": "JWT"} | ({"kid": kid} if kid else {})
    return jsontext.base64url(jsontext.encode_bytes(header))


def public_jwk(key: Key) -> Claims:
    """The public members of an asymmetric key, as a JWKS lists them."""
    value = {name: member for name, member in key.jwk if name not in _PRIVATE_MEMBERS}
    return value | {"use": "sig", "key_ops": ["verify"], "alg": key.algorithms[0]}


def _algorithms_of(jwk: Mapping[str, Any]) -> tuple[str, ...]:
    kty = jwk.get("kty")
    permitted: tuple[str, ...] = ()
    if kty == "RSA":
        permitted = (*_RSA_ALGORITHMS, "PS256", "PS384", "PS512")
    elif kty == "EC":
        permitted = tuple(filter(None, (_EC_ALGORITHMS.get(str(jwk.get("crv"))),)))
    elif kty == "oct":
        permitted = _HMAC_ALGORITHMS
    elif kty == "OKP":
        permitted = ("EdDSA",)
    alg = jwk.get("alg")
    if alg is None:
        return tuple(name for name in permitted if not name.startswith("PS"))
    return tuple(name for name in permitted if name == alg)


@cache
def known_algorithms() -> Mapping[str, Algorithm]:
    """PyJWT's algorithms by name, without `none`."""
    return {name: alg for name, alg in get_default_algorithms().items() if name != "none"}


def _algorithm(name: str) -> Algorithm:
    return known_algorithms()[name]


def _base64url_decode(text: str) -> bytes:
    if "=" in text or "+" in text or "/" in text:
        raise ValueError(text)
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None

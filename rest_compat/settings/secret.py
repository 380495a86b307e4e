"""The secret that tokens are signed with, and the keys it stands for."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from compat_base.values import jwt
from compat_base.values.settings import Secret
from rest_compat.auth.authenticate import ALGORITHMS
from rest_compat.settings.kinds import Kind, boolean, quoted
from rest_compat.settings.options import Options, read_file, refuse, text_of

BASE64_KEYS = ("jwt-secret-is-base64", "secret-is-base64")
_LEAST_SECRET = 32  # bytes; RFC 7518, section 3.2
_KEY_TYPES = ("RSA", "EC", "oct", "OKP")


class SigningSecret(Secret):
    """The bytes of the secret as Latin-1, and whether Base64 was given."""

    __slots__ = ("is_base64",)

    def __init__(self, text: str, *, is_base64: bool) -> None:
        super().__init__(text)
        self.is_base64 = is_base64


def signing_secret() -> Kind:
    """A text or `@file`, in Base64 where another setting says so; shown as it was given."""

    def parse(options: Options, keys: tuple[str, ...]) -> SigningSecret:
        found = _secret(options, keys) or b""
        is_base64 = boolean(default=False).parse(options, BASE64_KEYS)
        return SigningSecret(found.decode("latin-1"), is_base64=is_base64)

    def dump(value: SigningSecret) -> str:
        secret = value.reveal().encode("latin-1")
        shown = base64.b64encode(secret) if value.is_base64 else secret
        return quoted(shown.decode("utf-8", "replace"))

    return Kind("text or @file", parse, dump)


def verification_keys(options: Options) -> tuple[jwt.Key, ...] | None:
    """The keys of the secret: JSON Web Keys, or the secret itself; None where there is none."""
    secret = _secret(options, ("jwt-secret",))
    if secret is None:
        return None
    if secret.lstrip()[:1] == b"{":
        try:
            return tuple(map(jwt.key_from_jwk, filter(_verifies, jwt.jwks_from_json(secret))))
        except jwt.UnreadableKeyError:
            pass
    if len(secret) < _LEAST_SECRET:
        refuse("The JWT secret must be at least 32 characters long.")
    return (jwt.secret_key(secret, algorithms=("HS256",)),)


def _verifies(jwk: dict[str, Any]) -> bool:
    """Whether it is for signatures, and its type and algorithm are known (RFC 7517, section 5)."""
    return (
        jwk.get("use") in (None, "sig")
        and jwk.get("alg") in (None, *ALGORITHMS)
        and jwk.get("kty") in (None, *_KEY_TYPES)
    )


def _secret(options: Options, keys: tuple[str, ...]) -> bytes | None:
    text = text_of(options, *keys)
    if text is None:
        return None
    secret = text.encode()
    if text.startswith("@"):
        secret = read_file(text[1:]).removesuffix(b"\n")
    if not boolean(default=False).parse(options, BASE64_KEYS):
        return secret
    standard = secret.replace(b"_", b"/").replace(b"-", b"+").replace(b".", b"=").strip()
    try:
        return base64.b64decode(standard, validate=True)
    except binascii.Error:
        refuse("the JWT secret is not valid base64")

"""Proof keys for code exchange (RFC 7636; auth reference 4.5)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass

from compat_base.values.errors import ApiError
from gotrue_compat import errors

_CHARACTERS = re.compile(r"[A-Za-z0-9._~-]+")
_SHORTEST, _LONGEST = 43, 128


@dataclass(frozen=True, slots=True)
class CodeChallenge:
    """A client's challenge; the method is `s256` or `plain`."""

    value: str
    method: str


def challenge_from(value: str, method: str) -> CodeChallenge | None:
    """The pair a client sent, None when it sent neither; ApiError for half or malformed pairs."""
    if not value and not method:
        return None
    if not value or not method:
        raise ApiError.of(errors.PKCE_PAIR)
    if not _SHORTEST <= len(value) <= _LONGEST:
        raise ApiError.of(errors.PKCE_LENGTH)
    if not _CHARACTERS.fullmatch(value):
        raise ApiError.of(errors.PKCE_CHARSET)
    if method.lower() not in {"s256", "plain"}:
        raise ApiError.of(errors.PKCE_METHOD)
    return CodeChallenge(value, method.lower())


def unchecked_challenge(value: str, method: str) -> CodeChallenge | None:
    """The pair a client sent, unchecked as in the original; None for a method alone."""
    if not value:
        return None
    if method.lower() not in {"s256", "plain"}:
        raise ApiError.of(errors.PKCE_METHOD)
    return CodeChallenge(value, method.lower())


def is_answered(challenge: str, method: str, verifier: str) -> bool:
    """Whether the verifier belongs to the challenge (RFC 7636, section 4.6)."""
    return hmac.compare_digest(
        (verifier if method == "plain" else s256(verifier)).encode(), challenge.encode()
    )


def s256(verifier: str) -> str:
    """The S256 challenge of a verifier."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

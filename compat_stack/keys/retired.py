"""Retired keys: replaced, and valid until their overlap ends; `retired_keys.json`.

Of signing keys only public halves are kept, and of a JWT secret a fingerprint, by which its
database is recognised.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from compat_base.values import jsontext
from compat_base.values.errors import OperatorError

NAME = "retired_keys.json"


class RetiredKeysError(OperatorError):
    """`retired_keys.json` is damaged: one sentence with the remedy."""


@dataclass(frozen=True, slots=True, repr=False)
class RetiredSigningKey:
    """The public half of a signing key, as a JWK."""

    jwk: dict[str, Any]
    until: datetime


@dataclass(frozen=True, slots=True, repr=False)
class RetiredApiKey:
    """A replaced API key, and the role whose present token it is exchanged for."""

    key: str
    role: str
    until: datetime


@dataclass(frozen=True, slots=True, repr=False)
class Retired:
    """The retired keys; `secrets` are fingerprints of earlier JWT secrets."""

    signing: tuple[RetiredSigningKey, ...] = ()
    api: tuple[RetiredApiKey, ...] = ()
    secrets: tuple[str, ...] = ()

    def at(self, now: datetime) -> Retired:
        """Those that are still valid at a moment."""
        return Retired(
            tuple(each for each in self.signing if each.until > now),
            tuple(each for each in self.api if each.until > now),
            self.secrets,
        )

    def encode(self) -> str:
        """The file's text."""
        return jsontext.encode(
            {
                "signing": [{"until": k.until.isoformat(), "jwk": k.jwk} for k in self.signing],
                "api": [
                    {"until": k.until.isoformat(), "key": k.key, "role": k.role} for k in self.api
                ],
                "secrets": list(self.secrets),
            }
        )


def read_retired(folder: Path) -> Retired:
    """The retired keys of a data folder; RetiredKeysError where the file is damaged."""
    path = folder / NAME
    if not path.exists():
        return Retired()
    moment = datetime.fromisoformat
    try:
        values = jsontext.decode_object(path.read_bytes())
        return Retired(
            tuple(RetiredSigningKey(k["jwk"], moment(k["until"])) for k in values["signing"]),
            tuple(RetiredApiKey(k["key"], k["role"], moment(k["until"])) for k in values["api"]),
            tuple(values["secrets"]),
        )
    except (jsontext.InvalidJsonError, ValueError, TypeError, KeyError) as error:
        raise RetiredKeysError(
            f"{path} is damaged: restore it, or remove it to end every replaced key"
        ) from error


def fingerprint(secret: str) -> str:
    """A fingerprint of a secret, from which the secret cannot be derived."""
    message = b"fingerprint of the JWT secret"
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()

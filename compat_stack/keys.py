"""The installation's keys: given or made at the first start, kept in the data folder ever after.

`keys.env` can be sourced by a shell; `signing_keys.json` holds the private ES256 key that signs
users' tokens. Both have mode 0600. The anon and service_role keys are tokens by JWT_SECRET, the
publishable and secret keys are their opaque stand-ins, which the gateway exchanges.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from compat_base import jsontext
from compat_base.errors import OperatorError
from compat_base.jwt import key_from_jwk, public_jwk, secret_key, sign
from compat_base.world import World

_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_VALIDITY = timedelta(days=3652)
_NAMES = {
    "anon": "SUPABASE_ANON_KEY",
    "service_role": "SUPABASE_SERVICE_ROLE_KEY",
    "publishable": "SUPABASE_PUBLISHABLE_KEY",
    "secret": "SUPABASE_SECRET_KEY",
    "jwt_secret": "JWT_SECRET",
}


@dataclass(frozen=True, slots=True, repr=False)
class Keys:
    """Every secret of an installation; its repr shows none."""

    jwt_secret: str
    anon: str
    service_role: str
    publishable: str
    secret: str
    signing_keys: str

    def verification_jwks(self) -> str:
        """A JWKS to verify any of our tokens with: the ES256 key and the shared secret."""
        return jsontext.encode({"keys": [*self._public_jwks(), _oct_jwk(self.jwt_secret)]})

    def public_jwks(self) -> str:
        """A JWKS of the public keys alone."""
        return jsontext.encode({"keys": self._public_jwks()})

    def algorithms(self) -> tuple[str, ...]:
        """What our tokens may be signed with: by the signing keys, and by the secret."""
        keys = [key_from_jwk(jwk) for jwk in jsontext.decode(self.signing_keys)]
        return (*dict.fromkeys(name for key in keys for name in key.algorithms), "HS256")

    def _public_jwks(self) -> list[Any]:
        return [public_jwk(key_from_jwk(jwk)) for jwk in jsontext.decode(self.signing_keys)]


class KeysError(OperatorError):
    """The kept keys cannot be used: one sentence with the remedy."""


def load_keys(folder: Path, world: World) -> Keys:
    """The kept keys, and new ones for what is not kept. Raises KeysError, OSError.

    So a project's own JWT_SECRET, with its anon and service_role keys, may be written into
    `keys.env` before the first start, and its signing keys into `signing_keys.json`.
    """
    env, signing = folder / "keys.env", folder / "signing_keys.json"
    kept = parse_env(env.read_text(encoding="utf-8")) if env.exists() else {}
    if kept and "JWT_SECRET" not in kept:
        message = f"{env} has no JWT_SECRET: restore it, or remove the file for new keys"
        raise KeysError(message)
    keys = make_keys(world, kept.get("JWT_SECRET"))
    if signing.exists():
        keys = replace(keys, signing_keys=signing.read_text(encoding="utf-8"))
    else:
        _write_private(signing, keys.signing_keys)
    return replace(keys, **{field: kept[name] for field, name in _NAMES.items() if name in kept})


def make_keys(world: World, jwt_secret: str | None = None) -> Keys:
    """New keys; tokens of older ones stop working."""
    jwt_secret = jwt_secret or world.entropy.text(48, _ALPHABET)
    return Keys(
        jwt_secret=jwt_secret,
        anon=_role_token("anon", jwt_secret, world),
        service_role=_role_token("service_role", jwt_secret, world),
        publishable=f"sb_publishable_{world.entropy.text(31, _ALPHABET)}",
        secret=f"sb_secret_{world.entropy.text(31, _ALPHABET)}",
        signing_keys=jsontext.encode([_new_signing_key(world)]),
    )


def save_keys(folder: Path, keys: Keys, *, url: str, database_url: str) -> Path:
    """Write `keys.env` for people and shells, with the addresses of this start; give its path."""
    values = {
        "SUPABASE_URL": url,
        **{name: getattr(keys, field) for field, name in _NAMES.items()},
        "DATABASE_URL": database_url,
    }
    path = folder / "keys.env"
    _write_private(path, "".join(f"{k}={shlex.quote(v)}\n" for k, v in values.items()))
    return path


def parse_env(text: str) -> dict[str, str]:
    """Read `NAME=value` lines with a shell's quoting; comments and blank lines are skipped."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        name, separator, value = line.strip().removeprefix("export ").partition("=")
        if separator and not name.startswith("#"):
            values[name] = "".join(shlex.split(value))
    return values


def _role_token(role: str, secret: str, world: World) -> str:
    now = world.clock.now()
    claims = {
        "iss": "supabase",
        "role": role,
        "iat": int(now.timestamp()),
        "exp": int((now + _VALIDITY).timestamp()),
    }
    return sign(claims, secret_key(secret))


def _new_signing_key(world: World) -> dict[str, Any]:
    jwk = dict(ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()), as_dict=True))
    extra = {"kid": str(world.entropy.uuid()), "alg": "ES256", "use": "sig"}
    return jwk | extra | {"key_ops": ["sign", "verify"]}


def _oct_jwk(secret: str) -> dict[str, Any]:
    material = jsontext.base64url(secret.encode())
    return {"kty": "oct", "alg": "HS256", "k": material, "key_ops": ["verify"]}


def _write_private(path: Path, text: str) -> None:
    """Replace the file in one step: a start that is cut off leaves the old one or the new one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(descriptor)
    draft.replace(path)

"""The installation's keys: given or generated at the first start, then kept in the data folder.

`keys.env` can be sourced by a shell; `signing_keys.json` holds the private ES256 key that signs
users' tokens, `vapid_key.json` that of push messages. All have mode 0600. The anon and
service_role keys are tokens signed by JWT_SECRET; the publishable and secret keys are opaque, and
the gateway exchanges them for these.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from jwt.algorithms import ECAlgorithm

from compat_base.values import jsontext
from compat_base.values.errors import OperatorError
from compat_base.values.jwt import (
    TokenError,
    UnreadableKeyError,
    check_signature,
    key_from_jwk,
    keys_from_json,
    public_jwk,
    secret_key,
    sign,
    unpack,
)
from compat_base.values.world import World
from compat_stack.data_folder.private import write_private
from compat_stack.data_folder.replacing import finish_replacing
from compat_stack.keys.derived import SECRET_LENGTH, DerivedEntropy, new_private_key
from compat_stack.keys.retired import Retired, read_retired
from compat_stack.keys.vapid import FILE as VAPID_FILE
from compat_stack.keys.vapid import new_vapid_key, vapid_key

_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_VALIDITY = timedelta(days=3652)
_BEFORE = timedelta(days=1)  # so that keys made by a fast clock are valid at once
# Nodes compare API keys as texts: from 2026 until 2100, whenever each of them was started.
_DERIVED_TIMES = (1_767_225_600, 4_102_444_800)
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
    vapid: str
    retired: Retired = field(default_factory=Retired)

    def jwt_keys(self) -> str:
        """A JWKS of the keys that sign users' tokens, and of retired ones that still verify.

        Where no key names `sign` among its `key_ops`, which auth asks for, the first private signs.
        """
        retired = [each.jwk for each in self.retired.signing]
        keys: list[dict[str, Any]] = jsontext.decode(self.signing_keys)
        if not any("sign" in (key.get("key_ops") or ()) for key in keys):
            signer = next(key for key in keys if key_from_jwk(key).private)
            signer["key_ops"] = ["sign", "verify"]
        return jsontext.encode([*keys, *retired])

    def verification_jwks(self) -> str:
        """A JWKS to verify any token of ours: public keys and the shared secret."""
        keys = [*self._public_jwks(), _oct_jwk(self.jwt_secret)]
        return jsontext.encode({"keys": keys})

    def public_jwks(self) -> str:
        """A JWKS of our public keys alone."""
        return jsontext.encode({"keys": self._public_jwks()})

    def algorithms(self) -> tuple[str, ...]:
        """The algorithms of our tokens: those of the signing keys, and of the secret."""
        keys = [key_from_jwk(jwk) for jwk in jsontext.decode(self.jwt_keys())]
        return (*dict.fromkeys(name for key in keys for name in key.algorithms), "HS256")

    def _public_jwks(self) -> list[Any]:
        return [public_jwk(key_from_jwk(jwk)) for jwk in jsontext.decode(self.jwt_keys())]


class KeysError(OperatorError):
    """The kept keys are damaged: one sentence with the remedy."""


def load_keys(
    folder: Path,
    world: World,
    *,
    signing_file: Path | None = None,
    given: Mapping[str, str] | None = None,
) -> Keys:
    """The kept keys, and new ones for what is missing. Raises KeysError, OSError.

    `signing_file` has the signing keys in place of the folder's own. A project's own JWT_SECRET,
    with its anon and service_role keys, may be written into `keys.env` before the first start, and
    its signing keys into `signing_keys.json`. A JWT_SECRET of the `given` environment wins over
    them, and what is missing is derived from it: so nodes need no file of another.
    """
    finish_replacing(folder)
    env, signing = folder / "keys.env", folder / "signing_keys.json"
    kept = _read_env(env) if env.exists() else {}
    secret = (given or {}).get("JWT_SECRET")
    if secret:
        kept = _with_given(kept, given or {})
        world = World(world.clock, DerivedEntropy(secret))
    keys = make_keys(world, kept.get("JWT_SECRET"), derived=bool(secret))
    keys = replace(keys, retired=read_retired(folder).at(world.clock.now()))
    if signing_file is not None:
        keys = replace(keys, signing_keys=_read_signing_keys(signing_file))
    elif signing.exists():
        keys = replace(keys, signing_keys=_read_signing_keys(signing))
    else:
        write_private(signing, keys.signing_keys)
    keys = replace(keys, vapid=_load_vapid(folder / VAPID_FILE, keys.vapid))
    found = {attribute: kept[name] for attribute, name in _NAMES.items() if kept.get(name)}
    keys = replace(keys, **found)
    _check_tokens(env, keys, world.clock.now().timestamp())
    values = named(keys)
    if values.items() - kept.items():  # on the disk before anything is signed by them
        write_env(env, kept | values)
    return keys


def _with_given(kept: dict[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """The kept keys, replaced by the environment's; kept ones of another secret are left out."""
    if len(given["JWT_SECRET"]) < SECRET_LENGTH:
        raise KeysError(f"JWT_SECRET must have {SECRET_LENGTH} characters or more")
    names = frozenset(_NAMES.values())
    is_same = kept.get("JWT_SECRET") == given["JWT_SECRET"]
    others = {name: value for name, value in kept.items() if is_same or name not in names}
    return others | {name: value for name, value in given.items() if name in names and value}


def _read_env(path: Path) -> dict[str, str]:
    remedy = "restore it from a backup, or remove it for new keys, which end the old ones"
    try:
        kept = parse_env(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise KeysError(f"{path} is damaged, it is no text: {remedy}") from error
    except ValueError as error:
        raise KeysError(f"{path} is damaged, {error}: {remedy}") from error
    if not kept.get("JWT_SECRET"):
        what = "has no JWT_SECRET" if kept else "is empty"
        raise KeysError(f"{path} {what}: {remedy}")
    if not all(value.isprintable() for value in kept.values()):
        raise KeysError(f"{path} is damaged, it has control characters: {remedy}")
    return kept


def _read_signing_keys(path: Path) -> str:
    remedy = "restore it from a backup, or remove it for a new key, which signs everybody out"
    try:
        text = path.read_text(encoding="utf-8")
        is_list = isinstance(jsontext.decode(text), list)
        keys = keys_from_json(text)
    except (UnicodeDecodeError, UnreadableKeyError, jsontext.InvalidJsonError) as error:
        reason = error if isinstance(error, UnreadableKeyError) else "it is no JSON"
        raise KeysError(f"{path} is damaged, {reason}: {remedy}") from error
    if not is_list or not any(key.private for key in keys):
        raise KeysError(f"{path} is no list with a private key: {remedy}")
    return text


def _load_vapid(path: Path, made: str) -> str:
    if not path.exists():
        write_private(path, made)
        return made
    try:
        text = path.read_text(encoding="utf-8")
        vapid_key(text)
    except (UnicodeDecodeError, UnreadableKeyError) as error:
        reason = error if isinstance(error, UnreadableKeyError) else "it is no text"
        raise KeysError(
            f"{path} is damaged ({reason}): restore it from a backup, or remove it for a new key,"
            " after which every device has to switch its alerts on again"
        ) from error
    return text


def _check_tokens(path: Path, keys: Keys, now: float) -> None:
    """Refuse to serve with keys that no service would accept."""
    known = (secret_key(keys.jwt_secret), *keys_from_json(keys.signing_keys))
    for attribute in ("anon", "service_role"):
        name = _NAMES[attribute]
        try:
            token = unpack(getattr(keys, attribute))
            check_signature(token, known)
            expiry = token.claims().get("exp")
        except TokenError as error:
            message = (
                f"{name} in {path} was not made with the JWT_SECRET beside it ({error}): put the"
                f" JWT_SECRET back that it was made with, or remove the line {name} for a new one"
            )
            raise KeysError(message) from error
        if isinstance(expiry, int | float) and expiry <= now:
            raise KeysError(f"{name} in {path} has expired: remove the line for a new one")


def make_keys(world: World, jwt_secret: str | None = None, *, derived: bool = False) -> Keys:
    """New keys; tokens signed by older ones become invalid. `derived`: their times are fixed."""
    now = world.clock.now()
    own_times = ((now - _BEFORE).timestamp(), (now + _VALIDITY).timestamp())
    times = _DERIVED_TIMES if derived else own_times
    jwt_secret = jwt_secret or world.entropy.text(48, _ALPHABET)
    return Keys(
        jwt_secret=jwt_secret,
        anon=_role_token("anon", jwt_secret, *times),
        service_role=_role_token("service_role", jwt_secret, *times),
        publishable=f"sb_publishable_{world.entropy.text(31, _ALPHABET)}",
        secret=f"sb_secret_{world.entropy.text(31, _ALPHABET)}",
        signing_keys=jsontext.encode([_new_signing_key(world)]),
        vapid=new_vapid_key(world.entropy),
    )


def save_keys(folder: Path, keys: Keys, *, url: str, database_url: str) -> Path:
    """Write `keys.env`, with the addresses of this start; gives its path."""
    path = folder / "keys.env"
    write_env(path, {"SUPABASE_URL": url, **named(keys), "DATABASE_URL": database_url})
    return path


def named(keys: Keys) -> dict[str, str]:
    """The keys by their names in `keys.env`."""
    return {name: getattr(keys, attribute) for attribute, name in _NAMES.items()}


def write_env(path: Path, values: dict[str, str]) -> None:
    """Write a file of `NAME=value` lines that a shell can source, mode 0600."""
    write_private(path, env_text(values))


def env_text(values: dict[str, str]) -> str:
    """The lines of such a file."""
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in values.items())


def parse_env(text: str) -> dict[str, str]:
    """Parse `NAME=value` lines with a shell's quoting; comments and blank lines are skipped.

    Raises ValueError, which names the line, for a quote that is not closed.
    """
    values: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, separator, value = line.strip().removeprefix("export ").partition("=")
        if separator and not name.startswith("#"):
            try:
                values[name] = "".join(shlex.split(value))
            except ValueError as error:
                raise ValueError(f"line {number} has a quote that is not closed") from error
    return values


def _role_token(role: str, secret: str, since: float, until: float) -> str:
    claims = {"iss": "supabase", "role": role, "iat": int(since), "exp": int(until)}
    return sign(claims, secret_key(secret))


def _new_signing_key(world: World) -> dict[str, Any]:
    jwk = dict(ECAlgorithm.to_jwk(new_private_key(world.entropy), as_dict=True))
    extra = {"kid": str(world.entropy.uuid()), "alg": "ES256", "use": "sig"}
    return jwk | extra | {"key_ops": ["sign", "verify"]}


def _oct_jwk(secret: str) -> dict[str, Any]:
    material = jsontext.base64url(secret.encode())
    return {"kty": "oct", "alg": "HS256", "k": material, "key_ops": ["verify"]}

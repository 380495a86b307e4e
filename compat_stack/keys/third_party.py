"""The public keys of another issuer whose tokens are accepted, kept for the next start.

Symmetric keys are refused, because others know them too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from compat_base.values import jsontext
from compat_base.values.jwt import Key, UnreadableKeyError, key_from_jwk, public_jwk
from compat_stack.data_folder.private import write_private

_FILE = "third_party_keys.json"
_MOST_KEYS = 100


def keep_keys(folder: Path, issuer: str, keys: list[Any]) -> None:
    """Keep an issuer's keys in the data folder."""
    write_private(folder / _FILE, jsontext.encode({"issuer": issuer, "keys": keys}))


def kept_keys(folder: Path, issuer: str) -> tuple[Key, ...]:
    """The keys kept of this issuer; none where another's are kept, or they cannot be read."""
    try:
        kept = jsontext.decode((folder / _FILE).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, jsontext.InvalidJsonError):
        return ()
    members = cast("dict[str, Any]", kept) if isinstance(kept, dict) else {}
    return keys_of(issuer, members.get("keys")) if members.get("issuer") == issuer else ()


def keys_of(issuer: str, members: object) -> tuple[Key, ...]:
    """The public keys of a JWKS, each valid for tokens of this issuer alone.

    Firebase signs for all of its projects by the same keys.
    """
    return tuple(key_from_jwk({**jwk, "iss": issuer}) for jwk in public_keys(members))


def public_keys(members: object) -> list[Any]:
    """The public keys of a JWKS, up to 100; unreadable ones are skipped."""
    listed = cast("list[Any]", members)[:_MOST_KEYS] if isinstance(members, list) else []
    return [jwk for each in listed if (jwk := _public(each)) is not None]


def _public(member: object) -> Any | None:
    """A public key; None for a symmetric or unreadable one."""
    if not isinstance(member, dict):
        return None
    try:
        key = key_from_jwk(cast("dict[str, Any]", member))
    except UnreadableKeyError:
        return None
    return None if key.kty == "oct" or key.private is not None else public_jwk(key)

"""`rotate-keys`: new keys in place of the old, which stay valid for an overlap where possible.

Users' sessions go on: tokens of the old signing key are verified by its public half until the
overlap ends, and refresh tokens are in the database.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from compat_base.values import jsontext
from compat_base.values.jwt import key_from_jwk, public_jwk
from compat_base.values.world import World
from compat_stack.data_folder.replacing import replace_all
from compat_stack.keys.installation import Keys, env_text, load_keys, make_keys, named, parse_env
from compat_stack.keys.retired import (
    NAME,
    Retired,
    RetiredApiKey,
    RetiredSigningKey,
    fingerprint,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which keys to replace, the overlap, and whether earlier overlaps end now."""

    signing_keys: bool
    api_keys: bool
    jwt_secret: bool
    overlap: timedelta
    retire: bool = False


def rotate(
    folder: Path, choice: Choice, world: World, step: Callable[[], None] = lambda: None
) -> None:
    """Replace keys in the data folder, all at once. Raises KeysError, OSError."""
    keys = load_keys(folder, world)
    now = world.clock.now()
    before = Retired(secrets=keys.retired.secrets) if choice.retire else keys.retired.at(now)
    rotated = _rotated(keys, choice, world)
    retired = _retired(keys, rotated, before, choice, world)
    env = folder / "keys.env"
    kept = parse_env(env.read_text(encoding="utf-8")) if env.exists() else {}
    values = kept | named(rotated)
    files = {
        "keys.env": env_text(values),
        "signing_keys.json": rotated.signing_keys,
        NAME: retired.encode(),
    }
    replace_all(folder, files, step)


def next_steps(folder: Path, choice: Choice) -> tuple[str, ...]:
    """Instructions for the operator, without any secret."""
    end = f"for {choice.overlap / timedelta(hours=1):g} h"
    lines = ["Start it again with `serve`; on other nodes put the same files first:"]
    lines += [f"  {folder / name}" for name in ("keys.env", "signing_keys.json", NAME)]
    if choice.signing_keys:
        lines.append(
            f"Sessions go on: tokens of the old signing key count {end}."
            if choice.overlap
            else "Access tokens of the old signing key end now; clients refresh theirs."
        )
    if choice.jwt_secret:
        lines.append("Tokens that you signed with the old JWT_SECRET yourself end now.")
    if choice.api_keys or choice.jwt_secret:
        which = [
            *(["SUPABASE_PUBLISHABLE_KEY", "SUPABASE_SECRET_KEY"] if choice.api_keys else []),
            *(["SUPABASE_ANON_KEY", "SUPABASE_SERVICE_ROLE_KEY"] if choice.jwt_secret else []),
        ]
        until = f"the old ones count {end}" if choice.overlap else "the old ones end now"
        lines.append(f"Give clients the new {', '.join(which)} from keys.env: {until}.")
    if choice.retire:
        lines.append("Keys that were replaced earlier end now.")
    return tuple(lines)


def _rotated(keys: Keys, choice: Choice, world: World) -> Keys:
    new = make_keys(world)
    if choice.signing_keys:
        keys = replace(keys, signing_keys=new.signing_keys)
    if choice.api_keys:
        keys = replace(keys, publishable=new.publishable, secret=new.secret)
    if choice.jwt_secret:
        keys = replace(
            keys, jwt_secret=new.jwt_secret, anon=new.anon, service_role=new.service_role
        )
    return keys


def _retired(old: Keys, new: Keys, before: Retired, choice: Choice, world: World) -> Retired:
    until = world.clock.now() + choice.overlap
    api = tuple(
        RetiredApiKey(getattr(old, field), role, until)
        for field, role in (
            ("publishable", "anon"), ("secret", "service_role"),
            ("anon", "anon"), ("service_role", "service_role"),
        )
        if getattr(old, field) != getattr(new, field)
    )  # fmt: skip
    signing = tuple(
        RetiredSigningKey(public_jwk(key_from_jwk(jwk)), until)
        for jwk in jsontext.decode(old.signing_keys)
        if old.signing_keys != new.signing_keys and jwk.get("kty") != "oct"
    )
    secrets = (fingerprint(old.jwt_secret),) if old.jwt_secret != new.jwt_secret else ()
    if not choice.overlap:
        api, signing = (), ()
    return Retired(before.signing + signing, before.api + api, before.secrets + secrets)

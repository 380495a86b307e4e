"""Hooks: which are enabled, their addresses, and signing secrets.

Source: auth reference 12.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from compat_base.values.settings import Reader
from gotrue_compat.ports import HookPoint


@dataclass(frozen=True, slots=True)
class HookSettings:
    """One hook: `function` (schema, name) for PostgreSQL, or `uri` with its signing secrets."""

    uri: str
    function: tuple[str, str] | None
    secrets: tuple[bytes, ...]


_SHORTEST_SECRET = 32  # characters
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,62}")
_LOOPBACK = {"localhost", "127.0.0.1", "::1", "host.docker.internal"}


def read_hooks(reader: Reader) -> Mapping[HookPoint, HookSettings]:
    """Read GOTRUE_HOOK_<NAME>_*; only hooks that are on are in the mapping."""
    found: dict[HookPoint, HookSettings] = {}
    for point in HookPoint:
        prefix = f"HOOK_{point.name}_"
        if reader.boolean(prefix + "ENABLED", default=False):
            hook = _hook(reader, prefix)
            if hook:
                found[point] = hook
    return found


def _hook(reader: Reader, prefix: str) -> HookSettings | None:
    uri = reader.required(prefix + "URI")
    parts = urlsplit(uri)
    if parts.scheme == "pg-functions":
        names = parts.path.strip("/").split("/")
        if len(names) == 2 and all(map(_NAME.fullmatch, names)):  # noqa: PLR2004 — schema, function
            return HookSettings(uri, (names[0], names[1]), ())
    elif parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        secrets = _secrets(reader, prefix + "SECRETS")
        return HookSettings(uri, None, secrets) if secrets else None
    reader.problem(
        f"GOTRUE_{prefix}URI must be pg-functions://<any>/<schema>/<function> or https://…"
    )
    return None


def _secrets(reader: Reader, name: str) -> tuple[bytes, ...]:
    found: list[bytes] = []
    for part in reader.required(name).split("|"):
        _, mark, encoded = part.strip().partition("v1,whsec_")
        if len(encoded) < _SHORTEST_SECRET:
            mark = ""
        try:
            found.append(base64.b64decode(encoded, validate=True))
        except (binascii.Error, ValueError):
            mark = ""
        if not mark:
            reader.problem(
                f"GOTRUE_{name} must hold secrets of the form v1,whsec_<base64>, "
                f"with {_SHORTEST_SECRET} letters of base64 at least"
            )
            return ()
    return tuple(found)

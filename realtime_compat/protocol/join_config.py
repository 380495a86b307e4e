"""The payload of a join (realtime reference 4): validated parts, and faults in the others."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any, TypeGuard, cast

from compat_base.values import jsontext

REPLAY_LIMIT = 25
ENTRY_ID_BITS = 0x7FFFFFF  # 27 bits, as the original's


@dataclass(frozen=True, slots=True)
class Entry:
    """One requested change exactly as sent, and its id: equal entries have equal ids."""

    id: int
    requested: dict[str, Any]

    def shown(self) -> dict[str, Any]:
        """The entry as the join reply echoes it."""
        return self.requested | {"id": self.id}


def make_entry(requested: dict[str, Any]) -> Entry:
    """Give an entry its id, which is never 0 because clients take that for none."""
    text = jsontext.encode_texts(sorted(requested.items()))
    return Entry((zlib.crc32(text) & ENTRY_ID_BITS) or 1, requested)


@dataclass(frozen=True, slots=True)
class Replay:
    """Which stored messages a channel wants first: milliseconds since 1970, and how many."""

    since: int
    limit: int = REPLAY_LIMIT


@dataclass(frozen=True, slots=True)
class InvalidReplay:
    """A replay whose parameters make no sense."""


@dataclass(frozen=True, slots=True)
class JoinConfig:
    """What a join asks for; `changes` are the requested entries in their order.

    `faults` names every part that did not fit its type and was replaced by its default.
    """

    access_token: str | None = None
    changes: tuple[Entry, ...] = ()
    is_private: bool = False
    receives_own: bool = False
    acknowledges: bool = False
    replay: Replay | InvalidReplay | None = None
    wants_replication_notice: bool = False
    has_presence: bool = False
    presence_key: str = ""
    faults: tuple[str, ...] = field(default=(), compare=False)


def read_join_config(payload: Any) -> JoinConfig:
    """Parse a join's payload; total: an invalid part becomes its default."""
    faults: list[str] = []
    root = _object(payload, "payload", faults)
    config = _object(root.get("config"), "config", faults)
    broadcast = _object(config.get("broadcast"), "config.broadcast", faults)
    presence = _object(config.get("presence"), "config.presence", faults)
    return JoinConfig(
        access_token=_token(root, faults),
        changes=_changes(config.get("postgres_changes"), faults),
        is_private=_flag(config, "private", faults),
        receives_own=_flag(broadcast, "self", faults),
        acknowledges=_flag(broadcast, "ack", faults),
        replay=_replay(broadcast.get("replay")),
        wants_replication_notice=_flag(broadcast, "replication_ready", faults),
        has_presence=_flag(presence, "enabled", faults),
        presence_key=_key(presence.get("key"), faults),
        faults=tuple(faults),
    )


def is_token(value: Any) -> bool:
    """Whether a value names a JWT: an opaque `sb_` key counts as no token at all."""
    return isinstance(value, str) and not value.startswith("sb_")


def _object(value: Any, name: str, faults: list[str]) -> dict[str, Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    if value is not None:
        faults.append(f"{name} must be an object")
    return {}


def _token(root: dict[str, Any], faults: list[str]) -> str | None:
    """The join's own token; the legacy name `user_token` wins."""
    for name in ("user_token", "access_token"):
        value = root.get(name)
        if is_token(value):
            return value
        if value is not None and not isinstance(value, str):
            faults.append(f"{name} must be text")
    return None


def _changes(value: Any, faults: list[str]) -> tuple[Entry, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        faults.append("config.postgres_changes must be an array")
        return ()
    entries = [entry for entry in cast("list[Any]", value) if entry is not None]
    if not all(isinstance(entry, dict) for entry in entries):
        faults.append("config.postgres_changes must hold objects")
        return ()
    return tuple(make_entry(entry) for entry in entries)


def _flag(section: dict[str, Any], name: str, faults: list[str]) -> bool:
    value = section.get(name)
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    if value is not None:
        faults.append(f"{name} must be a boolean")
    return False


def _key(value: Any, faults: list[str]) -> str:
    if isinstance(value, str):
        return value
    if value is not None:
        faults.append("presence.key must be text")
    return ""


def _replay(value: Any) -> Replay | InvalidReplay | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        return InvalidReplay()
    members = cast("dict[str, Any]", value)
    since, limit = members.get("since"), members.get("limit", REPLAY_LIMIT)
    if not _is_integer(since) or not _is_integer(limit):
        return InvalidReplay()
    return Replay(since, max(1, min(REPLAY_LIMIT, limit)))


def _is_integer(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)

"""Messages on a socket, as values (realtime reference 2 and 3).

Outgoing payloads are JSON text, so that the digits of a number and the bytes of a user's own
payload pass through unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Ref: TypeAlias = str | int | None

TOPIC_PREFIX = "realtime:"

# Events, which are the names of extensions too
BROADCAST = "broadcast"
PRESENCE = "presence"
CHANGES = "postgres_changes"


@dataclass(frozen=True, slots=True)
class Push:
    """A client's text frame; `payload` is its JSON text."""

    join_ref: Ref
    ref: Ref
    topic: str
    event: str
    payload: str


@dataclass(frozen=True, slots=True)
class UserPush:
    """A client's broadcast in a binary frame of kind 3: `payload` is JSON text or raw bytes."""

    join_ref: Ref
    ref: Ref
    topic: str
    event: str
    payload: bytes
    is_binary: bool


@dataclass(frozen=True, slots=True)
class Malformed:
    """A frame that is no message, and why: it is logged and dropped."""

    reason: str


ClientFrame: TypeAlias = Push | UserPush | Malformed


@dataclass(frozen=True, slots=True)
class Message:
    """A server frame; `payload` is JSON text."""

    topic: str
    event: str
    payload: str
    ref: Ref = None
    join_ref: Ref = None


@dataclass(frozen=True, slots=True)
class UserBroadcast:
    """A broadcast as a user sent it; `meta` is JSON text or empty.

    Serializer 2.0.0 carries it as a binary frame of kind 4, 1.0.0 as text, unless it is binary.
    """

    topic: str
    event: str
    payload: bytes
    is_binary: bool = False
    meta: str = ""


ServerFrame: TypeAlias = Message | UserBroadcast


class RoomName(NamedTuple):
    """Public and private channels of one name are two rooms."""

    topic: str
    is_private: bool

"""The tables of the log by name, and the broker's topics of their changes; pure.

By name, not by number: a table that is made anew under its name is still the one subscribed to.
"""

from __future__ import annotations

import hashlib
from typing import TypeAlias

from compat_base.broker.frames import TOPIC
from realtime_compat.changes.decode import DecodeError

TableName: TypeAlias = tuple[str, str]
"""Schema and table."""


def table_topic(schema: str, name: str) -> bytes:
    """The broker's topic of a table's changes."""
    digest = hashlib.blake2b(digest_size=TOPIC, person=b"rt table")
    digest.update(schema.encode("utf-8", "surrogatepass") + b"\0")
    digest.update(name.encode("utf-8", "surrogatepass"))
    return digest.digest()


def table_of(relation: bytes) -> TableName:
    """Which table pgoutput's message `R` describes. Raises DecodeError."""
    parts = relation[5:].split(b"\0", 2)
    if relation[:1] != b"R" or len(parts) < 3:  # noqa: PLR2004 — two names and the rest
        raise DecodeError("a broken message of kind R")
    schema, name = (part.decode("utf-8", "replace") for part in parts[:2])
    return schema or "pg_catalog", name  # as pgoutput abbreviates it

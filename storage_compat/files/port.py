"""The interface of a store of bytes.

Bytes are written once under a version, a UUID of the service's own, and never changed. No name that
a user gave reaches a store.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

_VERSION = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
BEGINNINGS = tuple(f"{number:02x}" for number in range(256))


class NoBytesError(LookupError):
    """The store has no such version."""


class StoreError(OSError):
    """The store does not work now: a full disk, a server that does not answer."""


@dataclass(frozen=True, slots=True)
class Written:
    """A written version: `etag` is the MD5 in hexadecimal digits."""

    size: int
    etag: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A version as a store lists it."""

    version: str
    size: int
    modified: datetime


class ByteStore(Protocol):
    """A store of bytes. Every method raises StoreError where the store does not work."""

    is_local: bool

    async def write(self, version: str, chunks: AsyncIterator[bytes]) -> Written:
        """Write a version whole and durably; an exception of the chunks leaves nothing behind."""
        ...

    def read(self, version: str, start: int, end: int) -> AsyncGenerator[bytes]:
        """The bytes of a span in chunks; NoBytesError before the first."""
        ...

    async def copy(self, source: str, target: str) -> None:
        """Write a version with the bytes of another; NoBytesError."""
        ...

    async def remove(self, versions: Iterable[str]) -> None:
        """Remove versions; missing ones are no error."""
        ...

    async def list(self, beginning: str) -> list[Entry]:
        """All versions that begin with two hexadecimal digits."""
        ...

    async def drop_drafts(self, before: datetime) -> int:
        """Remove temporary files of dead processes; how many."""
        ...

    def as_file(self, version: str) -> AbstractAsyncContextManager[Path]:
        """A file with the bytes, to be read only, for the length of the block; NoBytesError."""
        ...


def is_version(text: str | None) -> bool:
    """Whether a text is a version of this service; a row may say anything."""
    return text is not None and _VERSION.fullmatch(text) is not None

"""Resumable uploads in progress."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Resumable:
    """A row of `storage_compat.tus_uploads`; `length` is None where it is deferred."""

    version: str
    bucket_id: str
    key: str
    length: int | None
    offset: int
    upload_metadata: str
    owner_id: str | None
    is_upsert: bool
    is_complete: bool
    expires_at: datetime

    @classmethod
    def from_row(cls, row: Any) -> Resumable:
        """Read a row."""
        return cls(**{name: row[name] for name in cls.__slots__})

    @property
    def is_whole(self) -> bool:
        """Whether all bytes are there."""
        return self.length is not None and self.offset == self.length

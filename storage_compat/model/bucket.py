"""Buckets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Bucket:
    """A row of `storage.buckets`; `file_size_limit` in bytes, None where only the global one is."""

    id: str
    name: str
    owner: str | None
    public: bool
    file_size_limit: int | None
    allowed_mime_types: tuple[str, ...] | None
    created_at: datetime | None
    updated_at: datetime | None
    type: str

    @classmethod
    def from_row(cls, row: Any) -> Bucket:
        """Read a row."""
        types = row["allowed_mime_types"]
        return cls(
            id=row["id"],
            name=row["name"],
            owner=str(row["owner"]) if row["owner"] else row["owner_id"],
            public=bool(row["public"]),
            file_size_limit=row["file_size_limit"],
            allowed_mime_types=None if types is None else tuple(types),
            created_at=row["created_at"],
            updated_at=row["updated_at"],
            type=row["type"],
        )

"""Objects: the rows that name stored bytes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Stored:
    """A row of `storage.objects`; `metadata` is what the service wrote of the bytes."""

    id: UUID
    bucket_id: str
    name: str
    owner: UUID | None
    owner_id: str | None
    version: str | None
    metadata: dict[str, Any]
    user_metadata: dict[str, Any] | None
    created_at: datetime | None
    updated_at: datetime | None
    last_accessed_at: datetime | None

    @classmethod
    def from_row(cls, row: Any) -> Stored:
        """Read a row; metadata that is no object counts as empty."""
        metadata: Any = row["metadata"]
        return cls(
            id=row["id"],
            bucket_id=row["bucket_id"],
            name=row["name"],
            owner=row["owner"],
            owner_id=row["owner_id"],
            version=row["version"],
            metadata=cast("dict[str, Any]", metadata) if isinstance(metadata, dict) else {},
            user_metadata=row["user_metadata"],
            created_at=row["created_at"],
            updated_at=row["updated_at"],
            last_accessed_at=row["last_accessed_at"],
        )

    @property
    def size(self) -> int:
        """The number of bytes."""
        size = self.metadata.get("size")
        return size if isinstance(size, int) else 0

    @property
    def mime_type(self) -> str:
        """The content type as it was given."""
        return str(self.metadata.get("mimetype") or "application/octet-stream")

    @property
    def cache_control(self) -> str:
        """The Cache-Control as it was given."""
        return str(self.metadata.get("cacheControl") or "no-cache")

    @property
    def etag(self) -> str:
        """The entity tag, with its quotes."""
        return str(self.metadata.get("eTag") or "")


@dataclass(frozen=True, slots=True)
class NewObject:
    """What an upload writes: the row's columns, without those the database fills."""

    bucket_id: str
    name: str
    owner_id: str | None
    version: str
    metadata: dict[str, Any]
    user_metadata: Any

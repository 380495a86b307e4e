"""Custom OAuth and OpenID Connect providers."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection
from compat_base.postgres.queries import load_queries
from gotrue_compat.model.federation import CustomProvider
from gotrue_compat.store.statements import inserted, many, one, updated

_SQL = load_queries(__package__ or "", "store.sql")
_TABLE = "custom_oauth_providers"


async def find(connection: Connection, identifier: str) -> CustomProvider | None:
    """The provider with this identifier."""
    row = await one(connection, _SQL["find"], identifier)
    return CustomProvider.from_row(row) if row else None


async def list_all(connection: Connection, kind: str) -> tuple[CustomProvider, ...]:
    """Every provider of a kind, of both where the kind is empty."""
    return tuple(map(CustomProvider.from_row, await many(connection, _SQL["list"], kind)))


async def count(connection: Connection) -> int:
    """How many there are."""
    row = await one(connection, _SQL["count"])
    return row["total"] if row else 0


async def create(connection: Connection, values: dict[str, Any]) -> CustomProvider:
    """Add a provider."""
    return CustomProvider.from_row(await inserted(connection, _TABLE, values))


async def update(
    connection: Connection, provider_id: UUID, now: datetime, changes: dict[str, Any]
) -> CustomProvider | None:
    """Change columns of a provider."""
    row = await updated(connection, _TABLE, provider_id, {**changes, "updated_at": now})
    return CustomProvider.from_row(row) if row else None


async def delete(connection: Connection, identifier: str) -> bool:
    """Delete a provider; False where there was none."""
    return await one(connection, _SQL["delete"], identifier) is not None

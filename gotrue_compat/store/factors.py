"""Second factors and their challenges."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection
from compat_base.postgres.queries import load_queries
from gotrue_compat.model.one_time_token import Challenge
from gotrue_compat.model.user import Factor
from gotrue_compat.store.statements import inserted, one, run, updated

_SQL = load_queries(__package__ or "", "factors.sql")


async def find(connection: Connection, factor_id: UUID, user_id: UUID) -> Factor | None:
    """A user's factor."""
    row = await one(connection, _SQL["find"], factor_id, user_id)
    return Factor.from_row(row) if row else None


async def lock(connection: Connection, factor_id: UUID) -> Factor | None:
    """A factor, locked until the transaction ends."""
    row = await one(connection, _SQL["lock"], factor_id)
    return Factor.from_row(row) if row else None


async def create(connection: Connection, values: dict[str, Any]) -> Factor:
    """Add a factor."""
    return Factor.from_row(await inserted(connection, "mfa_factors", values))


async def update(
    connection: Connection, factor_id: UUID, now: datetime, **changes: Any
) -> Factor | None:
    """Change columns of a factor."""
    row = await updated(connection, "mfa_factors", factor_id, {**changes, "updated_at": now})
    return Factor.from_row(row) if row else None


async def delete(connection: Connection, factor_id: UUID) -> None:
    """Delete a factor."""
    await run(connection, _SQL["delete"], factor_id)


async def delete_unverified(
    connection: Connection, user_id: UUID, factor_type: str, kept: UUID
) -> None:
    """Delete a user's unverified factors of a kind but one."""
    await run(connection, _SQL["delete_unverified"], user_id, factor_type, kept)


async def delete_expired(connection: Connection, user_id: UUID, before: datetime) -> None:
    """Delete a user's unverified factors from before a moment."""
    await run(connection, _SQL["delete_expired"], user_id, before)


async def create_challenge(connection: Connection, values: dict[str, Any]) -> Challenge:
    """Add a challenge."""
    return Challenge.from_row(await inserted(connection, "mfa_challenges", values))


async def find_challenge(
    connection: Connection, challenge_id: UUID, factor_id: UUID
) -> Challenge | None:
    """A factor's challenge."""
    row = await one(connection, _SQL["find_challenge"], challenge_id, factor_id)
    return Challenge.from_row(row) if row else None


async def take_challenge(connection: Connection, challenge_id: UUID, now: datetime) -> bool:
    """Mark a challenge as used; False where it already was."""
    return await one(connection, _SQL["take_challenge"], challenge_id, now) is not None


async def delete_challenge(connection: Connection, challenge_id: UUID) -> None:
    """Delete a challenge."""
    await run(connection, _SQL["delete_challenge"], challenge_id)

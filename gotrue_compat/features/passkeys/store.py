"""Passkeys and the challenges of their ceremonies."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection, Record
from compat_base.postgres.queries import load_queries
from gotrue_compat.features.passkeys.model import Passkey
from gotrue_compat.store.statements import inserted, many, one, updated

_SQL = load_queries(__package__ or "", "store.sql")
_TABLE = "webauthn_credentials"


async def list_of_user(connection: Connection, user_id: UUID) -> tuple[Passkey, ...]:
    """A user's passkeys, oldest first."""
    return tuple(map(Passkey.from_row, await many(connection, _SQL["list"], user_id)))


async def find(connection: Connection, passkey_id: UUID, user_id: UUID) -> Passkey | None:
    """A user's passkey."""
    return _passkey(await one(connection, _SQL["find"], passkey_id, user_id))


async def lock_by_credential(connection: Connection, credential_id: bytes) -> Passkey | None:
    """The passkey of an authenticator's credential, locked until the transaction ends."""
    return _passkey(await one(connection, _SQL["find_by_credential"], credential_id))


async def create(connection: Connection, values: dict[str, Any]) -> Passkey:
    """Add a passkey."""
    return Passkey.from_row(await inserted(connection, _TABLE, values))


async def update(
    connection: Connection, passkey_id: UUID, now: datetime, **changes: Any
) -> Passkey | None:
    """Change columns of a passkey."""
    row = await updated(connection, _TABLE, passkey_id, {**changes, "updated_at": now})
    return _passkey(row)


async def delete(connection: Connection, passkey_id: UUID, user_id: UUID) -> bool:
    """Delete a user's passkey; False where there was none."""
    return await one(connection, _SQL["delete"], passkey_id, user_id) is not None


async def create_challenge(connection: Connection, values: dict[str, Any]) -> None:
    """Remember a challenge."""
    await inserted(connection, "webauthn_challenges", values)


async def take_challenge(
    connection: Connection, challenge_id: UUID, kind: str, user_id: UUID | None
) -> Record | None:
    """Delete a challenge and return it."""
    return await one(connection, _SQL["take_challenge"], challenge_id, kind, user_id)


def _passkey(row: Record | None) -> Passkey | None:
    return Passkey.from_row(row) if row else None

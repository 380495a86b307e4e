"""Clients of the OAuth server, their requests, and what users allowed them."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection, Record
from compat_base.postgres.queries import load_queries
from gotrue_compat.model.federation import Authorization, Consent, OAuthClient
from gotrue_compat.store.statements import inserted, many, one, run, updated

_SQL = load_queries(__package__ or "", "store.sql")


async def find_client(connection: Connection, client_id: UUID) -> OAuthClient | None:
    """The client with this id, unless it was deleted."""
    return _client(await one(connection, _SQL["find_client"], client_id))


async def list_clients(connection: Connection) -> tuple[OAuthClient, ...]:
    """Every client, newest first."""
    return tuple(map(OAuthClient.from_row, await many(connection, _SQL["list_clients"])))


async def count_dynamic_clients(connection: Connection) -> int:
    """How many clients registered themselves and were not deleted."""
    row = await one(connection, _SQL["count_dynamic_clients"])
    return row["total"] if row else 0


async def create_client(connection: Connection, values: dict[str, Any]) -> OAuthClient:
    """Register a client."""
    return OAuthClient.from_row(await inserted(connection, "oauth_clients", values))


async def update_client(
    connection: Connection, client_id: UUID, now: datetime, **changes: Any
) -> OAuthClient | None:
    """Change columns of a client."""
    row = await updated(connection, "oauth_clients", client_id, {**changes, "updated_at": now})
    return _client(row)


async def create_authorization(connection: Connection, values: dict[str, Any]) -> None:
    """Keep a client's request."""
    await inserted(connection, "oauth_authorizations", values)


async def lock_authorization(connection: Connection, authorization_id: str) -> Authorization | None:
    """A client's request, locked until the transaction ends."""
    row = await one(connection, _SQL["lock_authorization"], authorization_id)
    return Authorization.from_row(row) if row else None


async def update_authorization(connection: Connection, row_id: UUID, **changes: Any) -> None:
    """Change columns of a request."""
    await updated(connection, "oauth_authorizations", row_id, changes)


async def find_by_code(connection: Connection, code: str) -> Authorization | None:
    """The request that a code was given for."""
    row = await one(connection, _SQL["find_by_code"], code)
    return Authorization.from_row(row) if row else None


async def take_by_code(connection: Connection, code: str) -> bool:
    """Delete the request of a code; False where somebody else did."""
    return await one(connection, _SQL["take_by_code"], code) is not None


async def find_consent(connection: Connection, user_id: UUID, client_id: UUID) -> Consent | None:
    """What a user allows a client."""
    row = await one(connection, _SQL["find_consent"], user_id, client_id)
    return Consent.from_row(row) if row else None


async def put_consent(connection: Connection, consent: Consent) -> None:
    """Keep what a user allows a client; it replaces what was allowed before."""
    await run(
        connection, _SQL["put_consent"], consent.id, consent.user_id, consent.client_id,
        consent.scopes, consent.granted_at,
    )  # fmt: skip


async def list_consents(connection: Connection, user_id: UUID) -> tuple[Consent, ...]:
    """Everything a user allows."""
    return tuple(map(Consent.from_row, await many(connection, _SQL["list_consents"], user_id)))


async def revoke_consent(
    connection: Connection, user_id: UUID, client_id: UUID, now: datetime
) -> bool:
    """Take back what a user allowed; False where there was nothing."""
    row = await one(connection, _SQL["revoke_consent"], user_id, client_id, now)
    return row is not None


async def delete_codes(connection: Connection, user_id: UUID, client_id: UUID) -> None:
    """Forget the codes that a client has not exchanged yet."""
    await run(connection, _SQL["delete_codes"], user_id, client_id)


def _client(row: Record | None) -> OAuthClient | None:
    return OAuthClient.from_row(row) if row else None

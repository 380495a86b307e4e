"""One-time tokens, flow states, and the verifiers of our own PKCE with providers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection, Record
from compat_base.postgres.queries import load_queries
from gotrue_compat.model.one_time_token import FlowState, OneTimeToken, TokenKind
from gotrue_compat.model.user import User
from gotrue_compat.store.statements import inserted, many, one, run, updated

_SQL = load_queries(__package__ or "", "tokens.sql")


async def put(connection: Connection, token_id: UUID, token: OneTimeToken, tried_as: UUID) -> None:
    """Store a hash; it replaces the user's earlier one of the kind, and tries begin anew."""
    await run(
        connection, _SQL["put"], token_id, token.user_id, token.token_type, token.token_hash,
        token.relates_to, tried_as,
    )  # fmt: skip


async def find(
    connection: Connection, hashes: Sequence[str], kinds: Sequence[TokenKind]
) -> tuple[OneTimeToken, ...]:
    """Stored tokens with one of the hashes and one of the kinds."""
    names = [kind.value for kind in kinds]
    rows = await many(connection, _SQL["find"], list(hashes), names)
    return tuple(map(OneTimeToken.from_row, rows))


async def count_tries(
    connection: Connection, subjects: Sequence[UUID], limit: int
) -> frozenset[UUID]:
    """Count a try of each; gives those that had fewer than so many before."""
    rows = await many(connection, _SQL["count_tries"], list(subjects), limit)
    return frozenset(row["subject"] for row in rows)


async def forget_tries(connection: Connection, subjects: Sequence[UUID]) -> None:
    """Reset the count of tries."""
    await run(connection, _SQL["forget_tries"], list(subjects))


async def clear(connection: Connection, user_id: UUID) -> None:
    """Delete every one-time token of a user."""
    await run(connection, _SQL["delete_of_user"], user_id)


async def clear_kind(connection: Connection, user_id: UUID, kind: TokenKind) -> None:
    """Delete a user's one-time token of a kind."""
    await run(connection, _SQL["delete_kind"], user_id, kind.value)


async def create_flow(connection: Connection, values: dict[str, Any]) -> FlowState:
    """Begin a flow."""
    return FlowState.from_row(await inserted(connection, "flow_state", values))


async def find_flow(connection: Connection, flow_id: UUID) -> FlowState | None:
    """The flow with this id."""
    return _flow(await one(connection, _SQL["find_flow"], flow_id))


async def lock_flow(connection: Connection, flow_id: UUID) -> FlowState | None:
    """The flow with this id, locked until the transaction ends."""
    return _flow(await one(connection, _SQL["lock_flow"], flow_id))


async def load_flow_by_code(
    connection: Connection, code: str
) -> tuple[FlowState, User | None] | None:
    """The flow whose code this is, and its user, without a lock."""
    row = await one(connection, _SQL["load_flow_by_code"], code)
    if row is None:
        return None
    return FlowState.from_row(row["flow_row"]), User.from_row(row) if row["id"] else None


async def take_flow(connection: Connection, flow_id: UUID) -> bool:
    """Delete a flow; False where somebody else did."""
    return await one(connection, _SQL["take_flow"], flow_id) is not None


async def newest_flow(connection: Connection, user_id: UUID, method: str) -> FlowState | None:
    """The user's newest flow of an authentication method."""
    return _flow(await one(connection, _SQL["newest_flow"], user_id, method))


async def update_flow(connection: Connection, flow_id: UUID, now: datetime, **changes: Any) -> None:
    """Change columns of a flow."""
    await updated(connection, "flow_state", flow_id, {**changes, "updated_at": now})


async def create_client_state(
    connection: Connection, state_id: UUID, provider: str, verifier: str, now: datetime
) -> None:
    """Keep the verifier of our own PKCE with a provider."""
    values = {
        "id": state_id, "provider_type": provider, "code_verifier": verifier, "created_at": now,
    }  # fmt: skip
    await inserted(connection, "oauth_client_states", values)


async def take_client_state(connection: Connection, state_id: UUID) -> Record | None:
    """The verifier and when it was made; it is deleted with that."""
    return await one(connection, _SQL["take_client_state"], state_id)


def _flow(row: Record | None) -> FlowState | None:
    return FlowState.from_row(row) if row else None

"""Sessions with the methods that opened them, and refresh tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection, Record
from compat_base.postgres.queries import load_queries
from gotrue_compat.errors import UserGoneError
from gotrue_compat.model.audit import AuditEntry
from gotrue_compat.model.current import CurrentUser, Exchanged
from gotrue_compat.model.session import Exchange, RefreshToken, Rotation, Session, SessionUse
from gotrue_compat.model.user import User
from gotrue_compat.store.audit import columns_of
from gotrue_compat.store.statements import NIL, inserted, many, one, run, updated

_SQL = load_queries(__package__ or "", "sessions.sql")
_NO_NOTES = ((None, None), (None, None))


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session to be opened by its one method; `token` None where tokens have no rows.

    `password` is the stored one that was checked, where the session is opened by it; `flow_id`
    names the flow that is exchanged for it.
    """

    session: Session
    claim_id: UUID
    token: str | None
    password: str | None = None
    flow_id: UUID | None = None


async def find(connection: Connection, session_id: UUID) -> Session | None:
    """The session with this id."""
    return _session(await one(connection, _SQL["find"], session_id))


async def lock(connection: Connection, session_id: UUID) -> Session | None:
    """The session with this id, locked; None if it is gone or locked by another request."""
    return _session(await one(connection, _SQL["lock"], session_id))


async def list_of_user(connection: Connection, user_id: UUID) -> tuple[Session, ...]:
    """Every session of a user."""
    return tuple(map(Session.from_row, await many(connection, _SQL["find_of_user"], user_id)))


async def open_for(
    connection: Connection, opening: NewSession, entries: Sequence[AuditEntry]
) -> User:
    """Sign a user in with a new session; the user then; UserGoneError without one or the flow."""
    session = opening.session
    row = await one(
        connection, _SQL["open"],
        session.user_id, session.created_at, session.id, session.user_agent, session.ip,
        session.not_after, session.oauth_client_id, session.scopes,
        session.refresh_token_hmac_key, session.refresh_token_counter,
        opening.claim_id, session.amr[0].method, opening.token,
        *columns_of(entries), opening.password, opening.flow_id,
    )  # fmt: skip
    if row is None:
        raise UserGoneError
    return User.from_row(row)


async def exchange_active(
    connection: Connection, exchanges: Sequence[Exchange]
) -> list[Exchanged | None]:
    """Open the sessions that codes stand for, with the audit's entries: all of it by one statement.

    None, and nothing done, unless the flow answers the challenge, lives, and is free.
    """
    columns = zip(*map(_exchange_columns, exchanges), strict=True)
    found: list[Exchanged | None] = [None] * len(exchanges)
    for row in await many(connection, _SQL["exchange_active"], *columns):
        place: int = row["number"] - 1
        at = exchanges[place].use.now
        found[place] = Exchanged(
            CurrentUser({**row, "last_sign_in_at": at, "updated_at": at}),
            row["authentication_method"],
            row["provider_access_token"] or "",
            row["provider_refresh_token"] or "",
        )
    return found


def _exchange_columns(exchange: Exchange) -> tuple[Any, ...]:
    use = exchange.use
    [note] = exchange.notes or _NO_NOTES[:1]
    return (
        exchange.code, exchange.challenge, exchange.since, exchange.until,
        use.now, use.user_agent, use.ip,
        exchange.session_id, exchange.claim_id, exchange.token, *note,
    )  # fmt: skip


async def update(connection: Connection, session_id: UUID, now: datetime, **changes: Any) -> None:
    """Change columns of a session."""
    await updated(connection, "sessions", session_id, {**changes, "updated_at": now})


async def touch(connection: Connection, session_id: UUID, use: SessionUse) -> None:
    """Note that a session was refreshed."""
    refreshed = use.now.astimezone(UTC).replace(tzinfo=None)
    await update(
        connection, session_id, use.now,
        refreshed_at=refreshed, user_agent=use.user_agent, ip=use.ip,
    )  # fmt: skip


async def add_method(
    connection: Connection, claim_id: UUID, session_id: UUID, method: str, now: datetime
) -> None:
    """Note that a session was authenticated by a method, now."""
    await run(connection, _SQL["add_method"], claim_id, session_id, method, now)


async def find_token(connection: Connection, token: str) -> RefreshToken | None:
    """A version-1 refresh token."""
    row = await one(connection, _SQL["find_token"], token)
    return RefreshToken.from_row(row) if row else None


async def lock_by_token(connection: Connection, token: str) -> tuple[RefreshToken, Session] | None:
    """A token and its session, locked; None if gone or locked by another request."""
    row = await one(connection, _SQL["lock_by_token"], token)
    if row is None:
        return None
    session = {**row["session_row"], "amr_rows": row["amr_rows"]}
    return RefreshToken.from_row(row), Session.from_row(session)


async def active_token(connection: Connection, session_id: UUID) -> RefreshToken | None:
    """The session's newest token that is not revoked."""
    row = await one(connection, _SQL["active_token"], session_id)
    return RefreshToken.from_row(row) if row else None


async def create_token(
    connection: Connection, token: str, user_id: UUID, session_id: UUID, now: datetime
) -> None:
    """Issue the first version-1 token of a session."""
    await inserted(
        connection, "refresh_tokens",
        {
            "instance_id": NIL, "token": token, "user_id": str(user_id), "revoked": False,
            "created_at": now, "updated_at": now, "session_id": session_id,
        },
    )  # fmt: skip


async def rotate(
    connection: Connection, parent: RefreshToken, child: str, session_id: UUID, use: SessionUse
) -> None:
    """Revoke a token, issue its child, and note that the session was refreshed if it was."""
    await run(
        connection, _SQL["rotate"], parent.id, child, parent.token, session_id,
        use.now, use.user_agent, use.ip, parent.user_id, use.is_refresh,
    )  # fmt: skip


async def rotate_active(
    connection: Connection, rotations: Sequence[Rotation]
) -> list[CurrentUser | None]:
    """Rotate many tokens and write their audit entries by one statement.

    Gives each token's user, and the session as it was before; None, and nothing done, unless the
    token is active, not locked, and its session may go on.
    """
    columns = zip(*map(_columns, rotations), strict=True)
    found: list[CurrentUser | None] = [None] * len(rotations)
    for row in await many(connection, _SQL["rotate_active"], *columns):
        place: int = row["number"] - 1
        found[place] = CurrentUser({**row, "updated_at": rotations[place].use.now})
    return found


def _columns(rotation: Rotation) -> tuple[Any, ...]:
    use = rotation.use
    (refreshed, refreshed_at), (revoked, revoked_at) = rotation.notes or _NO_NOTES
    return (
        rotation.token, rotation.child, use.now, use.user_agent, use.ip,
        rotation.client_id, rotation.opened_since, rotation.used_since,
        refreshed, refreshed_at, revoked, revoked_at,
    )  # fmt: skip


async def revoke_family(connection: Connection, session_id: UUID, now: datetime) -> None:
    """Revoke every token of a session."""
    await run(connection, _SQL["revoke_family"], session_id, now)


async def revoke_token(connection: Connection, token: str, now: datetime) -> None:
    """Revoke one token."""
    await run(connection, _SQL["revoke_token"], token, now)


async def delete_token(connection: Connection, token_id: int) -> None:
    """Delete a token that has no session."""
    await run(connection, _SQL["delete_token"], token_id)


async def delete(connection: Connection, session_id: UUID) -> None:
    """End one session."""
    await run(connection, _SQL["delete_one"], session_id)


async def delete_of_user(connection: Connection, user_id: UUID) -> None:
    """End every session of a user."""
    await run(connection, _SQL["delete_of_user"], user_id)


async def delete_others(connection: Connection, user_id: UUID, kept: UUID | None) -> None:
    """End every session of a user but one."""
    await run(connection, _SQL["delete_others"], user_id, kept or NIL)


async def delete_lower(connection: Connection, user_id: UUID, kept: UUID) -> None:
    """End a user's other sessions that have not reached aal2."""
    await run(connection, _SQL["delete_lower"], user_id, kept)


async def downgrade(connection: Connection, factor_id: UUID, method: str, now: datetime) -> None:
    """Take a lost factor's level from the sessions that had it."""
    await run(connection, _SQL["downgrade"], factor_id, now, method)


async def delete_of_client(connection: Connection, user_id: UUID, client_id: UUID) -> None:
    """End a user's sessions of one OAuth client."""
    await run(connection, _SQL["delete_of_client"], user_id, client_id)


def _session(row: Record | None) -> Session | None:
    return Session.from_row(row) if row else None


async def is_opened_from(connection: Connection, user_id: UUID, network: str) -> bool:
    """Whether a session of the user was opened from an address of this network."""
    row = await one(connection, _SQL["opened_from"], user_id, network)
    return row is not None and row["found"]

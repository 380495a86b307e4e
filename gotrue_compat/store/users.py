"""Users, always with their identities and factors; and identities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection, Record, fetch_one
from compat_base.postgres.queries import load_queries
from compat_base.values.sqltext import compile_sql, raw
from gotrue_compat.errors import UserGoneError
from gotrue_compat.model.current import CurrentUser
from gotrue_compat.model.user import Identity, User
from gotrue_compat.rules.pages import Cursor, Page
from gotrue_compat.store.statements import NIL, inserted, many, one, run, update_sql, updated

_SQL = load_queries(__package__ or "", "users.sql")
_BELONGINGS = raw(
    ") select u.*,"
    " array(select i from identities i where i.user_id = u.id"
    " order by i.created_at, i.provider, i.id)"
    " as identity_rows,"
    " array(select f from mfa_factors f where f.user_id = u.id order by f.created_at, f.id)"
    " as factor_rows from changed u"
)


async def find(connection: Connection, user_id: UUID) -> User | None:
    """The user with this id."""
    return _user(await one(connection, _SQL["find_by_id"], user_id))


async def lock(connection: Connection, user_id: UUID) -> User | None:
    """The user with this id, locked until the transaction ends.

    Waits for concurrent changes of the user; what is read then stays true until the commit.
    """
    await run(connection, _SQL["lock"], user_id)
    return await find(connection, user_id)


async def find_by_email(connection: Connection, email: str, aud: str) -> User | None:
    """The user who signs in with this address."""
    return _user(await one(connection, _SQL["find_by_email"], email, aud))


async def find_by_phone(connection: Connection, phone: str, aud: str) -> User | None:
    """The user who signs in with this number."""
    return _user(await one(connection, _SQL["find_by_phone"], phone, aud))


async def find_by_phone_change(connection: Connection, phone: str, aud: str) -> User | None:
    """The user with the latest pending change to this number."""
    return _user(await one(connection, _SQL["find_by_phone_change"], phone, aud))


async def find_for_email_change(
    connection: Connection, email: str, hashed: str, aud: str, *, secure: bool
) -> User | None:
    """The user with this hash as a change token of the address."""
    row = await one(connection, _SQL["find_for_email_change"], email, hashed, aud, secure)
    return _user(row)


async def find_duplicate(
    connection: Connection, email: str, aud: str, other_than: UUID | None = None
) -> User | None:
    """A user, other than this one, whom an address belongs to."""
    return _user(await one(connection, _SQL["find_duplicate"], email, aud, other_than))


async def find_linkable(connection: Connection, emails: Sequence[str]) -> tuple[User, ...]:
    """Users who own one of the addresses, whatever their linking domain."""
    return tuple(map(User.from_row, await many(connection, _SQL["find_linkable"], list(emails))))


async def find_current(
    connection: Connection, named: Sequence[tuple[UUID, UUID | None]]
) -> list[CurrentUser | None]:
    """The users and sessions that tokens name, None where a user is gone."""
    user_ids, session_ids = zip(*named, strict=True)
    found: list[CurrentUser | None] = [None] * len(named)
    for row in await many(connection, _SQL["find_current"], user_ids, session_ids):
        found[row["number"] - 1] = CurrentUser(row)
    return found


async def create(connection: Connection, values: dict[str, Any], now: datetime) -> User:
    """Insert a user as sign-up does: role still empty, tokens empty, times now."""
    row = await inserted(
        connection, "users",
        {
            "instance_id": NIL, "role": "", "encrypted_password": "", "confirmation_token": "",
            "recovery_token": "", "email_change_token_new": "", "email_change": "",
            "raw_app_meta_data": {}, "raw_user_meta_data": {}, "created_at": now,
            "updated_at": now, **values,
        },
    )  # fmt: skip
    return User.from_row({**row, "identity_rows": (), "factor_rows": ()})


async def update(connection: Connection, user_id: UUID, now: datetime, **changes: Any) -> User:
    """Change columns of a user and give the row as the database has it now."""
    changed = raw("with changed as (") + update_sql(
        "users", user_id, {**changes, "updated_at": now}
    )
    user = _user(await fetch_one(connection, compile_sql(changed + _BELONGINGS)))
    if user is None:
        raise UserGoneError
    return user


async def delete(connection: Connection, user_id: UUID) -> None:
    """Delete a user with everything that belongs to it."""
    await run(connection, _SQL["delete"], user_id)


async def list_page(
    connection: Connection, aud: str, text: str, page: Page, *, ascending: bool
) -> tuple[tuple[User, ...], int]:
    """A page of users, without identities and factors, and how many there are in all."""
    rows = await many(connection, _SQL["page"], aud, text, ascending, page.size, page.offset)
    counted = await one(connection, _SQL["count"], aud, text)
    return tuple(map(User.from_row, rows)), counted["total"] if counted else 0


async def list_after(  # noqa: PLR0913 — a page's parameters
    connection: Connection, aud: str, text: str, cursor: Cursor | None, limit: int,
    *, ascending: bool,
) -> tuple[User, ...]:  # fmt: skip
    """The users that follow a cursor, newest first unless `ascending`, without identities."""
    where = (cursor.created_at, cursor.id) if cursor else (None, None)
    query = _SQL["page_after_ascending" if ascending else "page_after"]
    rows = await many(connection, query, aud, text, *where, limit)
    return tuple(map(User.from_row, rows))


async def find_identity(connection: Connection, provider_id: str, provider: str) -> Identity | None:
    """The identity a provider knows by this id."""
    row = await one(connection, _SQL["find_identity"], provider_id, provider)
    return Identity.from_row(row) if row else None


async def add_identity(
    connection: Connection, user: User, provider: str, data: dict[str, Any], now: datetime
) -> User:
    """Give the user an identity; `data` must hold the provider's id as `sub`."""
    row = await inserted(
        connection, "identities",
        {
            "provider_id": data["sub"], "user_id": user.id, "identity_data": data,
            "provider": provider, "last_sign_in_at": now, "created_at": now, "updated_at": now,
        },
    )  # fmt: skip
    return replace(user, identities=(*user.identities, Identity.from_row(row)))


async def update_identity(
    connection: Connection, identity_id: UUID, now: datetime, **changes: Any
) -> None:
    """Change columns of an identity."""
    await updated(connection, "identities", identity_id, {**changes, "updated_at": now})


async def delete_identity(connection: Connection, identity_id: UUID) -> None:
    """Take an identity from its user."""
    await run(connection, _SQL["delete_identity"], identity_id)


async def delete_passkeys(connection: Connection, user_id: UUID) -> None:
    """Take every passkey from a user."""
    await run(connection, _SQL["delete_passkeys"], user_id)


async def delete_other_identities(connection: Connection, user_id: UUID, kept: UUID) -> None:
    """Take every identity but one from a user."""
    await run(connection, _SQL["delete_other_identities"], user_id, kept)


def _user(row: Record | None) -> User | None:
    return User.from_row(row) if row else None

"""Making users, giving them identities, confirming their addresses (auth reference 3.1, 15.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from compat_base.database import Connection
from gotrue_compat.errors import database_errors
from gotrue_compat.model.user import Identity, User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules.identities import app_metadata
from gotrue_compat.rules.metadata import merged
from gotrue_compat.store import sessions as session_store
from gotrue_compat.store import tokens as token_store
from gotrue_compat.store import users as store


async def create(deps: Deps, visit: Visit, tx: Connection, **values: Any) -> User:
    """Insert a user and set its role, then read it again: triggers may have changed it."""
    values = {"id": deps.world.entropy.uuid(), "aud": visit.aud, **values}
    with database_errors("saving new user"):
        user = await store.create(tx, values, visit.now)
        return await store.update(tx, user.id, visit.now, role=deps.settings.jwt.default_role)


async def add_identity(
    visit: Visit, tx: Connection, user: User, provider: str, data: dict[str, Any]
) -> User:
    """Give the user an identity whose data holds the provider's id as `sub`."""
    with database_errors("creating identity"):
        return await store.add_identity(tx, user, provider, data, visit.now)


def own_claims(user: User, **more: Any) -> dict[str, Any]:
    """Identity data of the user's own e-mail or phone (2.2)."""
    email = {"email": user.email} if user.email else {}
    return {
        "sub": str(user.id), **email, "email_verified": False, "phone_verified": False, **more,
    }  # fmt: skip


async def keep_only(visit: Visit, tx: Connection, user: User, identity: Identity) -> User:
    """What an unconfirmed user had before does not count: only this identity stays.

    Otherwise somebody could sign up with another's address and wait for its owner to come.
    """
    if identity.provider not in {"email", "phone"}:
        user = await store.update(tx, user.id, visit.now, encrypted_password="")
    await store.delete_other_identities(tx, user.id, identity.id)
    user = await store.update(
        tx, user.id, visit.now, raw_user_meta_data=merged({}, identity.identity_data)
    )
    return await sync_providers(visit, tx, user)


async def sync_providers(visit: Visit, tx: Connection, user: User) -> User:
    """Write the user's providers into the application metadata."""
    return await store.update(tx, user.id, visit.now, raw_app_meta_data=app_metadata(user))


async def confirm_email(visit: Visit, tx: Connection, user: User) -> User:
    """Confirm the address; every one-time token of the user ends."""
    user = await store.update(
        tx, user.id, visit.now,
        confirmation_token="",
        email_confirmed_at=visit.now,
        raw_user_meta_data=merged(user.raw_user_meta_data, {"email_verified": True}),
    )  # fmt: skip
    await token_store.clear(tx, user.id)
    return user


async def confirm_phone(visit: Visit, tx: Connection, user: User) -> User:
    """Confirm the number; every one-time token of the user ends."""
    user = await store.update(
        tx, user.id, visit.now, confirmation_token="", phone_confirmed_at=visit.now
    )
    await token_store.clear(tx, user.id)
    return user


async def mark_email_verified(visit: Visit, tx: Connection, user: User) -> User:
    """Note in the identities with the user's address that it is verified."""
    for identity in user.identities:
        if identity.email and identity.email == user.email:
            data = {**identity.identity_data, "email_verified": True}
            await store.update_identity(tx, identity.id, visit.now, identity_data=data)
    return await reload(tx, user)


async def change_email(visit: Visit, tx: Connection, user: User, email: str) -> User:
    """Make an address the user's, in row and identity; metadata stays as it was (4.4)."""
    claims = {"email": email, "email_verified": True}
    user = await _set_own_identity(visit, tx, user, "email", claims)
    with database_errors("updating user"):
        user = await store.update(
            tx, user.id, visit.now,
            email=email, email_change="", email_change_token_current="",
            email_change_token_new="", email_change_confirm_status=0, is_anonymous=False,
        )  # fmt: skip
    await token_store.clear(tx, user.id)
    return user if user.is_confirmed else await confirm_email(visit, tx, user)


async def change_phone(visit: Visit, tx: Connection, user: User, phone: str) -> User:
    """Make a number the user's, in row and identity."""
    claims = {"phone": phone, "phone_verified": True}
    user = await _set_own_identity(visit, tx, user, "phone", claims)
    with database_errors("updating user"):
        user = await store.update(
            tx, user.id, visit.now,
            phone=phone, phone_change="", phone_change_token="", phone_confirmed_at=visit.now,
            is_anonymous=False,
        )  # fmt: skip
    await token_store.clear(tx, user.id)
    return user


async def change_password(
    visit: Visit, tx: Connection, user: User, encrypted: str, kept_session: UUID | None
) -> User:
    """Store a password; one-time tokens and all other sessions end with the old one."""
    user = await store.update(
        tx, user.id, visit.now,
        encrypted_password=encrypted,
        confirmation_token="", confirmation_sent_at=None,
        recovery_token="", recovery_sent_at=None,
        email_change_token_current="", email_change_token_new="",
        phone_change_token="", reauthentication_token="", reauthentication_sent_at=None,
    )  # fmt: skip
    await token_store.clear(tx, user.id)
    await session_store.delete_others(tx, user.id, kept_session)
    return user


async def reload(tx: Connection, user: User) -> User:
    """The user as the database has it now."""
    found = await store.find(tx, user.id)
    return found or replace(user, identities=(), factors=())


async def lock(tx: Connection, user_id: UUID) -> User | None:
    """The user, kept from other requests until the transaction ends."""
    with database_errors("finding user"):
        return await store.lock(tx, user_id)


async def _set_own_identity(
    visit: Visit, tx: Connection, user: User, provider: str, claims: dict[str, Any]
) -> User:
    identity = user.identity_of(provider)
    if identity is not None:
        data = {**identity.identity_data, **claims}
        await store.update_identity(tx, identity.id, visit.now, identity_data=data)
        return user
    data = {"sub": str(user.id), "email_verified": False, "phone_verified": False, **claims}
    return await add_identity(visit, tx, user, provider, data)

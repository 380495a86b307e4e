"""Users created, identities added, addresses confirmed (auth reference 3.1, 15.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection
from compat_base.postgres.faults import PgFault
from compat_base.values import jsontext
from compat_base.values.errors import ApiError, Row
from gotrue_compat.core.passwords import encrypt_secret
from gotrue_compat.core.unit_of_work import UnitOfWork
from gotrue_compat.errors import IDENTITY_FAILED, database_errors, unexpected_as
from gotrue_compat.model.user import Identity, User
from gotrue_compat.rules.identities import app_metadata, by_trust
from gotrue_compat.rules.metadata import merged
from gotrue_compat.store import sessions as session_store
from gotrue_compat.store import tokens as token_store
from gotrue_compat.store import users as store

# Columns that are cleared when a token may belong to somebody else
_NO_TOKENS: Mapping[str, Any] = {
    "confirmation_token": "", "confirmation_sent_at": None, "recovery_token": "",
    "recovery_sent_at": None, "email_change_token_current": "", "email_change_token_new": "",
    "email_change_sent_at": None, "phone_change_token": "", "phone_change_sent_at": None,
    "reauthentication_token": "", "reauthentication_sent_at": None,
}  # fmt: skip
_NOTHING_PENDING: Mapping[str, Any] = {
    **_NO_TOKENS, "email_change": "", "email_change_confirm_status": 0, "phone_change": "",
}  # fmt: skip


async def create(work: UnitOfWork, *, doing: str = "saving new user", **values: Any) -> User:
    """Insert a user and set its role, then read it again: triggers may have changed it.

    `encrypted_password` is a plain hash here, and stored as the settings of encryption say. `doing`
    is reported if the database refuses the user.
    """
    values = {"id": work.deps.world.entropy.uuid(), "aud": work.context.aud, **values}
    values["encrypted_password"] = encrypt_secret(
        work.deps, values.get("encrypted_password", ""), str(values["id"])
    )
    with database_errors(doing):
        user = await store.create(work.tx, values, work.now)
        return await store.update(
            work.tx, user.id, work.now, role=work.deps.settings.jwt.default_role
        )


async def add_identity(work: UnitOfWork, user: User, provider: str, data: dict[str, Any]) -> User:
    """Give the user an identity whose data holds the provider's id as `sub`."""
    with unexpected_as(IDENTITY_FAILED):
        return await store.add_identity(work.tx, user, provider, data, work.now)


def own_claims(user: User, **more: Any) -> dict[str, Any]:
    """Identity data of the user's own e-mail or phone (auth reference 2.2)."""
    email = {"email": user.email} if user.email else {}
    return {
        "sub": str(user.id), **email, "email_verified": False, "phone_verified": False, **more,
    }  # fmt: skip


async def keep_only(work: UnitOfWork, user: User, identity: Identity) -> User:
    """Remove everything that an unconfirmed user had before, except this identity.

    Otherwise an attacker could sign up with another's address and keep access when its owner
    signs in.
    """
    if identity.provider not in {"email", "phone"}:
        user = await store.update(work.tx, user.id, work.now, encrypted_password=None)
    await store.delete_other_identities(work.tx, user.id, identity.id)
    user = await store.update(
        work.tx, user.id, work.now, raw_user_meta_data=merged({}, identity.identity_data)
    )
    return await sync_providers(work, user)


async def sync_providers(work: UnitOfWork, user: User) -> User:
    """Write the user's providers into the application metadata."""
    return await store.update(work.tx, user.id, work.now, raw_app_meta_data=app_metadata(user))


async def confirm_email(work: UnitOfWork, user: User) -> User:
    """Confirm the address; every one-time token of the user ends."""
    user = await store.update(
        work.tx, user.id, work.now,
        confirmation_token="",
        email_confirmed_at=work.now,
        raw_user_meta_data=merged(user.raw_user_meta_data, {"email_verified": True}),
    )  # fmt: skip
    await token_store.clear(work.tx, user.id)
    return user


async def confirm_phone(work: UnitOfWork, user: User) -> User:
    """Confirm the number; every one-time token of the user ends."""
    user = await store.update(
        work.tx, user.id, work.now, confirmation_token="", phone_confirmed_at=work.now
    )
    await token_store.clear(work.tx, user.id)
    return user


async def mark_email_verified(work: UnitOfWork, user: User) -> User:
    """Note in the identities with the user's address that it is verified."""
    for identity in user.identities:
        if identity.email and identity.email == user.email:
            data = {**jsontext.members(identity.identity_data), "email_verified": True}
            await store.update_identity(work.tx, identity.id, work.now, identity_data=data)
    return await reload(work.tx, user)


async def change_email(work: UnitOfWork, user: User, email: str) -> User:
    """Make an address the user's, in row and identity; metadata stays as it was.

    Source: auth reference 4.4.
    """
    claims = {"email": email, "email_verified": True}
    user = await _set_own_identity(work, user, "email", claims)
    with database_errors("updating user"):
        user = await store.update(
            work.tx, user.id, work.now,
            email=email, email_change="", email_change_token_current="",
            email_change_token_new="", email_change_confirm_status=0, is_anonymous=False,
        )  # fmt: skip
    await token_store.clear(work.tx, user.id)
    return user if user.is_confirmed else await confirm_email(work, user)


async def add_email_identity(work: UnitOfWork, user: User) -> User:
    """Add an e-mail identity to a user who set a first password, where that is switched on.

    Only for a confirmed address, and not for anonymous users and those of SSO.
    """
    if not work.deps.settings.email.identity_with_password or user.is_sso_user or user.is_anonymous:
        return user
    has_one = any(identity.provider == "email" for identity in user.identities)
    if not user.email or not user.is_confirmed or has_one:
        return user
    claims = own_claims(user) | {"email_verified": True}
    user = await add_identity(work, user, "email", claims)
    return await sync_providers(work, user)


async def change_phone(work: UnitOfWork, user: User, phone: str) -> User:
    """Make a number the user's, in row and identity."""
    claims = {"phone": phone, "phone_verified": True}
    user = await _set_own_identity(work, user, "phone", claims)
    with database_errors("updating user"):
        user = await store.update(
            work.tx, user.id, work.now,
            phone=phone, phone_change="", phone_change_token="", phone_confirmed_at=work.now,
            is_anonymous=False,
        )  # fmt: skip
    await token_store.clear(work.tx, user.id)
    return user


async def change_password(
    work: UnitOfWork, user: User, encrypted: str, kept_session: UUID | None
) -> User:
    """Store a password; one-time tokens and all other sessions end with the old one."""
    user = await store.update(
        work.tx, user.id, work.now,
        encrypted_password=encrypt_secret(work.deps, encrypted, str(user.id)), **_NO_TOKENS,
    )  # fmt: skip
    await token_store.clear(work.tx, user.id)
    await session_store.delete_others(work.tx, user.id, kept_session)
    return user


async def promote_email(work: UnitOfWork, user: User, taken: Row) -> User:
    """Make an identity's address the user's, where none of the identities has the user's own.

    Verified addresses first, then the oldest identity; ApiError by the row `taken` where each
    belongs to another user. Tokens and changes in progress for the former address end.
    """
    user = await reload(work.tx, user)
    if any((identity.email or "") == user.email for identity in user.identities):
        return user
    for identity in by_trust(user.identities):
        other = await store.find_by_email(work.tx, identity.email or "", user.aud)
        if other is None:
            break
    else:
        raise ApiError.of(taken)
    try:
        user = await store.update(
            work.tx, user.id, work.now, email=identity.email or None, **_NOTHING_PENDING
        )
    except PgFault as fault:
        raise ApiError.of(taken) from fault
    await token_store.clear(work.tx, user.id)
    is_verified = bool(identity.email) and identity.identity_data.get("email_verified") is True
    if is_verified or (identity.email and work.deps.settings.mailer.autoconfirm):
        return user
    return await store.update(
        work.tx, user.id, work.now,
        email_confirmed_at=None,
        raw_user_meta_data=merged(user.raw_user_meta_data, {"email_verified": False}),
    )  # fmt: skip


async def reload(tx: Connection, user: User) -> User:
    """Read the user again."""
    found = await store.find(tx, user.id)
    return found or replace(user, identities=(), factors=())


async def lock(tx: Connection, user_id: UUID) -> User | None:
    """The user, locked until the transaction ends."""
    with database_errors("finding user"):
        return await store.lock(tx, user_id)


async def _set_own_identity(
    work: UnitOfWork, user: User, provider: str, claims: dict[str, Any]
) -> User:
    identity = user.identity_of(provider)
    if identity is not None:
        data = {**jsontext.members(identity.identity_data), **claims}
        await store.update_identity(work.tx, identity.id, work.now, identity_data=data)
        return user
    data = {"sub": str(user.id), "email_verified": False, "phone_verified": False, **claims}
    return await add_identity(work, user, provider, data)

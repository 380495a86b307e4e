"""Users as an administrator sees and changes them (auth reference 7)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from compat_base.postgres.faults import PgFault
from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.core import accounts, audit
from gotrue_compat.core.passwords import check_strength, random_password
from gotrue_compat.core.results import Json
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.errors import database_errors
from gotrue_compat.features.admin import errors as admin_errors
from gotrue_compat.features.admin.bans import ban_end
from gotrue_compat.features.admin.bodies import (
    UserDeletion,
    UserRecord,
    UserUpdate,
    user_record,
)
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.user import User
from gotrue_compat.rules.addresses import email_from, phone_from
from gotrue_compat.rules.metadata import merged, obfuscated, obfuscated_phone
from gotrue_compat.rules.passwords import check_length, is_known_hash
from gotrue_compat.rules.shapes import user_shape
from gotrue_compat.store import factors as factor_store
from gotrue_compat.store import sessions as session_store
from gotrue_compat.store import tokens as token_store
from gotrue_compat.store import users as store


async def find_user(deps: Dependencies, user_id: UUID) -> User:
    """The user of a path, or ApiError."""
    async with deps.database.acquire() as connection:
        user = await store.find(connection, user_id)
    if user is None:
        raise ApiError.of(errors.USER_NOT_FOUND)
    return user


async def get_user(deps: Dependencies, _context: RequestContext, user_id: UUID) -> User:
    """One user."""
    return await find_user(deps, user_id)


async def create_user(deps: Dependencies, context: RequestContext, body: UserRecord) -> User | Json:
    """Create a user without mail and without checking the password's strength."""
    context = replace(context, aud=body.aud or context.aud)
    body = await _validated_new(deps, context, body)
    user_id = _id_from(body.id) if body.id else deps.world.entropy.uuid()
    encrypted = body.password_hash
    if not encrypted:
        plain = body.password or random_password(deps)
        encrypted = await deps.hasher.hash(plain, context.rate_limit_key)
    banned_until = ban_end(body.ban_duration, context.now)
    async with unit_of_work(deps, context) as work:
        with database_errors("creating new user"):
            user = await _create(work, body, user_id, encrypted, banned_until)
    # The original answers with the user as it was before its generated column was read
    user = replace(user, confirmed_at=None)
    if _is_without_metadata(body) and not user.raw_user_meta_data:
        return Json({**user_shape(user), "user_metadata": None})
    return user


def _is_without_metadata(body: UserRecord) -> bool:
    """Whether the user's metadata are NULL: the original makes an object for passwords alone."""
    return bool(body.password_hash) and body.user_metadata is None


async def _validated_new(
    deps: Dependencies, context: RequestContext, body: UserRecord
) -> UserRecord:
    if not body.email and not body.phone:
        raise ApiError.of(admin_errors.ADMIN_NEEDS_ADDRESS)
    async with deps.database.acquire() as connection:
        if body.email:
            body = replace(body, email=email_from(body.email))
            if await store.find_duplicate(connection, body.email, context.aud) is not None:
                raise ApiError.of(errors.EMAIL_EXISTS)
        if body.phone:
            body = replace(body, phone=phone_from(body.phone))
            if await store.find_by_phone(connection, body.phone, context.aud) is not None:
                raise ApiError.of(admin_errors.ADMIN_PHONE_EXISTS)
    if body.password is not None and body.password_hash:
        raise ApiError.of(admin_errors.ADMIN_ONE_PASSWORD)
    if body.password_hash and not is_known_hash(body.password_hash):
        raise ApiError.of(admin_errors.BAD_PASSWORD_HASH)
    check_length(body.password or "")
    return body


async def _create(
    work: UnitOfWork,
    body: UserRecord,
    user_id: UUID,
    encrypted: str,
    banned_until: datetime | None,
) -> User:
    providers = [name for name, given in (("email", body.email), ("phone", body.phone)) if given]
    user = await accounts.create(
        work, doing="creating new user",
        id=user_id, email=body.email or None, phone=body.phone or None,
        encrypted_password=encrypted,
        raw_user_meta_data=None if _is_without_metadata(body) else body.user_metadata or {},
        raw_app_meta_data={"provider": providers[0], "providers": providers},
    )  # fmt: skip
    for provider in providers:
        own = {"email": user.email} if provider == "email" else {"phone": user.phone}
        data = {
            "sub": str(user.id), **own, "email_verified": False, "phone_verified": False,
        }  # fmt: skip
        try:
            user = await accounts.add_identity(work, user, provider, data)
        except ApiError as error:  # the original words it anew, without what the database said
            raise ApiError.of(errors.DATABASE_ERROR, doing="creating new user") from error
    facts = _facts(user) | {"provider": providers[0]}
    await audit.record(work, None, Action.USER_SIGNED_UP, facts)
    changes: dict[str, Any] = {"role": body.role.strip()} if body.role else {}
    if body.app_metadata is not None:
        changes["raw_app_meta_data"] = merged(user.raw_app_meta_data, body.app_metadata)
    if banned_until is not None:
        changes["banned_until"] = banned_until
    if changes:
        user = await store.update(work.tx, user.id, work.now, **changes)
    return await _confirmed(work, user, body)


async def update_user(deps: Dependencies, context: RequestContext, body: UserUpdate) -> User:
    """Change a user at once, without mail; a new password ends every session."""
    user = await find_user(deps, body.user_id)
    record = user_record(body.incoming)
    record = replace(
        record,
        email=email_from(record.email) if record.email else "",
        phone=phone_from(record.phone) if record.phone else "",
    )
    banned_until = ban_end(record.ban_duration, context.now)
    encrypted = None
    if record.password is not None:
        await check_strength(deps, record.password)
        encrypted = await deps.hasher.hash(record.password, context.rate_limit_key)
    try:
        async with unit_of_work(deps, context) as work:
            locked = await accounts.lock(work.tx, user.id)
            if locked is None:
                raise ApiError.of(errors.USER_NOT_FOUND)
            updated = await _update(work, locked, record, encrypted, banned_until)
    except PgFault as error:
        problem = errors.with_fault(errors.USER_UPDATE_FAILED.problem(), error.fault)
        raise ApiError(problem) from error
    # The original answers with the identities as they were found, and those that came to them, and
    # with the generated column as it was
    known = {identity.id: identity for identity in locked.identities}
    shown = tuple(known.get(identity.id, identity) for identity in updated.identities)
    return replace(updated, identities=shown, confirmed_at=locked.confirmed_at)


async def _update(
    work: UnitOfWork,
    user: User,
    record: UserRecord,
    encrypted: str | None,
    banned_until: datetime | None,
) -> User:
    if record.role:
        user = await store.update(work.tx, user.id, work.now, role=record.role.strip())
    user = await _confirmed(work, user, record)
    is_first_password = encrypted is not None and not user.has_password
    if encrypted is not None:
        user = await accounts.change_password(work, user, encrypted, None)
    if record.email:
        claims = {"email": record.email, "email_verified": record.email_confirm}
        user = await _set_address(work, user, "email", claims)
    if record.phone:
        claims = {"phone": record.phone, "phone_verified": record.phone_confirm}
        user = await _set_address(work, user, "phone", claims)
    if is_first_password:
        user = await accounts.add_email_identity(work, user)
    changes: dict[str, Any] = {}
    if record.app_metadata is not None:
        changes["raw_app_meta_data"] = merged(user.raw_app_meta_data, record.app_metadata)
    if record.user_metadata is not None:
        changes["raw_user_meta_data"] = merged(user.raw_user_meta_data, record.user_metadata)
    if record.ban_duration:
        changes["banned_until"] = banned_until
    user = await store.update(work.tx, user.id, work.now, **changes)
    await audit.record(work, None, Action.USER_MODIFIED, _facts(user))
    return user


async def _set_address(work: UnitOfWork, user: User, provider: str, claims: dict[str, Any]) -> User:
    identity = user.identity_of(provider)
    if identity is not None:
        data = {**jsontext.members(identity.identity_data), **claims}
        await store.update_identity(work.tx, identity.id, work.now, identity_data=data)
    else:
        data = {"sub": str(user.id), "email_verified": False, "phone_verified": False, **claims}
        await store.add_identity(work.tx, user, provider, data, work.now)
    address = claims[provider]
    changes: dict[str, Any] = {provider: address}
    if user.is_anonymous and claims[f"{provider}_verified"]:
        changes["is_anonymous"] = False
    return await store.update(work.tx, user.id, work.now, **changes)


async def delete_user(deps: Dependencies, context: RequestContext, body: UserDeletion) -> Json:
    """Delete a user, or soft-delete: an anonymised row stays."""
    user = await find_user(deps, body.user_id)
    is_soft = body.should_soft_delete
    async with unit_of_work(deps, context) as work:
        await audit.record(work, None, Action.USER_DELETED, _facts(user))
        if not is_soft:
            with database_errors("deleting user"):
                await store.delete(work.tx, user.id)
        elif user.deleted_at is None:
            await _soft_delete(work, user)
    return Json({})


async def _soft_delete(work: UnitOfWork, user: User) -> None:
    await store.update(
        work.tx, user.id, work.now,
        email=obfuscated(user.id, user.email), phone=obfuscated_phone(user.id, user.phone),
        email_change=obfuscated(user.id, user.email_change),
        phone_change=obfuscated_phone(user.id, user.phone_change),
        encrypted_password=None, confirmation_token="", recovery_token="",
        email_change_token_current="", email_change_token_new="", phone_change_token="",
        raw_user_meta_data={}, raw_app_meta_data={}, deleted_at=work.now,
    )  # fmt: skip
    await token_store.clear(work.tx, user.id)
    await session_store.delete_of_user(work.tx, user.id)
    for identity in user.identities:
        await store.update_identity(
            work.tx, identity.id, work.now,
            identity_data={},
            provider_id=obfuscated(user.id, f"{identity.provider}:{identity.provider_id}"),
        )  # fmt: skip
    for factor in user.factors:
        await factor_store.delete(work.tx, factor.id)
    await store.delete_passkeys(work.tx, user.id)


async def _confirmed(work: UnitOfWork, user: User, record: UserRecord) -> User:
    if record.email_confirm:
        user = await accounts.confirm_email(work, user)
    if record.phone_confirm:
        user = await accounts.confirm_phone(work, user)
    return user


def _facts(user: User) -> dict[str, Any]:
    return {"user_id": str(user.id), "user_email": user.email, "user_phone": user.phone}


def _id_from(text: str) -> UUID:
    try:
        user_id = UUID(text)
    except ValueError as error:
        raise ApiError.of(admin_errors.ADMIN_ID_FORM) from error
    if user_id.int == 0:
        raise ApiError.of(admin_errors.ADMIN_ID_NIL)
    return user_id

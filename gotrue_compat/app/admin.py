"""`gotrue-compat admin …`: create and delete users without a request."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from compat_base.postgres.database import Database, open_database
from compat_base.values.errors import ApiError
from compat_base.values.world import World
from gotrue_compat import errors
from gotrue_compat.adapters.hashing import ThreadHasher
from gotrue_compat.app.composition import pool_settings, prepare
from gotrue_compat.model.user import User
from gotrue_compat.rules.addresses import email_from
from gotrue_compat.rules.encryption import NONCE_LENGTH, encrypt
from gotrue_compat.rules.metadata import merged
from gotrue_compat.rules.passwords import check_length
from gotrue_compat.settings import Settings
from gotrue_compat.store import users


@dataclass(frozen=True, slots=True)
class NewUser:
    """A new user: confirmed at once or not, with this role, the first admin role or the usual one.

    Without an audience it has the usual one.
    """

    email: str
    password: str
    confirm: bool
    admin: bool
    role: str = ""
    audience: str = ""


async def create_user(settings: Settings, world: World, wanted: NewUser) -> User:
    """Create a user with an e-mail identity; ApiError where the address is taken or malformed."""
    email, password = email_from(wanted.email), wanted.password
    confirm = wanted.confirm or settings.mailer.autoconfirm
    audience = wanted.audience or settings.jwt.aud
    check_length(password)
    hasher = ThreadHasher()
    try:
        encrypted = await hasher.hash(password)
    finally:
        hasher.close()
    now, user_id = world.clock.now(), world.entropy.uuid()
    encryption = settings.security.encryption
    values = {
        "id": user_id,
        "aud": audience,
        "email": email,
        "encrypted_password": encrypt(
            encrypted, str(user_id), world.entropy.bytes(NONCE_LENGTH), encryption
        ),
        "raw_app_meta_data": {"provider": "email", "providers": ["email"]},
    }
    async with _opened(settings) as database, database.transaction() as tx:
        if await users.find_duplicate(tx, email, audience) is not None:
            raise ApiError.of(errors.EMAIL_EXISTS)
        user = await users.create(tx, values, now)
        data = {"sub": str(user.id), "email": email, "email_verified": confirm}
        await users.add_identity(tx, user, "email", data, now)
        role = settings.jwt.admin_roles[0] if wanted.admin else settings.jwt.default_role
        changes = {"role": wanted.role or role}
        if confirm:
            verified = merged(user.raw_user_meta_data, {"email_verified": True})
            return await users.update(
                tx,
                user.id,
                now,
                **changes,
                email_confirmed_at=now,
                raw_user_meta_data=verified,
            )
        return await users.update(tx, user.id, now, **changes)


async def delete_user(settings: Settings, name: str, audience: str = "") -> User:
    """Delete the user with this id or address; ApiError where there is none."""
    async with _opened(settings) as database, database.transaction() as tx:
        user = await users.find_by_email(tx, name.lower(), audience or settings.jwt.aud)
        if user is None and _is_uuid(name):
            user = await users.find(tx, UUID(name))
        if user is None:
            raise ApiError.of(errors.USER_NOT_FOUND)
        await users.delete(tx, user.id)
        return user


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncGenerator[Database]:
    async with open_database(pool_settings(settings), prepare=prepare) as database:
        yield database


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True

"""Invitations by an administrator (auth reference 7)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.core import accounts, audit, hooks, one_time_tokens
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.admin.bodies import Invitation
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.user import User
from gotrue_compat.rules.addresses import email_from
from gotrue_compat.store import users as store


async def invite(deps: Dependencies, context: RequestContext, body: Invitation) -> User:
    """Create a user without password, or take an unconfirmed one, and mail an invitation."""
    email = email_from(body.email)
    async with deps.database.acquire() as connection:
        known = await store.find_by_email(connection, email, context.aud)
    user_id = deps.world.entropy.uuid()
    if known is None:
        shape = hooks.unsaved_user(context, user_id, email, "", body.data or {}, "email")
        await hooks.before_user_created(deps, context, shape)
    async with unit_of_work(deps, context) as work:
        user = await invited(work, known, email, body.data or {}, user_id)
        user = await one_time_tokens.send_invite(work, user)
    # of a user who was there before too, as the original
    await hooks.after_user_created(deps, context, user)
    return user


async def invited(
    work: UnitOfWork, known: User | None, email: str, data: dict[str, Any], user_id: UUID
) -> User:
    """The user of an invitation, made with the id where there is none.

    ApiError where the address is confirmed already.
    """
    user = await accounts.lock(work.tx, known.id) if known else None
    if user is not None and user.is_confirmed:
        raise ApiError.of(errors.EMAIL_EXISTS)
    if user is None:
        user = await with_email_identity(work, user_id, email, data)
    await audit.record(work, None, Action.USER_INVITED, user_id=str(user.id), user_email=user.email)
    return user


async def with_email_identity(
    work: UnitOfWork, user_id: UUID, email: str, data: dict[str, Any], password: str = ""
) -> User:
    """Make a user whose metadata is exactly what was given, with an e-mail identity."""
    user = await accounts.create(
        work,
        id=user_id, email=email, phone=None, encrypted_password=password, raw_user_meta_data=data,
        raw_app_meta_data={"provider": "email", "providers": ["email"]},
    )  # fmt: skip
    return await accounts.add_identity(work, user, "email", accounts.own_claims(user))

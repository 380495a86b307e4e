"""An identity unlinked (auth reference 9.5)."""

from __future__ import annotations

from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat.core import accounts, audit, mail
from gotrue_compat.core.results import Json
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.user import errors as user_errors
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.user import Identity, User
from gotrue_compat.rules.claims import audience_of
from gotrue_compat.store import users as store


async def unlink(deps: Dependencies, context: RequestContext, identity_id: UUID) -> Json:
    """Remove one of the user's identities; at least one stays."""
    if context.principal is None or context.aud != audience_of(context.principal.claims):
        raise ApiError.of(user_errors.UNEXPECTED_AUDIENCE)
    async with unit_of_work(deps, context) as work:
        user = await accounts.lock(work.tx, context.user.id) or context.user
        if len(user.identities) <= 1:
            raise ApiError.of(user_errors.LAST_IDENTITY)
        gone = next((i for i in user.identities if i.id == identity_id), None)
        if gone is None:
            raise ApiError.of(user_errors.IDENTITY_NOT_FOUND)
        facts = {
            "identity_id": str(gone.id), "provider": gone.provider,
            "provider_id": gone.provider_id,
        }  # fmt: skip
        await audit.record(work, user, Action.IDENTITY_UNLINKED, facts)
        await store.delete_identity(work.tx, gone.id)
        await _forget_address(work, await accounts.reload(work.tx, user), gone)
    await mail.notify(deps, context, user, "identity_unlinked", user.email, provider=gone.provider)
    return Json({})


async def _forget_address(work: UnitOfWork, user: User, gone: Identity) -> None:
    if gone.provider == "phone":
        user = await store.update(work.tx, user.id, work.now, phone=None, phone_confirmed_at=None)
    else:
        user = await accounts.promote_email(work, user, user_errors.IDENTITY_EMAIL_CONFLICT)
    await accounts.sync_providers(work, user)

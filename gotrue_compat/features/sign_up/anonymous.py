"""Anonymous sign-in (auth reference 3.1)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat.core import accounts, hooks, session_tokens
from gotrue_compat.core.results import SignedIn
from gotrue_compat.core.unit_of_work import unit_of_work
from gotrue_compat.features.sign_up import errors as sign_up_errors
from gotrue_compat.features.sign_up.bodies import SignUp
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies


async def sign_in_anonymously(
    deps: Dependencies, context: RequestContext, body: SignUp
) -> SignedIn:
    """Create an anonymous user and sign it in."""
    if deps.settings.disable_signup:
        raise ApiError.of(sign_up_errors.SIGNUP_DISABLED)
    data = body.data or {}
    user_id = deps.world.entropy.uuid()
    shape = hooks.unsaved_user(context, user_id, "", "", data, "")
    await hooks.before_user_created(deps, context, shape)
    try:
        signed_in = await _create(deps, context, user_id, data)
    except ApiError as error:
        headers = error.problem.headers
        raise ApiError.of(sign_up_errors.ANONYMOUS_FAILED, headers=headers) from error
    await hooks.after_user_created(deps, context, signed_in.user)
    return signed_in


async def _create(
    deps: Dependencies, context: RequestContext, user_id: UUID, data: dict[str, Any]
) -> SignedIn:
    async with unit_of_work(deps, context) as work:
        user = await accounts.create(
            work, id=user_id, email=None, phone=None, raw_user_meta_data=data, is_anonymous=True
        )
        return await session_tokens.open_session(work, user, "anonymous")

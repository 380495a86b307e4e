"""Password recovery (auth reference 3.6)."""

from __future__ import annotations

from compat_base.values.errors import ApiError
from gotrue_compat.core import audit, one_time_tokens
from gotrue_compat.core.accounts import lock
from gotrue_compat.core.results import Sent
from gotrue_compat.core.unit_of_work import unit_of_work
from gotrue_compat.features.codes import errors as codes_errors
from gotrue_compat.features.codes.bodies import RecoverRequest
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.rules.addresses import email_from
from gotrue_compat.rules.pkce import challenge_from
from gotrue_compat.store import users as store


async def recover(deps: Dependencies, context: RequestContext, body: RecoverRequest) -> Sent:
    """Mail a recovery link; the answer is the same for unknown addresses."""
    if not deps.settings.email.enabled:
        raise ApiError.of(codes_errors.RECOVERY_DISABLED)
    if not body.email:
        raise ApiError.of(codes_errors.RECOVERY_NEEDS_EMAIL)
    email = email_from(body.email)
    challenge = challenge_from(body.code_challenge, body.code_challenge_method)
    async with unit_of_work(deps, context) as work:
        found = await store.find_by_email(work.tx, email, context.aud)
        user = await lock(work.tx, found.id) if found else None
        if user is None:
            return Sent()
        await one_time_tokens.begin_flow(work, user, "recovery", challenge)
        await audit.record(work, user, Action.RECOVERY_REQUESTED)
        await one_time_tokens.send_recovery(work, user, "recovery", pkce=challenge is not None)
    return Sent()

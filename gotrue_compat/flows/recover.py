"""Password recovery (auth reference 3.6)."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.flows import audit, one_time_tokens
from gotrue_compat.flows.accounts import lock
from gotrue_compat.flows.results import Sent
from gotrue_compat.flows.transaction import working
from gotrue_compat.model.audit import Action
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules.addresses import email_from
from gotrue_compat.rules.pkce import challenge_from
from gotrue_compat.store import users as store


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a client sends."""

    email: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""


async def recover(deps: Deps, visit: Visit, ask: Recovery) -> Sent:
    """Mail a recovery link; the answer is the same for addresses nobody has."""
    if not deps.settings.email.enabled:
        raise ApiError.of(errors.RECOVERY_DISABLED)
    if not ask.email:
        raise ApiError.of(errors.RECOVERY_NEEDS_EMAIL)
    email = email_from(ask.email)
    challenge = challenge_from(ask.code_challenge, ask.code_challenge_method)
    async with working(deps, visit) as work:
        found = await store.find_by_email(work.tx, email, visit.aud)
        user = await lock(work.tx, found.id) if found else None
        if user is None:
            return Sent()
        await one_time_tokens.begin_flow(work, user, "recovery", challenge)
        await audit.note(work, user, Action.RECOVERY_REQUESTED)
        await one_time_tokens.send_recovery(work, user, "recovery", pkce=challenge is not None)
    return Sent()

"""Sign-in without any address (auth reference 3.1)."""

from __future__ import annotations

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.flows import accounts, hooks, session_tokens
from gotrue_compat.flows.results import SignedIn
from gotrue_compat.flows.sign_up import SignUp
from gotrue_compat.flows.transaction import working
from gotrue_compat.ports import Deps, Visit


async def sign_in_anonymously(deps: Deps, visit: Visit, ask: SignUp) -> SignedIn:
    """Make a user nobody knows and sign it in."""
    if not deps.settings.anonymous:
        raise ApiError.of(errors.ANONYMOUS_DISABLED)
    if deps.settings.disable_signup:
        raise ApiError.of(errors.SIGNUP_DISABLED)
    data = ask.data or {}
    shape = hooks.future_user(visit, "", "", data, "")
    await hooks.before_user(deps, visit, shape)
    async with working(deps, visit) as work:
        user = await accounts.create(
            work, email=None, phone=None, raw_user_meta_data=data, is_anonymous=True
        )
        signed_in = await session_tokens.open_session(work, user, "anonymous")
    await hooks.after_user(deps, visit, signed_in.user)
    return signed_in

"""Ending sessions (auth reference 3.5)."""

from __future__ import annotations

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.flows import audit
from gotrue_compat.flows.results import Done
from gotrue_compat.flows.transaction import working
from gotrue_compat.model.audit import Action
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.store import sessions as store

_SCOPES = frozenset({"global", "local", "others"})


async def sign_out(deps: Deps, visit: Visit, scope: str) -> Done:
    """End the sessions of a scope: all, this one, or all but this one."""
    if scope not in _SCOPES:
        raise ApiError.of(errors.LOGOUT_SCOPE, scope=scope)
    user, session = visit.user, visit.session
    async with working(deps, visit) as work:
        await audit.note(work, user, Action.LOGOUT)
        if scope == "global" or session is None:
            await store.delete_of_user(work.tx, user.id)
        elif scope == "local":
            await store.delete(work.tx, session.id)
        else:
            await store.delete_others(work.tx, user.id, session.id)
    return Done()

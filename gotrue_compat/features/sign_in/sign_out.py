"""Ending sessions (auth reference 3.5)."""

from __future__ import annotations

from compat_base.values.errors import ApiError
from gotrue_compat.core import audit
from gotrue_compat.core.results import Done
from gotrue_compat.core.unit_of_work import unit_of_work
from gotrue_compat.errors import unexpected_as
from gotrue_compat.features.sign_in import errors as sign_in_errors
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.store import sessions as store

_SCOPES = frozenset({"global", "local", "others"})


async def sign_out(deps: Dependencies, context: RequestContext, scope: str) -> Done:
    """End the sessions of a scope: all, this one, or all but this one."""
    if scope not in _SCOPES:
        raise ApiError.of(sign_in_errors.LOGOUT_SCOPE, scope=scope)
    user, session = context.user, context.session
    with unexpected_as(sign_in_errors.LOGOUT_FAILED):
        async with unit_of_work(deps, context) as work:
            await audit.record(work, user, Action.LOGOUT)
            if scope == "global" or session is None:
                await store.delete_of_user(work.tx, user.id)
            elif scope == "local":
                await store.delete(work.tx, session.id)
            else:
                await store.delete_others(work.tx, user.id, session.id)
    return Done()

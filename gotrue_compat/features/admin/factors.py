"""Second factors as an administrator sees and changes them (auth reference 7)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.core import audit
from gotrue_compat.core.results import Json
from gotrue_compat.core.unit_of_work import unit_of_work
from gotrue_compat.errors import database_errors
from gotrue_compat.features.admin.bodies import FACTOR, FactorChange
from gotrue_compat.features.admin.users import find_user
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.user import Factor, User
from gotrue_compat.rules.addresses import phone_from
from gotrue_compat.rules.claims import AMR_OF_FACTOR
from gotrue_compat.rules.shapes import factor_shape
from gotrue_compat.store import factors as store
from gotrue_compat.store import sessions as session_store


async def list_factors(deps: Dependencies, _context: RequestContext, user_id: UUID) -> Json:
    """A user's factors."""
    user = await find_user(deps, user_id)
    return Json([factor_shape(factor) for factor in user.factors])


async def update_factor(deps: Dependencies, context: RequestContext, body: FactorChange) -> Json:
    """Rename a factor, or change the number of a phone factor."""
    user, factor = await find_factor(deps, context, body)
    sent = body.incoming.json_of(FACTOR)
    name, phone = (sent.text(key) for key in ("friendly_name", "phone"))
    changes: dict[str, Any] = {}
    if name:
        changes["friendly_name"] = name
    if phone and factor.factor_type == "phone":
        changes["phone"] = phone_from(phone)
    async with unit_of_work(deps, context) as work:
        with database_errors("updating factor", name=name):
            changed = await store.update(work.tx, factor.id, context.now, **changes)
        facts = _facts(user, factor)
        await audit.record(work, None, Action.FACTOR_UPDATED, facts)
    return Json(factor_shape(changed or factor))


async def delete_factor(deps: Dependencies, context: RequestContext, body: FactorChange) -> Json:
    """Delete a factor; sessions that it raised fall back to aal1."""
    user, factor = await find_factor(deps, context, body)
    async with unit_of_work(deps, context) as work:
        method = AMR_OF_FACTOR[factor.factor_type]
        await session_store.downgrade(work.tx, factor.id, method, context.now)
        await store.delete(work.tx, factor.id)
        facts = {"user_id": str(user.id), "factor_id": str(factor.id)}
        await audit.record(work, user, Action.FACTOR_DELETED, facts)
    return Json(factor_shape(factor))


async def find_factor(
    deps: Dependencies, _context: RequestContext, body: FactorChange
) -> tuple[User, Factor]:
    """A user and the user's factor, or ApiError."""
    user = await find_user(deps, body.user_id)
    wanted = body.factor_id()
    for factor in user.factors:
        if factor.id == wanted:
            return user, factor
    raise ApiError.of(errors.FACTOR_NOT_FOUND)


def _facts(user: User, factor: Factor) -> dict[str, str]:
    return {
        "user_id": str(user.id), "factor_id": str(factor.id), "factor_type": factor.factor_type,
    }  # fmt: skip

"""Second factors as an administrator sees and changes them (auth reference 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.errors import database_errors
from gotrue_compat.features.admin.users import find_user
from gotrue_compat.flows import audit
from gotrue_compat.flows.results import Json
from gotrue_compat.flows.transaction import working
from gotrue_compat.model.audit import Action
from gotrue_compat.model.user import Factor, User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules.addresses import phone_from
from gotrue_compat.rules.claims import AMR_OF_FACTOR
from gotrue_compat.rules.shapes import factor_shape
from gotrue_compat.store import factors as store
from gotrue_compat.store import sessions as session_store


@dataclass(frozen=True, slots=True)
class FactorAsk:
    """One user's factor, and what to change of it."""

    user_id: UUID
    factor_id: UUID
    friendly_name: str = ""
    phone: str = ""


async def list_factors(deps: Deps, _visit: Visit, user_id: UUID) -> Json:
    """A user's factors."""
    user = await find_user(deps, user_id)
    return Json([factor_shape(factor) for factor in user.factors])


async def update_factor(deps: Deps, visit: Visit, ask: FactorAsk) -> Json:
    """Rename a factor, or change the number of a phone factor."""
    user, factor = await _find(deps, ask)
    changes: dict[str, Any] = {}
    if ask.friendly_name:
        changes["friendly_name"] = ask.friendly_name
    if ask.phone and factor.factor_type == "phone":
        changes["phone"] = phone_from(ask.phone)
    async with working(deps, visit) as work:
        with database_errors("updating factor", name=ask.friendly_name):
            changed = await store.update(work.tx, factor.id, visit.now, **changes)
        facts = _facts(user, factor)
        await audit.note(work, None, Action.FACTOR_UPDATED, **facts)
    return Json(factor_shape(changed or factor))


async def delete_factor(deps: Deps, visit: Visit, ask: FactorAsk) -> Json:
    """Delete a factor; sessions that it raised fall back to aal1."""
    user, factor = await _find(deps, ask)
    async with working(deps, visit) as work:
        method = AMR_OF_FACTOR[factor.factor_type]
        await session_store.downgrade(work.tx, factor.id, method, visit.now)
        await store.delete(work.tx, factor.id)
        facts = _facts(user, factor)
        await audit.note(work, None, Action.FACTOR_DELETED, **facts)
    return Json(factor_shape(factor))


async def _find(deps: Deps, ask: FactorAsk) -> tuple[User, Factor]:
    user = await find_user(deps, ask.user_id)
    for factor in user.factors:
        if factor.id == ask.factor_id:
            return user, factor
    raise ApiError.of(errors.FACTOR_NOT_FOUND)


def _facts(user: User, factor: Factor) -> dict[str, str]:
    return {
        "user_id": str(user.id), "factor_id": str(factor.id), "factor_type": factor.factor_type,
    }  # fmt: skip

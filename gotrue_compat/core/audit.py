"""Audit entries (auth reference 15.4)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from gotrue_compat.core.unit_of_work import UnitOfWork
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action, AuditEntry
from gotrue_compat.model.user import User
from gotrue_compat.store import audit as store
from gotrue_compat.store.statements import NIL


async def record(
    work: UnitOfWork,
    actor: User | None,
    action: Action,
    facts: Mapping[str, Any] | None = None,
    **traits: Any,
) -> None:
    """Store an entry; `actor` None means the admin whose token was sent.

    `facts` are further traits, for those whose names clash with parameters.
    """
    for entry in entries(work, actor, action, **{**(facts or {}), **traits}):
        await store.add(work.tx, entry)


def notes(deps: Dependencies, count: int) -> tuple[tuple[UUID, datetime], ...]:
    """Ids and moments of entries that a statement completes; empty if audit is off."""
    if not deps.settings.audit:
        return ()
    world = deps.world
    return tuple((world.entropy.uuid(), world.clock.now()) for _ in range(count))


def entries(
    work: UnitOfWork,
    actor: User | None,
    /,
    *actions: Action,
    **traits: Any,
) -> tuple[AuditEntry, ...]:
    """What is to be stored of what happened: nothing where the audit log is off."""
    if not work.deps.settings.audit:
        return ()
    return tuple(_entry(work, actor, action, traits) for action in actions)


def _entry(
    work: UnitOfWork, actor: User | None, action: Action, traits: dict[str, Any]
) -> AuditEntry:
    name, log_type = action.value
    payload: dict[str, Any] = {"action": name, **_actor(work.context, actor), "log_type": log_type}
    if traits:
        payload["traits"] = traits
    world = work.deps.world  # the clock's own moment keeps a request's entries in their order
    return AuditEntry(world.entropy.uuid(), payload, world.clock.now(), work.context.ip)


def _actor(context: RequestContext, actor: User | None) -> dict[str, Any]:
    if actor is None:
        role = context.principal.claims.get("role", "") if context.principal else ""
        return {"actor_id": str(NIL), "actor_username": role, "actor_via_sso": False}
    data = actor.raw_user_meta_data
    return {
        "actor_id": str(actor.id),
        **({"actor_name": data["full_name"]} if "full_name" in data else {}),
        "actor_username": actor.phone or actor.email,
        "actor_via_sso": actor.is_sso_user,
    }

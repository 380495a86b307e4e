"""Hooks with their payloads (auth reference 12)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection
from compat_base.values.jsontext import time_text
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.user import User
from gotrue_compat.ports import HookPoint
from gotrue_compat.rules.shapes import user_shape


async def call(
    deps: Dependencies,
    context: RequestContext,
    point: HookPoint,
    tx: Connection | None,
    **members: Any,
) -> dict[str, Any]:
    """Run a hook with the metadata every payload has; {} without a hook."""
    if not deps.hooks.has(point):
        return {}
    metadata = {
        "uuid": str(deps.world.entropy.uuid()),
        "time": time_text(context.now),
        "name": point.value,
        **({"ip_address": context.ip} if context.ip else {}),
    }
    return await deps.hooks.run(point, {"metadata": metadata, **members}, tx)


async def before_user_created(
    deps: Dependencies, context: RequestContext, shape: dict[str, Any]
) -> None:
    """Run the hook before a user is created; `shape` is the user as it would be."""
    await call(deps, context, HookPoint.BEFORE_USER_CREATED, None, user=shape)


async def after_user_created(deps: Dependencies, context: RequestContext, user: User) -> None:
    """Run the hook after a user was created."""
    await call(deps, context, HookPoint.AFTER_USER_CREATED, None, user=user_shape(user))


def unsaved_user(  # noqa: PLR0913, PLR0917 — what a user is before it is one
    context: RequestContext, user_id: UUID, email: str, phone: str, data: dict[str, Any],
    provider: str,
) -> dict[str, Any]:  # fmt: skip
    """A user that does not exist yet, in the form hooks see; it will have this id."""
    app = {"provider": provider, "providers": [provider]} if provider else {}
    return {
        "id": str(user_id), "aud": context.aud, "role": "",
        "email": email, "phone": phone, "app_metadata": app, "user_metadata": data,
        "identities": [], "created_at": "0001-01-01T00:00:00Z",
        "updated_at": "0001-01-01T00:00:00Z", "is_anonymous": not (email or phone or provider),
    }  # fmt: skip

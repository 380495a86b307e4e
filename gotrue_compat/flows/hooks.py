"""Hooks with their payloads (auth reference 12)."""

from __future__ import annotations

from typing import Any

from compat_base.postgres.database import Connection
from compat_base.values.jsontext import time_text
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules.shapes import user_shape
from gotrue_compat.settings.hooks import HookPoint


async def call(
    deps: Deps, visit: Visit, point: HookPoint, tx: Connection | None, **members: Any
) -> dict[str, Any]:
    """Run a hook with the metadata every payload has; {} without a hook."""
    if not deps.hooks.has(point):
        return {}
    metadata = {
        "uuid": str(deps.world.entropy.uuid()),
        "time": time_text(visit.now),
        "name": point.value,
        "ip_address": visit.ip,
    }
    return await deps.hooks.run(point, {"metadata": metadata, **members}, tx)


async def before_user(deps: Deps, visit: Visit, shape: dict[str, Any]) -> None:
    """Ask whether a user may be made; `shape` is the user as it would be."""
    await call(deps, visit, HookPoint.BEFORE_USER_CREATED, None, user=shape)


async def after_user(deps: Deps, visit: Visit, user: User) -> None:
    """Tell that a user was made."""
    await call(deps, visit, HookPoint.AFTER_USER_CREATED, None, user=user_shape(user))


def future_user(
    visit: Visit, email: str, phone: str, data: dict[str, Any], provider: str
) -> dict[str, Any]:
    """A user that does not exist yet, in the form hooks see."""
    app = {"provider": provider, "providers": [provider]} if provider else {}
    return {
        "id": "00000000-0000-0000-0000-000000000000", "aud": visit.aud, "role": "",
        "email": email, "phone": phone, "app_metadata": app, "user_metadata": data,
        "identities": [], "created_at": "0001-01-01T00:00:00Z",
        "updated_at": "0001-01-01T00:00:00Z", "is_anonymous": not email and not phone,
    }  # fmt: skip

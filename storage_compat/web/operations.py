"""Handlers of health, version and the cache in front (storage reference 14)."""

from __future__ import annotations

from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.values.errors import ApiError
from compat_base.values.http import HttpResponse
from storage_compat import errors
from storage_compat.rules.access_tokens import require_role
from storage_compat.web.calls import Call
from storage_compat.web.views import json_answer

VERSION = "1.11.2"


async def status(_call: Call) -> HttpResponse:
    """Whether the process answers."""
    return HttpResponse(200)


async def version(_call: Call) -> HttpResponse:
    """The version of the original that this stands in for."""
    return HttpResponse(200, (("Content-Type", "text/plain; charset=utf-8"),), VERSION.encode())


async def health(call: Call) -> HttpResponse:
    """Whether the database answers."""
    try:
        async with call.deps.sessions.own() as connection:
            await connection.fetchval("select 1")
    except (PgFault, PoolTimeout, Unavailable):
        return json_answer({"healthy": False})
    return json_answer({"healthy": True})


async def ready(call: Call) -> HttpResponse:
    """Whether the database answers, by the status; for probes, without a token."""
    answer = await health(call)
    return answer if b"true" in answer.body else HttpResponse(503, answer.headers, answer.body)


async def purge(call: Call) -> HttpResponse:
    """Nothing: there is no CDN cache to purge."""
    require_role(call.context.caller, call.deps.settings.database.service_role)
    raise ApiError.of(errors.NO_CACHE_SERVER)

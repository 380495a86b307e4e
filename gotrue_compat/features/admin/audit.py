"""The audit log as a list (auth reference 7)."""

from __future__ import annotations

from compat_base.values.errors import ApiError
from gotrue_compat.core.results import Json
from gotrue_compat.features.admin import errors as admin_errors
from gotrue_compat.features.admin.bodies import AuditQuery
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.rules import pages
from gotrue_compat.store import audit as store

_KEYS = {"action": "action", "type": "log_type"}


async def list_entries(deps: Dependencies, context: RequestContext, body: AuditQuery) -> Json:
    """A page of entries, newest first."""
    page = pages.page_from(body.page, body.per_page)
    scope, colon, text = body.query.partition(":")
    if body.query and (not colon or scope not in {"author", *_KEYS}):
        raise ApiError.of(admin_errors.AUDIT_QUERY, query=body.query)
    async with deps.database.acquire() as connection:
        if scope == "author":
            entries, total = await store.list_page_by_author(connection, text, page)
        else:
            entries, total = await store.list_page(connection, _KEYS.get(scope, ""), text, page)
    headers = (
        ("X-Total-Count", str(total)),
        ("Link", pages.link_header(context.path, context.query, page, total)),
    )
    shapes = [
        {
            "id": entry.id, "payload": entry.payload, "created_at": entry.created_at,
            "ip_address": entry.ip_address,
        }
        for entry in entries
    ]  # fmt: skip
    return Json(shapes, headers=headers)

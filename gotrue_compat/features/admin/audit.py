"""The audit log as a list (auth reference 7)."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.flows.results import Json
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules import pages
from gotrue_compat.store import audit as store

_KEYS = {"action": "action", "type": "log_type"}


@dataclass(frozen=True, slots=True)
class AuditAsk:
    """The query of the list: `author|action|type:text`."""

    page: str = ""
    per_page: str = ""
    query: str = ""


async def list_entries(deps: Deps, visit: Visit, ask: AuditAsk) -> Json:
    """A page of entries, newest first."""
    page = pages.page_from(ask.page, ask.per_page)
    scope, colon, text = ask.query.partition(":")
    if ask.query and (not colon or scope not in {"author", *_KEYS}):
        raise ApiError.of(errors.AUDIT_QUERY, query=ask.query)
    async with deps.database.acquire() as connection:
        if scope == "author":
            entries, total = await store.list_page_by_author(connection, text, page)
        else:
            entries, total = await store.list_page(connection, _KEYS.get(scope, ""), text, page)
    headers = (
        ("X-Total-Count", str(total)),
        ("Link", pages.link_header(visit.path, visit.query, page, total)),
    )
    shapes = [
        {
            "id": entry.id, "payload": entry.payload, "created_at": entry.created_at,
            "ip_address": entry.ip_address,
        }
        for entry in entries
    ]  # fmt: skip
    return Json(shapes, headers=headers)

"""Users as a list, by pages or by a cursor (auth reference 7)."""

from __future__ import annotations

from typing import Any

from gotrue_compat.core.results import Json
from gotrue_compat.features.admin.bodies import UserListQuery
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.http.json_body import decode_body
from gotrue_compat.rules import pages
from gotrue_compat.rules.shapes import user_shape
from gotrue_compat.store import users as store


async def list_users(deps: Dependencies, context: RequestContext, body: UserListQuery) -> Json:
    """A page of users, newest first, without identities."""
    ascending = pages.ascending(context.query)
    if deps.settings.cursor_pages and not body.page and not body.per_page:
        return await _list_after(deps, context, body, ascending=ascending)
    page = pages.page_from(body.page, body.per_page)
    async with deps.database.acquire() as connection:
        users, total = await store.list_page(
            connection, context.aud, body.filter, page, ascending=ascending
        )
    shapes = [user_shape(user, with_identities=False) for user in users]
    headers = (
        ("X-Total-Count", str(total)),
        ("Link", pages.link_header(context.path, context.query, page, total)),
    )
    return Json({"users": shapes, "aud": context.aud}, headers=headers)


async def _list_after(
    deps: Dependencies, context: RequestContext, body: UserListQuery, *, ascending: bool
) -> Json:
    limit, cursor = pages.cursor_limit(body.limit), pages.cursor_from(body.cursor, decode_body)
    async with deps.database.acquire() as connection:
        found = await store.list_after(
            connection, context.aud, body.filter, cursor, limit + 1, ascending=ascending
        )
    users, has_more = found[:limit], len(found) > limit
    pagination: dict[str, Any] = {"has_more": has_more}
    headers: tuple[tuple[str, str], ...] = ()
    if has_more and users[-1].created_at is not None:
        following = pages.cursor_text(pages.Cursor(users[-1].created_at, users[-1].id))
        pagination = {"next_cursor": following, **pagination}
        headers = (("Link", pages.cursor_link(context.path, context.query, following)),)
    shapes = [user_shape(user, with_identities=False) for user in users]
    shape = {"users": shapes, "aud": context.aud, "pagination": pagination}
    return Json(shape, headers=headers)

"""Pages of files and folders, of both versions (storage reference 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from compat_base.postgres.database import Record
from storage_compat.ports import Dependencies, RequestContext
from storage_compat.rules.cursors import Cursor
from storage_compat.rules.paths import check_bucket_name
from storage_compat.rules.times import iso_text
from storage_compat.store import lists
from storage_compat.store.lists import FolderPage, Level

_MOST = 1000


@dataclass(frozen=True, slots=True)
class Page:
    """A page of version 2: `cursor` is the last entry of the page before."""

    prefix: str
    limit: int
    has_delimiter: bool
    cursor: Cursor


async def folder(
    deps: Dependencies, context: RequestContext, bucket_id: str, page: FolderPage
) -> list[dict[str, Any]]:
    """What is in a folder: version 1."""
    check_bucket_name(bucket_id)
    async with deps.sessions.acting(context.caller, context.facts) as connection:
        rows = await lists.search(connection, bucket_id, page)
    return [{"name": row["name"], **_shown(row)} for row in rows]


async def page_of(
    deps: Dependencies, context: RequestContext, bucket_id: str, page: Page
) -> dict[str, Any]:
    """A page in the order of names or times: version 2."""
    check_bucket_name(bucket_id)
    most = min(page.limit, _MOST)
    rows = await _rows(deps, context, bucket_id, page, most + 1)
    shown, cursor = rows[:most], page.cursor
    folders = [_folder(row, page) for row in shown if row["id"] is None]
    files = [_file(row, page) for row in shown if row["id"] is not None]
    answer: dict[str, Any] = {"hasNext": len(rows) > most}
    if answer["hasNext"]:
        last = shown[-1]
        name = _full_name(last, page)
        moment = "" if cursor.column == "name" else last[cursor.column].isoformat()
        answer["nextCursor"] = Cursor(name, cursor.order, cursor.column, moment).encode()
        answer["nextCursorKey"] = name if last["id"] is not None else name.removesuffix("/")
    return answer | {"folders": folders, "objects": files}


async def _rows(
    deps: Dependencies, context: RequestContext, bucket_id: str, page: Page, most: int
) -> list[Record]:
    delimiter = "/" if page.has_delimiter else ""
    level = Level(bucket_id, page.prefix, delimiter, most, page.cursor)
    async with deps.sessions.acting(context.caller, context.facts) as connection:
        if page.cursor.column == "name":
            rows = await lists.level(connection, level)
        elif page.has_delimiter:
            rows = await lists.level_by_time(connection, level)
        else:
            rows = await lists.flat_by_time(connection, level)
    return list(rows)


def _full_name(row: Record, page: Page) -> str:
    """An entry's name, a folder's with its slash, which the order by a time leaves out."""
    name: str = row["name"]
    return f"{name}/" if row["id"] is None and page.cursor.column != "name" else name


def _folder(row: Record, page: Page) -> dict[str, Any]:
    full = _full_name(row, page)
    moment = iso_text(row["created_at"])
    return {
        "key": full.removesuffix("/").rpartition("/")[2],
        "name": full,
        "id": None,
        "updated_at": moment,
        "created_at": moment,
        "last_accessed_at": moment,
        "metadata": None,
    }


def _file(row: Record, page: Page) -> dict[str, Any]:
    name: str = row["name"]
    key = {"key": name.rpartition("/")[2]} if page.has_delimiter else {}
    return {**key, "name": name, **_shown(row)}


def _shown(row: Record) -> dict[str, Any]:
    return {
        "id": str(row["id"]) if row["id"] else None,
        "updated_at": iso_text(row["updated_at"]),
        "created_at": iso_text(row["created_at"]),
        "last_accessed_at": iso_text(row["last_accessed_at"]),
        "metadata": row["metadata"],
    }

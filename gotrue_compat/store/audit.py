"""Audit entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection
from compat_base.postgres.queries import load_queries
from gotrue_compat.model.audit import AuditEntry
from gotrue_compat.rules.pages import Page
from gotrue_compat.store.statements import many, one, run

_SQL = load_queries(__package__ or "", "audit.sql")


async def add(connection: Connection, entry: AuditEntry) -> None:
    """Store an entry."""
    await run(connection, _SQL["add"], entry.id, entry.payload, entry.created_at, entry.ip_address)


def columns_of(entries: Sequence[AuditEntry]) -> tuple[list[UUID], list[Any], list[Any]]:
    """Ids, payloads and moments, for a statement that stores several entries with other things."""
    return (
        [entry.id for entry in entries],
        [entry.payload for entry in entries],
        [entry.created_at for entry in entries],
    )


async def list_page(
    connection: Connection, key: str, text: str, page: Page
) -> tuple[tuple[AuditEntry, ...], int]:
    """A page of entries whose payload's key holds the text (key "" takes all), and their number."""
    rows = await many(connection, _SQL["page"], key, text, page.size, page.offset)
    counted = await one(connection, _SQL["count"], key, text)
    return tuple(map(AuditEntry.from_row, rows)), counted["total"] if counted else 0


async def list_page_by_author(
    connection: Connection, text: str, page: Page
) -> tuple[tuple[AuditEntry, ...], int]:
    """The same for entries whose actor's name or address holds the text."""
    rows = await many(connection, _SQL["page_by_author"], text, page.size, page.offset)
    counted = await one(connection, _SQL["count_by_author"], text)
    return tuple(map(AuditEntry.from_row, rows)), counted["total"] if counted else 0

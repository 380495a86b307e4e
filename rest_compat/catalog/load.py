"""Read the catalog in one repeatable-read transaction and assemble the cache (I/O)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compat_base.database import Connection, fetch, run_script
from compat_base.queries import load_queries
from compat_base.sqltext import Statement
from rest_compat.catalog.assemble import CatalogRows, assemble
from rest_compat.catalog.model import SchemaCache

QUERIES = load_queries("rest_compat.catalog", "queries.sql")


@dataclass(frozen=True, slots=True)
class CatalogScope:
    """What to look at: exposed schemas, further schemas of views, patterns of settings.

    The two sleeps, in milliseconds, slow the load down for tests of reloading.
    """

    schemas: tuple[str, ...]
    extra_schemas: tuple[str, ...]
    hoisted_settings: tuple[str, ...]
    sleep_first: int = 0
    sleep_last: int = 0


async def load_schema_cache(
    connection: Connection, scope: CatalogScope, generation: int
) -> SchemaCache:
    """Load everything; PgFault where a schema is missing, Unavailable where the database is."""
    await run_script(
        connection,
        "begin isolation level repeatable read read only; set local search_path to ''",
    )
    try:
        rows = await _catalog_rows(connection, scope)
    finally:
        await run_script(connection, "rollback")
    return await asyncio.to_thread(assemble, rows, scope.schemas, generation)


async def _catalog_rows(connection: Connection, scope: CatalogScope) -> CatalogRows:
    schemas = list(scope.schemas)
    every_schema = [*schemas, *scope.extra_schemas]
    await _sleep(connection, scope.sleep_first)
    # The casts fail for a schema that does not exist, which is the error to report.
    for name in every_schema:
        await fetch(
            connection, Statement("select quote_ident($1::text)::regnamespace::text", (name,))
        )

    async def run(name: str, *args: object) -> Sequence[dict[str, Any]]:
        return [dict(row) for row in await fetch(connection, Statement(QUERIES[name], args))]

    rows = CatalogRows(
        tables=await run("tables", schemas),
        views=await run("views", every_schema),
        key_columns=await run("key_columns"),
        foreign_keys=await run("foreign_keys"),
        routines=await run("routines", schemas, list(scope.hoisted_settings)),
        computed_relationships=await run("computed_relationships"),
        representations=await run("representations"),
        media_handlers=await run("media_handlers", schemas),
    )
    await _sleep(connection, scope.sleep_last)
    return rows


async def _sleep(connection: Connection, milliseconds: int) -> None:
    if milliseconds:
        await fetch(connection, Statement("select pg_sleep($1::int / 1000.0)", (milliseconds,)))

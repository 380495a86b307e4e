"""Read the catalog in one repeatable-read transaction (I/O)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compat_base.postgres.database import Connection, fetch, run_script
from compat_base.postgres.queries import load_queries
from compat_base.values.sqltext import Statement
from compat_base.values.world import Clock
from rest_compat.catalog.assemble import CatalogRows, assemble
from rest_compat.catalog.model import SchemaCache

QUERIES = load_queries("rest_compat.catalog", "queries.sql")

# What the log calls the time that a query took (rest reference 16.11).
_TOLD_AS = {
    "tables": "tables",
    "views": "keydeps",
    "key_columns": "keydeps",
    "foreign_keys": "rels",
    "routines": "funcs",
    "computed_relationships": "comprels",
    "representations": "dreps",
    "media_handlers": "mhandlers",
}


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
    connection: Connection, scope: CatalogScope, clock: Clock
) -> SchemaCache:
    """The first schema cache; PgFault where a schema is missing, Unavailable: the database."""
    rows, _ = await read_catalog(connection, scope, clock)
    return assemble(rows, scope.schemas, 1)


async def read_catalog(
    connection: Connection, scope: CatalogScope, clock: Clock
) -> tuple[CatalogRows, Mapping[str, float]]:
    """The catalog's rows, and the seconds that each kind took, by the original's names."""
    await run_script(
        connection,
        "begin isolation level repeatable read read only; set local search_path to ''",
    )
    try:
        return await _catalog_rows(connection, scope, clock)
    finally:
        await run_script(connection, "rollback")


async def _catalog_rows(
    connection: Connection, scope: CatalogScope, clock: Clock
) -> tuple[CatalogRows, Mapping[str, float]]:
    schemas = list(scope.schemas)
    every_schema = [*schemas, *scope.extra_schemas]
    await _sleep(connection, scope.sleep_first)
    # The casts fail for a schema that does not exist, which is the error to report.
    for name in every_schema:
        await fetch(
            connection, Statement("select quote_ident($1::text)::regnamespace::text", (name,))
        )
    spent = dict.fromkeys(_TOLD_AS.values(), 0.0)

    async def run(name: str, *args: object) -> Sequence[dict[str, Any]]:
        began = clock.monotonic()
        rows = [dict(row) for row in await fetch(connection, Statement(QUERIES[name], args))]
        spent[_TOLD_AS[name]] += clock.monotonic() - began
        return rows

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
    return rows, spent


async def _sleep(connection: Connection, milliseconds: int) -> None:
    if milliseconds:
        await fetch(connection, Statement("select pg_sleep($1::int / 1000.0)", (milliseconds,)))

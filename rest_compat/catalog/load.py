"""Read the catalog in one repeatable-read transaction (I/O)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from compat_base.postgres.pipeline import PipelineSession
from compat_base.postgres.queries import load_queries
from compat_base.values.pgarray import array_text
from compat_base.values.sqltext import Statement
from compat_base.values.world import Clock
from rest_compat.catalog.assemble import CatalogRows, assemble
from rest_compat.catalog.model import SchemaCache

QUERIES = load_queries("rest_compat.catalog", "queries.sql")

_OPENING = (
    Statement("begin isolation level repeatable read read only"),
    Statement("set local search_path to ''"),
)
_ROLLBACK = Statement("rollback")
_EXISTS = "select quote_ident($1::text)::regnamespace::text"
_SLEEP = "select pg_sleep($1::int / 1000.0)"

# What the log calls the time that a query took (rest reference 16.11).
_TIMED_AS = {
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
    """Exposed schemas, further schemas of views, and patterns of settings.

    The two sleeps, in milliseconds, slow the load down for tests of reloading.
    """

    schemas: tuple[str, ...]
    extra_schemas: tuple[str, ...]
    hoisted_settings: tuple[str, ...]
    sleep_first: int = 0
    sleep_last: int = 0


async def load_schema_cache(
    session: PipelineSession, scope: CatalogScope, clock: Clock
) -> SchemaCache:
    """The first schema cache; PgFault where a schema is missing, Unavailable: the database."""
    rows, _ = await read_catalog(session, scope, clock)
    return assemble(rows, scope.schemas)


@asynccontextmanager
async def rolled_back(session: PipelineSession, *opening: Statement) -> AsyncGenerator[None]:
    """A transaction for the length of the block, always rolled back."""
    try:
        await session.run(opening)
        yield
    finally:
        if session.in_transaction:
            await session.run((_ROLLBACK,))


async def read_catalog(
    session: PipelineSession, scope: CatalogScope, clock: Clock
) -> tuple[CatalogRows, Mapping[str, float]]:
    """The catalog's rows, and the seconds that each kind took, by the original's names."""
    async with rolled_back(session, *_OPENING):
        return await _catalog_rows(session, scope, clock)


async def _catalog_rows(
    session: PipelineSession, scope: CatalogScope, clock: Clock
) -> tuple[CatalogRows, Mapping[str, float]]:
    every_schema = (*scope.schemas, *scope.extra_schemas)
    await _sleep(session, scope.sleep_first)
    # The casts fail for a schema that does not exist, which is the error to report.
    await session.run([Statement(_EXISTS, (name.encode(),)) for name in every_schema])
    spent = dict.fromkeys(_TIMED_AS.values(), 0.0)

    async def run(name: str, *lists: Sequence[str]) -> Sequence[dict[str, Any]]:
        began = clock.monotonic()
        values = tuple(array_text(texts).encode() for texts in lists)
        answers = await session.run((Statement(QUERIES[name], values),))
        rows = answers[0].records()
        spent[_TIMED_AS[name]] += clock.monotonic() - began
        return rows

    rows = CatalogRows(
        tables=await run("tables", scope.schemas),
        views=await run("views", every_schema),
        key_columns=await run("key_columns"),
        foreign_keys=await run("foreign_keys"),
        routines=await run("routines", scope.schemas, scope.hoisted_settings),
        computed_relationships=await run("computed_relationships"),
        representations=await run("representations"),
        media_handlers=await run("media_handlers", scope.schemas),
    )
    await _sleep(session, scope.sleep_last)
    return rows, spent


async def _sleep(session: PipelineSession, milliseconds: int) -> None:
    if milliseconds:
        await session.run((Statement(_SLEEP, (b"%d" % milliseconds,)),))

"""The root document's transaction: what the role may see, and the schema's comment (I/O)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from compat_base.postgres.pipeline import Row, Session
from compat_base.postgres.session_pool import SessionPool
from compat_base.values import jsontext
from compat_base.values.http import HttpResponse
from compat_base.values.sqltext import Statement, quote_ident
from rest_compat.catalog.load import QUERIES
from rest_compat.catalog.model import Routine, SchemaCache, Table
from rest_compat.execute import Transaction, ending_of
from rest_compat.plan.model import InspectPlan
from rest_compat.query.build import Script
from rest_compat.query.session import Preamble
from rest_compat.response.openapi import Address, Described, make_document, proxy_address
from rest_compat.response.render import render_document
from rest_compat.settings import VERSION, OpenApiMode, Settings

_COMMENT = re.compile("^--.*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is asked for, and of what."""

    plan: InspectPlan
    settings: Settings
    cache: SchemaCache


async def inspect_schema(
    pool: SessionPool, opening: Preamble, script: Script, asked: Inspection
) -> HttpResponse:
    """Ask what may be shown, and write the document."""
    plan, settings, cache = asked.plan, asked.settings, asked.cache
    tables = [table for name, table in cache.tables.items() if name.schema == plan.schema]
    routines = [
        overloads for name, overloads in cache.routines.items() if name.schema == plan.schema
    ]
    async with Transaction(pool, opening) as session:
        await session.run(opening.statements)
        if settings.openapi_mode is OpenApiMode.FOLLOW:
            tables = await _accessible_tables(session, plan.schema, tables)
            routines = await _accessible_routines(session, plan.schema, routines)
        comment = await _comment(session, plan.schema)
        await session.run(ending_of(script))
    if plan.head:
        return render_document(b"", plan.reply_schema, head=True)
    document = make_document(
        Described(
            tables=tables,
            relationships=cache.relationships,
            routines=tuple(overloads[-1] for overloads in routines if overloads),
            comment=comment,
        ),
        _address(settings),
        version=VERSION,
        docs_version="v16",
        security=settings.openapi_security,
    )
    return render_document(jsontext.encode_bytes(document), plan.reply_schema, head=False)


def _address(settings: Settings) -> Address:
    if settings.openapi_proxy is not None:
        return proxy_address(settings.openapi_proxy)
    return Address("http", settings.server_host, settings.server_port)


def inspection_texts(settings: Settings) -> tuple[str, ...]:
    """The statements of an inspection, for the log."""
    follows = settings.openapi_mode is OpenApiMode.FOLLOW
    names = ("accessible_tables", "accessible_routines") if follows else ()
    return tuple(_COMMENT.sub("", QUERIES[name]) for name in (*names, "schema_comment"))


async def _accessible_tables(session: Session, schema: str, tables: list[Table]) -> list[Table]:
    rows = await _rows(session, "accessible_tables", schema)
    names = {(row["table_name"] or b"").decode() for row in rows}
    return [table for table in tables if table.name.name in names]


async def _accessible_routines(
    session: Session, schema: str, routines: list[tuple[Routine, ...]]
) -> list[tuple[Routine, ...]]:
    rows = await _rows(session, "accessible_routines", schema)
    types: dict[int, list[str]] = {
        int.from_bytes(row["oid"] or b""): jsontext.decode(row["types"] or b"[]") for row in rows
    }
    return [
        tuple(_written(one, types[one.oid]) for one in overloads if one.oid in types)
        for overloads in routines
    ]


def _written(routine: Routine, types: list[str]) -> Routine:
    pairs = zip(routine.parameters, types, strict=False)
    parameters = tuple(replace(one, type=name) for one, name in pairs)
    return replace(routine, parameters=parameters)


async def _comment(session: Session, schema: str) -> str | None:
    for row in await _rows(session, "schema_comment", schema):
        for comment in row.values():
            return None if comment is None else comment.decode()
    return None


async def _rows(session: Session, query: str, schema: str) -> list[Row]:
    answers = await session.run([Statement(QUERIES[query], (quote_ident(schema).encode(),))])
    return answers[0].rows()

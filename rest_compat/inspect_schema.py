"""The root document's transaction: what the role may see, and the schema's comment (I/O)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compat_base import jsontext
from compat_base.database import Connection, Database, fetch
from compat_base.http import HttpResponse
from compat_base.sqltext import Statement
from rest_compat.catalog.load import QUERIES
from rest_compat.catalog.model import Routine, SchemaCache, Table
from rest_compat.execute import Opening, transaction
from rest_compat.plan.model import InspectPlan
from rest_compat.query.build import Script
from rest_compat.response.openapi import Address, Described, make_document, proxy_address
from rest_compat.response.render import render_document
from rest_compat.settings import VERSION, OpenApiMode, Settings


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is asked for, and of what."""

    plan: InspectPlan
    settings: Settings
    cache: SchemaCache


async def inspect_schema(
    database: Database, opening: Opening, script: Script, asked: Inspection
) -> HttpResponse:
    """Ask what may be shown, and write the document."""
    plan, settings, cache = asked.plan, asked.settings, asked.cache
    tables = [table for name, table in cache.tables.items() if name.schema == plan.schema]
    routines = [
        overloads for name, overloads in cache.routines.items() if name.schema == plan.schema
    ]
    async with transaction(database, opening, script) as connection:
        if settings.openapi_mode is OpenApiMode.FOLLOW:
            tables = await _accessible_tables(connection, plan.schema, tables)
            routines = await _accessible_routines(connection, plan.schema, routines)
        comment = await _one(connection, "schema_comment", plan.schema)
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


async def _accessible_tables(
    connection: Connection, schema: str, tables: list[Table]
) -> list[Table]:
    rows = await fetch(connection, Statement(QUERIES["accessible_tables"], (schema,)))
    names = {_text(row["name"]) for row in rows}
    return [table for table in tables if table.name.name in names]


async def _accessible_routines(
    connection: Connection, schema: str, routines: list[tuple[Routine, ...]]
) -> list[tuple[Routine, ...]]:
    rows = await fetch(connection, Statement(QUERIES["accessible_routines"], (schema,)))
    types: dict[int, list[str]] = {int(row["oid"]): jsontext.decode(row["types"]) for row in rows}
    return [
        tuple(_written(one, types[one.oid]) for one in overloads if one.oid in types)
        for overloads in routines
    ]


def _written(routine: Routine, types: list[str]) -> Routine:
    pairs = zip(routine.parameters, types, strict=False)
    parameters = tuple(replace(one, type=name) for one, name in pairs)
    return replace(routine, parameters=parameters)


async def _one(connection: Connection, query: str, schema: str) -> str | None:
    rows = await fetch(connection, Statement(QUERIES[query], (schema,)))
    return None if not rows or rows[0][0] is None else _text(rows[0][0])


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value

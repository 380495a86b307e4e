"""Catalog rows into the schema cache.

Everything here is pure. Rows come as the queries beside it give them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compat_base.values import jsontext
from rest_compat.catalog.model import (
    BUILTIN_HANDLERS,
    Column,
    CustomHandler,
    Handler,
    HandlerKey,
    Parameter,
    ReturnType,
    Routine,
    SchemaCache,
    Table,
)
from rest_compat.catalog.relationships import exposed_relationships, find_relationships
from rest_compat.catalog.view_keys import Row, Rows, find_view_keys, with_view_primary_keys
from rest_compat.http.media_types import MediaType, decode_media_type
from rest_compat.names import QualifiedName


@dataclass(frozen=True, slots=True)
class CatalogRows:
    """What the catalog queries gave, by query."""

    tables: Rows
    foreign_keys: Rows
    views: Rows
    key_columns: Rows
    routines: Rows
    computed_relationships: Rows
    representations: Rows
    media_handlers: Rows


def assemble(rows: CatalogRows, schemas: Sequence[str]) -> SchemaCache:
    """Build the cache of the exposed schemas."""
    view_keys = find_view_keys(rows.views, rows.key_columns, schemas)
    tables = with_view_primary_keys(_tables(rows.tables), view_keys)
    relationships = find_relationships(
        rows.foreign_keys, rows.computed_relationships, tables, view_keys
    )
    exposed = frozenset(schemas)
    return SchemaCache(
        tables={name: table for name, table in tables.items() if name.schema in exposed},
        relationships=exposed_relationships(relationships, exposed),
        routines=_routines(rows.routines),
        representations={
            (row["source"], row["target"]): row["function"] for row in rows.representations
        },
        handlers=_handlers(rows.media_handlers),
    )


def _tables(rows: Rows) -> dict[QualifiedName, Table]:
    tables: dict[QualifiedName, Table] = {}
    for row in rows:
        name = QualifiedName(row["schema"], row["name"])
        columns = [_column(facts) for facts in _json(row["columns"])]
        tables[name] = Table(
            name=name,
            description=row["description"],
            is_view=row["is_view"],
            insertable=row["insertable"],
            updatable=row["updatable"],
            deletable=row["deletable"],
            primary_key=tuple(row["primary_key"]),
            columns={column.name: column for column in columns},
        )
    return tables


def _column(facts: list[Any]) -> Column:
    name, description, nullable, type_name, nominal, length, default, enum = facts
    return Column(
        name, description, nullable, type_name, nominal, length, default, tuple(enum or ())
    )


def _json(text: str | None) -> list[Any]:
    return [] if text is None else jsontext.decode(text)


def _routines(rows: Rows) -> dict[QualifiedName, tuple[Routine, ...]]:
    """Overloads of a name, fewest parameters first."""
    by_name: defaultdict[QualifiedName, list[Routine]] = defaultdict(list)
    for row in rows:
        routine = _routine(row)
        by_name[routine.name].append(routine)
    return {
        name: tuple(sorted(found, key=lambda one: (len(one.parameters), one.parameters)))
        for name, found in by_name.items()
    }


def _routine(row: Row) -> Routine:
    return Routine(
        oid=row["oid"],
        name=QualifiedName(row["schema"], row["name"]),
        description=row["description"],
        parameters=tuple(Parameter(*facts) for facts in _json(row["parameters"])),
        returns=ReturnType(
            type=QualifiedName(row["return_schema"], row["return_name"]),
            is_set=row["returns_set"],
            is_composite=row["returns_composite"],
            is_alias=row["returns_alias"],
        ),
        volatility=row["volatility"],
        is_variadic=row["is_variadic"],
        isolation=row["isolation"],
        settings=tuple((name, value) for name, value in _json(row["settings"])),
    )


def _handlers(rows: Rows) -> dict[HandlerKey, tuple[Handler, MediaType]]:
    handlers = dict(BUILTIN_HANDLERS)
    for row in rows:
        target = QualifiedName(row["target_schema"], row["target_name"])
        is_any = target == QualifiedName("pg_catalog", "anyelement")
        of = None if is_any else target
        function = QualifiedName(row["function_schema"], row["function_name"])
        sent_as = decode_media_type(row["sent_as"])
        handlers[of, decode_media_type(row["media_type"])] = (CustomHandler(function, of), sent_as)
    return handlers

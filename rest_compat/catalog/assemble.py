"""Catalog rows into the schema cache: keys of views, inverse and many-to-many relationships.

Everything here is pure. Rows come as the queries beside it give them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from compat_base.values import jsontext
from rest_compat.catalog.model import (
    BUILTIN_HANDLERS,
    AnyRelationship,
    Cardinality,
    Column,
    ComputedRelationship,
    CustomHandler,
    Handler,
    HandlerKey,
    Junction,
    Parameter,
    Relationship,
    ReturnType,
    Routine,
    SchemaCache,
    Table,
)
from rest_compat.catalog.view_origins import view_origins
from rest_compat.http.media_types import MediaType, decode_media_type
from rest_compat.names import QualifiedName

Row = Mapping[str, Any]
Rows = Sequence[Row]


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


@dataclass(frozen=True, slots=True)
class ViewKey:
    """A key of a table that a view shows: per key column, the view's columns that show it."""

    view: QualifiedName
    table: QualifiedName
    constraint: str
    kind: str
    columns: tuple[tuple[str, ...], ...]


def assemble(rows: CatalogRows, schemas: Sequence[str], generation: int) -> SchemaCache:
    """Build the cache of the exposed schemas."""
    view_keys = _view_keys(rows.views, rows.key_columns, schemas)
    tables = _with_view_primary_keys(_tables(rows.tables), view_keys)
    relationships = _relationships(rows, tables, view_keys)
    exposed = frozenset(schemas)
    return SchemaCache(
        tables={name: table for name, table in tables.items() if name.schema in exposed},
        relationships=_exposed_relationships(relationships, exposed),
        routines=_routines(rows.routines),
        representations={
            (row["source"], row["target"]): row["function"] for row in rows.representations
        },
        handlers=_handlers(rows.media_handlers),
        generation=generation,
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


# ── views ──────────────────────────────────────────────────────────────────────────────────────


def _view_keys(views: Rows, key_columns: Rows, schemas: Sequence[str]) -> list[ViewKey]:
    """The keys shown whole by each exposed view, through views of views."""
    origins = {row["oid"]: view_origins(row["definition"]) for row in views}
    keys_of: defaultdict[int, list[Row]] = defaultdict(list)
    for key in key_columns:
        keys_of[key["relation"]].append(key)
    found: list[ViewKey] = []
    for view in views:
        if view["schema"] not in schemas:
            continue
        names = {int(number): name for number, name in jsontext.decode(view["columns"]).items()}
        shown: defaultdict[int, defaultdict[int, list[str]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for number in sorted(names):
            for relation, column in _sources(view["oid"], number, origins):
                shown[relation][column].append(names[number])
        for relation, columns in shown.items():
            found.extend(_shown_keys(view, columns, keys_of[relation]))
    return found


def _sources(
    view: int, number: int, origins: Mapping[int, dict[int, tuple[int, int]]]
) -> Iterable[tuple[int, int]]:
    """Every relation and column a view's column shows, nearest first."""
    seen: set[int] = set()
    source = origins[view].get(number)
    while source is not None and source[0] not in seen:
        yield source
        seen.add(source[0])
        source = origins.get(source[0], {}).get(source[1])


def _shown_keys(
    view: Row, columns: Mapping[int, list[str]], keys: Iterable[Row]
) -> Iterable[ViewKey]:
    for key in keys:
        if all(number in columns for number in key["numbers"]):
            yield ViewKey(
                view=QualifiedName(view["schema"], view["name"]),
                table=QualifiedName(key["schema"], key["name"]),
                constraint=key["constraint_name"],
                kind=key["kind"],
                columns=tuple(tuple(columns[number]) for number in key["numbers"]),
            )


def _with_view_primary_keys(
    tables: dict[QualifiedName, Table], view_keys: Iterable[ViewKey]
) -> dict[QualifiedName, Table]:
    """Give views the primary keys they show; of a column shown twice the first copy counts."""
    keys: defaultdict[QualifiedName, list[str]] = defaultdict(list)
    for key in view_keys:
        if key.kind == "p":
            keys[key.view].extend(copies[0] for copies in key.columns)
    for name, columns in keys.items():
        tables[name] = replace(tables[name], primary_key=tuple(columns))
    return tables


# ── relationships ──────────────────────────────────────────────────────────────────────────────


def _relationships(
    rows: CatalogRows, tables: Mapping[QualifiedName, Table], view_keys: Iterable[ViewKey]
) -> list[AnyRelationship]:
    direct = [_relationship(row) for row in rows.foreign_keys]
    direct += _through_views(direct, view_keys)
    everything = direct + _many_to_many(direct, tables)
    everything += [_inverse(relationship) for relationship in direct]
    return _with_computed(everything, rows.computed_relationships)


def _relationship(row: Row) -> Relationship:
    return Relationship(
        origin=QualifiedName(row["schema"], row["name"]),
        target=QualifiedName(row["target_schema"], row["target_name"]),
        is_self=row["is_self"],
        cardinality=Cardinality.ONE_TO_ONE if row["one_to_one"] else Cardinality.MANY_TO_ONE,
        constraint=row["constraint_name"],
        columns=tuple((here, there) for here, there in _json(row["columns"])),
    )


def _through_views(
    direct: Iterable[Relationship], view_keys: Iterable[ViewKey]
) -> list[Relationship]:
    """The same keys seen from, to and between views, once for each copy of a column."""
    by_key: defaultdict[tuple[QualifiedName, str, str], list[ViewKey]] = defaultdict(list)
    for key in view_keys:
        by_key[key.table, key.constraint, key.kind].append(key)
    found: list[Relationship] = []
    for base in direct:
        here = [("", tuple(column for column, _ in base.columns))]
        there = [("", tuple(column for _, column in base.columns))]
        origins = _copies(by_key[base.origin, base.constraint, "f"])
        targets = _copies(by_key[base.target, base.constraint, "r"])
        pairs = [
            *product(origins, there),
            *product(here, targets),
            *product(origins, targets),
        ]
        found += [_seen(base, origin, target) for origin, target in pairs]
    return found


def _copies(keys: Iterable[ViewKey]) -> list[tuple[QualifiedName, tuple[str, ...]]]:
    return [(key.view, columns) for key in keys for columns in product(*key.columns)]


def _seen(
    base: Relationship,
    origin: tuple[QualifiedName | str, tuple[str, ...]],
    target: tuple[QualifiedName | str, tuple[str, ...]],
) -> Relationship:
    origin_name = origin[0] if isinstance(origin[0], QualifiedName) else base.origin
    target_name = target[0] if isinstance(target[0], QualifiedName) else base.target
    return Relationship(
        origin=origin_name,
        target=target_name,
        is_self=origin_name == target_name,
        cardinality=base.cardinality,
        constraint=base.constraint,
        columns=tuple(zip(origin[1], target[1], strict=True)),
        origin_is_view=bool(origin[0]),
        target_is_view=bool(target[0]),
    )


def _many_to_many(
    direct: Iterable[Relationship], tables: Mapping[QualifiedName, Table]
) -> list[Relationship]:
    """Two many-to-one keys of one table, all their columns within its primary key."""
    by_junction: defaultdict[QualifiedName, list[Relationship]] = defaultdict(list)
    for relationship in direct:
        if relationship.cardinality is Cardinality.MANY_TO_ONE:
            by_junction[relationship.origin].append(relationship)
    found: list[Relationship] = []
    for name, keys in by_junction.items():
        table = tables.get(name)
        primary = frozenset(table.primary_key) if table is not None else frozenset[str]()
        inside = [key for key in keys if primary.issuperset(here for here, _ in key.columns)]
        found += [
            _junction(name, left, right)
            for left, right in product(inside, inside)
            if left.constraint != right.constraint
        ]
    return found


def _junction(table: QualifiedName, left: Relationship, right: Relationship) -> Relationship:
    return Relationship(
        origin=left.target,
        target=right.target,
        is_self=left.target == right.target,
        cardinality=Cardinality.MANY_TO_MANY,
        constraint="",
        columns=(),
        junction=Junction(
            table=table,
            origin_constraint=left.constraint,
            target_constraint=right.constraint,
            origin_columns=_swapped(left.columns),
            target_columns=_swapped(right.columns),
        ),
        origin_is_view=left.target_is_view,
        target_is_view=right.target_is_view,
    )


def _inverse(relationship: Relationship) -> Relationship:
    is_single = relationship.cardinality is Cardinality.ONE_TO_ONE
    return Relationship(
        origin=relationship.target,
        target=relationship.origin,
        is_self=relationship.is_self,
        cardinality=Cardinality.ONE_TO_ONE if is_single else Cardinality.ONE_TO_MANY,
        constraint=relationship.constraint,
        columns=_swapped(relationship.columns),
        is_parent=is_single,
        origin_is_view=relationship.target_is_view,
        target_is_view=relationship.origin_is_view,
    )


def _swapped(columns: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((there, here) for here, there in columns)


def _with_computed(detected: Iterable[Relationship], rows: Rows) -> list[AnyRelationship]:
    """Computed relationships replace detected ones to a table of the function's own name."""
    computed: dict[tuple[QualifiedName, QualifiedName], AnyRelationship] = {}
    for row in rows:
        relationship = ComputedRelationship(
            function=QualifiedName(row["schema"], row["name"]),
            origin=QualifiedName(row["origin_schema"], row["origin_name"]),
            target=QualifiedName(row["target_schema"], row["target_name"]),
            single=row["single"],
            is_self=row["is_self"],
        )
        computed[relationship.origin, relationship.function] = relationship
    kept = [one for one in detected if (one.origin, one.target) not in computed]
    return [*kept, *computed.values()]


def _exposed_relationships(
    relationships: Iterable[AnyRelationship], exposed: frozenset[str]
) -> dict[QualifiedName, tuple[AnyRelationship, ...]]:
    """By origin; an origin that only leads to what is hidden is known, with nothing to offer."""
    by_origin: defaultdict[QualifiedName, list[AnyRelationship]] = defaultdict(list)
    junctions = {None, *exposed}
    for one in relationships:
        if one.origin.schema in exposed and one.target.schema in exposed:
            known = by_origin[one.origin]
            if _junction_schema(one) in junctions:
                known.append(one)
    return {name: tuple(sorted(found, key=_order)) for name, found in by_origin.items()}


def _junction_schema(one: AnyRelationship) -> str | None:
    if isinstance(one, ComputedRelationship) or one.junction is None:
        return None
    return one.junction.table.schema


def _order(one: AnyRelationship) -> tuple[Any, ...]:
    if isinstance(one, ComputedRelationship):
        return (1, one.function, one.target)
    junction = (one.junction,) if one.junction is not None else ()
    return (0, one.target, one.is_self, one.cardinality, one.constraint, one.columns, junction)


# ── routines and handlers ──────────────────────────────────────────────────────────────────────


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

"""Relationships: by foreign keys, through views and junctions, and computed ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from compat_base.values import jsontext
from rest_compat.catalog.model import (
    AnyRelationship,
    Cardinality,
    ComputedRelationship,
    Junction,
    Relationship,
    Relationships,
    Table,
)
from rest_compat.catalog.view_keys import Row, Rows, ViewKey
from rest_compat.names import QualifiedName


def find_relationships(
    foreign_keys: Rows,
    computed: Rows,
    tables: Mapping[QualifiedName, Table],
    view_keys: Iterable[ViewKey],
) -> list[AnyRelationship]:
    """Those of foreign keys from both sides, through views and junctions, and computed ones."""
    direct = [_relationship(row) for row in foreign_keys]
    direct += _through_views(direct, view_keys)
    everything = direct + _many_to_many(direct, tables)
    everything += [_inverse(relationship) for relationship in direct]
    return _with_computed(everything, computed)


def _relationship(row: Row) -> Relationship:
    return Relationship(
        origin=QualifiedName(row["schema"], row["name"]),
        target=QualifiedName(row["target_schema"], row["target_name"]),
        is_self=row["is_self"],
        cardinality=Cardinality.ONE_TO_ONE if row["one_to_one"] else Cardinality.MANY_TO_ONE,
        constraint=row["constraint_name"],
        columns=tuple((here, there) for here, there in jsontext.decode(row["columns"])),
    )


def _through_views(
    direct: Iterable[Relationship], view_keys: Iterable[ViewKey]
) -> list[Relationship]:
    """The same keys seen from, to and between views, once for each copy of a column."""
    # Constraints of several tables may have one name, and refer to one table by other columns.
    by_key: defaultdict[tuple[Any, ...], list[ViewKey]] = defaultdict(list)
    for key in view_keys:
        by_key[key.table, key.constraint, key.kind, key.names].append(key)
    found: list[Relationship] = []
    for base in direct:
        own, referred = zip(*base.columns, strict=True)
        here, there = [("", own)], [("", referred)]
        origins = _copies(by_key[base.origin, base.constraint, "f", own])
        targets = _copies(by_key[base.target, base.constraint, "r", referred])
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


def exposed_relationships(
    relationships: Iterable[AnyRelationship], exposed: frozenset[str]
) -> Relationships:
    """By origin and schema; the list is empty where all targets or junctions are hidden."""
    by_ends: defaultdict[tuple[QualifiedName, str], list[AnyRelationship]] = defaultdict(list)
    junctions = {None, *exposed}
    for one in relationships:
        if one.origin.schema in exposed:
            known = by_ends[one.origin, one.schema]
            if one.target.schema in exposed and _junction_schema(one) in junctions:
                known.append(one)
    return {ends: tuple(sorted(found, key=_order)) for ends, found in by_ends.items()}


def _junction_schema(one: AnyRelationship) -> str | None:
    if isinstance(one, ComputedRelationship) or one.junction is None:
        return None
    return one.junction.table.schema


def _order(one: AnyRelationship) -> tuple[Any, ...]:
    if isinstance(one, ComputedRelationship):
        return (1, one.function, one.target)
    junction = (one.junction,) if one.junction is not None else ()
    return (0, one.target, one.is_self, one.cardinality, one.constraint, one.columns, junction)

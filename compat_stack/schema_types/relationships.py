"""Foreign keys of a relation: to tables, and to and from the views that show their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compat_stack.schema_types.model import ForeignKey, Relation, Schemas, collated
from compat_stack.schema_types.names import quoted


def relationships_text(schemas: Schemas, relation: Relation) -> list[str]:
    """An entry for each relation of the same schema that a foreign key leads to."""
    found = [
        (key.name, other.name, _entry(key, own, other, theirs))
        for key in schemas.keys
        if (own := _shown(relation, key.relation, key.columns)) is not None
        for other in schemas.relations
        if other.schema == relation.schema
        and (theirs := _shown(other, key.referenced, key.referenced_columns)) is not None
    ]
    return [
        text
        for _, _, text in sorted(found, key=lambda entry: (collated(entry[0]), collated(entry[1])))
    ]


def _shown(relation: Relation, table: int, numbers: Sequence[int]) -> list[str] | None:
    """The names under which a relation shows a table's columns; None where one is missing."""
    names: Mapping[int, str] = {column.number: column.name for column in relation.columns}
    if relation.oid == table:
        return [names[number] for number in numbers]
    by_origin = {origin: names[own] for own, origin in relation.origins.items() if own in names}
    shown = [by_origin.get((table, number)) for number in numbers]
    return [name for name in shown if name is not None] if all(shown) else None


def _entry(key: ForeignKey, own: Sequence[str], other: Relation, theirs: Sequence[str]) -> str:
    return (
        "{\n"
        f"      foreignKeyName: {quoted(key.name)}\n"
        f"      columns: [{','.join(map(quoted, own))}]\n"
        f"isOneToOne: {str(key.is_one_to_one).lower()}\n"
        f"      referencedRelation: {quoted(other.name)}\n"
        f"      referencedColumns: [{','.join(map(quoted, theirs))}]\n"
        "    }"
    )

"""Foreign keys of a relation: to tables, and to and from the views that show their columns."""

from __future__ import annotations

from compat_stack.schema_types.collation import SortKey, collated
from compat_stack.schema_types.model import Key, Relation, Schemas
from compat_stack.schema_types.names import quoted


def relationships_text(schemas: Schemas, relation: Relation) -> list[str]:
    """An entry for each relation of the same schema that a foreign key leads to."""
    found = [
        key
        for key in schemas.keys
        if (key.source.schema, key.source.relation) == (relation.schema, relation.name)
        and key.target.schema == relation.schema
    ]
    return [_entry(key) for key in sorted(found, key=_order)]


def _order(key: Key) -> tuple[SortKey, ...]:
    columns = (_columns(side.columns) for side in (key.target, key.source))
    return tuple(map(collated, (key.name, key.target.relation, *columns)))


def _columns(names: tuple[str, ...]) -> str:
    return f"[{','.join(map(quoted, names))}]"


def _entry(key: Key) -> str:
    return (
        "{\n"
        f"      foreignKeyName: {quoted(key.name)}\n"
        f"      columns: {_columns(key.source.columns)}\n"
        f"isOneToOne: {str(key.is_one_to_one).lower()}\n"
        f"      referencedRelation: {quoted(key.target.relation)}\n"
        f"      referencedColumns: {_columns(key.target.columns)}\n"
        "    }"
    )

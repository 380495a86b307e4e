"""How each embed appears in its parent's row: as object, array, spread columns, or not at all.

A level that selects more than PostgreSQL can is refused in its words before it is planned further:
the columns of a spread are selected once more at each level above it.
"""

from __future__ import annotations

from dataclasses import replace

from compat_base.values.errors import ApiError
from rest_compat.errors import MOST_COLUMNS, TOO_MANY_COLUMNS
from rest_compat.plan.read_tree import Part, PartKind, ReadNode, Spread, SpreadColumn


def add_parts(node: ReadNode) -> ReadNode:
    """Give a node, and everything below it, the parts of its children.

    Raises ApiError for a level of more than `MOST_COLUMNS`.
    """
    children = tuple(map(add_parts, node.children))
    parts = tuple(map(_part, children))
    if len(node.columns) + sum(map(_width, parts)) > MOST_COLUMNS:
        raise ApiError.of(TOO_MANY_COLUMNS, most=MOST_COLUMNS)
    return replace(node, children=children, parts=parts)


def _width(part: Part) -> int:
    """The columns of a part in its parent's SELECT."""
    if part.kind in {PartKind.SPREAD, PartKind.SPREAD_ARRAYS}:
        return len(part.columns)
    return 0 if part.hidden else 1


def _part(child: ReadNode) -> Part:
    name, alias = child.output_name(), child.part_alias
    if child.spread is not None:
        kind = PartKind.SPREAD if child.spread is Spread.ONE else PartKind.SPREAD_ARRAYS
        return Part(kind, alias, name, columns=_spread_columns(child))
    kind = PartKind.OBJECT if child.to_one else PartKind.ARRAY
    return Part(kind, alias, name, hidden=_selects_nothing(child))


def _selects_nothing(node: ReadNode) -> bool:
    return not node.columns and all(map(_selects_nothing, node.children))


def _spread_columns(node: ReadNode) -> tuple[SpreadColumn, ...]:
    own = [SpreadColumn(column.alias or column.field.name) for column in node.columns]
    for part in node.parts:
        if part.kind in {PartKind.OBJECT, PartKind.ARRAY}:
            own.append(SpreadColumn(part.name))
        else:
            own.extend(part.columns)
    return tuple(own)

"""How each embed appears in its parent's row: as object, array, spread columns, or not at all."""

from __future__ import annotations

from dataclasses import replace

from rest_compat.plan.read_tree import Part, PartKind, ReadNode, Spread, SpreadColumn


def add_parts(node: ReadNode) -> ReadNode:
    """Give a node, and everything below it, the parts of its children."""
    children = tuple(map(add_parts, node.children))
    return replace(node, children=children, parts=tuple(map(_part, children)))


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

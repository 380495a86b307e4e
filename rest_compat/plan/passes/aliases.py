"""Output names that SQL would not give by itself: JSON paths, casts, aggregates in spreads."""

from __future__ import annotations

from dataclasses import replace

from rest_compat.plan.read_tree import Field, ReadNode, SelectedColumn


def add_aliases(node: ReadNode) -> ReadNode:
    """Name the columns of a node and of everything below it; the request's aliases stay."""
    is_spread = node.spread is not None
    return replace(
        node,
        columns=tuple(_named(column, is_spread=is_spread) for column in node.columns),
        children=tuple(map(add_aliases, node.children)),
    )


def _named(column: SelectedColumn, *, is_spread: bool) -> SelectedColumn:
    if column.alias is not None:
        return column
    if column.aggregate is not None:
        return replace(column, alias=column.aggregate.value) if is_spread else column
    if column.field.path:
        return replace(column, alias=_path_name(column.field))
    if column.field.transform is not None:
        return replace(column, alias=column.field.name)
    return column


def _path_name(field: Field) -> str:
    """The last key of a path; for `data->3` the column's own name."""
    keys = [step.key for step in field.path if not step.is_index]
    return keys[-1] if keys else field.name

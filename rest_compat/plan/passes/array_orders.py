"""The order inside the arrays of to-many spreads.

Arrays are made by aggregates, which order by themselves; so the order moves there, and its
columns are selected below under names of their own.
"""

from __future__ import annotations

from dataclasses import replace

from compat_base.values.errors import ApiError
from rest_compat.errors import NOT_IMPLEMENTED
from rest_compat.plan.read_tree import ExtraColumn, Field, Order, ReadNode, SelectedColumn, Spread


def move_array_orders(node: ReadNode) -> ReadNode:
    """Move the orders of to-many spreads; aggregates inside them are refused."""
    children = tuple(map(move_array_orders, node.children))
    if node.spread is not Spread.MANY:
        return replace(node, children=children)
    lifted = [column for part in node.parts for column in part.columns]
    if any(column.aggregate is not None for column in (*node.columns, *lifted)):
        details = "Aggregates are not implemented for one-to-many or many-to-many spreads."
        raise ApiError(NOT_IMPLEMENTED.problem(details=details))
    names = [
        f"{node.part_alias}_{order.field.name}_{place}"
        for place, order in enumerate(node.orders, 1)
    ]
    return replace(
        node,
        orders=(),
        extra_columns=tuple(map(_extra, node.orders, names)),
        array_orders=tuple(map(_by_name, node.orders, names)),
        children=children,
    )


def _extra(order: Order, name: str) -> ExtraColumn:
    return ExtraColumn(SelectedColumn(order.field, alias=name), order.part)


def _by_name(order: Order, name: str) -> Order:
    return Order(Field(name), order.descending, order.nulls_first)

"""Orders that look into to-one embeds: `order=dept(name).desc` (rest reference 2.7)."""

from __future__ import annotations

from dataclasses import replace

from compat_base.values.errors import ApiError
from rest_compat.errors import NOT_EMBEDDED, RELATED_ORDER
from rest_compat.plan.read_tree import FromTable, Order, ReadNode


def resolve_related_orders(node: ReadNode) -> ReadNode:
    """Point such orders at the embed's name in SQL; RELATED_ORDER where it holds many rows."""
    return replace(
        node,
        orders=tuple(_resolved(order, node) for order in node.orders),
        children=tuple(map(resolve_related_orders, node.children)),
    )


def _resolved(order: Order, node: ReadNode) -> Order:
    if order.part is None:
        return order
    found = next((one for one in node.children if one.output_name() == order.part), None)
    if found is None:
        raise ApiError.of(NOT_EMBEDDED, name=order.part)
    if not found.to_one:
        source = node.source
        origin = source.table if isinstance(source, FromTable) else node.relation
        raise ApiError.of(RELATED_ORDER, origin=origin.name, target=order.part)
    return replace(order, part=found.part_alias)

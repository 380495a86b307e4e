"""`*` written out as columns where single columns matter.

That is under an aggregate, in a to-many spread, and where a column is sent through a cast.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rest_compat.api_request.model import Aggregate
from rest_compat.catalog.model import SchemaCache
from rest_compat.plan.fields import Resolver
from rest_compat.plan.read_tree import ReadNode, SelectedColumn, Spread


def expand_stars(node: ReadNode, cache: SchemaCache, *, grouped: bool = False) -> ReadNode:
    """Expand the stars of a node and of everything below it."""
    is_grouped = (
        grouped
        or node.spread is Spread.MANY
        or any(column.aggregate is not None for column in node.columns)
    )
    resolver = Resolver(cache, node.relation)
    children = tuple(expand_stars(child, cache, grouped=is_grouped) for child in node.children)
    if not any(map(_is_star, node.columns)) or not (is_grouped or resolver.has_formats()):
        return replace(node, children=children)
    columns = tuple(_expanded(node.columns, resolver, is_spread=node.spread is not None))
    return replace(node, columns=columns, children=children)


def _is_star(column: SelectedColumn) -> bool:
    return column.field.name == "*"


def _expanded(
    columns: Iterable[SelectedColumn], resolver: Resolver, *, is_spread: bool
) -> Iterable[SelectedColumn]:
    for column in columns:
        if _is_star(column) and column.aggregate is None:
            yield from (
                replace(column, field=resolver.output_column(one)) for one in resolver.columns()
            )
        elif _is_star(column) and is_spread and column.aggregate is Aggregate.COUNT:
            yield replace(column, field=replace(column.field, whole_row=True))
        else:
            yield column

"""Aggregates: whether they are allowed, and where those of to-one spreads are computed.

The columns of a to-one spread belong to the parent's row, so an aggregate there is taken over
the parent's groups: it is lifted, spread by spread, to the nearest level that is not spread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from compat_base.values.errors import ApiError
from rest_compat.errors import AGGREGATES
from rest_compat.plan.read_tree import (
    Part,
    PartKind,
    ReadNode,
    SelectedColumn,
    Spread,
    SpreadColumn,
)

_Lifted = Mapping[tuple[str, str], SelectedColumn]


def check_aggregates(node: ReadNode) -> None:
    """Refuse any aggregate in the tree."""
    if any(column.aggregate is not None for column in node.columns):
        raise ApiError.of(AGGREGATES)
    for child in node.children:
        check_aggregates(child)


def lift_aggregates(root: ReadNode) -> ReadNode:
    """Move the aggregates of to-one spreads up to where they are computed."""
    lifted, _ = _lift(root)
    return lifted


def _lift(node: ReadNode) -> tuple[ReadNode, _Lifted]:
    results = [_lift(child) for child in node.children]
    below = {key: column for _, lifted in results for key, column in lifted.items()}
    node = replace(node, children=tuple(child for child, _ in results))
    if node.spread is not Spread.ONE:
        return replace(node, parts=tuple(_applied(part, below) for part in node.parts)), {}
    own = {
        (node.part_alias, column.alias or column.field.name): column
        for column in node.columns
        if column.aggregate is not None
    }
    passed_on = {(node.part_alias, name): column for (_, name), column in below.items()}
    plain = tuple(replace(one, aggregate=None, aggregate_cast=None) for one in node.columns)
    return replace(node, columns=plain), own | passed_on


def _applied(part: Part, lifted: _Lifted) -> Part:
    if part.kind in {PartKind.OBJECT, PartKind.ARRAY}:
        return part
    columns = tuple(
        _aggregated(column, lifted.get((part.alias, column.name))) for column in part.columns
    )
    return replace(part, columns=columns)


def _aggregated(column: SpreadColumn, lifted: SelectedColumn | None) -> SpreadColumn:
    if lifted is None:
        return column
    return replace(
        column,
        aggregate=lifted.aggregate,
        aggregate_cast=lifted.aggregate_cast,
        alias=lifted.alias,
    )

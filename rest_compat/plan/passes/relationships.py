"""Each embed's link to its parent: the relationship, the joins, and the names used in SQL.

An embed at depth n is `<table>_<n>` in SQL and the lateral query around it is
`<parent table>_<alias or name>_<n>`: error messages and query plans show these names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rest_compat.catalog.model import (
    AnyRelationship,
    ComputedRelationship,
    Junction,
    Relationship,
    SchemaCache,
)
from rest_compat.names import QualifiedName
from rest_compat.plan.fields import Resolver
from rest_compat.plan.lookup import EmbedTarget, get_relationship
from rest_compat.plan.passes.tree import Branch
from rest_compat.plan.read_tree import (
    SOURCE_NAME,
    FromFunction,
    FromTable,
    JoinPair,
    ReadNode,
    SelectedColumn,
    Spread,
)


def link(
    branch: Branch, cache: SchemaCache, relation: QualifiedName, *, from_source: bool
) -> ReadNode:
    """Link the tree from its root; `from_source`: its rows are those of the write or call."""
    source = FromTable(SOURCE_NAME, alias=relation.name) if from_source else FromTable(relation)
    resolver = Resolver(cache, relation)
    root = _resolved(ReadNode(relation, source, branch.name), branch, resolver, resolver)
    return replace(root, children=_linked(branch.children, root, resolver))


def _linked(branches: Iterable[Branch], parent: ReadNode, root: Resolver) -> tuple[ReadNode, ...]:
    nodes: list[ReadNode] = []
    for branch in branches:
        target = EmbedTarget(parent.relation, branch.name, branch.hint)
        found = get_relationship(root.cache, target)
        own = Resolver(root.cache, QualifiedName(root.relation.schema, branch.name))
        node = _resolved(_node(branch, parent, found), branch, own, root)
        nodes.append(replace(node, children=_linked(branch.children, node, root)))
    return tuple(nodes)


def _node(branch: Branch, parent: ReadNode, found: AnyRelationship) -> ReadNode:
    depth = parent.depth + 1
    alias = f"{found.target.name}_{depth}"
    node = ReadNode(
        relation=found.target,
        source=FromTable(found.target, alias),
        name=branch.name,
        depth=depth,
        alias=branch.alias,
        hint=branch.hint,
        join=branch.join,
        spread=_spread(branch, found),
        to_one=found.to_one(),
        part_alias=f"{found.origin.name}_{branch.alias or branch.name}_{depth}",
        used_old_name=branch.used_old_name,
    )
    if isinstance(found, ComputedRelationship):
        argument = parent.source.alias or found.origin.name
        source = FromFunction(found.function, argument, found.origin, alias)
        return replace(node, source=source, computed=True)
    if found.junction is not None:
        return _through(node, parent, found.junction)
    return replace(
        node,
        joins=_pairs(parent.source.name(), node.source.name(), found),
        origin_columns=tuple(here for here, _ in found.columns),
    )


def _spread(branch: Branch, found: AnyRelationship) -> Spread | None:
    if not branch.is_spread:
        return None
    return Spread.ONE if found.to_one() else Spread.MANY


def _pairs(
    parent: QualifiedName, child: QualifiedName, found: Relationship
) -> tuple[JoinPair, ...]:
    return tuple(JoinPair(child, there, parent, here) for here, there in found.columns)


def _through(node: ReadNode, parent: ReadNode, junction: Junction) -> ReadNode:
    """Join over a junction; the target keeps its own name there."""
    target, table = node.relation, junction.table
    to_target = [JoinPair(table, there, target, here) for here, there in junction.target_columns]
    to_origin = [
        JoinPair(table, there, parent.source.name(), here)
        for here, there in junction.origin_columns
    ]
    return replace(
        node,
        source=FromTable(target, junction=table),
        joins=(*to_target, *to_origin),
        origin_columns=tuple(here for here, _ in junction.origin_columns),
    )


def _resolved(node: ReadNode, branch: Branch, own: Resolver, root: Resolver) -> ReadNode:
    """The branch's fields, conditions and orders, with the types of their columns.

    As in the original, columns are looked up in the relation of the embed's name, and for orders in
    the root's. An embed named by a column finds no types, so its JSON paths get a conversion.
    """
    return replace(
        node,
        columns=tuple(
            SelectedColumn(
                own.output(one.field), one.alias, one.cast, one.aggregate, one.aggregate_cast
            )
            for one in branch.fields
        ),
        conditions=tuple(own.condition(one) for one in branch.filters),
        orders=tuple(root.order(one) for one in branch.orders),
        window=branch.window,
    )

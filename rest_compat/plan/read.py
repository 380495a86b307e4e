"""The read plan: the passes in order."""

from __future__ import annotations

from dataclasses import dataclass

from rest_compat.api_request.model import ApiRequest, RelationAction, Verb
from rest_compat.catalog.model import SchemaCache
from rest_compat.names import QualifiedName
from rest_compat.plan.passes.aggregates import check_aggregates, lift_aggregates
from rest_compat.plan.passes.aliases import add_aliases
from rest_compat.plan.passes.array_orders import move_array_orders
from rest_compat.plan.passes.limits import cap_windows
from rest_compat.plan.passes.null_embeds import resolve_null_embeds
from rest_compat.plan.passes.parts import add_parts
from rest_compat.plan.passes.related_orders import resolve_related_orders
from rest_compat.plan.passes.relationships import link
from rest_compat.plan.passes.stars import expand_stars
from rest_compat.plan.passes.tree import make_tree
from rest_compat.plan.read_tree import ReadNode


@dataclass(frozen=True, slots=True)
class PlanRules:
    """The settings that plans depend on."""

    max_rows: int | None = None
    aggregates: bool = False
    old_names: bool = True
    plans: bool = False
    tx_rollback: bool = False
    allow_transaction: bool = False


def make_read(
    api: ApiRequest, cache: SchemaCache, relation: QualifiedName, rules: PlanRules
) -> ReadNode:
    """Plan the returned rows: of a read, or a write's or call's representation."""
    action = api.action
    is_read = isinstance(action, RelationAction) and action.verb is Verb.READ
    is_write = isinstance(action, RelationAction) and not is_read
    tree = make_tree(api, relation.name, old_names=rules.old_names)
    node = link(tree, cache, relation, from_source=not is_read)
    node = expand_stars(node, cache)
    node = add_aliases(node)
    node = resolve_related_orders(node)
    node = resolve_null_embeds(node)
    node = add_parts(node)
    if not rules.aggregates:
        check_aggregates(node)
    node = lift_aggregates(node)
    node = move_array_orders(node)
    return node if is_write else cap_windows(node, rules.max_rows)


def warnings_of(node: ReadNode) -> tuple[tuple[str, str], ...]:
    """The embeds addressed by their old names: pairs of that and the name to use."""
    own = ((node.name, node.alias),) if node.used_old_name and node.alias is not None else ()
    return (*own, *(pair for child in node.children for pair in warnings_of(child)))


def selects_everything(node: ReadNode) -> bool:
    """Whether select is a plain `*` without embeds."""
    return not node.children and [column.field.name for column in node.columns] == ["*"]


def needed_columns(node: ReadNode, primary_key: tuple[str, ...]) -> tuple[str, ...]:
    """The columns a write or call must return for the outer query to succeed."""
    names = {column.field.name for column in node.columns}
    if "*" in names or any(child.computed for child in node.children):
        return ("*",)
    linked = {column for child in node.children for column in child.origin_columns}
    return tuple(sorted(names | linked | set(primary_key)))

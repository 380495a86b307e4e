"""`embed=is.null` as a condition on the embed's presence (rest reference 2.5.3)."""

from __future__ import annotations

from dataclasses import replace

from rest_compat.api_request.model import Is
from rest_compat.plan.read_tree import Comparison, Condition, EmbedIsNull, Group, ReadNode


def resolve_null_embeds(node: ReadNode) -> ReadNode:
    """Turn such filters of a node and of everything below it."""
    names = {child.output_name(): child.part_alias for child in reversed(node.children)}
    return replace(
        node,
        conditions=tuple(_resolved(condition, names) for condition in node.conditions),
        children=tuple(map(resolve_null_embeds, node.children)),
    )


def _resolved(condition: Condition, names: dict[str, str]) -> Condition:
    match condition:
        case Group():
            members = tuple(_resolved(member, names) for member in condition.members)
            return replace(condition, members=members)
        case Comparison(field, negated, Is("null")) if field.name in names and not field.path:
            return EmbedIsNull(names[field.name], negated)
        case _:
            return condition

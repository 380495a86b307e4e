"""The request's select items, filters, orders and windows as a tree of nodes to be linked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import TypeVar

from compat_base.values.errors import ApiError
from rest_compat.api_request.model import (
    ApiRequest,
    Join,
    LogicTree,
    OrderText,
    Path,
    RelationAction,
    SelectEmbed,
    SelectField,
    SelectItem,
    Verb,
)
from rest_compat.errors import NOT_EMBEDDED
from rest_compat.http.ranges import ALL, Window

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Branch:
    """One level of the request, with the names that the request uses."""

    name: str
    alias: str | None = None
    hint: str | None = None
    join: Join | None = None
    is_spread: bool = False
    fields: tuple[SelectField, ...] = ()
    filters: tuple[LogicTree, ...] = ()
    orders: tuple[OrderText, ...] = ()
    window: Window = ALL
    used_old_name: bool = False
    children: tuple[Branch, ...] = ()


def make_tree(api: ApiRequest, name: str, *, old_names: bool) -> Branch:
    """Build the tree; attach each filter, order and window to the level that its path names.

    Directives of a kind are attached from the last to the first, so that the first of two orders
    counts, and an embed that one leads to goes before its siblings: where a relation is embedded
    twice, its name means the one addressed last (test_rest_directives).

    Raises NOT_EMBEDDED for a path to something not selected. `old_names`: an embed with an alias
    may still be addressed by its relation's name.
    """
    is_write = isinstance(api.action, RelationAction) and api.action.verb is not Verb.READ
    parameters = api.parameters
    tree = Branch(name, fields=_fields(parameters.select), children=_children(parameters.select))
    builder = _TreeBuilder(old_names=old_names)
    tree = builder.all(tree, _below(parameters.filters, skip_root=is_write), _filtered)
    tree = builder.all(
        tree, parameters.orders, lambda node, orders: replace(node, orders=orders[0])
    )
    if not is_write:
        tree = builder.all(
            tree, parameters.windows, lambda node, windows: replace(node, window=windows[0])
        )
    return builder.all(tree, _below(parameters.logic, skip_root=is_write), _filtered)


def _filtered(node: Branch, conditions: Sequence[LogicTree]) -> Branch:
    return replace(node, filters=(*conditions, *node.filters))


def _below(
    directives: Iterable[tuple[Path, LogicTree]], *, skip_root: bool
) -> Iterable[tuple[Path, LogicTree]]:
    """The conditions that shape what is returned: a write's own are applied by the write."""
    return [(path, one) for path, one in directives if path or not skip_root]


def _fields(items: Iterable[SelectItem]) -> tuple[SelectField, ...]:
    return tuple(item for item in items if isinstance(item, SelectField))


def _children(items: Iterable[SelectItem]) -> tuple[Branch, ...]:
    return tuple(_branch(item) for item in items if isinstance(item, SelectEmbed))


def _branch(item: SelectEmbed) -> Branch:
    return Branch(
        name=item.name,
        alias=item.alias,
        hint=item.hint,
        join=item.join,
        is_spread=item.is_spread,
        fields=_fields(item.items),
        children=_children(item.items),
    )


@dataclass(frozen=True, slots=True)
class _TreeBuilder:
    old_names: bool

    def all(
        self,
        tree: Branch,
        directives: Iterable[tuple[Path, T]],
        attach: Callable[[Branch, Sequence[T]], Branch],
    ) -> Branch:
        # Consecutive directives of one level are attached together: there may be thousands.
        runs = [
            (path, [value for _, value in run])
            for path, run in groupby(directives, key=itemgetter(0))
        ]
        for path, values in reversed(runs):
            tree = self._at(tree, path, lambda node, values=values: attach(node, values))
        return tree

    def _at(self, node: Branch, path: Path, change: Callable[[Branch], Branch]) -> Branch:
        if not path:
            return change(node)
        place = self._place(node, path[0])
        child = node.children[place]
        if child.alias is not None and path[0] != child.alias:
            child = replace(child, used_old_name=True)
        others = node.children[:place] + node.children[place + 1 :]
        return replace(node, children=(self._at(child, path[1:], change), *others))

    def _place(self, node: Branch, name: str) -> int:
        for place, child in enumerate(node.children):
            if name == (child.alias or child.name) or (self.old_names and name == child.name):
                return place
        raise _not_embedded(node, name)


def _not_embedded(node: Branch, name: str) -> ApiError:
    renamed = next((one.alias for one in node.children if one.name == name), None)
    if renamed is None:
        return ApiError.of(NOT_EMBEDDED, name=name)
    return ApiError(
        NOT_EMBEDDED.problem(
            name=name,
            details="Target names are not allowed in filters if they have an alias",
            hint=f"Change '{name}' to '{renamed}' in filters, orders or limits.",
        )
    )

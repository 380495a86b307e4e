"""Columns of views that are never null: those of tables that are not, shown as they are.

As the Supabase CLI finds them: not behind an outer join, in no union and no grouping sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from compat_stack.schema_types.node_tree import (
    BrokenTreeError,
    Value,
    items,
    node,
    number,
    read_tree,
)

Place: TypeAlias = tuple[int, int]
"""A column: its relation's oid, and its number."""

Query: TypeAlias = "Mapping[str, Value]"
# Kinds of entries of a range table
_RELATION, _SUBQUERY, _WITH = 0, 1, 6
_LISTS = {2: "joinaliasvars", 9: "groupexprs"}  # of those that list what their columns show
_INNER, _LEFT, _RIGHT = 0, 1, 3  # kinds of joins


def required_columns(definitions: Mapping[int, str], required: AbstractSet[Place]) -> set[Place]:
    """The columns of views that are never null; `required` are those of tables.

    `definitions` are printed trees of the views, and of the views that these read.
    """
    reader = _Views(definitions, required)
    return {(view, column) for view in definitions for column in reader.columns(view)}


class _Views:
    """The required columns of each view, found once."""

    def __init__(self, definitions: Mapping[int, str], required: AbstractSet[Place]) -> None:
        self._definitions = definitions
        self._required = required
        self._found: dict[int, set[int]] = {}

    def columns(self, view: int) -> set[int]:
        """The numbers of a view's required columns."""
        if view not in self._found:
            self._found[view] = set()  # a view that reads itself
            try:
                tree = items(read_tree(self._definitions[view]))
            except BrokenTreeError:
                tree = []
            if tree and (query := node(tree[0], "QUERY")):
                columns = (number(entry.get("resno")) for entry in _entries(query))
                self._found[view] = {
                    column for column in columns if _gives(query, column, [], self._is_required)
                }
        return self._found[view]

    def _is_required(self, place: Place) -> bool:
        view, column = place
        return (
            column in self.columns(view) if view in self._definitions else place in self._required
        )


def _entries(query: Query) -> Iterator[Query]:
    """The columns of a query's result."""
    for each in items(query.get("targetList")):
        entry = node(each, "TARGETENTRY")
        if entry is not None and entry.get("resjunk") != "true":
            yield entry


def _gives(
    query: Query, column: int, outer: Sequence[Query], is_required: Callable[[Place], bool]
) -> bool:
    """Whether a column of a query within others is never null."""
    if query.get("setOperations") is not None or items(query.get("groupingSets")):
        return False
    return any(
        number(entry.get("resno")) == column
        and _is_never_null(entry.get("expr"), [*outer, query], is_required)
        for entry in _entries(query)
    )


def _is_never_null(
    value: Value, queries: Sequence[Query], is_required: Callable[[Place], bool]
) -> bool:
    """Whether an expression of the innermost query is a column that is never null."""
    variable, query = node(value, "VAR"), queries[-1]
    if not variable or variable.get("varlevelsup") != "0":
        return False
    place, column = number(variable.get("varno")), number(variable.get("varattno"))
    entry = _item(query.get("rtable"), place, "RANGETBLENTRY")
    if entry is None or column < 1 or place in _nullable(query.get("jointree"), is_null=False):
        return False
    kind = number(entry.get("rtekind"))
    if kind == _RELATION:
        return is_required((number(entry.get("relid")), column))
    if kind == _SUBQUERY:
        inner = node(entry.get("subquery"), "QUERY")
        return inner is not None and _gives(inner, column, queries, is_required)
    if kind in _LISTS:
        shown = items(entry.get(_LISTS[kind]))
        return column <= len(shown) and _is_never_null(shown[column - 1], queries, is_required)
    return kind == _WITH and _is_required_with(entry, column, queries, is_required)


def _is_required_with(
    entry: Query, column: int, queries: Sequence[Query], is_required: Callable[[Place], bool]
) -> bool:
    """Whether a column of what stands in a `with` is required."""
    level = len(queries) - number(entry.get("ctelevelsup"))
    for each in items(queries[level - 1].get("cteList")) if 1 <= level <= len(queries) else ():
        table = node(each, "COMMONTABLEEXPR")
        if table and table.get("ctename") == entry.get("ctename"):
            query = node(table.get("ctequery"), "QUERY")
            if query is None or table.get("cterecursive") == "true":
                return False
            return _gives(query, column, queries[:level], is_required)
    return False


def _nullable(tree: Value, *, is_null: bool) -> set[int]:
    """The entries of a range table whose rows an outer join may leave out."""
    if (table := node(tree, "RANGETBLREF")) is not None:
        return {number(table.get("rtindex"))} if is_null else set()
    if (listed := node(tree, "FROMEXPR")) is not None:
        each = (_nullable(one, is_null=is_null) for one in items(listed.get("fromlist")))
        return set[int]().union(*each)
    if (join := node(tree, "JOINEXPR")) is not None:
        kind = number(join.get("jointype"))
        return (
            ({number(join.get("rtindex"))} if is_null else set[int]())
            | _nullable(join.get("larg"), is_null=is_null or kind not in {_INNER, _LEFT})
            | _nullable(join.get("rarg"), is_null=is_null or kind not in {_INNER, _RIGHT})
        )
    return set()


def _item(listed: Value, place: int, type_: str) -> Query | None:
    found = items(listed)
    return node(found[place - 1], type_) if 1 <= place <= len(found) else None

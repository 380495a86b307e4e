"""The statement of a read: nested lateral queries, one per embed."""

from __future__ import annotations

from collections.abc import Iterable

from compat_base.values.sqltext import EMPTY, Sql, ident, join, raw
from rest_compat.api_request.model import Join
from rest_compat.names import QualifiedName
from rest_compat.plan.read_tree import (
    Column,
    Comparison,
    Condition,
    EmbedIsNull,
    FromFunction,
    FromTable,
    Group,
    Part,
    PartKind,
    ReadNode,
    SpreadColumn,
)
from rest_compat.query.fragments import (
    aggregated,
    all_of,
    as_alias,
    comma_list,
    condition_sql,
    field_sql,
    group_sql,
    join_pair_sql,
    order_sql,
    selected,
    window_sql,
)


def read_sql(node: ReadNode) -> Sql:
    """`SELECT …` of a node with everything below it."""
    table = node.source.name()
    joins = join("", (_join(part, child) for part, child in _pairs(node)))
    conditions = [condition_sql(table, condition) for condition in node.conditions]
    return (
        raw("SELECT ")
        + comma_list(_selected(node, table))
        + from_sql(node)
        + joins
        + all_of([*conditions, *map(join_pair_sql, node.joins)])
        + _group_by(node, table)
        + order_sql(table, node.orders)
        + window_sql(node.window)
    )


def count_sql(node: ReadNode) -> Sql:
    """One row per row of the root before its window; inner embeds become EXISTS."""
    table = node.source.name()
    conditions = [_counted(node, table, condition) for condition in node.conditions]
    exists = [
        raw("EXISTS (") + count_sql(child) + raw(" )")
        for child in node.children
        if child.join is Join.INNER
    ]
    clauses = all_of([*conditions, *map(join_pair_sql, node.joins), *exists])
    return raw("SELECT 1 ") + from_sql(node) + clauses


def from_sql(node: ReadNode) -> Sql:
    """The FROM clause of a node: a relation, perhaps with its junction, or a function."""
    match node.source:
        case FromFunction(function, argument, argument_type, alias):
            row = ident(argument) + raw("::") + argument_type.sql()
            return raw(" FROM ") + function.sql() + raw("(") + row + raw(")") + as_alias(alias)
        case FromTable(table, alias, junction):
            beside = EMPTY if junction is None else raw(", ") + junction.sql()
            return raw(" FROM ") + table.sql() + as_alias(alias) + beside


def _pairs(node: ReadNode) -> Iterable[tuple[Part, ReadNode]]:
    return zip(node.parts, node.children, strict=True)


def _selected(node: ReadNode, table: QualifiedName) -> list[Sql]:
    if not node.columns and not node.children:
        # An empty selection: all columns, left out where the rows are put together.
        own = [table.sql() + raw(".*")]
    else:
        own = [selected(table, column) for column in node.columns]
    for extra in node.extra_columns:
        scope = table if extra.part is None else QualifiedName("", extra.part)
        own.append(selected(scope, extra.column))
    return [*own, *(piece for part in node.parts for piece in _part_columns(part))]


def _part_columns(part: Part) -> list[Sql]:
    alias = ident(part.alias)
    match part.kind:
        case PartKind.SPREAD | PartKind.SPREAD_ARRAYS:
            return [_spread_column(part.alias, column) for column in part.columns]
        case _ if part.hidden:
            return []
        case PartKind.OBJECT:
            return [raw("row_to_json(") + alias + raw(".*)::jsonb") + as_alias(part.name)]
        case PartKind.ARRAY:
            array = alias + raw(".") + alias
            return [raw("COALESCE( ") + array + raw(", '[]')") + as_alias(part.name)]


def _spread_column(alias: str, column: SpreadColumn) -> Sql:
    value = _part_column(alias, column.name)
    return aggregated(value, column.aggregate, column.aggregate_cast) + as_alias(column.alias)


def _part_column(alias: str, name: str) -> Sql:
    return ident(alias) + (raw(".*") if name == "*" else raw(".") + ident(name))


def _join(part: Part, child: ReadNode) -> Sql:
    alias = ident(part.alias)
    inner = child.join is Join.INNER
    rows = read_sql(child)
    if part.kind in {PartKind.ARRAY, PartKind.SPREAD_ARRAYS}:
        arrays = [raw("json_agg(") + alias + raw(")::jsonb") + as_alias(part.alias)]
        if part.kind is PartKind.SPREAD_ARRAYS:
            arrays += [_array_column(part.alias, column, child) for column in part.columns]
        rows = (
            raw("SELECT ")
            + comma_list(arrays)
            + raw(" FROM (")
            + rows
            + raw(" )")
            + as_alias(part.alias)
        )
        met = alias + raw(" IS NOT NULL") if inner else raw("TRUE")
    else:
        met = raw("TRUE")
    kind = raw(" INNER") if inner else raw(" LEFT")
    return kind + raw(" JOIN LATERAL ( ") + rows + raw(" ) AS ") + alias + raw(" ON ") + met


def _array_column(alias: str, column: SpreadColumn, child: ReadNode) -> Sql:
    value = _part_column(alias, column.name)
    ordered = value + order_sql(QualifiedName("", alias), child.array_orders)
    name = column.alias or column.name
    return raw("COALESCE(json_agg(") + ordered + raw("),'[]')::jsonb") + as_alias(name)


def _group_by(node: ReadNode, table: QualifiedName) -> Sql:
    """Everything that is not aggregated, where anything is."""
    lifted = [column for part in node.parts for column in part.columns]
    if not any(column.aggregate is not None for column in (*node.columns, *lifted)):
        return EMPTY
    terms = [_group_term(table, column) for column in node.columns if column.aggregate is None]
    for part in node.parts:
        if part.kind in {PartKind.OBJECT, PartKind.ARRAY}:
            terms.append(ident(part.name))
        else:
            terms += [
                ident(part.alias) + raw(".") + ident(column.alias or column.name)
                for column in part.columns
                if column.aggregate is None
            ]
    return raw(" GROUP BY ") + comma_list(terms) if terms else EMPTY


def _group_term(table: QualifiedName, column: Column) -> Sql:
    return field_sql(table, column.field) if column.alias is None else ident(column.alias)


def _counted(node: ReadNode, table: QualifiedName, condition: Condition) -> Sql:
    """A condition as the count sees it, where embeds are not joined."""
    match condition:
        case Group():
            members = (_counted(node, table, member) for member in condition.members)
            return group_sql(condition, members)
        case EmbedIsNull(part, negated):
            child = next(one for one in node.children if one.part_alias == part)
            prefix = EMPTY if negated else raw("NOT ")
            return prefix + raw("EXISTS (") + count_sql(child) + raw(")")
        case Comparison():
            return condition_sql(table, condition)

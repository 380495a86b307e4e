"""The statement of a read: nested lateral queries, one per embed."""

from __future__ import annotations

from collections.abc import Iterable

from compat_base.values.sqltext import EMPTY, Sql, ident, join, raw, sql
from rest_compat.api_request.model import Join
from rest_compat.names import QualifiedName
from rest_compat.plan.read_tree import (
    Comparison,
    Condition,
    EmbedIsNull,
    FromFunction,
    FromTable,
    Group,
    Part,
    PartKind,
    ReadNode,
    SelectedColumn,
    Spread,
    SpreadColumn,
)
from rest_compat.query.fragments import (
    aggregated,
    all_of,
    as_alias,
    column_of,
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
    return sql(
        "SELECT {columns}{source}{joins}{where}{group}{order}{window}",
        columns=comma_list(_selected(node, table)),
        source=from_sql(node),
        joins=joins,
        where=all_of([*conditions, *map(join_pair_sql, node.joins)]),
        group=_group_by(node, table),
        order=order_sql(table, node.orders),
        window=window_sql(node.window),
    )


def count_sql(node: ReadNode) -> Sql:
    """One row per row of the root before its window; inner embeds become EXISTS."""
    table = node.source.name()
    conditions = [_counted(node, table, condition) for condition in node.conditions]
    exists = [
        sql("EXISTS ({rows} )", rows=count_sql(child))
        for child in node.children
        if child.join is Join.INNER
    ]
    where = all_of([*conditions, *map(join_pair_sql, node.joins), *exists])
    return sql("SELECT 1 {source}{where}", source=from_sql(node), where=where)


def from_sql(node: ReadNode) -> Sql:
    """The FROM clause of a node: a relation, perhaps with its junction, or a function."""
    match node.source:
        case FromFunction(function, argument, argument_type, alias):
            return sql(
                " FROM {function}({row}::{type}){alias}",
                function=function.sql(),
                row=ident(argument),
                type=argument_type.sql(),
                alias=as_alias(alias),
            )
        case FromTable(table, alias, junction):
            beside = EMPTY if junction is None else sql(", {junction}", junction=junction.sql())
            own = sql(" FROM {table}{alias}", table=table.sql(), alias=as_alias(alias))
            return own + beside


def _pairs(node: ReadNode) -> Iterable[tuple[Part, ReadNode]]:
    """Each embed with what it selects; of a name's several, which PostgreSQL refuses, the first."""
    first = {child.part_alias: child for child in reversed(node.children)}
    return ((part, first[part.alias]) for part in node.parts)


def _selected(node: ReadNode, table: QualifiedName) -> list[Sql]:
    if not node.columns and not node.children:
        # An empty selection: all columns, left out where the rows are put together.
        own = [column_of(table, "*")]
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
            row = sql("row_to_json({alias}.*)::jsonb", alias=alias)
            return [row + as_alias(part.name)]
        case PartKind.ARRAY:
            array = sql("COALESCE( {alias}.{alias}, '[]')", alias=alias)
            return [array + as_alias(part.name)]


def _spread_column(alias: str, column: SpreadColumn) -> Sql:
    value = column_of(QualifiedName("", alias), column.name)
    return aggregated(value, column.aggregate, column.aggregate_cast) + as_alias(column.alias)


def _join(part: Part, child: ReadNode) -> Sql:
    inner = child.join is Join.INNER
    is_array = part.kind is PartKind.ARRAY or child.spread is Spread.MANY
    return sql(
        " {kind} JOIN LATERAL ( {rows} ) AS {alias} ON {met}",
        kind=raw("INNER") if inner else raw("LEFT"),
        rows=_arrays(part, child) if is_array else read_sql(child),
        alias=ident(part.alias),
        # An aggregate into an array gives one row, of NULL, even without rows.
        met=sql("{alias} IS NOT NULL", alias=ident(part.alias))
        if inner and is_array
        else raw("TRUE"),
    )


def _arrays(part: Part, child: ReadNode) -> Sql:
    """A single row with the child's rows as an array, and with one for each spread column."""
    rows = sql("json_agg({alias})::jsonb", alias=ident(part.alias)) + as_alias(part.alias)
    spread = part.columns if part.kind is PartKind.SPREAD_ARRAYS else ()
    return sql(
        "SELECT {arrays} FROM ({rows} ){alias}",
        arrays=comma_list([rows, *(_array_column(part.alias, one, child) for one in spread)]),
        rows=read_sql(child),
        alias=as_alias(part.alias),
    )


def _array_column(alias: str, column: SpreadColumn, child: ReadNode) -> Sql:
    table = QualifiedName("", alias)
    array = sql(
        "COALESCE(json_agg({value}{order}),'[]')::jsonb",
        value=column_of(table, column.name),
        order=order_sql(table, child.array_orders),
    )
    return array + as_alias(column.alias or column.name)


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
                ident(part.alias, column.alias or column.name)
                for column in part.columns
                if column.aggregate is None
            ]
    return sql(" GROUP BY {terms}", terms=comma_list(terms)) if terms else EMPTY


def _group_term(table: QualifiedName, column: SelectedColumn) -> Sql:
    return field_sql(table, column.field) if column.alias is None else ident(column.alias)


def _counted(node: ReadNode, table: QualifiedName, condition: Condition) -> Sql:
    """A condition as the count sees it, where embeds are not joined."""
    match condition:
        case Group():
            members = (_counted(node, table, member) for member in condition.members)
            return group_sql(condition, members)
        case EmbedIsNull(part, negated):
            child = next(one for one in node.children if one.part_alias == part)
            return sql(
                "EXISTS ({rows})" if negated else "NOT EXISTS ({rows})", rows=count_sql(child)
            )
        case Comparison():
            return condition_sql(table, condition)

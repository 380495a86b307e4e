"""The pieces statements are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compat_base.values.pgarray import listed_text
from compat_base.values.sqltext import EMPTY, Sql, ident, join, literal, param, raw
from rest_compat.api_request.model import (
    Aggregate,
    Binary,
    ColumnSlot,
    FullText,
    InList,
    Is,
    Operation,
    Quantifier,
    Slot,
    Step,
)
from rest_compat.api_request.operators import BY_NAME, IS_VALUES, OPERATORS
from rest_compat.http.ranges import ALL, Window
from rest_compat.names import QualifiedName, catalog_text
from rest_compat.plan.read_tree import (
    Column,
    Comparison,
    Condition,
    EmbedIsNull,
    Field,
    Group,
    JoinPair,
    Order,
)
from rest_compat.plan.statements import PayloadColumns

BODY = QualifiedName("", "pgrst_body")

_OPERATORS = {operator.name: raw(operator.sql) for operator in OPERATORS}
_IS = {name: raw(sql) for name, sql in IS_VALUES.items()}
_AGGREGATES = {
    Aggregate.SUM: raw("SUM"),
    Aggregate.AVG: raw("AVG"),
    Aggregate.COUNT: raw("COUNT"),
    Aggregate.MAX: raw("MAX"),
    Aggregate.MIN: raw("MIN"),
}
_TYPE_NAME = re.compile(r"[\w $]+")


def comma_list(pieces: Iterable[Sql]) -> Sql:
    """The pieces with commas between."""
    return join(", ", pieces)


def all_of(conditions: Iterable[Sql]) -> Sql:
    """A WHERE clause of all conditions, or nothing."""
    pieces = tuple(conditions)
    return raw(" WHERE ") + join(" AND ", pieces) if pieces else EMPTY


def column_of(table: QualifiedName, name: str) -> Sql:
    """A column, or all of them for `*`."""
    return table.sql() + (raw(".*") if name == "*" else raw(".") + ident(name))


# ── selecting ──────────────────────────────────────────────────────────────────────────────────


def selected(table: QualifiedName, column: Column) -> Sql:
    """A select item with casts, aggregate and alias."""
    value = field_sql(table, column.field)
    if column.field.transform is not None:
        value = catalog_text(column.field.transform) + raw("(") + value + raw(")")
    value = cast_to(value, column.cast)
    return aggregated(value, column.aggregate, column.aggregate_cast) + as_alias(column.alias)


def aggregated(value: Sql, aggregate: Aggregate | None, cast: str | None) -> Sql:
    """The value, aggregated and then cast."""
    if aggregate is None:
        return value
    return cast_to(_AGGREGATES[aggregate] + raw("(") + value + raw(")"), cast)


def cast_to(value: Sql, type_name: str | None) -> Sql:
    """The value as a type named in the request.

    The name stays unquoted, as `int` and `double precision` need; the grammar lets through only
    letters, digits, underscores, blanks and dollar signs, which is checked again here.
    """
    if type_name is None:
        return value
    if not _TYPE_NAME.fullmatch(type_name):
        raise ValueError(type_name)
    return raw("CAST( ") + value + raw(" AS ") + Sql((type_name,)) + raw(" )")


def as_alias(alias: str | None) -> Sql:
    """` AS "alias"`, or nothing."""
    return EMPTY if alias is None else raw(" AS ") + ident(alias)


def field_sql(table: QualifiedName, field: Field) -> Sql:
    """A field with its JSON path or its tsvector."""
    if field.whole_row:
        value = ident(table.name)
    elif not field.path:
        value = column_of(table, field.name)
    elif field.converts_to_json:
        value = raw("to_jsonb(") + column_of(table, field.name) + raw(")") + _path(field.path)
    else:
        value = column_of(table, field.name) + _path(field.path)
    if not field.to_tsvector:
        return value
    return raw("to_tsvector(") + _language(field.language) + value + raw(")")


def _path(steps: Iterable[Step]) -> Sql:
    return join("", map(_step, steps))


def _step(step: Step) -> Sql:
    arrow = raw("->>") if step.as_text else raw("->")
    return arrow + param(step.key) + (raw("::int") if step.is_index else EMPTY)


def _language(language: str | None) -> Sql:
    return EMPTY if language is None else param(language) + raw(", ")


# ── conditions ─────────────────────────────────────────────────────────────────────────────────


def condition_sql(table: QualifiedName, condition: Condition) -> Sql:
    """A condition of a WHERE clause."""
    match condition:
        case Group():
            return group_sql(
                condition, (condition_sql(table, member) for member in condition.members)
            )
        case EmbedIsNull(part, negated):
            present = (
                raw(" IS DISTINCT FROM NULL") if negated else raw(" IS NOT DISTINCT FROM NULL")
            )
            return ident(part) + present
        case Comparison(field, negated, operation):
            prefix = raw("NOT ") if negated else EMPTY
            return prefix + field_sql(table, field) + raw(" ") + _operation(field, operation)


def group_sql(group: Group, members: Iterable[Sql]) -> Sql:
    """Conditions in parentheses, joined by the group's operator."""
    joined = join(" AND ", members) if group.operator == "and" else join(" OR ", members)
    return (raw("NOT (") if group.negated else raw("(")) + joined + raw(")")


def _operation(field: Field, operation: Operation) -> Sql:
    match operation:
        case Is(word):
            return raw("IS ") + _IS[word]
        case FullText(operator, language, value):
            call = raw("@@ ") + _OPERATORS[operator] + raw("(")
            return call + _language(language) + param(value) + raw(")")
        case InList(values):
            return raw("= ANY (") + _array(field, values) + raw(")")
        case Binary(operator, value, quantifier):
            return _OPERATORS[operator] + raw(" ") + _value(field, operator, value, quantifier)


def _array(field: Field, values: tuple[str, ...] | Slot) -> Sql:
    given = param(values if isinstance(values, Slot) else listed_text(values))
    if field.transform is None:
        return given
    elements = raw("unnest(") + given + raw("::text[])")
    return raw("SELECT ") + catalog_text(field.transform) + raw("(") + elements + raw(")")


def _value(field: Field, operator: str, value: str | Slot, quantifier: Quantifier | None) -> Sql:
    if isinstance(value, str) and BY_NAME[operator].wildcard:
        value = value.replace("*", "%")
    given = param(value.partition("\0")[0] if isinstance(value, str) else value)
    if field.transform is not None and BY_NAME[operator].reads_domain:
        given = catalog_text(field.transform) + raw("(") + given + raw(")")
    match quantifier:
        case None:
            return given
        case Quantifier.ANY:
            return raw("ANY(") + given + raw(")")
        case Quantifier.ALL:
            return raw("ALL(") + given + raw(")")


def join_pair_sql(pair: JoinPair) -> Sql:
    """The equality of two columns."""
    left = column_of(pair.left, pair.left_column)
    return left + raw(" = ") + column_of(pair.right, pair.right_column)


# ── order and window ───────────────────────────────────────────────────────────────────────────


def order_sql(table: QualifiedName, orders: Iterable[Order]) -> Sql:
    """An ORDER BY clause, or nothing."""
    terms = tuple(_order_term(table, order) for order in orders)
    return raw(" ORDER BY ") + comma_list(terms) if terms else EMPTY


def _order_term(table: QualifiedName, order: Order) -> Sql:
    scope = table if order.part is None else QualifiedName("", order.part)
    term = field_sql(scope, order.field)
    if order.descending is not None:
        term += raw(" DESC") if order.descending else raw(" ASC")
    if order.nulls_first is not None:
        term += raw(" NULLS FIRST") if order.nulls_first else raw(" NULLS LAST")
    return term


def window_sql(window: Window) -> Sql:
    """LIMIT and OFFSET, or nothing for all rows.

    The numbers are constants: a generic plan of a parameter would expect a tenth of all rows.
    """
    if window == ALL:
        return EMPTY
    limit = window.limit()
    rows = raw("ALL") if limit is None else literal(str(limit))
    return raw(" LIMIT ") + rows + raw(" OFFSET ") + literal(str(window.first))


# ── bodies ─────────────────────────────────────────────────────────────────────────────────────


def body_rows(payload: PayloadColumns, *, only_first: bool = False) -> Sql:
    """`FROM …`: the body as rows named pgrst_body, one column per key, cast to its type."""
    if payload.as_arrays:
        return _array_rows(payload)
    kind = raw("jsonb") if payload.with_defaults else raw("json")
    source = raw("FROM (SELECT ") + param(payload.body) + raw("::") + kind
    source += raw(" AS json_data) pgrst_payload, ")
    data = raw("pgrst_payload.json_data")
    if payload.with_defaults:
        source += raw("LATERAL (") + _with_defaults(payload) + raw(") pgrst_json_defs, ")
        data = raw("pgrst_json_defs.val")
    parsed = comma_list(_parsed(field) for field in payload.columns)
    rows = _recordset(payload, kind, data) + (raw(" LIMIT 1") if only_first else EMPTY)
    return source + raw("LATERAL (SELECT ") + parsed + raw(" FROM ") + rows + raw(") pgrst_body")


def _array_rows(payload: PayloadColumns) -> Sql:
    arrays = comma_list(
        param(ColumnSlot(field.name)) + raw("::") + catalog_text(field.type) + raw("[]")
        for field in payload.columns
    )
    names = comma_list(ident(field.name) for field in payload.columns)
    return raw("FROM unnest(") + arrays + raw(") AS pgrst_body(") + names + raw(")")


def _recordset(payload: PayloadColumns, kind: Sql, data: Sql) -> Sql:
    if not payload.columns:
        # One row for each empty object.
        if payload.is_object:
            return raw("(values(1)) _")
        return kind + raw("_array_elements(") + data + raw(") _")
    function = raw("_to_record(") if payload.is_object else raw("_to_recordset(")
    typed = comma_list(
        ident(field.name) + raw(" ") + catalog_text(field.type) for field in payload.columns
    )
    return kind + function + data + raw(") AS _(") + typed + raw(")")


def _parsed(field: Field) -> Sql:
    if field.transform is None:
        return ident(field.name)
    call = catalog_text(field.transform) + raw("(") + ident(field.name) + raw(")")
    return call + raw(" AS ") + ident(field.name)


def _with_defaults(payload: PayloadColumns) -> Sql:
    defaults = comma_list(
        literal(field.name) + raw(", ") + catalog_text(field.default)
        for field in payload.columns
        if field.default is not None
    )
    built = raw("jsonb_build_object(") + defaults + raw(")")
    if payload.is_object:
        return raw("SELECT ") + built + raw(" || pgrst_payload.json_data AS val")
    elements = raw(" FROM jsonb_array_elements(pgrst_payload.json_data) elem")
    return raw("SELECT jsonb_agg(") + built + raw(" || elem) AS val") + elements

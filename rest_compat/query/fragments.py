"""Parts of statements: columns, conditions, ORDER BY, LIMIT, as templates with named parts."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compat_base.values.pgarray import listed_text
from compat_base.values.sqltext import EMPTY, Sql, ident, join, literal, param, raw, sql
from rest_compat.api_request.model import (
    Aggregate,
    Binary,
    FullText,
    InList,
    Is,
    Operation,
    Placeholder,
    Quantifier,
    Step,
)
from rest_compat.api_request.operators import BY_NAME, IS_VALUES, OPERATORS
from rest_compat.http.ranges import ALL, Window
from rest_compat.names import QualifiedName, catalog_text
from rest_compat.plan.read_tree import (
    Comparison,
    Condition,
    EmbedIsNull,
    Field,
    Group,
    JoinPair,
    Order,
    SelectedColumn,
)

_LARGEST = 2**63 - 1  # of bigint, which LIMIT and OFFSET are
_OPERATORS = {operator.name: raw(operator.sql) for operator in OPERATORS}
_IS = {name: raw(text) for name, text in IS_VALUES.items()}
_AGGREGATES = {
    Aggregate.SUM: raw("SUM"),
    Aggregate.AVG: raw("AVG"),
    Aggregate.COUNT: raw("COUNT"),
    Aggregate.MAX: raw("MAX"),
    Aggregate.MIN: raw("MIN"),
}
_TYPE_NAME = re.compile(r"[\w $]*")


def comma_list(pieces: Iterable[Sql]) -> Sql:
    """The pieces with commas between."""
    return join(", ", pieces)


def all_of(conditions: Iterable[Sql]) -> Sql:
    """A WHERE clause of all conditions, or nothing."""
    pieces = tuple(conditions)
    return sql(" WHERE {conditions}", conditions=join(" AND ", pieces)) if pieces else EMPTY


def column_of(table: QualifiedName, name: str) -> Sql:
    """A column, or all of them for `*`."""
    column = raw("*") if name == "*" else ident(name)
    return sql("{table}.{column}", table=table.sql(), column=column)


# ── selecting ──────────────────────────────────────────────────────────────────────────────────


def selected(table: QualifiedName, column: SelectedColumn) -> Sql:
    """A select item with casts, aggregate and alias."""
    value = field_sql(table, column.field)
    if column.field.transform is not None:
        value = called(column.field.transform, value)
    value = cast_to(value, column.cast)
    return aggregated(value, column.aggregate, column.aggregate_cast) + as_alias(column.alias)


def called(function: str, value: Sql) -> Sql:
    """A call of a function that the catalog names."""
    return sql("{function}({value})", function=catalog_text(function), value=value)


def aggregated(value: Sql, aggregate: Aggregate | None, cast: str | None) -> Sql:
    """The value, aggregated and then cast."""
    if aggregate is None:
        return value
    return cast_to(sql("{function}({value})", function=_AGGREGATES[aggregate], value=value), cast)


def cast_to(value: Sql, type_name: str | None) -> Sql:
    """The value as a type named in the request.

    The name stays unquoted, as `int` and `double precision` need; the grammar lets through only
    letters, digits, underscores, blanks and dollar signs, which is checked again here.
    """
    if type_name is None:
        return value
    if not _TYPE_NAME.fullmatch(type_name):
        raise ValueError(type_name)
    return sql("CAST( {value} AS {type} )", value=value, type=Sql((type_name,)))


def as_alias(alias: str | None) -> Sql:
    """` AS "alias"`, or nothing."""
    return EMPTY if alias is None else sql(" AS {alias}", alias=ident(alias))


def field_sql(table: QualifiedName, field: Field) -> Sql:
    """A field with its JSON path or its tsvector."""
    if field.whole_row:
        value = ident(table.name)
    elif not field.path:
        value = column_of(table, field.name)
    elif field.converts_to_json:
        value = sql(
            "to_jsonb({column}){path}",
            column=column_of(table, field.name),
            path=_path(field.path),
        )
    else:
        value = column_of(table, field.name) + _path(field.path)
    if not field.to_tsvector:
        return value
    return sql("to_tsvector({language}{value})", language=_language(field.language), value=value)


def _path(steps: Iterable[Step]) -> Sql:
    return join("", map(_step, steps))


def _step(step: Step) -> Sql:
    arrow = raw("->>") if step.as_text else raw("->")
    return arrow + param(_until_nul(step.key)) + (raw("::int") if step.is_index else EMPTY)


def _until_nul(text: str) -> str:
    """The text up to a NUL, where libpq ends the original's parameters."""
    return text.partition("\0")[0]


def _language(language: str | None) -> Sql:
    return EMPTY if language is None else sql("{name}, ", name=param(language))


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
            return sql(
                "{negation}{field} {operation}",
                negation=raw("NOT ") if negated else EMPTY,
                field=field_sql(table, field),
                operation=_operation(field, operation),
            )


def group_sql(group: Group, members: Iterable[Sql]) -> Sql:
    """Conditions in parentheses, joined by the group's operator."""
    joined = join(" AND ", members) if group.operator == "and" else join(" OR ", members)
    return sql("NOT ({members})" if group.negated else "({members})", members=joined)


def _operation(field: Field, operation: Operation) -> Sql:
    match operation:
        case Is(word):
            return sql("IS {word}", word=_IS[word])
        case FullText(operator, language, value):
            return sql(
                "@@ {function}({language}{query})",
                function=_OPERATORS[operator],
                language=_language(language),
                query=param(value),
            )
        case InList(values):
            return sql("= ANY ({values})", values=_array(field, values))
        case Binary(operator, value, quantifier):
            return sql(
                "{operator} {value}",
                operator=_OPERATORS[operator],
                value=_value(field, operator, value, quantifier),
            )


def _array(field: Field, values: tuple[str, ...] | Placeholder) -> Sql:
    given = param(values if isinstance(values, Placeholder) else listed_text(values))
    if field.transform is None:
        return given
    return sql(
        "SELECT {function}(unnest({values}::text[]))",
        function=catalog_text(field.transform),
        values=given,
    )


def _value(
    field: Field, operator: str, value: str | Placeholder, quantifier: Quantifier | None
) -> Sql:
    if isinstance(value, str) and BY_NAME[operator].wildcard:
        value = value.replace("*", "%")
    given = param(_until_nul(value) if isinstance(value, str) else value)
    if field.transform is not None and BY_NAME[operator].reads_domain:
        given = called(field.transform, given)
    match quantifier:
        case None:
            return given
        case Quantifier.ANY:
            return sql("ANY({values})", values=given)
        case Quantifier.ALL:
            return sql("ALL({values})", values=given)


def join_pair_sql(pair: JoinPair) -> Sql:
    """The equality of two columns."""
    return sql(
        "{left} = {right}",
        left=column_of(pair.left, pair.left_column),
        right=column_of(pair.right, pair.right_column),
    )


# ── order and window ───────────────────────────────────────────────────────────────────────────


def order_sql(table: QualifiedName, orders: Iterable[Order]) -> Sql:
    """An ORDER BY clause, or nothing."""
    terms = tuple(_order_term(table, order) for order in orders)
    return sql(" ORDER BY {terms}", terms=comma_list(terms)) if terms else EMPTY


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
    if limit is not None and limit > _LARGEST:
        return sql(" LIMIT {limit}", limit=_count(limit))  # refused before an offset would be
    return sql(
        " LIMIT {limit} OFFSET {first}",
        limit=raw("ALL") if limit is None else _count(limit),
        first=_count(window.first),
    )


def _count(number: int) -> Sql:
    """A number of rows; one beyond a bigint is refused when values are, not when SQL is read."""
    text = literal(str(number))
    return text if number <= _LARGEST else sql("{text}::text::bigint", text=text)

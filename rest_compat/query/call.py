"""The statement of a function call."""

from __future__ import annotations

from compat_base.values.sqltext import EMPTY, Sql, ident, param, raw, sql
from rest_compat.names import QualifiedName, catalog_text
from rest_compat.plan.read_tree import Field
from rest_compat.plan.statements import (
    Argument,
    Call,
    DirectArguments,
    JsonArguments,
    PayloadColumns,
    ResultKind,
    WholeBody,
)
from rest_compat.query.bodies import body_rows
from rest_compat.query.fragments import column_of, comma_list

_CALL = QualifiedName("", "pgrst_call")
_SCALARS = frozenset({ResultKind.SCALAR, ResultKind.SCALARS})


def call_sql(call: Call) -> Sql:
    """`SELECT … FROM function(…)` with the columns the outer query needs."""
    match call.arguments:
        case WholeBody() as body:
            source = _from(call, _whole_body(body))
        case DirectArguments(arguments):
            source = _from(call, comma_list(map(_direct, arguments)))
        case JsonArguments(arguments, is_object) if arguments:
            source = sql(
                "{rows}, LATERAL {call}",
                rows=body_rows(_payload(arguments, is_object=is_object), only_first=True),
                call=_called(call, comma_list(map(_named, arguments))),
            )
        case JsonArguments():
            source = _from(call, EMPTY)
    return sql("SELECT {columns} {source}", columns=_columns(call), source=source)


def _columns(call: Call) -> Sql:
    if call.result in _SCALARS:
        return raw("pgrst_call.pgrst_scalar")
    if not call.returning:
        return raw("*")
    return comma_list(column_of(_CALL, name) for name in call.returning)


def _from(call: Call, arguments: Sql) -> Sql:
    return sql("FROM {call}", call=_called(call, arguments))


def _called(call: Call, arguments: Sql) -> Sql:
    is_scalar = call.result in _SCALARS
    return sql(
        "(SELECT {function}({arguments}) pgrst_scalar) pgrst_call"
        if is_scalar
        else "{function}({arguments}) pgrst_call",
        function=call.function.sql(),
        arguments=arguments,
    )


def _whole_body(body: WholeBody) -> Sql:
    of_type = catalog_text(body.type)
    match body.given:
        case ():
            return sql("'{}'::{type}", type=of_type)
        case (*_, last):
            value = sql("to_json({value}::text)", value=param(last))
            return sql("('{\"\":' || {value} || '}')::{type}", value=value, type=of_type)
        case whole:
            return sql("{body}::{type}", body=param(whole), type=of_type)


def _direct(argument: Argument) -> Sql:
    if argument.variadic:
        values = (sql("{value}::text", value=param(value)) for value in argument.values)
        given = sql("ARRAY[{values}]", values=comma_list(values))
    else:
        given = param(argument.values[0]) if argument.values else raw("NULL")
    value = sql("{given}::{type}", given=given, type=catalog_text(argument.type))
    return _assigned(argument, value)


def _named(argument: Argument) -> Sql:
    return _assigned(argument, sql("pgrst_body.{name}", name=ident(argument.name)))


def _assigned(argument: Argument, value: Sql) -> Sql:
    return sql(
        "VARIADIC {name} := {value}" if argument.variadic else "{name} := {value}",
        name=ident(argument.name),
        value=value,
    )


def _payload(arguments: tuple[Argument, ...], *, is_object: bool) -> PayloadColumns:
    fields = tuple(Field(one.name, type=one.type) for one in arguments)
    return PayloadColumns(fields, is_object=is_object, with_defaults=False)

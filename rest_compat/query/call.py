"""The statement of a function call."""

from __future__ import annotations

from compat_base.values.sqltext import EMPTY, Sql, ident, join, literal, param, raw
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
from rest_compat.query.fragments import body_rows, column_of, comma_list

_CALL = QualifiedName("", "pgrst_call")
_SCALARS = frozenset({ResultKind.SCALAR, ResultKind.SCALARS})


def call_sql(call: Call) -> Sql:
    """`SELECT … FROM function(…)` with the columns the outer query needs."""
    match call.arguments:
        case WholeBody() as body:
            source = raw("FROM ") + _called(call, _whole_body(body))
        case DirectArguments(arguments):
            source = raw("FROM ") + _called(call, comma_list(map(_direct, arguments)))
        case JsonArguments(arguments, is_object) if arguments:
            source = body_rows(_payload(arguments, is_object=is_object), only_first=True)
            source += raw(", LATERAL ") + _called(call, comma_list(map(_named, arguments)))
        case JsonArguments():
            source = raw("FROM ") + _called(call, EMPTY)
    return raw("SELECT ") + _columns(call) + raw(" ") + source


def _columns(call: Call) -> Sql:
    if call.result in _SCALARS:
        return raw("pgrst_call.pgrst_scalar")
    if not call.returning:
        return raw("*")
    return comma_list(column_of(_CALL, name) for name in call.returning)


def _called(call: Call, arguments: Sql) -> Sql:
    called = call.function.sql() + raw("(") + arguments + raw(")")
    if call.result in _SCALARS:
        return raw("(SELECT ") + called + raw(" pgrst_scalar) pgrst_call")
    return called + raw(" pgrst_call")


def _whole_body(body: WholeBody) -> Sql:
    if not body.arguments:
        return param(body.body) + raw("::") + catalog_text(body.type)
    # Arguments of a query string or form for a function that takes one JSON value.
    pairs = join(
        ", ",
        (literal(name) + raw(", ") + param(slot) + raw("::text") for name, slot in body.arguments),
    )
    return raw("json_build_object(") + pairs + raw(")::") + catalog_text(body.type)


def _direct(argument: Argument) -> Sql:
    if argument.variadic:
        values = comma_list(param(value) + raw("::text") for value in argument.values)
        given = raw("ARRAY[") + values + raw("]")
    else:
        given = param(argument.values[0]) if argument.values else raw("NULL")
    return _assigned(argument) + given + raw("::") + catalog_text(argument.type)


def _named(argument: Argument) -> Sql:
    return _assigned(argument) + raw("pgrst_body.") + ident(argument.name)


def _assigned(argument: Argument) -> Sql:
    prefix = raw("VARIADIC ") if argument.variadic else EMPTY
    return prefix + ident(argument.name) + raw(" := ")


def _payload(arguments: tuple[Argument, ...], *, is_object: bool) -> PayloadColumns:
    fields = tuple(Field(one.name, type=one.type) for one in arguments)
    return PayloadColumns(fields, is_object=is_object, with_defaults=False)

"""Function calls: the overload, and its arguments (rest reference 9)."""

from __future__ import annotations

from rest_compat.api_request.model import (
    ApiRequest,
    BodyPlaceholder,
    PayloadKind,
    RoutineAction,
    Value,
)
from rest_compat.catalog.model import Parameter, Routine, SchemaCache
from rest_compat.http.media_types import MediaKind
from rest_compat.names import QualifiedName
from rest_compat.plan.lookup import Calling, get_routine
from rest_compat.plan.read import needed_columns
from rest_compat.plan.read_tree import Comparison, Condition, EmbedIsNull, Group, ReadNode
from rest_compat.plan.statements import (
    Argument,
    Arguments,
    Call,
    DirectArguments,
    JsonArguments,
    ResultKind,
    WholeBody,
)


def find_routine(api: ApiRequest, action: RoutineAction, cache: SchemaCache) -> Routine:
    """The routine a request calls."""
    names = frozenset(name for name, _ in api.parameters.arguments) if action.safe else api.columns
    return get_routine(cache, Calling(action.name, names, api.content_type, not action.safe))


def result_relation(routine: Routine) -> QualifiedName:
    """The relation whose rows (if any) a routine returns, in the routine's own schema."""
    returns = routine.returns
    name = returns.type.name if returns.is_composite else routine.name.name
    return QualifiedName(routine.name.schema, name)


def result_kind(routine: Routine) -> ResultKind:
    """What a routine's result is."""
    if routine.returns.is_composite:
        return ResultKind.ROWS if routine.returns.is_set else ResultKind.ROW
    return ResultKind.SCALARS if routine.returns.is_set else ResultKind.SCALAR


def make_call(api: ApiRequest, action: RoutineAction, routine: Routine, read: ReadNode) -> Call:
    """The call of a routine with the request's arguments."""
    returning = needed_columns(read, ())
    if returning and returning != ("*",):
        returning = tuple(sorted({*returning, *_filtered_names(read)}))
    arguments = _arguments(api, action, routine)
    return Call(routine.name, arguments, result_kind(routine), returning)


def _arguments(api: ApiRequest, action: RoutineAction, routine: Routine) -> Arguments:
    given = api.parameters.arguments
    is_direct = action.safe or _is_form(api)
    if len(routine.parameters) == 1 and not routine.parameters[0].name:
        return _whole_body(api, routine.parameters[0], given if is_direct else None)
    if is_direct:
        names = frozenset(name for name, _ in given)
        return DirectArguments(
            tuple(_direct(one, given) for one in routine.parameters if one.name in names)
        )
    arguments = tuple(
        Argument(one.name, one.accepting_type, one.variadic)
        for one in routine.parameters
        if one.name in api.columns
    )
    return JsonArguments(arguments, is_object=api.payload is not None and api.payload.is_object)


def _is_form(api: ApiRequest) -> bool:
    return api.payload is not None and api.payload.kind is PayloadKind.ARGUMENTS


def _whole_body(
    api: ApiRequest, parameter: Parameter, given: tuple[tuple[str, Value], ...] | None
) -> WholeBody:
    if given is not None:
        return WholeBody(parameter.type, tuple(value for _, value in given))
    is_bytes = parameter.type == "bytea" and api.content_type.kind is MediaKind.BYTES
    return WholeBody(parameter.type, BodyPlaceholder.HEX if is_bytes else BodyPlaceholder.TEXT)


def _direct(parameter: Parameter, given: tuple[tuple[str, Value], ...]) -> Argument:
    """The last value of a repeated key counts; all of them for a variadic parameter."""
    values = tuple(value for name, value in given if name == parameter.name)
    kept = values if parameter.variadic else values[-1:]
    return Argument(parameter.name, parameter.accepting_type, parameter.variadic, kept)


def _filtered_names(node: ReadNode) -> set[str]:
    """The names in the filters of a node and of everything below it.

    The function must return these. As in the original, filters on embeds count and orders do not:
    PostgreSQL refuses an order by what select= leaves out (test_rest_directives).
    """
    names: set[str] = set()
    pending: list[Condition] = list(node.conditions)
    while pending:
        match pending.pop():
            case Group(_, _, members):
                pending.extend(members)
            case EmbedIsNull(part):
                names.add(part)
            case Comparison(field):
                names.add(field.name)
    return names.union(*map(_filtered_names, node.children))

"""Functions of a schema: arguments, return types, overloads; and computed fields.

Blanks and line ends are the CLI's own, which leaves the formatting to a formatter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from compat_stack.schema_types.collation import SortKey, collated
from compat_stack.schema_types.model import Argument, Function, Relation, Schemas, TypeFacts
from compat_stack.schema_types.names import (
    quoted,
    row_place,
    type_of,
    value_type,
)

_UNNAMED = {114, 3802, 25}  # json, jsonb, text: types of the one argument that needs no name
_CANNOT_CHOOSE = (
    "Could not choose the best candidate function between: {}. Try renaming the parameters or the"
    " function itself in the database so function overloading can be resolved"
)
_NO_MATCHES = (
    "the function {} with parameter or with a single unnamed json/jsonb parameter, but no matches"
    " were found in the schema cache"
)


Functions: TypeAlias = Mapping[str, Sequence[Function]]
"""The functions of a schema that can be called, by name; of each name its overloads in order."""


def callable_functions(schemas: Schemas, schema: str) -> Functions:
    """The functions of a schema that clients can call, by name and of each name in order."""
    by_name: dict[str, list[Function]] = {}
    for each in schemas.functions:
        if each.schema == schema and _is_callable(schemas, each):
            by_name.setdefault(each.name, []).append(each)
    for overloads in by_name.values():
        overloads.sort(key=lambda one: (collated(one.declared), collated(one.gives), one.oid))
    return dict(sorted(by_name.items(), key=lambda item: collated(item[0])))


def functions_text(schemas: Schemas, functions: Functions) -> list[str]:
    """An entry for each name that can be called."""
    return [
        f"{quoted(name)}:\n" + " |\n".join(_function(schemas, one, same) for one in same)
        for name, same in functions.items()
    ]


def computed_fields(schemas: Schemas, functions: Functions, relation: Relation) -> list[Function]:
    """Of each name the first function whose one argument is a row of the relation."""
    columns = {column.name for column in relation.columns}
    found = (
        next((one for one in same if _is_of(schemas, one, relation)), None)
        for name, same in functions.items()
        if name not in columns
    )
    return [each for each in found if each is not None]


def given_type(schemas: Schemas, function: Function) -> str:
    """A function's return type, of a single value."""
    table = [each for each in function.every_argument if each.mode == "t"]
    if table:
        lines = [
            f"{quoted(each.name)}: {type_of(schemas, each.type)}"
            for each in sorted(table, key=_by_name)
        ]
        return "{\n              " + ",".join(lines) + "\n            }"
    relation = schemas.relation(function.row_of)
    if relation is not None and relation.schema == function.schema:
        return _row_text(schemas, relation)
    return type_of(schemas, function.returns)


def _row_text(schemas: Schemas, relation: Relation) -> str:
    """A relation's row type written out, as functions return it."""
    lines = [
        f"{quoted(each.name)}: {value_type(schemas, each.type, is_nullable=each.is_nullable)}"
        for each in relation.columns
    ]
    return "{\n              " + ",\n".join(lines) + "\n            }"


def _is_of(schemas: Schemas, function: Function, relation: Relation) -> bool:
    row = _row_type(schemas, function.arguments())
    return row is not None and row.row_of == relation.oid


def _row_type(schemas: Schemas, arguments: Sequence[Argument]) -> TypeFacts | None:
    """The row type that a function's one argument is of; None for others."""
    facts = schemas.types.get(arguments[0].type) if len(arguments) == 1 else None
    return facts if facts is not None and facts.row_of else None


def _is_callable(schemas: Schemas, function: Function) -> bool:
    arguments = function.arguments()
    if all(each.name or (each.has_default and each.type in _UNNAMED) for each in arguments):
        return True
    if len(arguments) != 1:
        return False
    return arguments[0].type in _UNNAMED or _row_type(schemas, arguments) is not None


def _function(schemas: Schemas, function: Function, same: Sequence[Function]) -> str:
    error = _error(schemas, function, same)
    options = _options(schemas, function)
    returns = f"{{ error: true }} & {quoted(error)}" if error else given_type(schemas, function)
    if not error and function.returns_set and not (options and options.is_one):
        returns += "[]"
    end = f"\n                          {options.text() if options else ''}"
    return f"{{ Args: {_arguments(schemas, function)}; Returns: {returns}{end} }}"


def _arguments(schemas: Schemas, function: Function) -> str:
    arguments = function.arguments()
    if not arguments:
        return "Record<PropertyKey, never>"
    named = sorted(arguments, key=_by_name)
    return "{ " + ",".join(_argument(schemas, each) for each in named) + " }"


def _by_name(argument: Argument) -> SortKey:
    return collated(argument.name)


def _argument(schemas: Schemas, argument: Argument) -> str:
    word = type_of(schemas, argument.type)
    facts = schemas.types.get(argument.type)
    place = row_place(schemas, facts.named()) if argument.name and facts else None
    if place and word == f"{place}['Row']":
        word = f"Omit<{word}, {place}['ComputedFields']>"
    return f"{quoted(argument.name)}{'?' if argument.has_default else ''}: {word}"


def _error(schemas: Schemas, function: Function, same: Sequence[Function]) -> str | None:
    """Why a call of the function is refused."""
    arguments, place = function.arguments(), f"{function.schema}.{function.name}"
    others = [each for each in same if each is not function]
    if not arguments:
        for each in others:
            one = each.arguments()
            if len(one) == 1 and not one[0].name and one[0].has_default:
                name = _type_word(schemas, each.returns)
                return _CANNOT_CHOOSE.format(f"{place}(), {place}( => {name})")
    if len(arguments) != 1:
        return None
    alike = [
        one[0]
        for each in others
        if len(one := each.arguments()) == 1 and one[0].name == arguments[0].name
        and one[0].type != arguments[0].type
    ]  # fmt: skip
    if alike and arguments[0].name:
        choices = sorted([arguments[0], *alike], key=lambda each: each.type)
        words = (f"{place}({one.name} => {_type_word(schemas, one.type)})" for one in choices)
        return _CANNOT_CHOOSE.format(", ".join(words))
    if not arguments[0].name and _row_type(schemas, arguments):
        return _NO_MATCHES.format(place)
    return None


def _type_word(schemas: Schemas, oid: int) -> str:
    facts = schemas.types.get(oid)
    return facts.name if facts else "unknown"


@dataclass(frozen=True, slots=True)
class _Options:
    """`SetofOptions` of a function that returns rows."""

    source: str
    target: str
    is_one: bool
    is_set: bool

    def text(self) -> str:
        lines = (
            f"from: {quoted(self.source)}",
            f"to: {quoted(self.target)}",
            f"isOneToOne: {str(self.is_one).lower()}",
            f"isSetofReturn: {str(self.is_set).lower()}",
        )
        return "SetofOptions: {\n" + "".join(f"        {line}\n" for line in lines) + "      }"


def _options(schemas: Schemas, function: Function) -> _Options | None:
    facts = schemas.types.get(function.returns)
    if facts is None or not facts.row_of:
        return None
    relation = schemas.relation(facts.row_of)
    source = _row_type(schemas, function.every_argument)
    return _Options(
        source=source.shown if source else "*",
        target=relation.name if relation else facts.name,
        is_one=not (function.returns_set and function.rows > 1),
        is_set=function.returns_set,
    )

"""Functions of a schema: arguments, return types, overloads; and computed fields.

Blanks and line ends are the CLI's own, which leaves the formatting to a formatter.
"""

from __future__ import annotations

from collections.abc import Sequence

from compat_stack.schema_types.model import Argument, Function, Relation, Schemas, collated
from compat_stack.schema_types.names import quoted, type_name, value_type

_UNNAMED = {"json", "jsonb", "text"}  # types of the one argument that needs no name


def functions_text(schemas: Schemas, schema: str) -> list[str]:
    """An entry for each name that can be called."""
    by_name: dict[str, list[Function]] = {}
    for each in schemas.functions:
        if each.schema == schema and _is_callable(schemas, each):
            by_name.setdefault(each.name, []).append(each)
    return [
        f"{quoted(name)}:\n" + " |\n".join(_function(schemas, one, same) for one in same)
        for name, same in sorted(by_name.items(), key=lambda item: collated(item[0]))
    ]


def computed_fields(schemas: Schemas, relation: Relation) -> list[Function]:
    """The functions whose one argument is a row of the relation."""
    found = [
        each
        for each in schemas.functions
        if each.schema == relation.schema
        and [argument.type for argument in each.arguments] == [relation.row_type]
    ]
    return sorted(found, key=lambda each: collated(each.name))


def row_text(schemas: Schemas, relation: Relation) -> str:
    """A relation's row type written out, as functions return it."""
    columns = sorted(relation.columns, key=lambda column: collated(column.name))
    lines = [
        f"{quoted(each.name)}: {value_type(schemas, each.type, is_nullable=each.is_nullable)}"
        for each in columns
    ]
    return "{\n              " + ",\n".join(lines) + "\n            }"


def given_type(schemas: Schemas, function: Function) -> str:
    """A function's return type, of a single value."""
    if function.table:
        lines = [
            f"{quoted(name)}: {type_name(schemas, oid)}" for name, oid in sorted(function.table)
        ]
        return "{\n              " + ",".join(lines) + "\n            }"
    relation = schemas.relation_of(function.returns)
    return row_text(schemas, relation) if relation else type_name(schemas, function.returns)


def _is_callable(schemas: Schemas, function: Function) -> bool:
    if all(argument.name for argument in function.arguments):
        return True
    if len(function.arguments) != 1:
        return False
    facts = schemas.types.get(function.arguments[0].type)
    return facts is not None and (facts.name in _UNNAMED or facts.relation in set("rpfvm") - {""})


def _function(schemas: Schemas, function: Function, same: Sequence[Function]) -> str:
    options = _options(schemas, function)
    end = f"\n                          {options}" if options else "\n                           "
    arguments, returns = _arguments(schemas, function), _returns(schemas, function, same)
    return f"{{ Args: {arguments}; Returns: {returns}{end}}}"


def _arguments(schemas: Schemas, function: Function) -> str:
    if not function.arguments:
        return "Record<PropertyKey, never>"
    named = sorted(function.arguments, key=lambda argument: collated(argument.name))
    return "{ " + ",".join(_argument(schemas, each) for each in named) + " }"


def _argument(schemas: Schemas, argument: Argument) -> str:
    word = type_name(schemas, argument.type)
    if argument.name and word.endswith("['Row']"):
        place = word.removesuffix("['Row']")
        word = f"Omit<{word}, {place}['ComputedFields']>"
    return f"{quoted(argument.name)}{'?' if argument.has_default else ''}: {word}"


def _returns(schemas: Schemas, function: Function, same: Sequence[Function]) -> str:
    alike = [one for one in same if _names(one) == _names(function)]
    if len(alike) > 1:
        choices = ", ".join(_signature(schemas, one) for one in alike)
        return _error(
            f"Could not choose the best candidate function between: {choices}. Try renaming the"
            " parameters or the function itself in the database so function overloading can be"
            " resolved"
        )
    place = f"{function.schema}.{function.name}"
    if _row_argument(schemas, function) is not None and not function.arguments[0].name:
        return _error(
            f"the function {place} with parameter or with a single unnamed json/jsonb parameter,"
            " but no matches were found in the schema cache"
        )
    is_one = function.returns_one and bool(_options(schemas, function))
    return given_type(schemas, function) + ("[]" if function.returns_set and not is_one else "")


def _options(schemas: Schemas, function: Function) -> str:
    """`SetofOptions` of a function that returns rows."""
    facts = schemas.types.get(function.returns)
    if facts is None or facts.kind != "c" or facts.schema not in schemas.names or function.table:
        return ""
    source = _row_argument(schemas, function)
    is_one = not function.returns_set or function.returns_one
    lines = (
        f"from: {quoted(source.name if source else '*')}",
        f"to: {quoted(facts.name)}",
        f"isOneToOne: {str(is_one).lower()}",
        f"isSetofReturn: {str(function.returns_set).lower()}",
    )
    return "SetofOptions: {\n" + "".join(f"        {line}\n" for line in lines) + "      } "


def _row_argument(schemas: Schemas, function: Function) -> Relation | None:
    if len(function.arguments) != 1:
        return None
    return schemas.relation_of(function.arguments[0].type)


def _names(function: Function) -> frozenset[str]:
    return frozenset(argument.name for argument in function.arguments)


def _signature(schemas: Schemas, function: Function) -> str:
    types = schemas.types
    given = ", ".join(f"{each.name} => {types[each.type].name}" for each in function.arguments)
    return f"{function.schema}.{function.name}({given})"


def _error(sentence: str) -> str:
    return f"{{ error: true }} & {quoted(sentence)}"

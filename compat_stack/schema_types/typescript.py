"""The text of `gen types`, byte for byte the CLI's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compat_stack.schema_types.collation import collated
from compat_stack.schema_types.functions import (
    Functions,
    callable_functions,
    computed_fields,
    functions_text,
    given_type,
)
from compat_stack.schema_types.model import Column, Relation, Schemas, TypeFacts
from compat_stack.schema_types.names import nullable, quoted, type_of, value_type
from compat_stack.schema_types.relationships import relationships_text

_JSON = "string | number | boolean | null | { [key: string]: Json | undefined } | Json[]"
_NONE = "[_ in never]: never"
_DEFAULT = "public"
_INTERNALS = "DatabaseWithoutInternals"


def typescript(schemas: Schemas) -> str:
    """The TypeScript text that describes the schemas."""
    described = ",".join(_schema(schemas, name) for name in schemas.names)
    constants = ",".join(_constants(schemas, name) for name in schemas.names)
    is_first = bool(schemas.names) and _DEFAULT not in schemas.names
    default = schemas.names[0] if is_first else _DEFAULT
    return (
        f"\nexport type Json = {_JSON}\n\nexport type Database = {{\n  \n  {described}\n}}\n\n"
        f"type {_INTERNALS} = Omit<Database, '__InternalSupabase'>\n\n"
        f"type DefaultSchema = {_INTERNALS}[Extract<keyof Database, {quoted(default)}>]\n\n"
        + "\n\n".join(_helpers())
        + f"\n\nexport const Constants = {{\n  {constants}\n}} as const\n"
    )


def _schema(schemas: Schemas, name: str) -> str:
    functions = callable_functions(schemas, name)
    relations = sorted(
        (each for each in schemas.relations if each.schema == name),
        key=lambda each: collated(each.name),
    )
    enums = [
        f"{quoted(enum.name)}: {'|'.join(map(quoted, enum.labels))}"
        for enum in _types(schemas, name)
        if enum.labels
    ]
    composites = [_composite(schemas, each) for each in _types(schemas, name) if each.attributes]
    parts = (
        ("Tables", [_table(schemas, functions, r) for r in relations if r.part == "Tables"]),
        ("Views", [_view(schemas, functions, r) for r in relations if r.part == "Views"]),
        ("Functions", functions_text(schemas, functions)),
        ("Enums", enums),
        ("CompositeTypes", composites),
    )
    text = "".join(
        f"          {part}: {{\n            {_joined(part, entries)}\n          }}\n"
        for part, entries in parts
    )
    return f"{quoted(name)}: {{\n{text}        }}"


def _joined(part: str, entries: Sequence[str]) -> str:
    return (",\n" if part == "Functions" else ",").join(entries) or _NONE


def _table(schemas: Schemas, functions: Functions, table: Relation) -> str:
    inserted = ",".join(_written(schemas, each, is_update=False) for each in table.columns)
    updated = ",".join(_written(schemas, each, is_update=True) for each in table.columns)
    return (
        _row(schemas, functions, table)
        + f"                  Insert: {{\n                    {inserted}\n                  }}\n"
        f"                  Update: {{\n                    {updated}\n                  }}\n"
        + _relationships(schemas, table, 18)
    )


def _view(schemas: Schemas, functions: Functions, view: Relation) -> str:
    columns = ",".join(
        f"{quoted(each.name)}?: "
        + (value_type(schemas, each.type, is_nullable=True) if each.is_written else "never")
        for each in view.columns
    )
    block = f"{{\n                           {columns}\n                         }}\n"
    written = [("Insert", view.is_inserted), ("Update", view.is_updated)]
    blocks = [f"{name}: {block}                        " for name, is_there in written if is_there]
    return (
        _row(schemas, functions, view)
        + " " * 18
        + "".join(blocks)
        + _relationships(schemas, view, 0)
    )


def _row(schemas: Schemas, functions: Functions, relation: Relation) -> str:
    computed = computed_fields(schemas, functions, relation)
    entries = [
        *(f"{quoted(each.name)}: {_value(schemas, each)}" for each in relation.columns),
        *(
            f"{quoted(each.name)}: {nullable(given_type(schemas, each), is_nullable=True)}"
            for each in computed
        ),
    ]
    names = " | ".join(quoted(each.name) for each in computed) or "never"
    return (
        f"{quoted(relation.name)}: {{\n"
        f"                  Row: {{\n                    {','.join(entries)}\n"
        f"                  }}\n                  ComputedFields: {names}\n"
    )


def _relationships(schemas: Schemas, relation: Relation, indent: int) -> str:
    entries = ",".join(relationships_text(schemas, relation))
    return (
        f"{' ' * indent}Relationships: [\n                    {entries}\n"
        "                  ]\n                }"
    )


def _written(schemas: Schemas, column: Column, *, is_update: bool) -> str:
    if not column.is_written:
        return f"{quoted(column.name)}?: never"
    is_optional = is_update or column.is_nullable or column.has_default
    return f"{quoted(column.name)}{'?' if is_optional else ''}: {_value(schemas, column)}"


def _value(schemas: Schemas, column: Column) -> str:
    return value_type(schemas, column.type, is_nullable=column.is_nullable)


def _composite(schemas: Schemas, composite: TypeFacts) -> str:
    columns = ",".join(
        f"{quoted(name)}: {nullable(type_of(schemas, oid), is_nullable=True)}"
        for name, oid in composite.attributes
    )
    return (
        f"{quoted(composite.name)}: {{\n                        {columns}\n                      }}"
    )


def _types(schemas: Schemas, schema: str) -> list[TypeFacts]:
    found = [each for each in schemas.types.values() if each.schema == schema]
    return sorted(found, key=lambda each: collated(each.name))


def _constants(schemas: Schemas, schema: str) -> str:
    enums = ",".join(
        f"{quoted(each.name)}: [{', '.join(map(quoted, each.labels))}]"
        for each in _types(schemas, schema)
        if each.labels
    )
    return (
        f"{quoted(schema)}: {{\n          Enums: {{\n            {enums}\n          }}\n        }}"
    )


def _helpers() -> Iterable[str]:
    """The helper types of client code, such as Tables, TablesInsert and Enums."""
    yield _picker("Tables", "Table", ("Tables", "Views"), "Row")
    yield _picker("TablesInsert", "Table", ("Tables",), "Insert")
    yield _picker("TablesUpdate", "Table", ("Tables",), "Update")
    yield _picker("Enums", "Enum", ("Enums",))
    yield _picker("CompositeTypes", "CompositeType", ("CompositeTypes",), prefix="Public")


def _picker(
    name: str, what: str, parts: Sequence[str], member: str = "", *, prefix: str = "DefaultSchema"
) -> str:
    """One helper type: by a name of the default schema, or a schema and a name in it."""
    given = f"{prefix}{what}NameOrOptions"
    schema = f'{_INTERNALS}[{given}["schema"]]'
    of_default = " & ".join(f'DefaultSchema["{part}"]' for part in parts)
    of_schema = [f'{schema}["{part}"]' for part in parts]
    is_both = len(parts) > 1
    default = f"({of_default})" if is_both else of_default
    keys = " &\n        ".join(of_schema)
    chosen = " &\n      ".join(of_schema)
    keys, chosen = (f"({keys})", f"({chosen})") if is_both else (keys, chosen)

    def picked(place: str) -> str:
        if not member:
            return place
        variable = member[0]
        found = f"{{\n      {member}: infer {variable}\n    }}"
        return f"{place} extends {found}\n    ? {variable}\n    : never"

    return (
        f"export type {name}<\n"
        f"  {given} extends\n"
        f"    | keyof {default}\n"
        f"    | {{ schema: keyof {_INTERNALS} }},\n"
        f"  {what}Name extends {given} extends {{\n"
        f"    schema: keyof {_INTERNALS}\n"
        "  }\n"
        f"    ? keyof {keys}\n"
        "    : never = never\n"
        f"> = {given} extends {{ schema: keyof {_INTERNALS} }}\n"
        f"  ? {picked(f'{chosen}[{what}Name]')}\n"
        f"  : {given} extends keyof {default}\n"
        f"  ? {picked(f'{default}[{given}]')}\n"
        "  : never"
    )

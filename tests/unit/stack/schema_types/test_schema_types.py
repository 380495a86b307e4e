"""A description of schemas in TypeScript, made of values."""

from __future__ import annotations

from compat_stack.schema_types.functions import callable_functions, functions_text
from compat_stack.schema_types.model import (
    Argument,
    Column,
    Function,
    Key,
    KeySide,
    Relation,
    Schemas,
    TypeFacts,
    TypeName,
)
from compat_stack.schema_types.names import type_name, type_of, value_type
from compat_stack.schema_types.relationships import relationships_text
from compat_stack.schema_types.typescript import typescript

INT, TEXT, JSON, INTS, ENUM, ROW, HIDDEN, INET, PAIR = 23, 25, 3802, 1007, *range(20_000, 20_005)
TABLE = 100


def facts(
    oid: int, name: str, schema: str = "pg_catalog", row_of: int = 0, *labels: str, pair: int = 0
) -> TypeFacts:
    attributes = (("left", pair),) if pair else ()
    return TypeFacts(oid, schema, name, name, row_of, labels, attributes)


EVERY_TYPE = [
    facts(INT, "int4"),
    facts(TEXT, "text"),
    facts(JSON, "jsonb"),
    facts(INTS, "_int4"),
    facts(ENUM, "mood", "public", 0, "good", "bad"),
    facts(ROW, "notes", "public", TABLE),
    facts(HIDDEN, "secret", "private", 0, "x", "y"),
    facts(INET, "inet"),
    facts(PAIR, "pair", "private", 200, pair=INT),
]
NUMBER = TypeName("pg_catalog", "int4")


def column(name: str, *, null: bool = False, default: bool = False) -> Column:
    return Column(name, NUMBER, null, default, is_written=True)


NOTES = Relation(
    TABLE, "public", "notes", "Tables", is_inserted=True, is_updated=True,
    columns=(column("id", default=True), column("parent", null=True)),
)  # fmt: skip
VIEW = Relation(
    101, "public", "ids", "Views", is_inserted=True, is_updated=False,
    columns=(column("number", null=True),),
)  # fmt: skip
SOURCE = KeySide("public", "notes", ("parent",))
KEYS = tuple(
    Key("notes_parent_fkey", SOURCE, KeySide("public", relation, (name,)), is_one_to_one=False)
    for relation, name in (("notes", "id"), ("ids", "number"))
)


def schemas(*functions: Function, names: tuple[str, ...] = ("public",)) -> Schemas:
    by_name = {each.name: [each] for each in EVERY_TYPE}
    types = {each.oid: each for each in EVERY_TYPE}
    return Schemas(names, (NOTES, VIEW), KEYS, functions, types, by_name)


def argument(name: str, oid: int, *, default: bool = False) -> Argument:
    return Argument(name, oid, "i", default)


def function(name: str, *arguments: Argument, returns: int = INT, rows: float = 0) -> Function:
    row_of = TABLE if returns == ROW else 0
    return Function(
        1, "public", name, arguments, "", "", returns, row_of, returns_set=rows > 0, rows=rows
    )


def text_of(*functions: Function) -> str:
    described = schemas(*functions)
    return "".join(functions_text(described, callable_functions(described, "public")))


def test_types_are_what_json_makes_of_them():
    words = [type_of(schemas(), oid) for oid in (INT, TEXT, INTS, INET, PAIR, 12345)]
    assert words == ["number", "string", "(number)[]", "unknown", "unknown", "unknown"]
    assert type_of(schemas(), ENUM) == 'Database["public"][\'Enums\']["mood"]'
    assert type_of(schemas(), HIDDEN) == '"x"|"y"'
    assert type_of(schemas(), ROW) == "Database[\"public\"]['Tables'][\"notes\"]['Row']"


def test_a_type_is_found_by_its_name_in_another_schema_too():
    assert type_name(schemas(), TypeName("shop", "mood")) == type_of(schemas(), ENUM)
    assert type_name(schemas(), TypeName("shop", "_mood")) == f"({type_of(schemas(), ENUM)})[]"


def test_null_is_said_where_it_says_something():
    assert value_type(schemas(), NUMBER, is_nullable=True) == "number | null"
    assert value_type(schemas(), TypeName("pg_catalog", "inet"), is_nullable=True) == "unknown"
    json = TypeName("pg_catalog", "jsonb")
    assert value_type(schemas(), json, is_nullable=False) == "NonNullable<Json>"


def test_a_foreign_key_leads_to_the_table_and_to_the_views_that_show_its_key():
    entries = relationships_text(schemas(), NOTES)
    assert [entry.split('referencedRelation: "')[1].split('"')[0] for entry in entries] == [
        "ids",
        "notes",
    ]


def test_overloads_that_cannot_be_told_apart_are_an_error():
    same = [function("f", argument("a", oid)) for oid in (TEXT, INT)]
    assert "public.f(a => int4), public.f(a => text)" in text_of(*same)
    default = function("f", argument("", TEXT, default=True))
    assert "public.f(), public.f( => int4)" in text_of(function("f"), default)


def test_overloads_of_several_arguments_are_told_apart_by_whoever_calls_them():
    same = [function("f", argument("a", oid), argument("b", oid)) for oid in (INT, TEXT)]
    assert "error" not in text_of(*same)


def test_a_function_without_names_for_its_arguments_cannot_be_called():
    assert text_of(function("f", argument("", INT), argument("", TEXT))) == ""


def test_a_function_of_a_row_is_a_computed_field_unless_a_column_has_its_name():
    row = argument("note", ROW)
    text = typescript(schemas(function("title", row, returns=TEXT), function("id", row)))
    assert '"parent": number | null,"title": string | null' in text
    assert 'ComputedFields: "title"\n' in text
    assert "Omit<Database[\"public\"]['Tables'][\"notes\"]['Row'], " in text


def test_rows_are_many_unless_the_function_says_one():
    assert "}[]" in text_of(function("f", returns=ROW, rows=1000))
    assert "}[]" not in text_of(function("f", returns=ROW, rows=1))
    assert "(number)[][]" in text_of(function("f", returns=INTS, rows=1))


def test_a_view_that_takes_no_updates_has_none():
    text = typescript(schemas())
    assert text.count("Insert: {") == 2
    assert text.count("Update: {") == 1


def test_the_first_schema_is_the_default_where_public_is_not_described():
    text = typescript(schemas(names=("shop", "stock")))
    assert 'Extract<keyof Database, "shop">' in text


def test_the_whole_text_has_constants_and_helpers():
    text = typescript(schemas())
    assert '"mood": ["good", "bad"]' in text
    assert "export type TablesInsert<" in text
    assert text.endswith("} as const\n")

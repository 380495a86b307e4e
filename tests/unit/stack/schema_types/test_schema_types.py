"""A description of schemas in TypeScript, made of values."""

from __future__ import annotations

from compat_stack.schema_types.functions import functions_text
from compat_stack.schema_types.model import (
    Argument,
    Column,
    ForeignKey,
    Function,
    Relation,
    Schemas,
    TypeFacts,
    collated,
)
from compat_stack.schema_types.names import type_name, value_type
from compat_stack.schema_types.relationships import relationships_text
from compat_stack.schema_types.typescript import typescript

INT, TEXT, JSON, INTS, MOOD, ROW, HIDDEN, INET = range(1, 9)


def facts(
    name: str,
    kind: str = "b",
    schema: str = "pg_catalog",
    *,
    element: int = 0,
    relation: str = "",
    labels: tuple[str, ...] = (),
) -> TypeFacts:
    return TypeFacts(schema, name, kind, element, 0, relation, labels)


TYPES = {
    INT: facts("int4"),
    TEXT: facts("text"),
    JSON: facts("jsonb"),
    INTS: facts("_int4", element=INT),
    MOOD: facts("mood", "e", "public", labels=("good", "bad")),
    ROW: facts("notes", "c", "public", relation="r"),
    HIDDEN: facts("secret", "e", "private", labels=("x",)),
    INET: facts("inet"),
}


def column(
    number: int, name: str, oid: int, *, null: bool = False, default: bool = False
) -> Column:
    return Column(number, name, oid, null, default, never_written=False)


NOTES = Relation(
    100, ROW, "public", "notes", is_view=False, is_written=True,
    columns=(column(1, "id", INT, default=True), column(2, "parent", INT, null=True)), origins={},
)  # fmt: skip
VIEW = Relation(
    101, 99, "public", "ids", is_view=True, is_written=False,
    columns=(column(1, "number", INT, null=True),), origins={1: (100, 1)},
)  # fmt: skip
KEY = ForeignKey("notes_parent_fkey", 100, (2,), 100, (1,), is_one_to_one=False)


def schemas(*functions: Function) -> Schemas:
    return Schemas(("public",), (NOTES, VIEW), (), (KEY,), functions, TYPES)


def function(name: str, *arguments: Argument, returns: int = INT, many: bool = False) -> Function:
    return Function("public", name, arguments, (), returns, many, returns_one=False)


def test_types_are_what_json_makes_of_them():
    names = [type_name(schemas(), oid) for oid in (INT, TEXT, INTS, HIDDEN, INET, 12345)]
    assert names == ["number", "string", "(number)[]", "unknown", "unknown", "unknown"]
    assert type_name(schemas(), MOOD) == 'Database["public"][\'Enums\']["mood"]'


def test_null_is_said_where_it_says_something():
    assert value_type(schemas(), INT, is_nullable=True) == "number | null"
    assert value_type(schemas(), INET, is_nullable=True) == "unknown"
    assert value_type(schemas(), JSON, is_nullable=False) == "NonNullable<Json>"


def test_names_are_sorted_as_people_sort_them():
    assert sorted(["Zed", "b1", "a", "_x", "A", "b_"], key=collated) == [
        "_x",
        "a",
        "A",
        "b_",
        "b1",
        "Zed",
    ]


def test_a_foreign_key_leads_to_the_table_and_to_the_views_that_show_its_key():
    entries = relationships_text(schemas(), NOTES)
    assert [entry.split('referencedRelation: "')[1].split('"')[0] for entry in entries] == [
        "ids",
        "notes",
    ]


def test_overloads_that_cannot_be_told_apart_are_an_error():
    same = [function("f", Argument("a", oid, False)) for oid in (INT, TEXT)]
    text = functions_text(schemas(*same), "public")[0]
    assert "public.f(a => int4), public.f(a => text)" in text


def test_a_function_without_names_for_its_arguments_cannot_be_called():
    unnamed = function("f", Argument("", INT, False), Argument("", TEXT, False))
    assert functions_text(schemas(unnamed), "public") == []


def test_a_function_of_a_row_is_a_computed_field():
    text = typescript(schemas(function("title", Argument("note", ROW, False), returns=TEXT)))
    assert '"parent": number | null,"title": string | null' in text
    assert 'ComputedFields: "title"' in text


def test_the_whole_text_has_constants_and_helpers():
    text = typescript(schemas())
    assert '"mood": ["good", "bad"]' in text
    assert "export type TablesInsert<" in text
    assert text.endswith("} as const\n")

"""The root document out of a small schema cache."""

from __future__ import annotations

import pytest

from rest_compat.catalog.model import (
    Cardinality,
    Column,
    Parameter,
    Relationship,
    ReturnType,
    Routine,
    Table,
)
from rest_compat.names import QualifiedName
from rest_compat.response.openapi import Address, make_document, proxy_address
from rest_compat.response.openapi_types import Described

FILMS = QualifiedName("api", "films")
ADDRESS = Address("http", "127.0.0.1", 3000)


def column(name: str, sql_type: str, **more) -> Column:
    facts = {"description": None, "nullable": True, "max_length": None, "default": None, "enum": ()}
    return Column(name=name, type=sql_type, nominal_type=sql_type, **{**facts, **more})


def table(*columns: Column, **more) -> Table:
    facts = {
        "description": None, "is_view": False, "insertable": True, "updatable": True,
        "deletable": True, "primary_key": ("id",),
    }  # fmt: skip
    return Table(name=FILMS, columns={c.name: c for c in columns}, **{**facts, **more})


def routine(volatility: str = "s", *parameters: Parameter) -> Routine:
    returned = ReturnType(QualifiedName("pg_catalog", "int4"), False, False, False)
    name = QualifiedName("api", "add")
    return Routine(name, "Adds\n\nTwo numbers", parameters, returned, volatility, False, None, ())


def document(*tables: Table, routines=(), relationships=None, comment=None, security=False):
    described = Described(tables, relationships or {}, routines, comment)
    return make_document(described, ADDRESS, version="16.2", docs_version="v16", security=security)


def definition(*columns: Column, **more):
    return document(table(*columns, **more))["definitions"]["films"]


def test_the_schemas_comment_gives_title_and_description():
    info = document(comment="My API\n\nIs good\nreally")["info"]
    assert (info["title"], info["description"]) == ("My API", "Is good\nreally")


def test_the_address_stands_in_host_scheme_and_base_path():
    made = document()
    assert (made["host"], made["schemes"], made["basePath"]) == ("127.0.0.1:3000", ["http"], "/")


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("https://api.example/v1", Address("https", "api.example", 443, "/v1")),
        ("http://api.example:8080", Address("http", "api.example", 8080, "/")),
    ],
)
def test_a_proxy_uri_replaces_the_address(uri: str, address: Address):
    assert proxy_address(uri) == address


@pytest.mark.parametrize(
    ("sql_type", "expected"),
    [
        ("smallint", {"type": "integer", "format": "int32"}),
        ("bigint", {"type": "integer", "format": "int64"}),
        ("numeric", {"type": "number", "format": "numeric"}),
        ("jsonb", {"format": "jsonb"}),
        ("text[]", {"type": "array", "format": "text[]", "items": {"type": "string"}}),
        ("json[]", {"type": "array", "format": "json[]", "items": {}}),
        ("api.mood", {"type": "string", "format": "api.mood"}),
    ],
)
def test_a_column_is_described_by_its_type(sql_type: str, expected: dict):
    assert definition(column("a", sql_type))["properties"]["a"] == expected


@pytest.mark.parametrize(
    ("sql_type", "default", "expected"),
    [
        ("integer", "42", 42),
        ("integer", "nextval('s'::regclass)", None),
        ("text", "'x'::text", "x"),
        ("date", "now()", "now()"),
    ],
)
def test_a_default_is_shown_where_it_is_a_value(sql_type: str, default: str, expected: object):
    described = definition(column("a", sql_type, default=default))["properties"]["a"]
    assert described.get("default") == expected


def test_keys_are_noted_under_the_columns_own_comment():
    relationship = Relationship(
        FILMS,
        QualifiedName("api", "people"),
        False,
        Cardinality.MANY_TO_ONE,
        "fk",
        (("id", "pid"),),
    )
    made = document(
        table(column("id", "integer", description="Mine")), relationships={FILMS: (relationship,)}
    )
    assert made["definitions"]["films"]["properties"]["id"]["description"] == (
        "Mine\n\nNote:\nThis is a Primary Key.<pk/>\n"
        "This is a Foreign Key to `people.pid`.<fk table='people' column='pid'/>"
    )


def test_columns_that_may_not_be_null_are_required():
    assert definition(column("a", "text", nullable=False), column("b", "text"))["required"] == ["a"]


def test_a_relation_that_cannot_be_written_is_only_read():
    closed = table(column("a", "text"), insertable=False, updatable=False, deletable=False)
    assert set(document(closed)["paths"]["/films"]) == {"get"}


@pytest.mark.parametrize(("volatility", "methods"), [("v", {"post"}), ("i", {"get", "post"})])
def test_only_a_volatile_routine_is_not_got(volatility: str, methods: set[str]):
    paths = document(routines=(routine(volatility),))["paths"]
    assert set(paths["/rpc/add"]) == methods


def test_a_variadic_parameter_is_repeated_in_the_query():
    parameter = Parameter("v", "integer[]", "integer[]", required=False, variadic=True)
    made = document(routines=(routine("s", parameter),))["paths"]["/rpc/add"]["get"]["parameters"]
    assert made == [
        {
            "name": "v", "required": False, "in": "query", "type": "array",
            "collectionFormat": "multi", "items": {"type": "integer", "format": "int32"},
        }
    ]  # fmt: skip


def test_a_comment_becomes_summary_and_description():
    operation = document(routines=(routine(),))["paths"]["/rpc/add"]["get"]
    assert (operation["summary"], operation["description"]) == ("Adds", "Two numbers")


def test_security_is_described_only_where_it_is_active():
    assert document(security=True)["security"] == [{"JWT": []}]
    assert "security" not in document()

"""Relationships out of foreign keys: from both sides, through junctions and views."""

import json
from dataclasses import replace

from rest_compat.catalog.assemble import CatalogRows, assemble
from rest_compat.catalog.model import Cardinality
from rest_compat.catalog.relationships import exposed_relationships, find_relationships
from rest_compat.catalog.view_keys import ViewKey, find_view_keys, with_view_primary_keys
from rest_compat.names import QualifiedName
from tests.harness_rest_plans import DEPT, EMP, table

SKILL, KNOWS = QualifiedName("api", "skill"), QualifiedName("api", "knows")
RICH = QualifiedName("api", "rich")


def key(origin, target, constraint, *columns, one_to_one=False):
    return {
        "schema": origin.schema,
        "name": origin.name,
        "target_schema": target.schema,
        "target_name": target.name,
        "is_self": origin == target,
        "one_to_one": one_to_one,
        "constraint_name": constraint,
        "columns": json.dumps(columns),
    }


EMP_DEPT = key(EMP, DEPT, "emp_dept", ("dept_id", "id"))


def ends_of(relationships):
    return {(one.origin.name, one.target.name, one.cardinality) for one in relationships}


def test_a_key_joins_both_ways():
    assert ends_of(find_relationships([EMP_DEPT], [], {}, [])) == {
        ("emp", "dept", Cardinality.MANY_TO_ONE),
        ("dept", "emp", Cardinality.ONE_TO_MANY),
    }


def test_two_keys_within_a_primary_key_join_over_their_table():
    junction = {KNOWS: replace(table(KNOWS), primary_key=("emp_id", "skill_id"))}
    keys = [
        key(KNOWS, EMP, "knows_emp", ("emp_id", "id")),
        key(KNOWS, SKILL, "knows_skill", ("skill_id", "id")),
    ]
    found = ends_of(find_relationships(keys, [], junction, []))
    assert ("emp", "skill", Cardinality.MANY_TO_MANY) in found
    assert ("skill", "emp", Cardinality.MANY_TO_MANY) in found


def test_a_view_that_shows_a_key_is_joined_as_its_table_is():
    shown = ViewKey(RICH, EMP, "emp_dept", "f", ("dept_id",), (("home",),))
    found = find_relationships([EMP_DEPT], [], {}, [shown])
    (seen,) = [one for one in found if one.origin == RICH]
    assert (seen.columns, seen.origin_is_view) == ((("home", "id"),), True)


def test_a_view_shows_of_two_keys_of_one_name_the_one_whose_columns_it_shows():
    keys = [
        key(EMP, DEPT, "of_dept", ("dept_id", "id")),
        key(KNOWS, DEPT, "of_dept", ("org", "org"), ("dept", "number")),
    ]
    shown = ViewKey(RICH, DEPT, "of_dept", "r", ("org", "number"), (("a",), ("b",)))
    found = find_relationships(keys, [], {}, [shown])
    (seen,) = [one for one in found if one.target == RICH]
    assert (seen.origin, seen.columns) == (KNOWS, (("org", "a"), ("dept", "b")))


def test_what_leads_to_a_hidden_schema_is_not_offered():
    hidden = key(EMP, QualifiedName("hidden", "x"), "emp_x", ("x", "id"))
    found = find_relationships([EMP_DEPT, hidden], [], {}, [])
    exposed = exposed_relationships(found, frozenset({"api"}))
    assert ends_of(exposed[EMP, "api"]) == {("emp", "dept", Cardinality.MANY_TO_ONE)}
    assert {name.schema for name, _ in exposed} == {"api"}


def test_a_computed_relationship_is_found_in_the_schema_of_its_function():
    rows = [
        {
            "schema": schema, "name": f"to_{target}", "origin_schema": EMP.schema,
            "origin_name": EMP.name, "target_schema": target, "target_name": "desk",
            "single": False, "is_self": False,
        }
        for schema, target in (("api", "other"), ("api", "hidden"), ("hidden", "api"))
    ]  # fmt: skip
    found = find_relationships([], rows, {}, [])
    exposed = exposed_relationships(found, frozenset({"api", "other"}))
    assert [one.target.schema for one in exposed[EMP, "api"]] == ["other"]
    assert (EMP, "other") not in exposed


def test_a_view_has_the_primary_key_that_it_shows():
    assert find_view_keys([], [], ["api"]) == []
    shown = ViewKey(RICH, EMP, "emp_pkey", "p", ("id",), (("key", "again"),))
    found = with_view_primary_keys({RICH: table(RICH)}, [shown])
    assert found[RICH].primary_key == ("key",)


def test_a_catalog_without_rows_is_a_cache_that_knows_how_to_make_json():
    empty = CatalogRows([], [], [], [], [], [], [], [])
    cache = assemble(empty, ["api"])
    assert (cache.tables, cache.relationships) == ({}, {})
    assert cache.handlers

"""Named statements out of SQL text."""

from __future__ import annotations

import pytest

from compat_base.postgres.queries import load_queries, parse_queries


def test_statements_are_known_by_name_without_their_semicolon():
    queries = parse_queries("-- name: a\n-- why\nselect 1;\n\n-- name: b\nselect 2;\n")
    assert queries == {"a": "-- why\nselect 1", "b": "select 2"}


def test_what_stands_before_the_first_name_is_no_statement():
    assert parse_queries("-- a file of statements\n\n-- name: one\nselect 1") == {"one": "select 1"}
    assert parse_queries("") == {}


def test_a_statement_named_twice_is_refused():
    with pytest.raises(ValueError, match="two statements are named a"):
        parse_queries("-- name: a\nselect 1\n-- name: a\nselect 2")


def test_the_files_of_packages_are_found():
    assert "tables" in load_queries("rest_compat.catalog", "queries.sql")

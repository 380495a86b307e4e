"""A script split into its statements."""

from __future__ import annotations

import pytest

from compat_base.postgres.statements import pieces, split_statements


def texts(script: str) -> list[str]:
    return [statement.text for statement in split_statements(script)]


@pytest.mark.parametrize(
    "statement",
    [
        "select ';'",
        "select E'\\';'",
        "select 'it''s;'",
        'select 1 as "a;b"',
        "select 1 -- one; two\n",
        "select /* a; /* b; */ c; */ 1",
        "do $$ begin perform 1; end $$",
        "do $body$ select '$$;'; $body$",
        "create function f() returns int begin atomic select case when true then 1 end; select 2; end",
        "create function f() returns int language sql as $_$ select 1; $_$",
        "select a$b$c from t",
    ],
)
def test_what_is_inside_ends_no_statement(statement: str):
    assert texts(f"{statement}; select 2;") == [statement.strip(), "select 2"]


def test_begin_of_a_transaction_is_a_statement():
    assert texts("begin; select 1; end;") == ["begin", "select 1", "end"]


def test_statements_have_their_lines():
    script = "select 1;\n\n-- said\nselect\n 2;;\nselect 3"
    assert [statement.line for statement in split_statements(script)] == [1, 3, 6]


def test_nothing_is_no_statement():
    assert texts(" ; ;\n") == []


def test_a_script_that_is_cut_off_is_split_as_far_as_it_goes():
    assert texts("select 1; select 'a; b") == ["select 1", "select 'a; b"]


def test_a_long_script_is_cut_between_statements_only():
    script = "select 1;\nselect ';;;;;;;;;;';\n-- ;\ndo $a$ begin; end $a$;\nselect 2"
    cut = list(pieces(script, 12))
    assert "".join(piece for _, piece in cut) == script
    assert all(script.startswith(piece, start) for start, piece in cut)
    assert [piece.strip() for _, piece in cut] == [
        "select 1;\nselect ';;;;;;;;;;';", "-- ;\ndo $a$ begin; end $a$;", "select 2",
    ]  # fmt: skip
    assert list(pieces(script, len(script))) == [(0, script)]

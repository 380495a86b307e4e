"""SQL as a value: quoting by type, parameters numbered at the last moment."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.sqltext import (
    EMPTY,
    Sql,
    compile_sql,
    ident,
    join,
    literal,
    param,
    quote_ident,
    quote_literal,
    raw,
    sql,
)


def test_parameters_are_numbered_in_the_order_of_the_text():
    statement = compile_sql(raw("select ") + param("a", "text") + raw(", ") + param(2))
    assert statement.text == "select $1::text, $2"
    assert statement.args == ("a", 2)


def test_a_name_is_quoted_with_its_schema():
    assert compile_sql(ident("api", 'fi"lms')).text == '"api"."fi""lms"'


def test_pieces_are_joined_with_their_parameters():
    statement = compile_sql(join(", ", [param(1), param(2), EMPTY]))
    assert statement.text == "$1, $2, "
    assert statement.args == (1, 2)


def test_a_template_has_a_part_for_each_of_its_names():
    made = sql("select {a}, '{}', {b}, {a}", a=param(1), b=ident("x"))
    assert compile_sql(made).text == "select $1, '{}', \"x\", $2"
    assert compile_sql(made).args == (1, 1)


@pytest.mark.parametrize("parts", [{}, {"a": EMPTY, "b": EMPTY}, {"b": EMPTY}])
def test_a_template_whose_parts_are_others_is_refused(parts: dict[str, Sql]):
    with pytest.raises(ValueError, match="do not go together"):
        sql("select {a}", **parts)


@given(st.text())
def test_no_text_leaves_its_quotes_as_a_literal(text: str):
    quoted = quote_literal(text)
    body = quoted.removeprefix("E")[1:-1]
    assert "'" not in body.replace("''", "")
    assert "\0" not in quoted
    assert quoted.startswith("E") == ("\\" in text.partition("\0")[0])


@given(st.text())
def test_no_name_leaves_its_quotes(name: str):
    assert '"' not in quote_ident(name)[1:-1].replace('""', "")


@given(st.lists(st.one_of(st.just(raw("x ")), st.builds(param, st.integers()))))
def test_compiled_text_has_as_many_placeholders_as_arguments(pieces: list[Sql]):
    statement = compile_sql(join(" ", pieces))
    assert len(re.findall(r"\$\d+", statement.text)) == len(statement.args)


def test_a_literal_with_a_backslash_is_an_escape_string():
    assert compile_sql(literal(r"a\b")).text == r"E'a\\b'"

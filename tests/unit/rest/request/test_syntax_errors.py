"""Every grammar says what it expected and where, and no text breaks it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rest_compat.request import parsec
from rest_compat.request.filters import condition, logic_tree
from rest_compat.request.names import columns, field_name, json_path, tree_path
from rest_compat.request.ordering import order_terms
from rest_compat.request.select import select_items
from rest_compat.request.syntax_failures import ParseError

GRAMMARS = (select_items, condition, logic_tree, order_terms, columns, tree_path)


@pytest.mark.parametrize(
    ("grammar", "text", "column", "details"),
    [
        (condition, "5", 1, 'unexpected "5" expecting "not" or operator (eq, gt, ...)'),
        (condition, "not.not.eq.1", 5, 'unexpected "n" expecting operator (eq, gt, ...)'),
        (condition, "in.1", 4, 'unexpected "1" expecting "("'),
        (
            condition,
            "is.nul",
            7,
            "unexpected end of input expecting isVal: (null, not_null, true, false, unknown)",
        ),
        (
            select_items,
            "id,",
            4,
            'unexpected end of input expecting "...", field name (* or [a..z0..9_$]), "*" or "count()"',
        ),
        (
            order_terms,
            "id.up",
            4,
            'unexpected "u" expecting "asc", "desc", "nullsfirst" or "nullslast"',
        ),
        (logic_tree, "or(id.eq.1", 11, 'unexpected end of input expecting "," or ")"'),
        (columns, "", 1, "unexpected end of input expecting field name (* or [a..z0..9_$])"),
        (json_path, "->>--34", 5, 'unexpected "-" expecting digit'),
        (
            select_items,
            "id,c(name[])",
            10,
            'unexpected \'[\' expecting letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input',
        ),
        (
            order_terms,
            "data->a->>b(",
            12,
            'unexpected \'(\' expecting "-", "->>", "->", delimiter (.), "," or end of input',
        ),
        (field_name, ":", 1, 'unexpected ":" expecting field name (* or [a..z0..9_$])'),
    ],
)
def test_failures_say_what_and_where(grammar, text, column, details):
    with pytest.raises(ParseError) as raised:
        parsec.run(grammar, text)
    assert (raised.value.column, raised.value.details) == (column, details)


@given(
    text=st.text(alphabet='abz019 _$.,:()[]{}"\\!*->é\t\n', max_size=60),
    grammar=st.sampled_from(GRAMMARS),
)
def test_any_text_is_read_or_refused(text, grammar):
    problem = problem_of(grammar, text)
    assert problem is None or (problem.details and problem.column >= 1)


@given(text=st.text(max_size=40), grammar=st.sampled_from(GRAMMARS))
def test_any_unicode_is_read_or_refused(text, grammar):
    problem = problem_of(grammar, text)
    assert problem is None or problem.line >= 1


def problem_of(grammar, text):
    try:
        parsec.run(grammar, text)
    except ParseError as problem:
        return problem
    return None


def test_tabs_count_to_the_next_eight():
    assert parsec.position("\ta", 1) == (1, 9)
    assert parsec.position("a\nb", 2) == (2, 1)


NAMES = st.lists(st.text("ab0_", min_size=1, max_size=4), min_size=1, max_size=5)


@given(NAMES)
def test_what_is_read_as_a_whole_is_read_as_it_would_be_in_pieces(names):
    in_pieces = [f" {name} " for name in names]
    assert parsec.run(select_items, ",".join(names)) == parsec.run(
        select_items, ",".join(in_pieces)
    )
    plain = [f"{name}.eq.{name}(" for name in names]
    quoted = [f'{name}.eq."{name}("' for name in names]
    trees = [
        parsec.run(logic_tree, f"or({','.join(conditions)})") for conditions in (plain, quoted)
    ]
    assert trees[0] == trees[1]

"""Names of fields: parts joined by dashes, and what each costs to read."""

import sys

import pytest

from rest_compat.request import parsec
from rest_compat.request.names import field_name, json_path, logic_path, tree_path
from rest_compat.request.ordering import order_terms
from rest_compat.request.select import select_items
from rest_compat.request.syntax_failures import ParseError


def problem_of(grammar, text):
    try:
        parsec.run(grammar, text)
    except ParseError as problem:
        return problem
    return None


def calls_of(grammar, text):
    """How many calls of Python functions the reading of a text takes."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        problem_of(grammar, text)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("end", ["", "!", "-", "->", "->b"])
def test_a_name_of_many_dashes_is_little_work_to_read_or_to_refuse(end):
    assert calls_of(select_items, "a-" * 2_000 + "a" + end) < 20 * 2_000


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        (tree_path, "a." * 2_000 + "a"),
        (logic_path, "a." * 2_000 + "and"),
        (order_terms, "a"),
        (order_terms, "a->b.desc.nullslast"),
    ],
)
def test_plain_paths_and_orders_take_few_calls(grammar, text):
    assert calls_of(grammar, text) < 60


@pytest.mark.parametrize("name", ["a-b", "a - b", "a-b-c", "é-2-_-$"])
def test_parts_of_a_name_are_joined_by_their_dashes_alone(name):
    assert parsec.run(field_name, f" {name} ") == name.replace(" ", "")
    assert parsec.run(field_name, f"{name}->x") == name.replace(" ", "")


def test_a_key_keeps_separators_that_are_no_blanks_to_the_original():
    (step,) = parsec.run(json_path, "->\u2028k \x85")
    assert step.key == "\u2028k \x85"


@pytest.mark.parametrize(
    ("text", "column", "details"),
    [
        ("a-", 3, 'unexpected end of input expecting ">", letter or digit'),
        ("a-b-!", 5, 'unexpected "!" expecting ">", letter or digit'),
        ("a-b--c", 5, 'unexpected "-" expecting ">", letter or digit'),
    ],
)
def test_a_part_that_is_missing_is_told_at_its_place(text, column, details):
    problem = problem_of(field_name, text)
    assert problem is not None
    assert (problem.column, problem.details) == (column, details)

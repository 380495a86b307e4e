"""The grammars: what they accept, what they say of the rest, and that no text breaks them."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rest_compat.request import parsec
from rest_compat.request.filters import condition, logic_tree
from rest_compat.request.model import (
    Aggregate,
    Binary,
    FieldText,
    InList,
    Is,
    Join,
    LogicGroup,
    OrderText,
    Quantifier,
    SelectEmbed,
    SelectField,
    Step,
)
from rest_compat.request.names import columns, field_name, json_path, tree_path
from rest_compat.request.ordering import order_terms
from rest_compat.request.select import select_items

GRAMMARS = (select_items, condition, logic_tree, order_terms, columns, tree_path)


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("*", SelectField(FieldText("*"))),
        ("who:name", SelectField(FieldText("name"), alias="who")),
        ("pay::text", SelectField(FieldText("pay"), cast="text")),
        (
            "pay.sum()::int",
            SelectField(FieldText("pay"), aggregate=Aggregate.SUM, aggregate_cast="int"),
        ),
        ("count()", SelectField(FieldText("*"), aggregate=Aggregate.COUNT)),
        (
            "data->a->>-1",
            SelectField(FieldText("data", (Step(False, "a"), Step(True, "-1", True)))),
        ),
        (
            "dept!inner!x(id)",
            SelectEmbed("dept", None, "x", Join.INNER, False, (SelectField(FieldText("id")),)),
        ),
        ("...dept()", SelectEmbed("dept", None, None, None, True, ())),
    ],
)
def test_select_items_are_read(text, item):
    assert parsec.run(select_items, text) == [item]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("eq.a.b,c", (False, Binary("eq", "a.b,c"))),
        ("not.like(any).{a}", (True, Binary("like", "{a}", Quantifier.ANY))),
        ('in.(a,"b,c",d e)', (False, InList(("a", "b,c", "d e")))),
        ("is.NoT_nUlL", (False, Is("not_null"))),
    ],
)
def test_conditions_are_read(text, expected):
    assert parsec.run(condition, text) == expected


def test_logic_trees_nest():
    tree = parsec.run(logic_tree, 'or(a.eq.1, not.and(b.in.(x,y),c.eq."q,r"))')
    assert isinstance(tree, LogicGroup)
    assert tree.members[1].members[1].operation == Binary("eq", "q,r")


def test_orders_look_into_embeds():
    assert parsec.run(order_terms, "dept(name).desc.nullslast,id") == [
        OrderText(FieldText("name"), True, False, "dept"),
        OrderText(FieldText("id")),
    ]


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
        (field_name, ":", 1, 'unexpected ":" expecting field name (* or [a..z0..9_$])'),
    ],
)
def test_failures_say_what_and_where(grammar, text, column, details):
    with pytest.raises(parsec.ParseError) as raised:
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
    except parsec.ParseError as problem:
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


@pytest.mark.parametrize("name", ["a-b", "a - b", "a-b-c", "é-2-_-$"])
def test_parts_of_a_name_are_joined_by_their_dashes_alone(name):
    assert parsec.run(field_name, f" {name} ") == name.replace(" ", "")
    assert parsec.run(field_name, f"{name}->x") == name.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "column", "details"),
    [
        ("a-", 3, "unexpected end of input expecting letter or digit"),
        ("a-b-!", 5, 'unexpected "!" expecting letter or digit'),
        ("a-b--c", 5, 'unexpected "-" expecting letter or digit'),
    ],
)
def test_a_part_that_is_missing_is_told_at_its_place(text, column, details):
    problem = problem_of(field_name, text)
    assert problem is not None
    assert (problem.column, problem.details) == (column, details)

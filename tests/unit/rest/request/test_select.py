"""The grammar of `select`."""

import time

import pytest

from rest_compat.api_request.model import Aggregate, FieldText, Join, SelectEmbed, SelectField, Step
from rest_compat.request import parsec
from rest_compat.request.select import select_items, widest_level


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
        (
            "dept(a->0,b->0)",
            SelectEmbed(
                "dept", None, None, None, False,
                (
                    SelectField(FieldText("a", (Step(False, "+0", True),))),
                    SelectField(FieldText("b", (Step(False, "0", False),))),
                ),
            ),
        ),
        ("...dept()", SelectEmbed("dept", None, None, None, True, ())),
    ],
)  # fmt: skip
def test_select_items_are_read(text, item):
    assert parsec.run(select_items, text) == [item]


@pytest.mark.parametrize(
    "item",
    [
        "name", "who:name", "a1:_b::text", "data->a->>0->b1", "data->>a", "pay::int.sum()",
        "x:pay.max()", "dept(id,*,x:name::text)", "x:dept(*)", "...dept(id,name)", "count",
        "dept(...team(a),b:team(c(d)))", "9", "count:id", "dept()", "dept(a->0)", "dept(a->0->b,c->1)",
    ],
)  # fmt: skip
def test_a_plain_item_is_read_as_the_grammar_reads_it(item):
    """A blank in front of an item is the grammar's alone."""
    spaced = item.replace("(", "( ").replace("( )", "()").replace(",", ", ")
    plain, by_grammar = (parsec.run(select_items, text) for text in (f"{item},z", f" {spaced},z"))
    assert plain == by_grammar


@pytest.mark.parametrize(
    ("text", "widest"),
    [
        ("*", 1),
        ("a,b,c", 3),
        ("a,dept(b,c,d,e),f", 4),
        ("dept(emp(a,b),c),d,e", 3),
        ('"a,b","c(,\\",",d', 3),
        ("a)),b", 2),
        ("count(),pay.sum(),id", 3),
    ],
)
def test_the_items_of_each_level_are_counted_for_themselves(text: str, widest: int):
    assert widest_level(text) == widest


def test_a_quote_that_is_never_closed_is_looked_at_once():
    began = time.process_time()
    assert widest_level('a,"' + '\\"' * 100_000) == 2
    assert time.process_time() - began < 2  # each escaped quote tried as a beginning: minutes

"""The grammars of conditions and logic trees."""

import pytest

from rest_compat.api_request.model import Binary, InList, Is, LogicGroup, Quantifier
from rest_compat.request import parsec
from rest_compat.request.filters import condition, logic_tree


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

"""The grammar of `order`."""

import pytest

from rest_compat.api_request.model import FieldText, OrderText
from rest_compat.request import parsec
from rest_compat.request.ordering import order_terms


def test_orders_look_into_embeds():
    assert parsec.run(order_terms, "dept(name).desc.nullslast,id") == [
        OrderText(FieldText("name"), True, False, "dept"),
        OrderText(FieldText("id")),
    ]


@pytest.mark.parametrize(
    "term",
    ["name", "name.asc", "name.desc.nullsfirst", "name.nullslast", "data->a->>1.desc", "asc.asc"],
)
def test_a_plain_term_is_read_as_the_grammar_reads_it(term):
    """A blank in front of a term is the grammar's alone."""
    plain, by_grammar = (parsec.run(order_terms, text) for text in (f"{term},z", f" {term},z"))
    assert plain == by_grammar

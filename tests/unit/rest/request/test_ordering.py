"""The grammar of `order`."""

from rest_compat.api_request.model import FieldText, OrderText
from rest_compat.request import parsec
from rest_compat.request.ordering import order_terms


def test_orders_look_into_embeds():
    assert parsec.run(order_terms, "dept(name).desc.nullslast,id") == [
        OrderText(FieldText("name"), True, False, "dept"),
        OrderText(FieldText("id")),
    ]

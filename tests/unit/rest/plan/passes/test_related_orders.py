"""Orders that look into embeds."""

import pytest

from compat_base.values.errors import ApiError
from rest_compat.plan.passes.related_orders import resolve_related_orders
from rest_compat.plan.read_tree import Field, Order
from tests.harness_rest_plans import level

BY_NAME = Order(Field("name"), part="dept")


def ordered(**facts):
    embed = level("dept", part_alias="emp_dept_1", **facts)
    return resolve_related_orders(level("emp", orders=(BY_NAME,), children=(embed,)))


def test_an_order_looks_into_the_one_row_of_an_embed():
    assert ordered(to_one=True).orders == (Order(Field("name"), part="emp_dept_1"),)


@pytest.mark.parametrize(
    ("facts", "code"), [({"to_one": False}, "PGRST118"), ({"alias": "home"}, "PGRST108")]
)
def test_an_order_by_many_rows_or_by_none_is_refused(facts, code):
    with pytest.raises(ApiError) as raised:
        ordered(**facts)
    assert raised.value.problem.code == code

"""The order of a to-many spread moves into its arrays."""

import pytest

from compat_base.values.errors import ApiError
from rest_compat.api_request.model import Aggregate
from rest_compat.plan.passes.array_orders import move_array_orders
from rest_compat.plan.read_tree import Field, Order, Spread
from tests.harness_rest_plans import column, level

BY_PAY = Order(Field("pay"), descending=True)


def test_what_arrays_are_ordered_by_is_selected_under_a_name_of_its_own():
    moved = move_array_orders(
        level("emp", spread=Spread.MANY, part_alias="dept_emp_1", orders=(BY_PAY,))
    )
    assert moved.orders == ()
    assert moved.extra_columns[0].column.alias == "dept_emp_1_pay_1"
    assert moved.array_orders == (Order(Field("dept_emp_1_pay_1"), descending=True),)


def test_the_order_of_any_other_level_stays():
    assert move_array_orders(level("emp", orders=(BY_PAY,))).orders == (BY_PAY,)


def test_aggregates_of_arrays_are_not_implemented():
    counted = column("id", aggregate=Aggregate.COUNT)
    with pytest.raises(ApiError) as raised:
        move_array_orders(level("emp", spread=Spread.MANY, columns=(counted,)))
    assert raised.value.problem.code == "PGRST127"

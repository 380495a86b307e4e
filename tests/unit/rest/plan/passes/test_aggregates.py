"""Aggregates are allowed or not, and computed at the level that is not spread."""

import pytest

from compat_base.values.errors import ApiError
from rest_compat.api_request.model import Aggregate
from rest_compat.plan.passes.aggregates import check_aggregates, lift_aggregates
from rest_compat.plan.passes.parts import add_parts
from rest_compat.plan.read_tree import Spread
from tests.harness_rest_plans import column, level

SUM = column("pay", aggregate=Aggregate.SUM, alias="total")


def test_an_aggregate_anywhere_in_the_tree_is_refused():
    with pytest.raises(ApiError) as raised:
        check_aggregates(level("dept", children=(level("emp", columns=(SUM,)),)))
    assert raised.value.problem.code == "PGRST123"


def test_an_aggregate_of_a_spread_is_taken_over_the_parents_groups():
    spread = level("emp", columns=(SUM,), spread=Spread.ONE, part_alias="dept_emp_1")
    lifted = lift_aggregates(add_parts(level("dept", children=(spread,))))
    assert lifted.children[0].columns[0].aggregate is None
    assert lifted.parts[0].columns[0].aggregate is Aggregate.SUM

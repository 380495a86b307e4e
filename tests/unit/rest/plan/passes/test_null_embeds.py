"""`embed=is.null` asks whether there are rows of the embed."""

import pytest

from rest_compat.api_request.model import Binary, Is
from rest_compat.plan.passes.null_embeds import resolve_null_embeds
from rest_compat.plan.read_tree import Comparison, EmbedIsNull, Field, Group
from tests.harness_rest_plans import level

IS_NULL = Comparison(Field("emp"), False, Is("null"))


def resolved(condition, **facts):
    embed = level("emp", part_alias="dept_emp_1", **facts)
    tree = level("dept", conditions=(condition,), children=(embed,))
    return resolve_null_embeds(tree).conditions[0]


def test_null_of_an_embed_is_its_absence_also_within_a_group():
    absent = EmbedIsNull("dept_emp_1", negated=False)
    assert resolved(IS_NULL) == absent
    assert resolved(Group(True, "or", (IS_NULL,))) == Group(True, "or", (absent,))


@pytest.mark.parametrize(
    ("condition", "facts"),
    [
        (IS_NULL, {"alias": "who"}),
        (Comparison(Field("emp"), False, Is("true")), {}),
        (Comparison(Field("emp"), False, Binary("eq", "1")), {}),
    ],
)
def test_any_other_condition_is_on_a_column(condition, facts):
    assert resolved(condition, **facts) == condition

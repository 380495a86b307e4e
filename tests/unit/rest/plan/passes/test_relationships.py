"""Each embed is linked to its parent."""

import pytest

from compat_base.values.errors import ApiError
from rest_compat.api_request.model import FieldText, Filter, Is, OrderText, SelectField
from rest_compat.names import QualifiedName
from rest_compat.plan.passes.relationships import link
from rest_compat.plan.passes.tree import Branch
from rest_compat.plan.read_tree import Comparison, JoinPair, Spread
from tests.harness_rest_plans import CACHE, EMP, level


def linked(embed, *, from_source=False):
    return link(Branch("emp", children=(embed,)), CACHE, EMP, from_source=from_source)


def test_an_embed_is_joined_under_the_names_that_messages_show():
    node = linked(Branch("dept", alias="home")).children[0]
    there = QualifiedName("", "dept_1")
    assert node.joins == (JoinPair(there, "id", EMP, "dept_id"),)
    assert (node.part_alias, node.to_one, node.origin_columns) == ("emp_home_1", True, ("dept_id",))


def test_the_rows_of_a_write_have_the_name_of_its_relation():
    node = linked(Branch("dept"), from_source=True)
    assert node.source.name() == QualifiedName("", "emp")
    assert level("emp").source.name() == EMP


def test_a_spread_knows_how_many_rows_it_has():
    assert linked(Branch("dept", is_spread=True)).children[0].spread is Spread.ONE


@pytest.mark.parametrize(("name", "known"), [("dept", "integer"), ("dept_id", "")])
def test_of_an_embed_by_a_column_no_types_are_known(name, known):
    field = FieldText("id")
    filtered = Filter(field, False, Is("null"))
    node = linked(Branch(name, fields=(SelectField(field),), filters=(filtered,))).children[0]
    assert node.columns[0].field.type == known
    [condition] = node.conditions
    assert isinstance(condition, Comparison)
    assert condition.field.converts_to_json
    assert condition.field.type == known


def test_an_order_of_an_embed_knows_the_types_of_the_root():
    node = linked(Branch("dept", orders=(OrderText(FieldText("data")), OrderText(FieldText("x")))))
    assert [one.field.type for one in node.children[0].orders] == ["jsonb", ""]


def test_what_is_not_related_cannot_be_embedded():
    with pytest.raises(ApiError) as raised:
        linked(Branch("nothing"))
    assert raised.value.problem.code == "PGRST200"

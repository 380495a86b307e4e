"""Names that SQL would not give by itself."""

import pytest

from rest_compat.api_request.model import Aggregate, Step
from rest_compat.plan.passes.aliases import add_aliases
from rest_compat.plan.read_tree import Field, SelectedColumn, Spread
from tests.harness_rest_plans import column, level

KEY, INDEX = Step(False, "k"), Step(False, "+0", is_index=True)


@pytest.mark.parametrize(
    ("selected", "name"),
    [
        (column("id"), None),
        (SelectedColumn(Field("data", (KEY,))), "k"),
        (SelectedColumn(Field("data", (KEY, INDEX))), "k"),
        (SelectedColumn(Field("data", (INDEX,))), "data"),
        (SelectedColumn(Field("data", (KEY,)), alias="mine"), "mine"),
        (SelectedColumn(Field("mail", transform="shown")), "mail"),
    ],
)
def test_a_column_has_the_name_of_what_its_path_leads_to(selected, name):
    assert add_aliases(level("emp", columns=(selected,))).columns[0].alias == name


@pytest.mark.parametrize(("spread", "name"), [(None, None), (Spread.ONE, "sum")])
def test_an_aggregate_is_named_where_a_parent_must_know_it(spread, name):
    total = column("pay", aggregate=Aggregate.SUM)
    assert add_aliases(level("emp", columns=(total,), spread=spread)).columns[0].alias == name

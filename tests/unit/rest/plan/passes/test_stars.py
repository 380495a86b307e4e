"""`*` is written out where single columns matter."""

from rest_compat.api_request.model import Aggregate
from rest_compat.plan.passes.stars import expand_stars
from rest_compat.plan.read_tree import Spread
from tests.harness_rest_plans import CACHE, column, level

STAR = column("*")
COLUMNS = ["id", "name"]


def names(node):
    return [one.field.name for one in node.columns]


def test_a_star_stays_where_all_columns_are_sent_as_they_are():
    assert names(expand_stars(level("dept", columns=(STAR,)), CACHE)) == ["*"]


def test_a_star_beside_an_aggregate_is_every_column():
    counted = column("id", aggregate=Aggregate.COUNT)
    found = names(expand_stars(level("dept", columns=(STAR, counted)), CACHE))
    assert found == [*COLUMNS, "id"]


def test_a_star_in_an_array_of_a_spread_is_every_column():
    spread = level("dept", columns=(STAR,), spread=Spread.MANY)
    tree = expand_stars(level("emp", columns=(column("id"),), children=(spread,)), CACHE)
    assert names(tree.children[0]) == COLUMNS

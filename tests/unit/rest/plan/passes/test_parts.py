"""How an embed appears in its parent's row."""

from rest_compat.plan.passes.parts import add_parts
from rest_compat.plan.read_tree import PartKind, Spread
from tests.harness_rest_plans import column, level


def part(**facts):
    return add_parts(level("dept", children=(level("emp", **facts),))).parts[0]


def test_one_row_is_an_object_and_many_are_an_array():
    assert part(to_one=True, columns=(column("id"),)).kind is PartKind.OBJECT
    assert part(columns=(column("id"),)).kind is PartKind.ARRAY


def test_what_selects_nothing_is_hidden():
    assert part().hidden
    assert not part(columns=(column("id"),)).hidden
    assert not part(children=(level("skill", columns=(column("id"),)),)).hidden


def test_a_spread_gives_its_columns_under_the_names_they_have_below():
    found = part(spread=Spread.ONE, columns=(column("id", alias="key"), column("name")))
    assert [one.name for one in found.columns] == ["key", "name"]

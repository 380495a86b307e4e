"""How an embed appears in its parent's row."""

import pytest

from compat_base.values.errors import ApiError
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


def spread(depth: int, width: int):
    """A column so often, lifted through so many levels."""
    found = level("emp", spread=Spread.ONE, columns=(column("id"),) * width)
    for _ in range(depth - 1):
        found = level("dept", spread=Spread.ONE, children=(found, found))
    return level("emp", children=(found,))


def test_columns_that_spreads_repeat_are_refused_where_postgresql_would():
    assert len(add_parts(spread(5, 104)).parts[0].columns) == 1_664
    with pytest.raises(ApiError, match="at most 1664 entries"):
        add_parts(spread(5, 105))


def test_levels_side_by_side_are_counted_each_for_itself():
    wide = (column("id"),) * 1_600
    found = add_parts(level("emp", columns=wide, children=(level("dept", columns=wide),)))
    assert len(found.parts) == 1

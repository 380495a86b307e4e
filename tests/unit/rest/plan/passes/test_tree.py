"""Directives are hung where their paths lead."""

import pytest

from compat_base.values.errors import ApiError
from rest_compat.http.ranges import Window
from rest_compat.plan.passes.tree import make_tree
from tests.harness_rest_plans import make_request


def tree(query, *, old_names=True, **request):
    return make_tree(make_request(query, **request), "emp", old_names=old_names)


def test_the_first_of_two_orders_counts():
    order = tree("order=id&order=name").orders[0]
    assert order.field.name == "id"


def test_filters_keep_the_order_of_the_request_and_trees_go_before_them():
    found = tree("id=eq.1&name=eq.a&or=(id.eq.2)").filters
    assert [getattr(one, "field", None) and one.field.name for one in found] == [None, "id", "name"]


def test_an_embed_that_is_addressed_goes_to_the_front_and_is_marked_for_an_old_name():
    found = tree("select=a:dept(id),emp(id),dept(id)&emp.limit=1&dept.id=eq.1").children
    assert [one.alias or one.name for one in found] == ["emp", "a", "dept"]
    assert (found[0].window, found[1].used_old_name) == (Window(0, 0), True)


def test_without_old_names_only_the_names_of_the_output_count():
    found = tree("select=a:dept(id),dept(id)&dept.id=eq.1", old_names=False).children
    assert [(one.alias, len(one.filters)) for one in found] == [(None, 1), ("a", 0)]


@pytest.mark.parametrize("query", ["dept.id=eq.1", "select=dept(id)&dept.x.order=id"])
def test_a_path_to_what_is_not_selected_is_refused(query):
    with pytest.raises(ApiError) as raised:
        tree(query)
    assert raised.value.problem.code == "PGRST108"


def test_a_writes_own_conditions_do_not_shape_what_it_returns():
    found = tree("id=eq.1&dept.id=eq.2&select=dept(id)&limit=1", method="DELETE")
    assert (found.filters, len(found.children[0].filters)) == ((), 1)

"""The configured maximum of rows holds at every level."""

import pytest

from rest_compat.http.ranges import ALL, ZERO, Window
from rest_compat.plan.passes.limits import cap_windows
from tests.harness_rest_plans import level


@pytest.mark.parametrize(
    ("window", "capped"),
    [
        (ALL, Window(0, 9)),
        (Window(5), Window(5, 14)),
        (Window(5, 7), Window(5, 7)),
        (ZERO, ZERO),
    ],
)
def test_a_window_ends_at_the_maximum_counted_from_its_start(window, capped):
    tree = cap_windows(level("dept", window=window, children=(level("emp", window=window),)), 10)
    assert (tree.window, tree.children[0].window) == (capped, capped)


@pytest.mark.parametrize("most", [None, 10])
def test_a_window_that_ends_before_the_first_row_asks_for_nothing(most):
    assert cap_windows(level("dept", window=Window(1, -1)), most).window == ZERO


def test_without_a_maximum_nothing_is_capped():
    assert cap_windows(level("dept"), None).window == ALL

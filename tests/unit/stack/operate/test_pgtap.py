"""Whether a file of pgTAP tests passed, by what it printed."""

from __future__ import annotations

import pytest

from compat_stack.operate.pgtap import has_passed


@pytest.mark.parametrize(
    "output",
    [
        ["1..2", "ok 1 - one", "ok 2 - two"],
        ["ok 1 - one", "1..1"],
        ["1..1", "not ok 1 - later # TODO not yet"],
        ["", "1..0"],  # a file that sets up others
    ],
)
def test_a_file_passes_whose_planned_tests_do(output: list[str]) -> None:
    assert has_passed(output, "")


@pytest.mark.parametrize(
    ("output", "failure"),
    [
        (["1..2", "ok 1"], ""),
        (["1..1", "not ok 1"], ""),
        (["1..0", "ok 1"], ""),
        ([""], ""),  # no plan
        (["1..1", "ok 1"], "3: it broke afterwards"),
        (["1..0"], "3: it broke"),
    ],
)
def test_a_file_fails_whose_tests_do_or_are_not_those_that_it_planned(
    output: list[str], failure: str
) -> None:
    assert not has_passed(output, failure)

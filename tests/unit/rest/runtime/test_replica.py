"""How far a replica may be behind to answer."""

import pytest

from rest_compat.runtime.replica import is_fit


@pytest.mark.parametrize(
    ("lag", "fit"),
    [(0.0, True), (1.9, True), (-0.2, True), (2.5, False), (None, False), (-3600.0, False)],
)
def test_a_replica_answers_that_is_near_and_whose_clock_is_right(lag: float | None, fit: bool):
    assert is_fit(lag) is fit

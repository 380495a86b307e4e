"""How far a replica may be behind to answer."""

import pytest

from rest_compat.runtime.replica import fit_seconds


@pytest.mark.parametrize(
    ("lag", "seconds"),
    [(0.0, 2.0), (1.5, 0.5), (-0.5, 1.5), (2.5, 0.0), (None, 0.0), (-3600.0, 0.0)],
)
def test_a_replica_answers_while_no_state_is_older_than_who_wrote_is_remembered(
    lag: float | None, seconds: float
):
    assert fit_seconds(lag) == seconds

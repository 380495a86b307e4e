"""Whether what came back keeps what the request asked for."""

import pytest

from rest_compat.outcome import Outcome, judge
from rest_compat.plan.model import Promise


@pytest.mark.parametrize(
    ("promise", "count", "code"),
    [
        (Promise(), 5, None),
        (Promise(single=True), 1, None),
        (Promise(single=True), 0, "PGRST116"),
        (Promise(upserted_one=True), 0, "PGRST115"),
        (Promise(max_affected=2), 2, None),
        (Promise(max_affected=2), 3, "PGRST124"),
    ],
)
def test_the_verdict_follows_the_promise(promise, count, code):
    problem = judge(promise, Outcome(page_total=count))
    assert (problem and problem.code) == code

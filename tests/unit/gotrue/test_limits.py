"""Token buckets on passed-in time: auth reference 10."""

from __future__ import annotations

from gotrue_compat.limits import Limiter
from gotrue_compat.settings.access import Rate


def test_a_bucket_empties_and_fills_at_its_rate():
    limiter = Limiter(Rate(30, 300, 3))
    assert [limiter.allows("a", 0) for _ in range(4)] == [True, True, True, False]
    assert not limiter.allows("a", 9.9)
    assert limiter.allows("a", 10)
    assert limiter.allows("b", 10)


def test_no_events_forbid_everything():
    assert not Limiter(Rate(0, 3600, 0)).allows("", 0)


def test_full_buckets_are_forgotten():
    limiter = Limiter(Rate(10, 1, 1))
    for number in range(10_001):
        limiter.allows(str(number), 0)
    limiter.allows("last", 1000)
    assert len(limiter._buckets) == 1

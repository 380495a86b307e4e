"""Rate limits as values: when a bucket refuses, for how long, and how much memory buckets take."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from gotrue_compat.adapters.memory_buckets import MemoryBuckets
from gotrue_compat.ports import Rate
from gotrue_compat.settings.limits import LIMITS, Limit, rate_from


class Hand:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.at = 0.0

    def monotonic(self) -> float:
        return self.at

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.at, UTC)


@pytest.fixture
def clock() -> Hand:
    return Hand()


async def test_a_bucket_empties_and_fills_at_its_rate(clock: Hand):
    buckets, rate = MemoryBuckets(clock, 10), Rate(30, 300, 3)
    assert [await buckets.take(b"a", rate) for _ in range(4)] == [0, 0, 0, pytest.approx(10)]
    clock.at = 9.5
    assert await buckets.take(b"a", rate) == pytest.approx(0.5)
    clock.at = 10
    assert await buckets.take(b"a", rate) == 0
    assert await buckets.take(b"a", rate) == pytest.approx(10)
    assert await buckets.take(b"b", rate) == 0


async def test_what_is_given_back_can_be_taken_again(clock: Hand):
    buckets, rate = MemoryBuckets(clock, 10), Rate(1, 60, 1)
    for _ in range(5):
        assert await buckets.take(b"a", rate) == 0
        await buckets.give_back(b"a", rate)
    assert await buckets.take(b"a", rate) == 0
    assert await buckets.take(b"a", rate) == pytest.approx(60)


async def test_full_buckets_are_forgotten(clock: Hand):
    buckets, rate = MemoryBuckets(clock, 100), Rate(10, 1, 1)
    for number in range(50):
        await buckets.take(number.to_bytes(2), rate)
    clock.at = 1000
    for number in range(50, 60):
        await buckets.take(number.to_bytes(2), rate)
    assert len(buckets) == 10


async def test_a_hundred_thousand_callers_take_no_more_than_the_bound(clock: Hand):
    buckets, rate = MemoryBuckets(clock, 1000), Rate(30, 300, 30)
    for number in range(100_000):
        assert await buckets.take(number.to_bytes(4), rate) == 0
    assert len(buckets) == 1000


async def test_a_flood_of_callers_does_not_free_the_one_who_used_much(clock: Hand):
    buckets, rate = MemoryBuckets(clock, 1000), Rate(30, 300, 30)
    for _ in range(30):
        await buckets.take(b"guesser", rate)
    for number in range(20_000):
        await buckets.take(number.to_bytes(4), rate)
    assert await buckets.take(b"guesser", rate) > 0


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("30", Rate(30, 300, 30)),
        ("1", Rate(1, 300, 30)),
        ("600/5m", Rate(600, 300, 600)),
        ("0.5/1m", Rate(0.5, 60, 1)),
        ("0", Rate(1, 3600, 30)),
        ("off", None),
    ],
)
def test_a_value_is_a_number_with_or_without_a_time_or_off(text: str, rate: Rate | None):
    assert rate_from(text, Limit("X", "30", 300, 30)) == rate


@pytest.mark.parametrize("text", ["", "many", "-1", "nan", "inf", "5/", "5/0s", "5/-1m", "5/inf"])
def test_other_values_are_refused(text: str):
    with pytest.raises(ValueError):
        rate_from(text, LIMITS["otp"])

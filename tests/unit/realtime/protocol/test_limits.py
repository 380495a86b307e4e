"""Averages over a minute, and windows of calls."""

from __future__ import annotations

from realtime_compat.protocol.limits import CallWindows, Rate
from tests.harness_realtime import START


def test_a_rate_is_an_average_and_lifts_again():
    rate = Rate(10)
    rate.add(50, 1000.0)
    assert rate.is_reached(1000.0)
    assert rate.average(1000.0) == 10
    assert not rate.is_reached(1005.0)
    assert rate.headroom(1005.0) == 5
    rate.add(1000, 1006.0)
    assert rate.is_reached(1006.0)
    assert rate.average(1200.0) == 0


def test_a_window_of_calls_slides():
    windows = CallWindows(2, 30, most=1)
    admitted = [windows.admits("key", now) for now in (0, 10, 29, 30, 31)]
    assert admitted == [True, True, False, True, False]


def test_further_keys_are_refused_while_as_many_as_may_be_have_calls():
    windows = CallWindows(2, 30, most=2)
    calls = [("a", 0), ("b", 10), ("c", 20), ("a", 20), ("c", 39), ("c", 51)]
    assert [windows.admits(*call) for call in calls] == [True, True, False, True, False, True]


def test_a_rate_forgets_old_events_and_still_counts_them():
    rate = Rate(10)
    for second in range(0, 300, 3):
        rate.add(2, START + second)
    assert rate.counted == 200
    assert rate.average(START + 600) == 0


def test_a_rate_does_not_count_for_ever_into_the_minute_of_a_clock_that_is_set_back():
    rate = Rate(10)
    rate.add(30, START)
    for second in range(600):
        rate.add(9, START - 86_400 + second)
        assert not rate.is_reached(START - 86_400 + second)
    assert rate.counted == 30 + 600 * 9


def test_a_clock_that_is_set_back_a_little_gives_no_rate_back():
    rate = Rate(10)
    rate.add(50, START + 4)
    assert rate.is_reached(START)


def test_calls_of_a_clock_that_is_set_back_refuse_no_later_ones():
    windows = CallWindows(2, 30, most=1)
    calls = [("a", 86_400), ("a", 86_401), ("a", 10), ("a", 11), ("a", 12), ("b", 45), ("b", 12)]
    assert [windows.admits(*call) for call in calls] == [True, True, True, True, False, True, True]

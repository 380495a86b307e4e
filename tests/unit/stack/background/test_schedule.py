"""When a schedule's next moment is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_stack.background.jobs import due, until_next
from compat_stack.background.schedule import ScheduleError, parse_schedule

SATURDAY = datetime(2026, 2, 28, 23, 58, 30, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "moment"),
    [
        ("* * * * *", "2026-02-28 23:59"),
        ("@hourly", "2026-03-01 00:00"),
        ("@daily", "2026-03-01 00:00"),
        ("@weekly", "2026-03-01 00:00"),
        ("@monthly", "2026-03-01 00:00"),
        ("@yearly", "2027-01-01 00:00"),
        ("*/15 * * * *", "2026-03-01 00:00"),
        ("10-20/5 3 * * *", "2026-03-01 03:10"),
        ("0-40/20 * * * *", "2026-03-01 00:00"),
        ("*/15 * * * * *", "2026-03-01 00:00"),  # a sixth field counts for nothing
        ("@daily at night", "2026-03-01 00:00"),
        ("5;20 * * * *", "2026-03-01 00:05"),
        ("0 22-6 * * *", "2026-03-01 00:00"),  # over midnight
        ("0 0 */100 * *", "2026-03-01 00:00"),  # a step beyond the range leaves its first
        ("0 18-8 * * *", "2026-03-01 08:00"),  # the original's bytes have 18 to 23, and 8
        ("5seconds", "2026-02-28 23:58:35"),
        ("0 9 * * mon-fri", "2026-03-02 09:00"),
        ("0 9 * * 7", "2026-03-01 09:00"),
        ("0 0 $ * *", "2026-03-31 00:00"),
        ("0 0 29 2 *", "2028-02-29 00:00"),
        ("0 0 13 * fri", "2026-03-06 00:00"),  # both restricted: either
        ("0 0 */2 * mon", "2026-03-09 00:00"),  # one begins with a star: both
        ("59 seconds", "2026-02-28 23:58:45"),
        ("0 0 1 JAN,jul *", "2026-07-01 00:00"),
    ],
)
def test_a_schedule_comes_due(schedule: str, moment: str) -> None:
    assert parse_schedule(schedule).next_after(SATURDAY) == at(moment)


@pytest.mark.parametrize("text", ["0 0 30 2 *", "5-1 * * * *", "20-2/2 * * * *"])
def test_a_moment_that_never_comes_is_never_due(text: str) -> None:
    assert parse_schedule(text).next_after(SATURDAY) is None


@pytest.mark.parametrize(
    "text",
    ["", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "5/20 * * * *",
     "*/0 * * * *", "x * * * *", "0 seconds", "60 seconds", "@reboot", "² * * * *", "1, * * * *",
     "-1 * * * *", "5- * * * *", "1-5/ * * * *", "0 9 * * monday", "@x", "99999999999999999999 seconds"],
)  # fmt: skip
def test_what_is_no_schedule_is_refused(text: str) -> None:
    with pytest.raises(ScheduleError):
        parse_schedule(text)


@given(
    MOMENTS,
    st.sampled_from(["* * * * *", "*/7 */5 * * *", "0 0 $ * *", "13 seconds", "0 0 13 * 5"]),
)
def test_the_next_moment_is_later_and_has_no_other_before_it(moment: datetime, text: str) -> None:
    schedule = parse_schedule(text)
    found = schedule.next_after(moment)
    assert found is not None
    assert found > moment
    assert schedule.next_after(found - timedelta(seconds=1)) == found


def test_a_schedule_is_due_once_for_its_last_moment() -> None:
    every, never = "1 seconds", "0 0 30 2 *"
    now = SATURDAY + timedelta(seconds=10)
    assert due([every, never], SATURDAY, now) == [(every, now)]
    assert due([every], now, now) == []


def test_a_moment_that_passed_long_ago_is_passed_over() -> None:
    midnight = "0 0 * * *"
    day = at("2026-03-01 00:00")
    late = day + timedelta(seconds=59)
    assert due([midnight], day - timedelta(days=3), late) == [(midnight, day)]
    assert due([midnight], day - timedelta(days=3), day + timedelta(seconds=61)) == []


def test_a_clock_that_is_set_back_begins_nothing() -> None:
    assert due(["* * * * *"], SATURDAY, SATURDAY - timedelta(hours=1)) == []


@pytest.mark.parametrize(
    ("schedule", "is_frequent"),
    [("* * * * *", True), ("*/5 1 * * *", True), ("@hourly", True), ("30 seconds", True),
     ("@daily", False), ("0 1-23 * * *", False)],
)  # fmt: skip
def test_a_schedule_is_frequent_where_it_names_no_time_of_day(
    schedule: str, is_frequent: bool
) -> None:
    assert parse_schedule(schedule).is_frequent == is_frequent


def test_the_worker_sleeps_until_the_next_schedule_and_a_minute_at_most() -> None:
    assert until_next(["@daily"], SATURDAY) == 60
    assert until_next(["* * * * *"], SATURDAY) == 30

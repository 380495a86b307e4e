"""Moments as the wire writes and reads them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage_compat.rules import times

MOMENT = datetime(2026, 1, 31, 9, 0, 0, 123_999, tzinfo=UTC)


def test_times_are_cut_to_milliseconds_in_utc():
    assert times.iso_text(MOMENT) == "2026-01-31T09:00:00.123Z"
    assert times.iso_text(MOMENT.astimezone(timezone(timedelta(hours=5)))) == times.iso_text(MOMENT)
    assert times.iso_text(None) is None


def test_a_date_of_http_is_read_as_it_was_written():
    text = times.http_date(MOMENT)
    assert text == "Sat, 31 Jan 2026 09:00:00 GMT"
    assert times.http_moment(text) == MOMENT.replace(microsecond=0)


@pytest.mark.parametrize("text", ["2026-01-31T09:00:00", "2026-01-31T09:00:00Z"])
def test_a_time_without_a_zone_is_in_utc(text: str):
    assert times.moment_of(text) == MOMENT.replace(microsecond=0)


@given(st.one_of(st.none(), st.integers(), st.text(max_size=40)))
def test_anything_is_a_time_or_none(value: object):
    times.moment_of(value)
    times.http_moment(str(value))

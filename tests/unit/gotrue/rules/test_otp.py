"""One-time passwords: their stored form, their life, and the gap between two."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from compat_base.values.errors import ApiError, Row
from gotrue_compat.rules import otp

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HASH = otp.token_hash("a@example.com", "123456")
TOO_SOON = Row("over_email_send_rate_limit", 429, "after {seconds} seconds")


def test_a_hash_stands_for_address_and_code():
    assert len(HASH) == 56
    assert otp.token_hash("b@example.com", "123456") != HASH


@pytest.mark.parametrize("stored", [HASH, otp.with_flow(HASH, pkce=True)])
def test_a_code_is_valid_in_either_stored_form_until_it_is_too_old(stored: str):
    sent = NOW - timedelta(seconds=60)
    assert otp.is_valid(HASH, stored, sent, 60, NOW)
    assert not otp.is_valid(HASH, stored, sent, 59, NOW)


@pytest.mark.parametrize(("given", "stored"), [("", ""), (HASH, ""), ("", HASH), (HASH, HASH[1:])])
def test_empty_and_other_codes_are_not_valid(given: str, stored: str):
    assert not otp.is_valid(given, stored, NOW, 60, NOW)


@pytest.mark.parametrize("life", [0, 30, 300])
def test_what_is_alive_is_between_the_first_and_the_last_moment_of_it(life: float):
    first, last = otp.times_alive(life, NOW)
    beyond = timedelta(seconds=1)
    assert not any(otp.is_expired(at, life, NOW) for at in (first, last))
    assert all(otp.is_expired(at, life, NOW) for at in (first - beyond, last + beyond))


def test_what_was_never_sent_has_expired():
    assert otp.is_expired(None, 1e9, NOW)


def test_a_second_mail_within_the_gap_is_refused_with_the_seconds_left():
    with pytest.raises(ApiError) as caught:
        otp.check_gap(NOW - timedelta(seconds=50.5), 60, NOW, TOO_SOON)
    assert caught.value.problem.message == "after 9 seconds"
    assert caught.value.problem.headers == (("Retry-After", "10"),)


@pytest.mark.parametrize("sent", [None, NOW - timedelta(seconds=60)])
def test_a_first_mail_and_one_after_the_gap_pass(sent: datetime | None):
    otp.check_gap(sent, 60, NOW, TOO_SOON)


@pytest.mark.parametrize("gap", [0, 1e-9])
def test_a_gap_that_no_clock_can_tell_refuses_nobody(gap: float):
    otp.check_gap(NOW, gap, NOW, TOO_SOON)
    otp.check_gap(NOW + timedelta(seconds=1), gap, NOW, TOO_SOON)


def test_a_clock_that_went_back_leaves_the_whole_gap_and_no_more():
    with pytest.raises(ApiError) as caught:
        otp.check_gap(NOW + timedelta(seconds=9), 60, NOW, TOO_SOON)
    assert caught.value.problem.headers == (("Retry-After", "60"),)


def test_a_message_that_a_fast_clock_dated_locks_nobody_out_when_the_clock_is_right_again():
    otp.check_gap(NOW + timedelta(hours=2), 60, NOW, TOO_SOON)
    otp.check_gap(NOW + timedelta(seconds=61), 0.5, NOW, TOO_SOON)


def test_a_code_that_a_fast_clock_dated_does_not_live_until_that_day():
    assert otp.is_expired(NOW + timedelta(days=2), 3600, NOW)
    assert not otp.is_expired(NOW + timedelta(seconds=59), 3600, NOW)
    assert not otp.is_expired(NOW + timedelta(seconds=59), 1, NOW)

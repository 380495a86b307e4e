"""When a message is sent again, and when never."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from compat_stack.background.deliveries import (
    Delivered,
    Failed,
    Outcome,
    Postponed,
    outcome_of,
    repeated,
)

NOW = datetime(2026, 11, 22, 22, 0, tzinfo=UTC)


def after(status: int, retry_after: str | None = None, tries: int = 1) -> Outcome:
    return outcome_of(status, retry_after, tries, 0.5, NOW)


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_success_is_delivered(status: int):
    assert after(status) == Delivered()


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 410, 413])
def test_a_refusal_is_final(status: int):
    assert after(status) == Failed(str(status))


@pytest.mark.parametrize(("tries", "minutes"), [(1, 1), (2, 5), (3, 30), (4, 120)])
def test_waits_grow_and_the_fifth_failure_is_final(tries: int, minutes: int):
    assert after(500, tries=tries) == Postponed(minutes * 60, "500")
    assert after(500, tries=5) == Failed("500")


def test_waits_are_spread_by_a_fifth():
    waits = [repeated("timeout", 1, jitter) for jitter in (0.0, 1.0)]
    assert [round(wait.seconds) for wait in waits if isinstance(wait, Postponed)] == [48, 72]


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        ("600", 600), ("5", 60), ("999999999999", 86_400), ("-5", 60), ("soon", 60), ("", 60),
        ("Sun, 22 Nov 2026 22:10:00 GMT", 600), ("Sun, 22 Nov 2026 21:00:00 GMT", 60),
        ("Sun, 22 Nov 2026 22:10:00", 600), ("²", 60),
    ],
)  # fmt: skip
def test_a_recipient_may_ask_for_a_longer_wait(retry_after: str, seconds: float):
    assert after(429, retry_after) == Postponed(seconds, "429")

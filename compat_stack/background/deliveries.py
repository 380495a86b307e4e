"""Outcomes of a delivery: delivered, failed, or postponed to be retried."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

RETRY_MINUTES = (1, 5, 30, 120)
"""Delays between tries; a delivery that fails after the last delay is not retried."""
_SPREAD = 0.2  # of the wait, earlier or later: not all at once after an outage
_LONGEST = 86_400.0  # seconds that a recipient may ask to wait
_AGAIN = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS})


@dataclass(frozen=True, slots=True)
class Delivered:
    """The recipient's server has accepted it."""


@dataclass(frozen=True, slots=True)
class Failed:
    """It is not retried. `reason` is an HTTP status or a word for the log."""

    reason: str


@dataclass(frozen=True, slots=True)
class Postponed:
    """It is retried in so many seconds."""

    seconds: float
    reason: str


Outcome = Delivered | Failed | Postponed


def outcome_of(
    status: int, retry_after: str | None, tries: int, jitter: float, now: datetime
) -> Outcome:
    """The outcome of an HTTP answer. `tries` counts this one, `jitter` is from 0 to 1."""
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return Delivered()
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _AGAIN:
        return repeated(str(status), tries, jitter, _seconds(retry_after, now))
    return Failed(str(status))


def repeated(reason: str, tries: int, jitter: float, least: float = 0.0) -> Outcome:
    """Retry after the delay of that try, or `least` seconds where these are more; else failed."""
    if tries > len(RETRY_MINUTES):
        return Failed(reason)
    wait = RETRY_MINUTES[tries - 1] * 60 * (1 - _SPREAD + 2 * _SPREAD * jitter)
    return Postponed(max(wait, min(least, _LONGEST)), reason)


def _seconds(retry_after: str | None, now: datetime) -> float:
    """Seconds of `Retry-After`, a number or a date; 0 without one."""
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds())

"""Moments as the wire writes them."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime


def iso_text(moment: datetime | None) -> str | None:
    """A moment in UTC with milliseconds: `2026-01-31T09:00:00.123Z`."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def http_date(moment: datetime) -> str:
    """A moment as HTTP writes it (RFC 9110, section 5.6.7)."""
    return format_datetime(moment.astimezone(UTC), usegmt=True)


def moment_of(text: object) -> datetime | None:
    """The moment of an ISO text, None where it is none."""
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def http_moment(text: str) -> datetime | None:
    """The moment of an HTTP date, None where it cannot be read."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return moment_of(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

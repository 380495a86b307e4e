"""How long bans last: auth reference 7."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat.features.admin.bans import ban_end

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("24h", 86_400), ("1h30m", 5400), ("+1.5h", 5400), (".5s", 0.5), ("2562047h", 9_223_369_200),
        ("-1h", -3600), ("-1h30m", -5400),
    ],
)  # fmt: skip
def test_durations_are_those_of_go(text: str, seconds: float):
    assert ban_end(text, NOW) == NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "none", "0", "0s", "-0", "0h0m"])
def test_no_time_is_no_ban(text: str):
    assert ban_end(text, NOW) is None


@pytest.mark.parametrize(
    "text",
    ["soon", "5", "5.5", "1e3", "inf", "nan", "1 h", " 24h", "1d", "1h-1m", "--1h", "-+1h", "1_0h", "2562048h", "9" * 400 + "h", "NONE", "1h5"],
)  # fmt: skip
def test_what_go_does_not_read_is_refused(text: str):
    with pytest.raises(ApiError, match="time: invalid duration"):
        ban_end(text, NOW)

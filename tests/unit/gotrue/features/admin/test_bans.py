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
        ("2562047h47m16.854775807s", 9_223_372_036.854776), ("-1h", -3600), ("-1h30m", -5400),
    ],
)  # fmt: skip
def test_durations_are_those_of_go(text: str, seconds: float):
    assert ban_end(text, NOW) == NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "none", "0", "0s", "-0", "0h0m"])
def test_no_time_is_no_ban(text: str):
    assert ban_end(text, NOW) is None


@pytest.mark.parametrize(
    "text",
    [
        "soon",
        "inf",
        "nan",
        " 24h",
        "--1h",
        "-+1h",
        "2562048h",
        "2562047h47m16.854775808s",
        "9" * 400 + "h",
        "NONE",
        ".h",
    ],
)
def test_what_go_does_not_read_is_refused(text: str):
    with pytest.raises(ApiError, match="time: invalid duration"):
        ban_end(text, NOW)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("5", "missing unit"), ("5.5", "missing unit"), ("-1", "missing unit"),
        ("1h5", "missing unit"), ("1e3", 'unknown unit "e"'), ("1 h", 'unknown unit " h"'),
        ("1d", 'unknown unit "d"'), ("1h-1m", 'unknown unit "h-"'), ("1_0h", 'unknown unit "_"'),
    ],
)  # fmt: skip
def test_a_duration_that_lacks_a_known_unit_is_refused_in_gos_words(text: str, reason: str):
    with pytest.raises(ApiError) as caught:
        ban_end(text, NOW)
    assert f'time: {reason} in duration "{text}"' in caught.value.problem.message


def test_a_refused_duration_is_quoted_with_its_bytes_as_go_quotes_them():
    with pytest.raises(ApiError) as caught:
        ban_end('a"é\\\n', NOW)
    quoted = '"a\\"\\xc3\\xa9\\\\\\x0a"'
    assert caught.value.problem.message.endswith(f"time: invalid duration {quoted}")

"""Limits: a number, a number over a time, or off."""

from __future__ import annotations

import pytest

from compat_base.values.setting_rows import read_rows
from compat_base.values.settings import Reader, SettingsError
from gotrue_compat.ports import Rate
from gotrue_compat.settings.limits import LIMITS, Limit, LimitSettings, rate_from

HOURLY = Limit("X", "off", 3600.0)


@pytest.mark.parametrize(
    ("text", "limit", "rate"),
    [
        ("off", HOURLY, None),
        ("5", HOURLY, Rate(5, 3600, 5)),
        ("0", HOURLY, Rate(0, 3600, 1)),
        ("5", Limit("X", "off", 300.0, burst=30), Rate(5, 300, 30)),
        ("0", Limit("X", "off", 300.0, burst=30), Rate(1, 3600, 30)),
        ("0/5m", Limit("X", "off", 300.0, burst=30), Rate(0, 300, 1)),
        ("5/10m", Limit("X", "off", 300.0, burst=30), Rate(5, 600, 5)),
        ("0.5/1s", HOURLY, Rate(0.5, 1, 1)),
    ],
)
def test_a_limit_is_read(text: str, limit: Limit, rate: Rate | None):
    assert rate_from(text, limit) == rate


@pytest.mark.parametrize("text", ["", "-1", "x", "inf", "nan", "5/", "5/0s", "5/x"])
def test_what_is_none_is_refused(text: str):
    with pytest.raises(ValueError):
        rate_from(text, HOURLY)
    reader = Reader({"GOTRUE_RATE_LIMIT_SMS_SENT": text or " "}, prefix="GOTRUE_")
    read_rows(LimitSettings, reader)
    with pytest.raises(SettingsError, match="GOTRUE_RATE_LIMIT_SMS_SENT"):
        reader.finish(None)


def test_a_limit_that_is_not_set_follows_the_one_that_it_is_like():
    read = read_rows(LimitSettings, Reader({"GOTRUE_RATE_LIMIT_OTP": "7"}, prefix="GOTRUE_"))
    assert read.rates["sign_up"] == read.rates["otp"] == Rate(7, 300, 30)


def test_no_two_limits_have_one_variable():
    assert len({limit.variable for limit in LIMITS.values()}) == len(LIMITS)

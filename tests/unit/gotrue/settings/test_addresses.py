"""Where the service is, mails and messages: their variables."""

from __future__ import annotations

import pytest

from compat_base.values.settings import Reader, SettingsError
from gotrue_compat.settings import addresses


def reader(**values: str) -> Reader:
    return Reader({f"GOTRUE_{name}": value for name, value in values.items()}, prefix="GOTRUE_")


@pytest.mark.parametrize(("length", "counts"), [("5", 6), ("6", 6), ("10", 10), ("11", 6)])
def test_a_code_has_six_to_ten_digits(length: str, counts: int):
    assert addresses.read_mailer(reader(MAILER_OTP_LENGTH=length)).otp_length == counts
    assert addresses.read_sms(reader(SMS_OTP_LENGTH=length)).otp_length == counts


def test_credentials_are_those_of_the_provider():
    read = addresses.read_sms(reader(SMS_PROVIDER="messagebird", SMS_MESSAGEBIRD_ACCESS_KEY="k"))
    assert read.credentials == {"access_key": "k", "originator": ""}
    assert addresses.read_sms(reader(SMS_PROVIDER="odd")).credentials == {}


def test_codes_of_tests_are_pairs_until_a_time():
    asked = reader(SMS_TEST_OTP="1: 111111,2:222222", SMS_TEST_OTP_VALID_UNTIL="soon")
    assert addresses.read_sms(asked).test_otp == {"1": "111111", "2": "222222"}
    with pytest.raises(SettingsError, match="SMS_TEST_OTP_VALID_UNTIL"):
        asked.finish(None)


@pytest.mark.parametrize("text", ["[]", "{", '{"a": 5}'])
def test_headers_are_an_object_of_lists(text: str):
    asked = reader(SMTP_HEADERS=text)
    assert addresses.read_smtp(asked).headers == {}
    with pytest.raises(SettingsError, match="SMTP_HEADERS"):
        asked.finish(None)
    assert addresses.read_smtp(reader(SMTP_HEADERS='{"a": ["b", 1]}')).headers == {"a": ("b", "1")}


def test_a_database_is_named_with_or_without_the_prefix():
    assert addresses.read_database(reader(DB_DATABASE_URL="u"), Reader({})).url.reveal() == "u"
    both = addresses.read_database(reader(DATABASE_URL="u"), Reader({"DATABASE_URL": "plain"}))
    assert both.url.reveal() == "plain"


def test_a_signal_is_heard_only_where_that_is_on():
    plain = Reader({"API_EXTERNAL_URL": "http://api"})
    assert addresses.read_api(reader(RELOADING_SIGNAL_NUMBER="12"), plain).reload_signal is None
    on = reader(RELOADING_SIGNAL_NUMBER="12", RELOADING_SIGNAL_ENABLED="true")
    assert addresses.read_api(on, plain).reload_signal == 12

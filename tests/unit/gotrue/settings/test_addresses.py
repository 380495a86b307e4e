"""Where the service is, mails and messages: their variables."""

from __future__ import annotations

import pytest

from compat_base.values.setting_rows import read_rows
from compat_base.values.settings import Reader, SettingsError
from gotrue_compat.settings import addresses
from gotrue_compat.settings.factors import MfaSettings


def reader(**values: str) -> Reader:
    return Reader({f"GOTRUE_{name}": value for name, value in values.items()}, prefix="GOTRUE_")


@pytest.mark.parametrize(("length", "counts"), [("5", 6), ("6", 6), ("10", 10), ("11", 6)])
def test_a_code_has_six_to_ten_digits(length: str, counts: int):
    assert (
        read_rows(addresses.MailerSettings, reader(MAILER_OTP_LENGTH=length)).otp_length == counts
    )
    assert read_rows(addresses.SmsSettings, reader(SMS_OTP_LENGTH=length)).otp_length == counts


def test_credentials_are_those_of_the_provider():
    read = read_rows(
        addresses.SmsSettings, reader(SMS_PROVIDER="messagebird", SMS_MESSAGEBIRD_ACCESS_KEY="k")
    )
    assert read.credentials == {"access_key": "k", "originator": ""}
    assert read_rows(addresses.SmsSettings, reader(SMS_PROVIDER="odd")).credentials == {}


@pytest.mark.parametrize("template", ["{{ .Code", "{{ if .Code }}", "{{ nope .Code }}", "{{ $x }}"])
def test_a_template_of_messages_that_cannot_be_read_is_refused(template: str):
    settings_reader = reader(SMS_TEMPLATE=template, MFA_PHONE_TEMPLATE=template)
    read_rows(addresses.SmsSettings, settings_reader)
    read_rows(MfaSettings, settings_reader)
    with pytest.raises(SettingsError) as caught:
        settings_reader.finish(None)
    named = [problem.split()[0] for problem in caught.value.problems]
    assert named == ["GOTRUE_SMS_TEMPLATE", "GOTRUE_MFA_PHONE_TEMPLATE"]


def test_codes_of_tests_are_pairs_until_a_time():
    settings_reader = reader(SMS_TEST_OTP="1: 111111,2:222222", SMS_TEST_OTP_VALID_UNTIL="soon")
    assert read_rows(addresses.SmsSettings, settings_reader).test_otp == {
        "1": "111111",
        "2": "222222",
    }
    with pytest.raises(SettingsError, match="SMS_TEST_OTP_VALID_UNTIL"):
        settings_reader.finish(None)


@pytest.mark.parametrize("text", ["1", "1:2,3", "1:2:3"])
def test_codes_of_tests_that_are_no_pairs_are_refused(text: str):
    settings_reader = reader(SMS_TEST_OTP=text)
    read_rows(addresses.SmsSettings, settings_reader)
    with pytest.raises(SettingsError, match="GOTRUE_SMS_TEST_OTP must be pairs"):
        settings_reader.finish(None)


@pytest.mark.parametrize("text", ["[]", "{", '{"a": 5}'])
def test_headers_are_an_object_of_lists(text: str):
    settings_reader = reader(SMTP_HEADERS=text)
    assert read_rows(addresses.SmtpSettings, settings_reader).headers == {}
    with pytest.raises(SettingsError, match="SMTP_HEADERS"):
        settings_reader.finish(None)
    assert read_rows(addresses.SmtpSettings, reader(SMTP_HEADERS='{"a": ["b", 1]}')).headers == {
        "a": ("b", "1")
    }


def both(prefixed: dict[str, str], plain: dict[str, str]) -> Reader:
    given = {f"GOTRUE_{name}": value for name, value in prefixed.items()}
    return Reader(given | plain, prefix="GOTRUE_")


def test_a_database_is_named_with_or_without_the_prefix():
    prefixed = read_rows(addresses.DatabaseSettings, reader(DB_DATABASE_URL="u"))
    assert prefixed.url.reveal() == "u"
    settings_reader = both({"DATABASE_URL": "u"}, {"DATABASE_URL": "plain"})
    assert read_rows(addresses.DatabaseSettings, settings_reader).url.reveal() == "plain"


def test_a_signal_is_heard_only_where_that_is_on():
    plain = {"API_EXTERNAL_URL": "http://api"}
    off = both({"RELOADING_SIGNAL_NUMBER": "12"}, plain)
    assert read_rows(addresses.ApiSettings, off).reload_signal is None
    on = both({"RELOADING_SIGNAL_NUMBER": "12", "RELOADING_SIGNAL_ENABLED": "true"}, plain)
    assert read_rows(addresses.ApiSettings, on).reload_signal == 12


def test_a_problem_without_the_prefix_is_told_with_the_others():
    settings_reader = both({"API_EXTERNAL_URL": "http://api"}, {"PORT": "x"})
    read_rows(addresses.ApiSettings, settings_reader)
    with pytest.raises(SettingsError, match=r"^PORT must be a whole number"):
        settings_reader.finish(None)

"""Who gets in: variables of passwords, sessions, encryption and captcha."""

from __future__ import annotations

import base64

import pytest

from compat_base.values.setting_rows import read_rows
from compat_base.values.settings import Reader, SettingsError
from gotrue_compat.settings import access

KEY = base64.urlsafe_b64encode(b"k" * 32).decode().rstrip("=")


def reader(**values: str) -> Reader:
    return Reader({f"GOTRUE_{name}": value for name, value in values.items()}, prefix="GOTRUE_")


@pytest.mark.parametrize(
    ("text", "sets"),
    [("", ()), ("abc:012", ("abc", "012")), (r"a\:b:c", ("a:b", "c")), ("::a", ("a",))],
)
def test_sets_of_characters_are_split_at_colons(text: str, sets: tuple[str, ...]):
    assert access.character_sets(text) == sets


def test_no_password_may_be_shorter_than_six():
    assert read_rows(access.PasswordSettings, reader(PASSWORD_MIN_LENGTH="3")).min_length == 6
    assert read_rows(access.PasswordSettings, reader(PASSWORD_MIN_LENGTH="9")).min_length == 9


def test_a_limit_is_none_or_longer_than_nothing():
    assert read_rows(access.SessionSettings, reader()).timebox is None
    settings_reader = reader(SESSIONS_TIMEBOX="0s")
    read_rows(access.SessionSettings, settings_reader)
    with pytest.raises(SettingsError, match="longer than nothing"):
        settings_reader.finish(None)
    assert read_rows(access.SessionSettings, reader(SESSIONS_TIMEBOX="24h")).timebox == 86_400


def test_encryption_needs_its_key():
    settings_reader = reader(SECURITY_DB_ENCRYPTION_ENCRYPT="true")
    read_rows(access.SecuritySettings, settings_reader)
    with pytest.raises(SettingsError, match="ENCRYPTION_KEY_ID"):
        settings_reader.finish(None)


def test_keys_that_decrypt_are_named():
    keys = reader(SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS=f"a:{KEY},b:y")
    decryption = read_rows(access.SecuritySettings, keys).encryption.decryption
    assert {name: key.reveal() for name, key in decryption.items()} == {"a": KEY, "b": "y"}
    with pytest.raises(SettingsError, match="'b' must be 32 bytes"):
        keys.finish(None)


def test_the_key_that_encrypts_decrypts_too():
    settings_reader = reader(
        SECURITY_DB_ENCRYPTION_ENCRYPT="true", SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID="k",
        SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY=KEY,
    )  # fmt: skip
    read_rows(access.SecuritySettings, settings_reader)
    with pytest.raises(SettingsError, match="must hold the key that encrypts"):
        settings_reader.finish(None)


@pytest.mark.parametrize(
    "values",
    [
        {"SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION": "3"},
        {"SECURITY_REFRESH_TOKEN_UPGRADE_PERCENTAGE": "101"},
    ],
)
def test_numbers_that_mean_nothing_are_refused(values: dict[str, str]):
    settings_reader = reader(**values)
    read_rows(access.SecuritySettings, settings_reader)
    with pytest.raises(SettingsError, match="GOTRUE_SECURITY_REFRESH_TOKEN"):
        settings_reader.finish(None)


def test_a_captcha_needs_its_secret():
    settings_reader = reader(SECURITY_CAPTCHA_ENABLED="true", SECURITY_CAPTCHA_SECRET="  ")
    access.read_captcha(settings_reader)
    with pytest.raises(SettingsError, match="CAPTCHA_SECRET"):
        settings_reader.finish(None)


def test_addresses_are_compared_in_lower_case():
    assert read_rows(access.EmailSettings, reader(EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES="A@B,c@d")).authorized == (
        "a@b", "c@d",
    )  # fmt: skip


def test_a_captcha_is_of_a_known_service():
    settings_reader = reader(SECURITY_CAPTCHA_PROVIDER="odd")
    read_rows(access.CaptchaSettings, settings_reader)
    with pytest.raises(SettingsError, match="CAPTCHA_PROVIDER"):
        settings_reader.finish(None)

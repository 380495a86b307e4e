"""Weak passwords and one-time passwords: auth reference 4.1, 6."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.rules import otp
from gotrue_compat.rules.passwords import PWNED, check_length, is_known_hash, weakness_of
from gotrue_compat.settings.access import PasswordSettings, character_sets

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def _settings(minimum: int = 6, sets: tuple[str, ...] = ()) -> PasswordSettings:
    return PasswordSettings(minimum, sets, False, False, "", "", 0)


@pytest.mark.parametrize(
    ("password", "settings", "reasons"),
    [
        ("123456", _settings(), None),
        ("12345", _settings(), ("length",)),
        ("ñññ", _settings(), None),
        ("abc", _settings(6, ("abc", "012")), ("length", "characters")),
        ("abc012", _settings(6, ("abc", "012")), None),
    ],
)
def test_what_makes_a_password_weak(password: str, settings: PasswordSettings, reasons):
    weakness = weakness_of(password, settings)
    assert (weakness.reasons if weakness else None) == reasons


def test_texts_are_joined_in_order():
    weakness = weakness_of("a", _settings(6, ("xyz",)), is_pwned=True)
    assert weakness is not None
    assert weakness.text == (
        "Password should be at least 6 characters. Password should contain at least one character "
        f"of each: xyz. {PWNED}"
    )


def test_sets_are_split_at_colons_that_are_not_escaped():
    assert character_sets(r"abc:\::012") == ("abc", ":", "012")


def test_seventy_two_bytes_is_the_end():
    check_length("x" * 72)
    with pytest.raises(ApiError):
        check_length("ñ" * 37)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("$2a$10$" + "a" * 53, True),
        ("$argon2id$v=19$m=8,t=1,p=1$c2FsdA$aGFzaA", True),
        ("$fbscrypt$v=1,n=14,r=8,p=1$c2FsdA==$aGFzaA==", True),
        ("$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=YQ==$c2FsdA==$aGFzaA==", True),
        ("$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=YQ==$c2FsdA==$zzz", False),
        ("$fbscrypt$v=1,n=0,r=8,p=1$c2FsdA==$aGFzaA==", False),
        ("$fbscrypt$", False),
        ("plain", False),
    ],
)
def test_which_hashes_may_be_imported(text: str, known: bool):
    assert is_known_hash(text) is known


def test_a_stored_hash_is_found_with_and_without_its_mark():
    hashed = otp.token_hash("a@b.es", "123456")
    sent = NOW - timedelta(seconds=50)
    for stored in (hashed, otp.with_flow(hashed, pkce=True)):
        assert otp.is_valid(hashed, stored, sent, 60, NOW)
    assert not otp.is_valid(hashed, hashed, sent, 40, NOW)
    assert not otp.is_valid(hashed, "", sent, 60, NOW)
    assert not otp.is_valid(hashed, hashed, None, 60, NOW)


def test_the_gap_tells_the_seconds_left():
    with pytest.raises(ApiError, match="after 9 seconds"):
        otp.check_gap(NOW - timedelta(seconds=50.5), 60, NOW, errors.TOO_SOON_EMAIL)
    otp.check_gap(NOW - timedelta(seconds=60), 60, NOW, errors.TOO_SOON_EMAIL)


def test_a_request_that_waited_while_another_sent_is_not_younger_than_that():
    """Requests are dated when they come; the one served second may be the one that came first."""
    later = NOW + timedelta(seconds=3)
    otp.check_gap(later, 0, NOW, errors.TOO_SOON_EMAIL)
    with pytest.raises(ApiError, match="after 60 seconds"):
        otp.check_gap(later, 60, NOW, errors.TOO_SOON_EMAIL)

"""Forms of addresses and numbers: auth reference 6."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.rules.addresses import (
    email_from,
    is_authorized,
    is_undeliverable,
    lowered,
    phone_from,
)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("Ana@Example.com", "ana@example.com"),
        ("a.b+c@localhost", "a.b+c@localhost"),
        ("x!#$%&'*+/=?^_`{|}~-@h-1.es", "x!#$%&'*+/=?^_`{|}~-@h-1.es"),
    ],
)
def test_addresses_are_stored_in_lower_case(text: str, stored: str):
    assert email_from(text) == stored


@pytest.mark.parametrize(
    ("given", "kept"),
    [("Ana@Example.com", "ana@example.com"), ("\u212aate@X.com", "\u212aate@x.com")],
)
def test_no_letter_of_a_providers_address_becomes_one_of_somebody_elses(given: str, kept: str):
    assert lowered(given) == kept


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("", errors.EMAIL_REQUIRED),
        ("a" * 251 + "@b.es", errors.EMAIL_TOO_LONG),
        ("no-at", errors.EMAIL_FORM),
        ("=?utf-8?q?me=40evil.es=2c?=x@b.es", errors.EMAIL_FORM),
        ("x=?UTF-8?B?bWU=?=@b.es", errors.EMAIL_FORM),
        ("a b@c.es", errors.EMAIL_FORM),
        ("a@-b.es", errors.EMAIL_FORM),
        ("a@b..es", errors.EMAIL_FORM),
        ("ñ@b.es", errors.EMAIL_FORM),
        ("a@b.es\n", errors.EMAIL_FORM),
    ],
)
def test_addresses_refused(text: str, row):
    with pytest.raises(ApiError) as caught:
        email_from(text)
    assert caught.value.problem == row.problem()


@pytest.mark.parametrize("text", ["+34 600 123 456", "34600123456"])
def test_numbers_are_stored_without_plus_and_blanks(text: str):
    assert phone_from(text) == "34600123456"


@pytest.mark.parametrize("text", ["", "0123", "1", "1" * 16, "12a", "++34"])
def test_numbers_refused(text: str):
    with pytest.raises(ApiError):
        phone_from(text)


def test_labels_do_not_count_for_the_authorised_list():
    assert is_authorized("A+x@b.es", ("a@b.es",))
    assert not is_authorized("c@b.es", ("a@b.es",))
    assert is_authorized("anybody@b.es", ())


@pytest.mark.parametrize(
    "email",
    [
        "a@example.com",
        "a@mail.test",
        "a@localhost",
        "A@X.Invalid",
        "test@gmail.com",
        "ana@gmail.com",
    ],
)
def test_addresses_that_reach_nobody(email: str):
    assert is_undeliverable(email)


@pytest.mark.parametrize("email", ["a@b.es", "a@example.es", "a@latest", "ana.lopez@gmail.com"])
def test_addresses_that_may_reach_somebody(email: str):
    assert not is_undeliverable(email)

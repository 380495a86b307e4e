"""What a row of a user says."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gotrue_compat.model.user import Identity
from tests.unit.gotrue.records import ID, NOW, factor, row, user


def test_texts_that_are_null_are_empty_and_metadata_that_is_none_is_an_object():
    read = user(phone=None, raw_user_meta_data="text", email_change_confirm_status=None)
    assert (read.phone, read.raw_user_meta_data, read.email_change_confirm_status) == ("", {}, 0)


@pytest.mark.parametrize(("stored", "has_password"), [(None, False), ("", False), ("$2a$", True)])
def test_null_and_empty_are_no_password(stored: str | None, has_password: bool):
    assert user(encrypted_password=stored).has_password is has_password


def test_a_ban_ends_at_its_moment():
    banned = user(banned_until=NOW)
    assert banned.is_banned(NOW - timedelta(microseconds=1))
    assert not banned.is_banned(NOW)
    assert not user().is_banned(NOW)


def test_a_verified_factor_is_needed_for_aal2():
    assert not user(factor_rows=[factor()]).has_verified_factor
    assert user(factor_rows=[factor(), factor(status="verified")]).has_verified_factor


def test_an_identity_of_the_users_own_has_the_users_id():
    def identity(provider: str, provider_id: str) -> dict[str, object]:
        return row(Identity, id=ID, user_id=ID, provider=provider, provider_id=provider_id)

    known = user(identity_rows=[identity("email", "other"), identity("phone", str(ID))])
    assert known.identity_of("email") is None
    found = known.identity_of("phone")
    assert found is not None
    assert found.provider_id == str(ID)
